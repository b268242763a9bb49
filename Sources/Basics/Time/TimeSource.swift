// SPDX-License-Identifier: MIT

/// The seam between decisions by time and the clocks: the time, and waiting. The system's clocks in the agent, a
/// `FakeClock` in tests.
package struct TimeSource: Sendable {
  /// The wall clock, for stamps.
  package let wall: @Sendable () -> Timestamp
  /// The monotonic clock, for deadlines.
  package let instant: @Sendable () -> Instant
  /// Both clocks, read as one.
  package let reading: @Sendable () -> ClockReading
  private let wait: @Sendable (Instant) async throws -> Void

  /// - Parameter wait: returns at the instant, at once if it has passed; throws when the task is cancelled.
  package init(
    wall: @escaping @Sendable () -> Timestamp, instant: @escaping @Sendable () -> Instant,
    reading: @escaping @Sendable () -> ClockReading,
    wait: @escaping @Sendable (Instant) async throws -> Void
  ) {
    self.wall = wall
    self.instant = instant
    self.reading = reading
    self.wait = wait
  }

  package static let system = TimeSource(
    wall: { .now() }, instant: { .now }, reading: { .now() },
    wait: { try await Task.sleep(for: Instant.now.duration(to: $0), clock: .continuous) })

  package func sleep(until instant: Instant) async throws(CancellationError) {
    do { try await wait(instant) } catch { throw CancellationError() }
  }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: instant() + duration)
  }
}
