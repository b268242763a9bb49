// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Wall time that does not step: read once at the start, then carried on by a monotonic clock.
///
/// Rate windows and waits are judged by it, so that a clock set back an hour blocks nothing and a clock set forward
/// opens no second hour's worth of requests.
package struct SteadyTime<C: Clock>: Sendable where C.Duration == Duration {
  package let clock: C
  private let base: Timestamp
  private let start: C.Instant

  package init(clock: C, wallNow: Timestamp) {
    self.clock = clock
    self.base = wallNow
    self.start = clock.now
  }

  package var now: Timestamp { base.advanced(by: start.duration(to: clock.now)) }

  /// The clock's instant for a time of this scale.
  package func instant(_ time: Timestamp) -> C.Instant { start.advanced(by: base.duration(to: time)) }

  package func sleep(until time: Timestamp) async throws(CancellationError) {
    do { try await clock.sleep(until: instant(time), tolerance: nil) } catch { throw CancellationError() }
  }
}
