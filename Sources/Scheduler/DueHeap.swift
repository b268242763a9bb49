// SPDX-License-Identifier: MIT

import HeapModule

/// When each of many entries, numbered from 0, is due; at most one instant an entry.
///
/// A binary heap cannot reach into itself, so an entry that is set anew or removed leaves its old item behind. A
/// generation per entry tells: an item is live while it carries its entry's number, and the number is odd exactly
/// while there is such an item. Dead items fall out at the top, or all at once when they outnumber the live ones.
struct DueHeap {
  private struct Item: Comparable {
    var due: Int64
    var entry: UInt32
    var generation: UInt32

    static func < (left: Item, right: Item) -> Bool { (left.due, left.entry) < (right.due, right.entry) }
  }

  private var heap = Heap<Item>()
  private var generations: [UInt32]
  private var dead = 0

  /// No entry is due.
  init(entries: Int) {
    generations = Array(repeating: 0, count: entries)
    heap.reserveCapacity(entries)
  }

  var count: Int { heap.count - dead }

  mutating func set(_ entry: Int, due: Int64) {
    remove(entry)
    generations[entry] &+= 1
    heap.insert(Item(due: due, entry: UInt32(entry), generation: generations[entry]))
  }

  mutating func remove(_ entry: Int) {
    guard generations[entry] % 2 == 1 else { return }
    generations[entry] &+= 1
    dead += 1
    guard dead > count + 64 else { return }
    heap = Heap(heap.unordered.filter(isLive))
    dead = 0
  }

  /// The earliest instant.
  mutating func first() -> Int64? {
    while let top = heap.min {
      if isLive(top) { return top.due }
      heap.removeMin()
      dead -= 1
    }
    return nil
  }

  /// The earliest entry, if it is due by `instant`; it is then due no more.
  mutating func pop(through instant: Int64) -> Int? {
    guard let due = first(), due <= instant, let item = heap.popMin() else { return nil }
    generations[Int(item.entry)] &+= 1
    return Int(item.entry)
  }

  private func isLive(_ item: Item) -> Bool { generations[Int(item.entry)] == item.generation }
}
