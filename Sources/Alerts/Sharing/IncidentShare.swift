// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Where the agents of a group keep what they share of alerting. Without a group there is none, and every incident is this
/// agent's alone.
///
/// It holds values by id, of two kinds: under a check's id the alerts of that check, written by the agent that runs it; under
/// an incident's id the incident with its notification log, written by the one agent that notifies for the group.
package protocol IncidentShare: Sendable {
  /// This agent's name.
  var writer: String { get }
  /// The current state; cheap.
  func look() -> ShareView
  func role(of check: UniqueID) -> ShareRole
  /// To be done soon; what came of it is in a later `look`.
  func write(_ writes: [ShareWrite])
  /// Done at once; what is to be so before a notification is sent.
  func commit(_ writes: [ShareWrite]) async -> ShareAnswer
}

package enum ShareAnswer: Hashable, Sendable {
  case written
  /// Another agent was first: nothing of it is done.
  case refused
  case unreachable
}

/// Whose a check is.
package enum ShareRole: Hashable, Sendable {
  /// This agent's alone: it is not shared.
  case own
  /// The group's, and this agent's to run.
  case owner
  /// The group's, and run here although another has it, or may have it.
  case assistant
  /// Another agent's.
  case elsewhere
  /// In no list of this agent's.
  case unlisted

  package var isRunHere: Bool { self != .elsewhere && self != .unlisted }
}

/// Whether what the store says can be relied upon.
package enum ShareTouch: Hashable, Sendable {
  /// Not read yet, for a lease's length at most.
  case settling
  case fresh
  /// For so long.
  case away(Duration)
}

package struct ShareView: Hashable, Sendable {
  package var touch = ShareTouch.settling
  /// Which store it is, and how far it has come: one that was wiped is another, or behind.
  package var world: UInt64 = 0
  package var revision: Int64 = 0
  package var entries: [UniqueID: ShareEntry] = [:]
  /// When all entries were read last; `nil`: they are known at every moment.
  package var readAt: Instant?
  /// This agent notifies for the group.
  package var notifies = false
  /// Name of the agent that does; `nil` where it is not known.
  package var notifier: String?
  /// Agents of the group whose lists of checks are other ones: they run the checks of this agent as well.
  package var apart: Set<ByteText> = []
  /// None notifies yet: their lists became different a moment ago, as when one agent after the other gets a new file.
  package var isDivided = false
  /// Another one: something is new.
  package var version = 0

  package init() {}
}

extension ShareView {
  /// Limit of an order that a person gives at an agent: a mute holds only where notifications are sent, a window only for the
  /// checks that run there. `nil` where it reaches all.
  package func limit(of order: OperatorWish.Kind, by writer: String) -> String? {
    switch order {
    case .mute where !notifies && notifier != writer:
      "\(notifier?.printable(maxBytes: 100) ?? "another member") notifies for the group: mute it there"
    case .startMaintenance:
      "of the group's checks only for those that run here: start it at each member"
    default: nil
    }
  }
}

package struct ShareEntry: Hashable, Sendable {
  /// `nil`: what stands there is none.
  package var value: SharedValue?
  /// Revision of the last change.
  package var changed: Int64

  package init(_ value: SharedValue?, changed: Int64) { (self.value, self.changed) = (value, changed) }
}

/// Changes that are made all, or not at all where an entry is not the one that is meant.
package struct ShareWrite: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    package var id: UniqueID
    /// `nil`: it goes.
    package var value: [UInt8]?
    /// The revision of the entry's last change; 0: there is none.
    package var replacing: Int64

    package init(_ id: UniqueID, _ value: [UInt8]?, replacing: Int64) {
      (self.id, self.value, self.replacing) = (id, value, replacing)
    }
  }

  package var changes: [Change]

  package init(_ changes: [Change]) { self.changes = changes }

  /// Entries in one; etcd takes 128 operations.
  static let most = 60

  static func split(_ changes: [Change]) -> [ShareWrite] {
    stride(from: 0, to: changes.count, by: most).map {
      ShareWrite(Array(changes[$0..<min($0 + most, changes.count)]))
    }
  }
}
