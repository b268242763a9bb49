// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What members have found and what the receiver has: one row a slot, whoever ran it, and nothing lost. Pure.
struct GroupRows {
  struct Slot: Hashable {
    let check: UniqueID
    /// As the wire carries it.
    let milliseconds: Int64

    init(_ check: UniqueID, _ slot: Timestamp) {
      (self.check, milliseconds) = (check, slot.microseconds / 1000)
    }
  }

  /// What was found of a slot by whoever ran it.
  private var states: [Slot: Set<String>] = [:]
  private var rows: [Slot: UniqueID] = [:]

  mutating func found(_ check: UniqueID, _ slot: Timestamp, _ state: String) {
    states[Slot(check, slot), default: []].insert(state)
  }

  /// A new row has arrived.
  mutating func arrived(_ id: UniqueID, _ check: UniqueID, _ slot: Timestamp, _ state: String)
    -> Violation.Found?
  {
    let key = Slot(check, slot)
    guard let found = states[key] else { return (.altered, "a row of a slot that nobody ran: \(slot)") }
    if !found.contains(state) {
      return (.altered, "a row says \(state) of \(slot), and who ran it found \(found.sorted())")
    }
    if let other = rows.updateValue(id, forKey: key) {
      return (.row, "two rows for the slot \(slot) of \(check): \(other) and \(id)")
    }
    return nil
  }

  func has(_ check: UniqueID, _ slot: Timestamp) -> Bool { rows[Slot(check, slot)] != nil }
}
