// SPDX-License-Identifier: MIT

/// An instant of CLOCK_BOOTTIME in microseconds: monotonic, never stepped, and it counts suspend.
package struct BootInstant: Hashable, Comparable, Sendable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static func < (left: BootInstant, right: BootInstant) -> Bool {
    left.microseconds < right.microseconds
  }

  package func advanced(by duration: Duration) -> BootInstant {
    BootInstant(microseconds: microseconds &+ duration.microseconds)
  }

  /// Negative when `other` is earlier.
  package func duration(to other: BootInstant) -> Duration {
    .microseconds(other.microseconds &- microseconds)
  }
}

/// Both clocks, read as one: what time it is, and when that is for somebody else.
package struct ClockReading: Hashable, Sendable {
  package var boot: BootInstant
  package var wall: Timestamp

  package init(boot: BootInstant, wall: Timestamp) {
    self.boot = boot
    self.wall = wall
  }

  /// The system's clocks. `boot` is read last and rounded down, so it is never ahead of the clock.
  ///
  /// A thread that loses its core between the two reads would see a step of the wall clock that never was. So the
  /// wall clock is read between two reads of the other, and again while those are a millisecond apart; five times
  /// in a row is not going to happen, and would only move the plan once more.
  package static func now() -> ClockReading {
    var before = SystemClock.boot.microseconds
    var wall = Timestamp.now()
    var after = SystemClock.boot.microseconds
    for _ in 0..<5 where after - before > 1000 {
      before = after
      wall = .now()
      after = SystemClock.boot.microseconds
    }
    return ClockReading(boot: BootInstant(microseconds: after), wall: wall)
  }

  /// What the wall clock shows more than the boot clock, in microseconds. Both run at the rate NTP gives them, so
  /// it changes only when somebody sets the wall clock.
  package var offset: Int64 { wall.microseconds &- boot.microseconds }
}
