// SPDX-License-Identifier: MIT

/// Wall clock and boot clock, read together.
package struct ClockReading: Hashable, Sendable {
  package var boot: Instant
  package var wall: Timestamp

  package init(boot: Instant, wall: Timestamp) {
    self.boot = boot
    self.wall = wall
  }

  /// The system's clocks. `boot` is read last and rounded down, so it is never ahead of the clock.
  ///
  /// A thread that loses its core between the two reads would see a step of the wall clock that never was. So the
  /// wall clock is read between two reads of the other, and again while those are a millisecond apart; five times
  /// in a row is not going to happen, and would only move the plan once more.
  package static func now() -> ClockReading {
    var before = Instant.now
    var wall = Timestamp.now()
    var after = Instant.now
    for _ in 0..<5 where after - before > .milliseconds(1) {
      before = after
      wall = .now()
      after = .now
    }
    return ClockReading(boot: after, wall: wall)
  }

  /// Wall clock minus boot clock, in microseconds. Both run at the rate NTP gives them, so it changes only when the
  /// wall clock is set.
  package var offset: Int64 { wall.microseconds &- boot.microseconds }
}
