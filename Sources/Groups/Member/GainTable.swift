// SPDX-License-Identifier: MIT

import Basics

/// Of each check the revision that made it this member's; 0: it is not. Four bytes a check: revisions are few, for one
/// view gives many checks.
struct GainTable: Sendable {
  /// Places in `revisions`.
  private var slots: [UInt32] = []
  private var revisions: [Int64] = [0]

  init(count: Int = 0) { slots = Array(repeating: 0, count: count) }

  static let bytesACheck = MemoryLayout<UInt32>.stride

  var indices: Range<Int> { slots.indices }
  var isEmpty: Bool { !slots.contains { $0 > 0 } }

  subscript(_ position: Int) -> Int64 {
    get { revisions[Int(slots[position])] }
    set { slots[position] = newValue == 0 ? 0 : place(of: newValue) }
  }

  private mutating func place(of revision: Int64) -> UInt32 {
    if revisions.last != revision {
      // Most of them are of views long gone.
      if revisions.count > slots.count + 1024 { compact() }  // bounded: a list in memory
      revisions.append(revision)
    }
    return UInt32(revisions.count - 1)  // bounded: some more than there are checks
  }

  private mutating func compact() {
    var places: [Int64: UInt32] = [0: 0]
    var kept: [Int64] = [0]
    for position in slots.indices where slots[position] > 0 {
      let revision = self[position]
      let place = places[revision] ?? UInt32(kept.count)  // bounded: as many as there are checks
      if places.updateValue(place, forKey: revision) == nil { kept.append(revision) }
      slots[position] = place
    }
    revisions = kept
  }
}
