// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Which snapshot file each check is in, and which files are behind.
///
/// A check stays in its file for as long as it is remembered, so a file is written only when one of its own has
/// something new. New checks go where there is room.
struct HistoryShards: Sendable {
  /// Checks in one file.
  static let size = 256

  private struct Shard: Sendable {
    var members: Set<UniqueID> = []
    /// Counts changes; equal to `saved` while the file holds them all.
    var changes: UInt64 = 0
    var saved: UInt64 = 0
    /// While the file is behind: it holds every record up to here.
    var through: UInt64 = 0

    var isDirty: Bool { changes != saved }
  }

  private var shards: [Shard] = []
  /// No shard before this one has room.
  private var firstWithRoom = 0

  var count: Int { shards.count }

  func isDirty(_ shard: Int) -> Bool { shards.indices.contains(shard) && shards[shard].isDirty }

  /// The files hold every record up to here; `applied` is what the figures hold.
  func savedThrough(applied: UInt64) -> UInt64 {
    shards.reduce(applied) { $1.isDirty ? min($0, $1.through) : $0 }
  }

  func members(_ shard: Int) -> Set<UniqueID> { shards.indices.contains(shard) ? shards[shard].members : [] }

  /// The shard of a check that has none yet.
  mutating func join(_ check: UniqueID, applied: UInt64) -> Int {
    while firstWithRoom < shards.count, shards[firstWithRoom].members.count >= Self.size {
      firstWithRoom += 1
    }
    if firstWithRoom == shards.count { shards.append(Shard()) }
    shards[firstWithRoom].members.insert(check)
    touch(firstWithRoom, applied: applied)
    return firstWithRoom
  }

  /// For a check that was read from this file.
  mutating func restore(_ check: UniqueID, in shard: Int) {
    while shards.count <= shard { shards.append(Shard()) }
    shards[shard].members.insert(check)
  }

  mutating func leave(_ check: UniqueID, _ shard: Int, applied: UInt64) {
    shards[shard].members.remove(check)
    firstWithRoom = min(firstWithRoom, shard)
    touch(shard, applied: applied)
  }

  /// A check of this shard has something new, beyond the records up to `applied`.
  mutating func touch(_ shard: Int, applied: UInt64) {
    if !shards[shard].isDirty { shards[shard].through = applied }
    shards[shard].changes += 1
  }

  func changes(_ shard: Int) -> UInt64 { shards[shard].changes }

  /// Bytes made when there were so many changes and so many records are on the disk.
  mutating func saved(_ shard: Int, changes: UInt64, applied: UInt64) {
    guard shards.indices.contains(shard) else { return }
    shards[shard].saved = changes
    shards[shard].through = applied
    // What is gone from the end needs neither a file nor a turn.
    while let last = shards.last, last.members.isEmpty, !last.isDirty { shards.removeLast() }
    firstWithRoom = min(firstWithRoom, shards.count)
  }
}

/// A snapshot file, made but not yet written.
package struct ShardSnapshot: Sendable {
  package let number: Int
  package let bytes: [UInt8]
  let changes: UInt64
  let applied: UInt64
}

/// Content of a snapshot file.
package struct StoredShard: Sendable {
  package var number: Int
  package var bytes: [UInt8]

  package init(number: Int, bytes: [UInt8]) {
    self.number = number
    self.bytes = bytes
  }
}
