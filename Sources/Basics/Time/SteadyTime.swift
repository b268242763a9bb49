// SPDX-License-Identifier: MIT

/// Wall time that does not step: read once at the start, then carried on by a monotonic clock.
///
/// Rate windows and waits are judged by it, so that a clock set back an hour blocks nothing and a clock set forward
/// opens no second hour's worth of requests. Times that leave the process or are shown carry the wall clock instead: `wall` for
/// now, `shown` for another instant of this time.
package struct SteadyTime: Sendable {
  private let source: TimeSource
  private let base: Timestamp
  private let start: Instant

  package init(_ source: TimeSource) {
    self.source = source
    base = source.wall()
    start = source.instant()
  }

  package var now: Timestamp { base.advanced(by: start.duration(to: source.instant())) }

  /// The wall clock as it is now, whatever it was at the start.
  package var wall: Timestamp { source.wall() }

  /// An instant of this time by the wall clock as it is now: moved by whole seconds as far as that was set since the start, so
  /// that two answers about one instant are alike.
  package func shown(_ time: Timestamp) -> Timestamp {
    let step = now.duration(to: wall) + .milliseconds(500)
    return time.advanced(by: .seconds(floorDivide(step.microseconds, 1_000_000).quotient))
  }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await source.sleep(for: duration)
  }

  package func sleep(until time: Timestamp) async throws(CancellationError) {
    try await source.sleep(until: start.advanced(by: base.duration(to: time)))
  }
}
