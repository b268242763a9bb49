// SPDX-License-Identifier: MIT

import Basics

/// A module's rules for an answer that no check of agent.yaml can express. `/probe` applies them to the answer itself.
package struct BlackboxRules: Sendable {
  /// Of the records of one section, each written as a line.
  package struct Records: Sendable {
    package var refused: [String] = []
    /// Refused where every record matches.
    package var refusedOfAll: [String] = []
    package var wantedOfAll: [String] = []
    package var wantedOfAny: [String] = []

    package var isEmpty: Bool {
      refused.isEmpty && refusedOfAll.isEmpty && wantedOfAll.isEmpty && wantedOfAny.isEmpty
    }
  }

  package struct Header: Sendable {
    package var name: String
    package var pattern: String
    /// The pattern must not match.
    package var isRefused: Bool
    package var mayLack: Bool
  }

  package var answer = Records()
  package var authority = Records()
  package var additional = Records()
  package var headers: [Header] = []
  /// Bytes; the exporter fails where a body is longer.
  package var bodyLimit: Int?

  package init() {}

  /// The keys of a section that are read here and nowhere else.
  static let keys = [
    "validate_answer_rrs", "validate_authority_rrs", "validate_additional_rrs", "body_size_limit",
  ]

  init(_ settings: ForeignNode) {
    answer = Records(settings["validate_answer_rrs"])
    authority = Records(settings["validate_authority_rrs"])
    additional = Records(settings["validate_additional_rrs"])
    headers = Self.headerRules(settings).compactMap { rule in
      guard !rule.isPlain, let name = rule.node["header"]?.text, let pattern = rule.node["regexp"]?.text
      else { return nil }
      return Header(
        name: name, pattern: BlackboxHTTP.pattern(pattern), isRefused: rule.key == Self.headerKeys[0],
        mayLack: rule.node["allow_missing"]?.flag == true)
    }
    let limit = settings["body_size_limit"]?.text.flatMap(BlackboxHTTP.bytes) ?? 0
    bodyLimit = limit > 0 ? limit : nil
  }

  static let headerKeys = ["fail_if_header_matches", "fail_if_header_not_matches"]

  /// The rules about headers in their order; plain ones a check can have: it has one condition on a header, which must be
  /// there.
  static func headerRules(_ settings: ForeignNode) -> [(key: String, node: ForeignNode, isPlain: Bool)] {
    var seen: Set<ByteText> = []
    return headerKeys.flatMap { key in
      (settings[key]?.items ?? []).map { rule in
        let name = ByteText(rule["header"]?.text?.lowercased() ?? "")
        let isPlain = rule["allow_missing"]?.flag != true && !seen.contains(name)
        if isPlain { seen.insert(name) }
        return (key, rule, isPlain)
      }
    }
  }
}

extension BlackboxRules.Records {
  fileprivate init(_ node: ForeignNode?) {
    func patterns(_ key: String) -> [String] {
      (node?[key]?.all ?? []).compactMap(\.text).map(BlackboxHTTP.pattern)
    }
    self.init(
      refused: patterns("fail_if_matches_regexp"), refusedOfAll: patterns("fail_if_all_match_regexp"),
      wantedOfAll: patterns("fail_if_not_matches_regexp"),
      wantedOfAny: patterns("fail_if_none_matches_regexp"))
  }
}
