// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Pauses of a process, by when they ended.
@Suite struct ProcessPausesTests {
  @Test func theLongestSinceThen() {
    let pauses = ProcessPauses()
    let start = Instant(nanoseconds: 1_000_000_000)
    func longest(_ seconds: Int) -> Duration { pauses.longest(since: start + .seconds(seconds)) }
    #expect(longest(0) == .zero)
    // Noise of the timer.
    pauses.record(.microseconds(9999), at: start + .seconds(1))
    #expect(longest(0) == .zero)
    pauses.record(.seconds(8), at: start + .seconds(10))
    pauses.record(.milliseconds(10), at: start + .seconds(20))
    #expect(
      [0, 10, 11, 20, 21].map(longest) == [
        .seconds(8), .seconds(8), .milliseconds(10), .milliseconds(10), .zero,
      ])
  }
}
