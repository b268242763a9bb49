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
  /// Tells every change after a revision until it ends; then everything is to be read anew.
  func watchIncidents(
    after revision: Int64, _ tell: @escaping @Sendable ([IncidentEntry]) -> Void
  ) async -> StoreTrouble?
}

/// The store's entries as they are known here: from readings, from a watch, and from own writes.
package struct IncidentMirror: Hashable, Sendable {
  package private(set) var world: UInt64 = 0
  package private(set) var revision: Int64 = 0
  package private(set) var entries: [UniqueID: IncidentEntry] = [:]
  /// Checks whose entries went, and when: what a watch tells of before is late.
  private var gone: [UniqueID: Int64] = [:]
  private var readAt: Int64 = 0
  /// Counts what is new.
  package private(set) var version = 0

  package init() {}

  /// Everything there is.
  package mutating func take(_ reading: IncidentReading) {
    // Another store, or one that was set back: what was known is of no world any more.
    if reading.world != world || reading.revision < readAt {
      (entries, gone, revision) = ([:], [:], 0)
    }
    version += 1
    (world, readAt) = (reading.world, reading.revision)
    revision = max(revision, reading.revision)
    let newer = entries.filter { $0.value.changed > reading.revision }
    gone = gone.filter { $0.value > reading.revision }
    entries = [:]
    for entry in reading.entries.prefix(IncidentEntry.most) where gone[entry.check] == nil {
      entries[entry.check] = entry
    }
    entries.merge(newer) { $1 }
  }

  /// Changes, in their order.
  package mutating func take(_ changes: [IncidentEntry]) {
    for entry in changes {
      let known = max(entries[entry.check]?.changed ?? 0, gone[entry.check] ?? 0)
      guard entry.changed > known else { continue }
      version += 1
      revision = max(revision, entry.changed)
      if entry.value == nil {
        entries[entry.check] = nil
        gone[entry.check] = entry.changed
        forgetGone()
      } else if entries[entry.check] != nil || entries.count < IncidentEntry.most {
        entries[entry.check] = entry
        gone[entry.check] = nil
      }
    }
  }

  /// Drops entries that were deleted long ago: they are late no more.
  private mutating func forgetGone() {
    guard gone.count > 2 * IncidentEntry.most else { return }
    let newest = gone.sorted { $0.value > $1.value }.prefix(IncidentEntry.most)
    gone = Dictionary(newest.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// Takes own changes that were written at a revision.
  package mutating func took(_ changes: [IncidentChange], at revision: Int64) {
    take(
      changes.map { change in
        let created = change.replacing == 0 ? revision : entries[change.check]?.created ?? revision
        return IncidentEntry(change.check, change.value, created: created, changed: revision)
      })
  }
}
