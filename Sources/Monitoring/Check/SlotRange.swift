// SPDX-License-Identifier: MIT

import Basics

/// Consecutive slots of one check, without a value for each: eight hours of a check each second are 28,800.
package struct SlotRange: Hashable, Sendable, RandomAccessCollection {
  package let first: Timestamp
  package let count: Int
  package let interval: Duration

  package init(first: Timestamp, count: Int, interval: Duration) {
    self.first = first
    self.count = count
    self.interval = interval
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(position: Int) -> Timestamp {
    Timestamp(microseconds: first.microseconds + Int64(position) * interval.microseconds)
  }
}
