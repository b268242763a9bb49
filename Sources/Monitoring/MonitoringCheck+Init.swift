// SPDX-License-Identifier: MIT

extension MonitoringCheck {
  /// The namespace of ids derived from names. Fixed for ever: a change would cut every check off its history.
  package static let idNamespace = UniqueID(high: 0x6c1f_0d5e_93b7_4a28, low: 0x9e41_7f20_c5d8_3b66)

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
    guard judge.problems.isEmpty, let common, let kind else { throw InvalidCheck(problems: judge.problems) }
    self.id = common.id
    self.name = common.name
    self.origin = definition.origin
    self.enabled = definition.enabled ?? true
    self.post = definition.post ?? false
    self.resourceID = common.resourceID
    self.tags = definition.tags ?? []
    self.interval = judge.interval
    self.timeout = judge.timeout
    self.retries = definition.retries ?? 1
    self.retryDelay = definition.retryDelay ?? .seconds(2)
    self.confirmDelay = definition.confirmDelay ?? .zero
    self.intervalFailing = definition.intervalFailing
    self.failureThreshold = definition.failureThreshold ?? 1
    self.ip = common.ip
    self.addresses = common.addresses
    self.resolver = common.resolver
    self.pinned = nil
    self.sourceAddress = common.sourceAddress
    self.negate = definition.negate ?? false
    self.kind = kind
    self.responseTime = definition.expectResponseTime
  }

  /// The same check under another name, for lists in which two bear the same.
  package func renamed(_ name: String) -> MonitoringCheck {
    MonitoringCheck(self, name: name, pinned: pinned)
  }

  /// The same check about one address of its host, which is not resolved again.
  package func pinned(to address: IPAddress) -> MonitoringCheck {
    MonitoringCheck(self, name: name, pinned: address)
  }

  private init(_ check: MonitoringCheck, name: String, pinned: IPAddress?) {
    self.id = check.id
    self.name = name
    self.origin = check.origin
    self.enabled = check.enabled
    self.post = check.post
    self.resourceID = check.resourceID
    self.tags = check.tags
    self.interval = check.interval
    self.timeout = check.timeout
    self.retries = check.retries
    self.retryDelay = check.retryDelay
    self.confirmDelay = check.confirmDelay
    self.intervalFailing = check.intervalFailing
    self.failureThreshold = check.failureThreshold
    self.ip = check.ip
    self.addresses = check.addresses
    self.resolver = check.resolver
    self.pinned = pinned
    self.sourceAddress = check.sourceAddress
    self.negate = check.negate
    self.kind = check.kind
    self.responseTime = check.responseTime
  }
}
