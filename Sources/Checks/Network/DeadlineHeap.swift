// SPDX-License-Identifier: MIT

import Basics

/// Instants with the flow each belongs to, earliest first. Entries are never removed early: the caller that pops one
/// checks whether it still matters, which is cheaper than finding it in the middle.
struct DeadlineHeap {
  struct Entry {
    var instant: Instant
    var flow: UInt64
  }

  private var entries: [Entry] = []

  var earliest: Instant? { entries.first?.instant }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].instant < entries[parent].instant else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// The earliest entry if its instant has come.
  mutating func popDue(at now: Instant) -> Entry? {
    guard let first = entries.first, first.instant <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { break }
      let right = left + 1
      let child = right < entries.count && entries[right].instant < entries[left].instant ? right : left
      guard entries[child].instant < entries[parent].instant else { break }
      entries.swapAt(child, parent)
      parent = child
    }
    return first
  }

  /// Forgets everything once nothing is open, so that a burst's entries do not outlive it.
  mutating func removeAll() { entries.removeAll(keepingCapacity: entries.count < 4096) }
}
