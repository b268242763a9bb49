// SPDX-License-Identifier: MIT

/// An instant of the monotonic clock that counts through sleep (CLOCK_BOOTTIME), in nanoseconds since the machine
/// started. It means nothing after the next start: stored times are a `Timestamp`.
///
/// One number, as the kernel's timers take it and as arithmetic with the wall clock wants it; `ContinuousClock` reads
/// the same clock, but its instant is no number, has no fixed layout, and each copy of one is a call.
package struct Instant: Hashable, Comparable, Sendable {
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Stops at the ends of the range.
  package init(microseconds: Int64) { nanoseconds = clampedProduct(microseconds, 1000) }

  package static var now: Instant { Instant(nanoseconds: SystemClock.boot.nanoseconds) }

  /// Whole ones; what is left is cut.
  package var microseconds: Int64 { nanoseconds / 1000 }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Stops at the ends of the range: a limit of centuries is none.
  package func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let step =
      seconds.magnitude < 9_000_000_000
      ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000  // bounded: nine tenths of the range
      : seconds < 0 ? .min : .max
    let (sum, isBeyond) = nanoseconds.addingReportingOverflow(step)
    return Instant(nanoseconds: isBeyond ? (step < 0 ? .min : .max) : sum)
  }

  /// Negative when `other` is earlier.
  package func duration(to other: Instant) -> Duration {
    let (span, isBeyond) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(isBeyond ? (other < self ? .min : .max) : span)
  }

  package static func + (left: Instant, right: Duration) -> Instant { left.advanced(by: right) }
  package static func - (left: Instant, right: Duration) -> Instant { left.advanced(by: .zero - right) }
  package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }
  package static func += (left: inout Instant, right: Duration) { left = left + right }
}
