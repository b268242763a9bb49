// SPDX-License-Identifier: MIT

import Basics
import DequeModule
import Monitoring

// What the store keeps beside its logs, by subject.
extension SpoolCore {
  /// Results in memory mode.
  struct MemoryQueue {
    /// Oldest first.
    var entries: Deque<SpoolEntry> = []
    /// Of all entries.
    var bytes = 0
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
    /// Slot of the oldest waiting result; nil when it has to be looked up.
    var oldest: Timestamp??
  }

  /// What is known between attempts to open the directory.
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
