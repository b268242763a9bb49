// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension OpenMetrics {
  /// Checks that several places run: at most `PlaceStatus.followed` of them have such figures, and a check has at most
  /// fifty places.
  mutating func places(_ snapshot: StatusSnapshot) {
    let rows = snapshot.checks.filter { $0.enabled && !$0.places.isEmpty }.flatMap { check in
      check.places.map { place in
        (
          place,
          Labels([("check", check.name), ("type", check.type.rawValue), ("place", place.place)])
        )
      }
    }
    guard !rows.isEmpty else { return }
    text.family(
      "quartz_check_place_up", .gauge,
      "1 up or degraded at the place, 0 down; absent while unknown, and for a place that is gone.")
    for (place, labels) in rows {
      guard let verdict = place.verdict, verdict.isAlive, let state = verdict.state, state != .unknown else {
        continue
      }
      text.sample("quartz_check_place_up", labels, state == .down ? 0 : 1)
    }
    text.family(
      "quartz_check_place_uptime_ratio", .gauge,
      "Share of the judged time of 24 hours that was up or degraded at the place; absent without data.")
    for (place, labels) in rows {
      guard let uptime = place.window(.day).uptime else { continue }
      text.sample("quartz_check_place_uptime_ratio", labels, uptime / 100)
    }
    text.family(
      "quartz_check_place_response_time_seconds", .gauge,
      "Quantiles of the response time of 24 hours at the place, within 2 %.")
    for (place, labels) in rows {
      guard let latency = place.window(.day).latency else { continue }
      for (quantile, value) in [("0.5", latency.p50), ("0.95", latency.p95), ("0.99", latency.p99)] {
        text.sample(
          "quartz_check_place_response_time_seconds", labels.with("quantile", quantile), value.seconds)
      }
    }
  }
}
