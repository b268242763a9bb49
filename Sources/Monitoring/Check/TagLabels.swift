// SPDX-License-Identifier: MIT

import Basics

/// Which tags of checks become labels of their metrics: a tag `team:shop` or `team=shop` is the label `team` with the value
/// `shop`, a tag `team` has the value `true`.
package enum TagLabels {
  /// Labels at most.
  package static let limit = 8
  /// Bytes of a name, and of a value, which is cut.
  package static let maxBytes = 64
  /// Labels of the metrics themselves, and those that Prometheus adds.
  package static let taken: Set<String> = [  // own text: fixed words
    "agent", "certificate", "check", "instance", "job", "le", "name", "outcome", "period", "phase",
    "quantile",
    "reason", "region", "state", "type", "version",
  ]

  /// Why a word can be no label, for a message; nil when it can.
  package static func objection(to name: String) -> String? {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= maxBytes, !(0x30...0x39).contains(first),
      !name.hasPrefix("__"),
      bytes.allSatisfy({ $0 == 0x5f || isASCIIAlphanumeric($0) })
    else { return "must be letters, digits and _, beginning with a letter, at most \(maxBytes)" }
    return taken.contains(name) ? "is a label that the metrics have themselves" : nil
  }

  /// The value of the label for a check; nil when no tag of its gives one.
  package static func value(of name: String, tags: [String]) -> String? {
    for tag in tags {
      if tag == name { return "true" }
      let parts = tag.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == ":" || $0 == "=" }
      guard parts.count == 2, parts[0] == name, !parts[1].isEmpty else { continue }
      return String(parts[1]).printable(maxBytes: maxBytes)
    }
    return nil
  }
}
