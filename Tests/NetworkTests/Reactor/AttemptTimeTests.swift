// SPDX-License-Identifier: MIT

import Basics
import Network
import Testing

/// What is left of an attempt after each of its parts.
@Suite struct AttemptTimeTests {
  /// Only what others took counts, and never below nothing.
  @Test func onlyWhatOthersTookCounts() {
    let now = Instant.now
    var time = AttemptTime(until: now + .seconds(10), now: now)
    time.spend(nil)
    time.spend(.seconds(-5))
    #expect(time.left == .seconds(10))
    time.spend(.seconds(4))
    #expect(time.left == .seconds(6))
    // Whatever lies between two parts, the next one has all that is left.
    #expect(Instant.now.duration(to: time.deadline) > .milliseconds(5900))
    time.spend(.seconds(7))
    #expect(time.left == .zero)
    #expect(AttemptTime(until: now - .seconds(1), now: now).left == .zero)
  }
}
