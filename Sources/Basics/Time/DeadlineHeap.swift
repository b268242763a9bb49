// SPDX-License-Identifier: MIT

/// Instants with the number each belongs to, earliest first. An entry stays when its matter is over: the caller that pops
/// one checks whether it still matters, which is cheaper than finding it in the middle.
///
/// A binary heap of its own: that of swift-collections has two ends, of which one is used here, and costs twice as many
/// comparisons for it.
package struct DeadlineHeap: Sendable {
  private struct Entry {
    var instant: Instant
    var number: UInt64
  }

  private var entries: [Entry] = []

  package init() {}

  package var earliest: Instant? { entries.first?.instant }

  package mutating func insert(_ number: UInt64, at instant: Instant) {
    entries.append(Entry(instant: instant, number: number))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].instant < entries[parent].instant else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// The number of the earliest entry if its instant has come.
  package mutating func popDue(at now: Instant) -> UInt64? {
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
    return first.number
  }

  /// Forgets everything once nothing is open, so that a burst's entries do not outlive it.
  package mutating func removeAll() { entries.removeAll(keepingCapacity: entries.count < 4096) }
}
