// SPDX-License-Identifier: MIT

import Basics

/// The store's entries as they are known here: from readings, from a watch, and from own writes.
package struct IncidentMirror: Hashable, Sendable {
  /// As the store told it: own writes are ahead of it.
  package private(set) var position = StorePosition()
  package private(set) var revision: Int64 = 0
  package private(set) var entries: [UniqueID: IncidentEntry] = [:]
  /// Checks whose entries went, and when: what a watch tells of before is late.
  private var gone: [UniqueID: Int64] = [:]
  /// When the member last looked at the store for all readers, as far as this is known here.
  private var seenAt: Instant?
  /// Of the last reading.
  package private(set) var strange = StrangeKeys()
  /// Counts what is new.
  package private(set) var version = 0

  package init() {}

  package var world: UInt64 { position.cluster ?? 0 }

  /// Everything there is.
  ///
  /// - Parameter asked: how far this was when the request left.
  package mutating func take(_ reading: IncidentReading, asked: Int64) {
    // What was known of another store, or before this one was set back, is of no world any more.
    if position.read(StoreMark(cluster: reading.world, revision: reading.revision), asked: asked) {
      (entries, gone, revision) = ([:], [:], 0)
    }
    version += 1
    strange = reading.strange
    revision = max(revision, reading.revision)
    let newer = entries.filter { $0.value.changed > reading.revision }
    gone = gone.filter { $0.value > reading.revision }
    entries = [:]
    for entry in reading.entries.prefix(IncidentEntry.most) where gone[entry.check] == nil {
      entries[entry.check] = entry
    }
    entries.merge(newer) { $1 }
  }

  /// Changes that the watch tells, in their order.
  package mutating func take(_ changes: [IncidentEntry]) {
    note(changes)
    position.tell(changes.reduce(0) { max($0, $1.changed) })
  }

  /// Notes what the member has seen of the store.
  ///
  /// - Returns: when everything in it was known here; `nil` where that is in doubt, or was said before.
  package mutating func see(_ proof: LeaseProof?, in store: any IncidentStore) -> Instant? {
    guard let mark = proof?.store, let at = proof?.seenAt, seenAt.map({ $0 < at }) ?? true else { return nil }
    seenAt = at
    return store.isIdle(position, mark) ? at : nil
  }

  package mutating func take(_ end: WatchEnd) { position.take(end) }

  /// Everything is to be read again.
  package mutating func lose() { position.lose() }

  private mutating func note(_ changes: [IncidentEntry]) {
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
    note(
      changes.map { change in
        let created = change.replacing == 0 ? revision : entries[change.check]?.created ?? revision
        return IncidentEntry(change.check, change.value, created: created, changed: revision)
      })
  }
}
