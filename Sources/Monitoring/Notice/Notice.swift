// SPDX-License-Identifier: MIT

import Basics

/// A notice to the operator: the fact, the next step, its severity, and its place.
///
/// A module makes it where it finds something. The log, the status as text, JSON and page, `doctor` and the commands
/// only render it. No code reads its words: facts that decide are a case or a field of their own.
package struct Notice: Hashable, Sendable {
  package enum Severity: Int, Comparable, Hashable, Sendable {
    case fine
    /// A person should know.
    case warning
    /// Data is being lost or a target is down: act now.
    case critical

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Place: Hashable, Sendable, ExpressibleByStringLiteral {
    /// A part of the agent or of its machine, in a word or two.
    case part(String)
    /// A check, by its name.
    case check(String)

    package init(stringLiteral part: String) { self = .part(part) }

    package var text: String {
      switch self {
      case .part(let words), .check(let words): words
      }
    }
  }

  package var severity: Severity
  package var place: Place
  /// One line, lower case but for names, no full stop, no secrets.
  package var what: String
  /// The next step. `nil` where there is nothing to do but wait.
  package var hint: String?
  /// When it began, where that is known.
  package var since: Timestamp?

  package init(
    _ severity: Severity, _ place: Place, _ what: String, hint: String? = nil, since: Timestamp? = nil
  ) {
    (self.severity, self.place, self.what, self.hint) = (severity, place, what, hint)
    self.since = since
  }

  package static func fine(_ place: Place, _ what: String) -> Notice { Notice(.fine, place, what) }

  package static func warning(
    _ place: Place, _ what: String, hint: String? = nil, since: Timestamp? = nil
  ) -> Notice {
    Notice(.warning, place, what, hint: hint, since: since)
  }

  package static func critical(
    _ place: Place, _ what: String, hint: String? = nil, since: Timestamp? = nil
  ) -> Notice {
    Notice(.critical, place, what, hint: hint, since: since)
  }

  package var isCritical: Bool { severity == .critical }
}

extension Notice.Place {
  package static let delivery: Self = "delivery"
  package static let checkList: Self = "the check list"
  package static let reach: Self = "the reach of the check list"
  package static let windows: Self = "the maintenance windows"
  package static let resources: Self = "the status of resources"
  package static let store: Self = "the store"
  package static let history: Self = "the history"
  package static let stateDirectory: Self = "state_dir"
  package static let discovery: Self = "discover"
  package static let schedule: Self = "the schedule"
  package static let clock: Self = "clock"
  package static let queues: Self = "queues"
  package static let byHand: Self = "operator actions"
  package static let configuration: Self = "configuration"
  /// Changed settings that a reload does not apply. No alert: when to restart is for people to choose.
  package static let restart: Self = "restart"
  /// Agents as the Quartz apps show them. No alert: the apps have one.
  package static let fleet: Self = "the fleet"
}
