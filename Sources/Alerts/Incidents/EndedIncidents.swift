// SPDX-License-Identifier: MIT

import Basics

/// Incidents that are over, in the order in which they ended. One of them costs the same to find among five thousand as among
/// ten: after a storm each pass asks for each.
struct EndedIncidents: Sendable {
  private(set) var all: [Incident] = []
  /// Number of each incident in `all`: ascending, so that halving finds the place of one, whatever left before it.
  private var numbers: [Int] = []
  private var numberOf: [UniqueID: Int] = [:]
  private var next = 0

  init(_ incidents: [Incident] = []) {
    for incident in incidents { add(incident) }
  }

  subscript(id: UniqueID) -> Incident? { place(of: id).map { all[$0] } }

  private func place(of id: UniqueID) -> Int? {
    guard let number = numberOf[id] else { return nil }
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2  // bounded: places in memory
      if numbers[middle] < number { low = middle + 1 } else { high = middle }  // bounded: places in memory
    }
    return low
  }

  /// Adds an incident behind the others; one that is there keeps its place.
  mutating func add(_ incident: Incident) {
    if let place = place(of: incident.id) {
      all[place] = incident
      return
    }
    all.append(incident)
    numbers.append(next)
    numberOf[incident.id] = next
    next += 1  // bounded: incidents of one process
  }

  mutating func update(_ id: UniqueID, _ body: (inout Incident) -> Void) {
    if let place = place(of: id) { body(&all[place]) }
  }

  mutating func remove(_ id: UniqueID) {
    guard let place = place(of: id) else { return }
    all.remove(at: place)
    numbers.remove(at: place)
    numberOf[id] = nil
  }

  /// Removes the oldest that may go, so many at most.
  mutating func removeFirst(_ count: Int, where mayGo: (Incident) -> Bool) {
    var kept: [Int] = []
    var surplus = count
    for place in all.indices {
      if surplus > 0, mayGo(all[place]) {
        surplus -= 1
        numberOf[all[place].id] = nil
      } else {
        kept.append(place)
      }
    }
    guard surplus < count else { return }
    (all, numbers) = (kept.map { all[$0] }, kept.map { numbers[$0] })
  }

  /// Changes those of them that a test selects.
  mutating func updateAll(where isMeant: (Incident) -> Bool, _ body: (inout Incident) -> Void) {
    for place in all.indices where isMeant(all[place]) { body(&all[place]) }
  }
}
