// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Wall time that does not step: read once at the start, then carried on by a monotonic clock.
///
/// Rate windows and waits are judged by it, so that a clock set back an hour blocks nothing and a clock set forward
/// opens no second hour's worth of requests.
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

  package func sleep(for duration: Duration) async throws(CancellationError) {
    try await source.sleep(for: duration)
  }

  package func sleep(until time: Timestamp) async throws(CancellationError) {
    try await source.sleep(until: start.advanced(by: base.duration(to: time)))
  }
}
