// SPDX-License-Identifier: MIT

import Basics

/// Counts of traces since the start.
package struct TraceFigures: Hashable, Sendable {
  /// Begun, by cause.
  package var failure = 0
  package var slow = 0
  package var good = 0
  /// Due and not made: too many waited, or the target worked again before its turn.
  package var dropped = 0
  package var running = 0
  package var waiting = 0

  package init() {}

  package mutating func begin(_ cause: TraceCause) {
    switch cause {
    case .failure: failure += 1
    case .slow: slow += 1
    case .good: good += 1
    }
  }
}
