// SPDX-License-Identifier: MIT

import Basics

extension Timeline {
  /// Longest wait of a check without a result for its first run, microseconds.
  package static let firstStep: Int64 = 30_000_000

  /// Where a check without a result runs first: the soonest instant later than this one that is a slot of the grid or a
  /// whole number of 30 s after one. No more than min(interval, 30 s) away, spread as the phases are, and the same at
  /// each call.
  ///
  /// - Returns: the instant as the slot of the grid and the number of steps from there; no steps: the slot itself.
  func firstRun(after instant: Timestamp) -> (slot: Timestamp, steps: UInt32) {
    let slot = slot(atOrBefore: instant)
    let steps = slot.duration(to: instant).microseconds / Self.firstStep + 1
    guard steps * Self.firstStep < interval else {
      return (Timestamp(microseconds: slot.microseconds + interval), 0)
    }
    return (slot, UInt32(clamping: steps))
  }

  /// Whether this instant is off the grid, and one at which a check may run first.
  package func isFirstRun(_ instant: Timestamp) -> Bool {
    let past = slot(atOrBefore: instant).duration(to: instant).microseconds
    return past > 0 && past % Self.firstStep == 0
  }
}
