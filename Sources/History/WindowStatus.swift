// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One window of one check. It ends now and starts at an edge of its buckets in UTC, so it is up to one bucket
/// (5 min, 1 h, 6 h, 1 day) shorter than its name says.
package struct WindowStatus: Hashable, Sendable {
  package var period: UptimePeriod
  package var from: Timestamp = .epoch
  /// Microseconds.
  package var time = Tally()
  package var counts = Tally()
  /// Microseconds from its start until now.
  package var span: Int64 = 0
  /// Microseconds in which the check was enabled.
  package var enabled: Int64 = 0
  /// `nil` without a success in the window.
  package var latency: LatencyStats?

  package init(period: UptimePeriod) { self.period = period }

  /// Percent; nil when nothing in the window says anything about the target, which is no data and not 100.
  package var uptime: Double? { time.uptime }

  /// Percent of the enabled time outside maintenance that has a verdict; nil when there was no such time.
  package var coverage: Double? { time.coverage(enabled: enabled) }

  /// How much of the whole window has a verdict. Coverage knows only the time since the check exists.
  package var data: DataShare { DataShare(judged: time.judged, span: span) }
}

/// How much a figure rests on, in microseconds.
package struct DataShare: Hashable, Sendable {
  package var judged: Int64
  package var span: Int64

  package init(judged: Int64 = 0, span: Int64 = 0) {
    self.judged = judged
    self.span = span
  }

  /// 0 to 100; 0 without any.
  package var percent: Double {
    // Time that was lived twice, because the clock was set back, counts twice.
    span > 0 ? min(100, Double(judged) * 100 / Double(span)) : 0
  }

  /// Some, but less than 1 %: a figure that rests on it is not shown without saying so.
  package var isThin: Bool { judged > 0 && judged < span / 100 }
}

/// Latency of the successes of a window. Quantiles come from sketches: within 2 % for 24h and 7d, 5 % for 30d and
/// 90d; the other figures are exact.
package struct LatencyStats: Hashable, Sendable {
  package var count: Int64
  package var mean: Duration
  package var minimum: Duration
  package var maximum: Duration
  package var p50: Duration
  package var p90: Duration
  package var p95: Duration
  package var p99: Duration
}
