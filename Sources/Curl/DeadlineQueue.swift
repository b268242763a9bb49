// SPDX-License-Identifier: MIT

import Basics

/// By when transfers are looked at again, earliest first. An entry stays when its transfer has ended: the reader of the
/// queue checks whether it still matters.
struct DeadlineQueue {
  private struct Entry {
    var deadline: Instant
    var number: UInt64
  }

  /// A binary heap.
  private var entries: [Entry] = []

  var earliest: Instant? { entries.first?.deadline }

  mutating func insert(_ number: UInt64, at deadline: Instant) {
    entries.append(Entry(deadline: deadline, number: number))
    var child = entries.count - 1
    while child > 0, entries[child].deadline < entries[(child - 1) / 2].deadline {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The number of the earliest whose deadline has come.
  mutating func popDue(at now: Instant) -> UInt64? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      guard left < entries.count else { break }
      let child =
        right < entries.count && entries[right].deadline < entries[left].deadline ? right : left
      guard entries[child].deadline < entries[parent].deadline else { break }
      entries.swapAt(child, parent)
      parent = child
    }
    return first.number
  }

  /// Nothing runs any more.
  mutating func removeAll() { entries.removeAll(keepingCapacity: entries.count < 4096) }
}
