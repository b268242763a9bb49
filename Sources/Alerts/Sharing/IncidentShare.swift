// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Where the agents of a group keep their incidents, so that one outlives the agent that found it. Without a group there
/// is none, and every incident is this agent's alone.
///
/// Each check that is in trouble has an entry of its own. The agent that has the check writes it; the agent that has the
/// check whose entry came first tells people of the incident: the speaker.
package protocol IncidentShare: Sendable {
  /// This agent's name.
  var writer: String { get }
  /// What is known now; cheap.
  func look() -> ShareView
  func role(of check: UniqueID) -> ShareRole
  /// To be done soon; what came of it is in a later `look`.
  func write(_ writes: [ShareWrite])
}

/// Whose a check is.
package enum ShareRole: Hashable, Sendable {
  /// Nobody shares it.
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
  /// By check.
  package var entries: [UniqueID: ShareEntry] = [:]
  /// This agent ends what nobody has any more, and all agents of the group have the same checks.
  package var cleans = false
  /// Another one: something is new.
  package var version = 0

  package init() {}
}

package struct ShareEntry: Hashable, Sendable {
  /// Nil: what stands there is none.
  package var part: SharedPart?
  /// Revisions of the store.
  package var created: Int64
  package var changed: Int64

  package init(_ part: SharedPart?, created: Int64, changed: Int64) {
    (self.part, self.created, self.changed) = (part, created, changed)
  }
}

/// Changes that are made all, or not at all where an entry is not the one that is meant.
package struct ShareWrite: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    package var check: UniqueID
    /// Nil: it goes.
    package var part: SharedPart?
    /// The revision of the entry's last change; 0: there is none.
    package var replacing: Int64

    package init(_ check: UniqueID, _ part: SharedPart?, replacing: Int64) {
      (self.check, self.part, self.replacing) = (check, part, replacing)
    }
  }

  package var changes: [Change]

  package init(_ changes: [Change]) { self.changes = changes }

  /// Entries in one; etcd takes 128 operations.
  static let most = 60
}
