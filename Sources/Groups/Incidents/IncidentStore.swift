// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One entry of the group's open incidents, by check, as the store has it.
package struct IncidentEntry: Hashable, Sendable {
  package var check: UniqueID
  /// `nil` where the entry was deleted.
  package var value: [UInt8]?
  package var created: Int64
  /// Of the change.
  package var changed: Int64

  package init(_ check: UniqueID, _ value: [UInt8]?, created: Int64, changed: Int64) {
    (self.check, self.value, self.created, self.changed) = (check, value, created, changed)
  }

  /// Entries that are looked at.
  package static let most = 20_000
}

package struct IncidentReading: Hashable, Sendable {
  package var world: UInt64
  package var revision: Int64
  package var entries: [IncidentEntry]
  package var strange = StrangeKeys()

  package init(world: UInt64, revision: Int64, entries: [IncidentEntry]) {
    (self.world, self.revision, self.entries) = (world, revision, entries)
  }
}

/// New value of an entry, if its last change was the one of this revision (0: there is none).
package struct IncidentChange: Hashable, Sendable {
  package var check: UniqueID
  /// `nil` deletes the entry.
  package var value: [UInt8]?
  package var replacing: Int64

  package init(_ check: UniqueID, _ value: [UInt8]?, replacing: Int64) {
    (self.check, self.value, self.replacing) = (check, value, replacing)
  }
}

/// Where a group's open incidents are. They have no lease: they outlive who wrote them. Etcd in the agent, a store in memory
/// in tests. Every call ends within some seconds.
package protocol IncidentStore: Sendable {
  func readIncidents() async -> Result<IncidentReading, StoreTrouble>
  /// All of them or none, at the revision; nil: one is not as it was meant to be.
  func write(_ changes: [IncidentChange]) async -> Result<Int64?, StoreTrouble>
  /// Whether the store has not changed since everything in it was known.
  func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool
  /// Tells every change after a revision, in their order, until it ends.
  func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> WatchEnd
}
