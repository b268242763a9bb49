// SPDX-License-Identifier: MIT

import Basics

/// Wakes the scheduler, and is its only clock: the system's in the agent, the test's own in tests.
package protocol WakeSource: Sendable {
  /// One element a wake-up; pending wake-ups are coalesced. One consumer.
  var wakes: AsyncStream<Void> { get }

  func now() -> ClockReading

  /// Wakes at this instant, at once if it has passed, and not before; replaces the instant given before. `nil` for no
  /// instant. The source may also wake at other times, such as when the wall clock was set.
  func arm(at deadline: Instant?)

  /// Wakes now, from any thread.
  func wake()
}
