// SPDX-License-Identifier: MIT

import Basics

/// The histories of all checks, side by side: a dictionary of values as wide as these would be empty to a third and
/// more, in places all over the memory.
struct HistoryTable: Sendable {
  private var places: [UniqueID: UInt32] = [:]
  private var ids: ContiguousArray<UniqueID> = []
  private var values: ContiguousArray<CheckHistory> = []

  var count: Int { values.count }

  /// In no order.
  var all: ContiguousArray<CheckHistory> { values }
  var keys: ContiguousArray<UniqueID> { ids }

  func place(of id: UniqueID) -> Int? { places[id].map(Int.init) }

  subscript(place place: Int) -> CheckHistory {
    get { values[place] }
    _modify { yield &values[place] }
  }

  subscript(id: UniqueID) -> CheckHistory? { place(of: id).map { values[$0] } }

  /// Its place, which it has until something is removed; an empty history where there was none.
  mutating func insert(_ id: UniqueID) -> Int {
    if let place = place(of: id) { return place }
    places[id] = UInt32(values.count)
    ids.append(id)
    values.append(CheckHistory())
    return values.count - 1
  }

  /// Makes room for so many, and no more.
  mutating func reserve(_ count: Int) {
    guard count > values.capacity else { return }
    places.reserveCapacity(count)
    ids.reserveCapacity(count)
    values.reserveCapacity(count)
  }

  /// The last one takes its place.
  mutating func remove(at place: Int) {
    places[ids[place]] = nil
    ids.swapAt(place, ids.count - 1)
    values.swapAt(place, values.count - 1)
    ids.removeLast()
    values.removeLast()
    if place < ids.count { places[ids[place]] = UInt32(place) }
  }
}
