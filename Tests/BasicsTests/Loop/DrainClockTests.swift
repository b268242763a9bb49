// SPDX-License-Identifier: MIT

import Basics
import Testing

/// What a look at the kernel says about the time before it.
@Suite struct DrainClockTests {
  private let start = Instant.now
  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  /// What came while the thread slept has just come; what came while it was at work came since the look before.
  @Test func workIsToldFromSleep() {
    var clock = DrainClock(capacity: 4, now: at(0))
    clock.looked(at: at(10), count: 1, arrived: at(9), open: 100)
    #expect(clock.readySince == at(9))
    #expect(clock.drained == at(10))
    clock.looked(at: at(50), count: 3, arrived: nil, open: 100)
    #expect(clock.readySince == at(10))
    #expect(clock.drained == at(50))
  }

  /// A full look tells nothing about those that did not fit; they wait since the first of them.
  @Test func aFullLookDrainsNothing() {
    var clock = DrainClock(capacity: 4, now: at(0))
    clock.looked(at: at(10), count: 4, arrived: at(8), open: 100)
    clock.looked(at: at(20), count: 4, arrived: nil, open: 100)
    #expect(clock.readySince == at(8))
    #expect(clock.drained == at(0))
    clock.looked(at: at(30), count: 3, arrived: nil, open: 100)
    #expect(clock.readySince == at(8))
    #expect(clock.drained == at(30))
  }

  /// However many never rest: after as many looks as hold all of them the first is drained, again and again.
  @Test func aCrowdThatNeverRestsHoldsUpNoDeadline() {
    var clock = DrainClock(capacity: 4, now: at(0))
    var last = clock.drained
    for look in 1...100 {
      clock.looked(at: at(10 * look), count: 4, arrived: nil, open: 10)
      #expect(clock.drained >= last)
      #expect(at(10 * look) - .milliseconds(80) <= clock.drained || look < 9, "\(look)")
      #expect(clock.drained < at(10 * look))
      #expect(at(10 * look) - .milliseconds(90) <= clock.readySince || look < 10, "\(look)")
      last = clock.drained
    }
  }
}
