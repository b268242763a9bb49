// SPDX-License-Identifier: MIT

import Basics
import HeapModule

/// When each of many entries, numbered from 0, is due; at most one instant an entry.
///
/// A binary heap cannot reach into itself, so an entry that is set again or removed leaves its old item behind. A
/// generation per entry tells: an item is live while it carries its entry's number, and the number is odd exactly
/// while there is such an item. Dead items fall out when they reach the top, or all at once when they
/// outnumber the live ones.
struct DueHeap {
  struct Item: Comparable {
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

  /// Each entry as the closure says, nil for never; much faster than to set one after the other.
  init(entries: Int, _ due: (Int) -> Int64?) {
    generations = Array(repeating: 0, count: entries)
    var items: ContiguousArray<Item> = []
    items.reserveCapacity(entries)
    for entry in 0..<entries {
      guard let due = due(entry) else { continue }
      generations[entry] = 1
      items.append(Item(due: due, entry: UInt32(entry), generation: 1))
    }
    heap = Heap(items)
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
    if dead > count + 64 {
      heap = Heap(heap.unordered.filter(isLive))
      dead = 0
    }
    dropDead()
  }

  /// The earliest instant.
  var first: Int64? { heap.min?.due }

  /// The earliest entry, if it is due by `instant`; it is then due no more.
  mutating func pop(through instant: Int64) -> Int? {
    guard let due = first, due <= instant, let item = heap.popMin() else { return nil }
    generations[Int(item.entry)] &+= 1
    dropDead()
    return Int(item.entry)
  }

  /// Keeps a live item at the top.
  private mutating func dropDead() {
    while let top = heap.min, !isLive(top) {
      heap.removeMin()
      dead -= 1
    }
  }

  private func isLive(_ item: Item) -> Bool { generations[Int(item.entry)] == item.generation }
}
