// SPDX-License-Identifier: MIT

import Basics

extension MonitoringCheck {
  /// The namespace of ids derived from names. Fixed for ever: a change would cut every check off its history.
  static let idNamespace = UniqueID(high: 0x6c1f_0d5e_93b7_4a28, low: 0x9e41_7f20_c5d8_3b66)

  /// The id of a check that gives none: UUIDv5 of its name.
  package static func derivedID(name: String) -> UniqueID { .v5(namespace: idNamespace, name: name) }

  /// Judges a definition; the only way to make a check.
  ///
  /// Fills in every default. Fields of other kinds are not looked at: the API leaves a former kind's columns behind,
  /// and the YAML walk knows the keys of each kind.
  ///
  /// - Throws: `InvalidCheck` with every problem found, in the order of the keys in docs/checks.md.
  /// - Parameter patterns: judges the regular expressions of the definition.
  package init(_ definition: CheckDefinition, patterns: PatternRule = .unchecked) throws(InvalidCheck) {
    var judge = CheckJudge(definition, patterns: patterns)
    let common = judge.common()
    let kind = judge.kind()
    if let common, let kind { judge.literal(kind, common) }
    guard judge.problems.isEmpty, let common, let kind else { throw InvalidCheck(problems: judge.problems) }
    self.init(
      Parts(
        id: common.id,
        name: common.name,
        origin: definition.origin,
        resourceID: common.resourceID,
        interval: judge.interval,
        timeout: judge.timeout,
        ip: common.ip,
        addresses: common.addresses,
        resolver: common.resolver,
        sourceAddress: common.sourceAddress,
        kind: kind,
        plan: judge.plan,
        unread: definition.unread))
  }

  /// The same check under another name, for lists in which two bear the same.
  package func renamed(_ name: String) -> MonitoringCheck {
    var parts = shared.parts
    parts.name = name
    return MonitoringCheck(parts)
  }

  /// The same check with one more request header; one that is not of http stays as it is.
  package func adding(_ header: HeaderField) -> MonitoringCheck {
    guard case .http(var http) = kind else { return self }
    http.headers.append(header)
    var parts = shared.parts
    parts.kind = .http(http)
    return MonitoringCheck(parts)
  }
}
