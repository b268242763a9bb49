// SPDX-License-Identifier: MIT

/// Origin of a piece of work that may have to wait for a budget of the process.
package struct WorkOrigin: Hashable, Sendable {
  package enum Kind: UInt8, CaseIterable, Hashable, Sendable {
    case fileChecks, apiChecks
    /// `/probe`, run now and runs by command.
    case asked
    case tokens, discovery
    case notifications, group, delivery, deadManSwitches
  }

  package var kind: Kind
  /// Host or asker. Work under one key is done in the order it came; keys of one kind take turns.
  package var key: UInt64

  package init(_ kind: Kind, key: UInt64 = 0) { (self.kind, self.key) = (kind, key) }

  package init(_ kind: Kind, named name: String) {
    var hasher = Hasher()
    hasher.combine(ByteText(name))
    self.init(kind, key: UInt64(bitPattern: Int64(hasher.finalize())))
  }
}

extension WorkOrigin.Kind {
  /// Whether its transfers are few and their answers have a small known limit. They begin at once, before all others.
  package var isUrgent: Bool {
    switch self {
    case .notifications, .group, .delivery, .deadManSwitches: true
    case .fileChecks, .apiChecks, .asked, .tokens, .discovery: false
    }
  }

  /// Probe traffic, as opposed to the agent's own transfers.
  package var isProbe: Bool {
    switch self {
    case .fileChecks, .apiChecks, .asked: true
    case .tokens, .discovery, .notifications, .group, .delivery, .deadManSwitches: false
    }
  }

  /// In JSON and in labels of metrics.
  package var label: String {
    switch self {
    case .fileChecks: "file_checks"
    case .apiChecks: "api_checks"
    case .asked: "asked"
    case .tokens: "tokens"
    case .discovery: "discovery"
    case .notifications: "notifications"
    case .group: "group"
    case .delivery: "delivery"
    case .deadManSwitches: "dead_man_switches"
    }
  }

  /// For people.
  package var words: String {
    switch self {
    case .fileChecks: "checks of agent.yaml"
    case .apiChecks: "checks from the API"
    case .asked: "/probe and runs by hand"
    case .tokens: "tokens of checks"
    case .discovery: "discovery"
    case .notifications: "notifications"
    case .group: "the group"
    case .delivery: "delivery and the check list"
    case .deadManSwitches: "dead man's switches"
    }
  }
}

/// A value for each kind of origin, in one array.
package struct ByOrigin<Value> {
  private var values: [Value]

  package init(_ make: (WorkOrigin.Kind) -> Value) { values = WorkOrigin.Kind.allCases.map(make) }

  package subscript(kind: WorkOrigin.Kind) -> Value {
    get { values[Int(kind.rawValue)] }
    _modify { yield &values[Int(kind.rawValue)] }
  }
}

extension ByOrigin: Sendable where Value: Sendable {}
