// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Network

@Suite struct NameTimeTests {
  /// Elapsed, spent, paused; what is spent of the attempt's time, and what is told of the pause, in milliseconds.
  @Test(
    arguments: [
      (5000, 4900, 0, 4900, 0), (5000, 4900, 4800, 100, 4800), (5000, 100, 4800, 0, 4800),
      (50, 50, 3000, 0, 50),
    ])
  func aPauseTakesNoneOfTheTargetsTime(elapsed: Int, spent: Int, paused: Int, left: Int, told: Int) {
    let time = NameTime(
      elapsed: .milliseconds(elapsed), spent: .milliseconds(spent), paused: .milliseconds(paused))
    #expect(time.spent == .milliseconds(left))
    #expect(time.paused == .milliseconds(told))
    #expect(time.elapsed == .milliseconds(elapsed))
  }
}
