// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

// What the store keeps beside its logs, by subject.
extension SpoolCore {
  /// Results in memory mode.
  struct MemoryQueue {
    /// Oldest first. Delivered results stay until the disk has them: the windows are rebuilt from them.
    private(set) var entries: Deque<SpoolEntry> = []
    /// Of all entries.
    private(set) var bytes = 0
    /// Entries that are not to be delivered, or were.
    private var idle = 0

    mutating func append(_ entry: SpoolEntry) {
      entries.append(entry)
      bytes += entry.size
      idle += entry.deliverable ? 0 : 1
    }

    mutating func settle(where isSettled: (UInt64) -> Bool) {
      for index in entries.indices where entries[index].deliverable && isSettled(entries[index].sequence) {
        entries[index].deliverable = false
        idle += 1
      }
    }

    /// Removes the oldest entry that is not to be delivered, else the oldest.
    mutating func removeLeastMissed() -> SpoolEntry? {
      guard idle > 0, let place = entries.firstIndex(where: { !$0.deliverable }) else {
        guard let oldest = entries.popFirst() else { return nil }
        bytes -= oldest.size
        return oldest
      }
      idle -= 1
      bytes -= entries[place].size
      return entries.remove(at: place)
    }

    /// Gives them other numbers, one after the other.
    mutating func renumber(from first: UInt64) {
      for index in entries.indices { entries[index].sequence = first + UInt64(index) }
    }

    mutating func removeAll() { self = MemoryQueue() }
  }

  /// Refused results that are not on the disk yet.
  struct Refusals {
    var waiting: [SpoolEntry] = []
    /// The number of the next one, in the quarantine's own count.
    var next: UInt64 = 1
  }

  /// Where results that wait are looked for.
  struct DeliverySearch {
    /// Each lane's next result is there or behind it.
    var positions: [DeliveryLane: LogPosition] = [:]
    /// Sequences in segments that each lane could not read.
    var unread: [DeliveryLane: [ClosedRange<UInt64>]] = [:]
    /// Slot of the oldest waiting result; nil when it has to be looked up.
    var oldest: Timestamp??
  }

  /// State that is kept between attempts to open the directory.
  struct Reopening {
    /// Of the next one, in microseconds of the monotonic clock.
    var at: Int64 = 0
    /// Attempts since it last worked.
    var failures = 0
    /// From this attempt on a segment that cannot be read no longer keeps the store in memory.
    static let patience = 3
    /// Files of earlier attempts that must never be synced again.
    var suspects: Set<String> = []
    var cursorIsSuspect = false
  }
}
