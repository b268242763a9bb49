// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension OpenMetrics {
  /// An enabled check with its labels.
  private typealias Row = (status: CheckStatus, labels: Labels, facts: MetricFacts?)

  mutating func checks(_ snapshot: StatusSnapshot) {
    let rows: [Row] = snapshot.checks.filter(\.enabled).map { check in
      var labels = Labels([("check", check.name), ("type", check.type.rawValue)])
      for name in view.labels {
        if let value = TagLabels.value(of: name, tags: check.tags) { labels.add(name, value) }
      }
      return (check, labels, view.facts[check.id])
    }
    states(rows)
    lastResults(rows, now: snapshot.now)
    windows(rows)
    outages(rows, now: snapshot.now)
    counters(rows)
  }

  private mutating func each(
    _ rows: [Row], _ name: String, _ help: String, _ value: (CheckStatus) -> Double?
  ) {
    text.family(name, .gauge, help)
    for row in rows {
      if let value = value(row.status) { text.sample(name, row.labels, value) }
    }
  }

  private mutating func states(_ rows: [Row]) {
    text.family(
      "quartz_check_state", .gauge, "1 for the state that the check is in, 0 for the others; never absent.")
    for row in rows {
      let inMaintenance = row.status.maintenance != nil
      for state in CheckState.allCases {
        text.sample(
          "quartz_check_state", row.labels.with("state", state.rawValue),
          !inMaintenance && row.status.state == state ? 1 : 0)
      }
      text.sample("quartz_check_state", row.labels.with("state", "maintenance"), inMaintenance ? 1 : 0)
    }
    each(rows, "quartz_check_up", "1 up or degraded, 0 down; absent while unknown.") {
      $0.state == .unknown ? nil : ($0.state == .down ? 0 : 1)
    }
    each(rows, "quartz_check_degraded", "1 while degraded; absent while unknown.") {
      $0.state == .unknown ? nil : ($0.state == .degraded ? 1 : 0)
    }
    each(rows, "quartz_check_stale", "1 when the last result is older than three intervals and a minute.") {
      $0.stale ? 1 : 0
    }
    each(rows, "quartz_check_pending", "1 until the first result, then 0.") { $0.isPending ? 1 : 0 }
    each(
      rows, "quartz_check_first_run_timestamp_seconds", "When a pending check runs first; absent otherwise."
    ) { $0.isPending ? $0.nextRun.map(seconds) : nil }
    each(rows, "quartz_check_maintenance", "1 in a maintenance window, else 0.") {
      $0.maintenance == nil ? 0 : 1
    }
    each(
      rows, "quartz_check_dependency_failed",
      "1 while unknown because a check that it depends on failed too, else 0."
    ) { $0.failsWithParent ? 1 : 0 }
  }

  private mutating func lastResults(_ rows: [Row], now: Timestamp) {
    each(rows, "quartz_check_response_time_seconds", "Response time of the last result.") {
      $0.last?.responseTime?.seconds
    }
    each(rows, "quartz_check_last_result_timestamp_seconds", "When the last run began.") {
      $0.last.map { seconds($0.startedAt) }
    }
    each(rows, "quartz_check_http_status_code", "Status code of the last result; absent without an answer.") {
      $0.last?.statusCode.map(Double.init)
    }
    each(
      rows, "quartz_check_certificate_expiry_timestamp_seconds", "End of the leaf certificate's validity."
    ) { $0.last?.certificateNotAfter.map(seconds) }
    certificates(rows, now: now)
    text.family(
      "quartz_check_phase_duration_seconds", .gauge, "Parts of the last result; absent where there was none.")
    for row in rows {
      for part in ResultHistograms.Part.allCases {
        guard let time = row.facts.flatMap({ part.duration($0.timings) }) else { continue }
        text.sample(
          "quartz_check_phase_duration_seconds", row.labels.with("phase", part.rawValue), time.seconds)
      }
    }
    fact(rows, "quartz_check_ping_loss_ratio", "Lost share of the last result's packets, 0 to 1.", \.pingLoss)
    fact(rows, "quartz_check_dns_ttl_seconds", "Smallest TTL in the last result's answer.") {
      $0.dnsTTL.map(Double.init)
    }
  }

  private mutating func fact(
    _ rows: [Row], _ name: String, _ help: String, _ value: (MetricFacts) -> Double?
  ) {
    text.family(name, .gauge, help)
    for row in rows {
      if let value = row.facts.flatMap(value) { text.sample(name, row.labels, value) }
    }
  }

  /// The leaf alone, and the first that ends on the path of trust.
  private mutating func certificates(_ rows: [Row], now: Timestamp) {
    let name = "quartz_check_certificate_remaining_seconds"
    text.family(
      name, .gauge, "Time until the leaf, or the first on the path of trust, expires; negative once it has.")
    for row in rows {
      let leaf = row.facts?.leafNotAfter ?? row.status.last?.certificateNotAfter
      for (word, instant) in [("leaf", leaf), ("path", row.facts?.pathNotAfter)] {
        guard let instant else { continue }
        text.sample(name, row.labels.with("certificate", word), now.duration(to: instant).seconds)
      }
    }
  }

  private mutating func windows(_ rows: [Row]) {
    window(
      rows, "quartz_check_uptime_ratio",
      "Share of the judged time that was up or degraded; absent without data."
    ) { $0.uptime.map { $0 / 100 } }
    window(
      rows, "quartz_check_coverage_ratio", "Share of the enabled time outside maintenance with a verdict."
    ) { $0.coverage.map { $0 / 100 } }
    window(rows, "quartz_check_data_ratio", "Share of the whole window with a verdict.") {
      $0.data.percent / 100
    }
    window(rows, "quartz_check_down_seconds", "Down time in the window: the sum of its outages.") {
      Double($0.time.down) / 1_000_000
    }
  }

  private mutating func window(
    _ rows: [Row], _ name: String, _ help: String, _ value: (WindowStatus) -> Double?
  ) {
    text.family(name, .gauge, help)
    for row in rows {
      for window in row.status.windows {
        guard let value = value(window) else { continue }
        text.sample(name, row.labels.with("period", window.period.rawValue), value)
      }
    }
  }

  private mutating func outages(_ rows: [Row], now: Timestamp) {
    each(
      rows, "quartz_check_outage_start_timestamp_seconds",
      "When the outage that lasts began; absent when there is none."
    ) { $0.outage.map { seconds($0.begin) } }
    each(
      rows, "quartz_check_last_outage_duration_seconds",
      "How long the latest outage took, or has lasted so far; absent without one in 90 days."
    ) { $0.lastOutage.map { $0.duration(now: now).seconds } }
  }

  private mutating func counters(_ rows: [Row]) {
    // Each state from the first sight of the check: what begins at 1 is no increase for Prometheus.
    text.family("quartz_check_verdicts", .counter, "Scheduled results by state; from 0 on for each state.")
    for row in rows {
      for state in CheckState.allCases {
        let own = row.status.counts.lazy.filter { $0.state == state }
        text.sample(
          "quartz_check_verdicts_total", row.labels.with("state", state.rawValue),
          own.reduce(0) { $0 &+ $1.count })
      }
    }
    text.family("quartz_check_results", .counter, "Scheduled results since the check's history began.")
    for row in rows {
      for pair in row.status.counts {
        let labels = row.labels.with("state", pair.state.rawValue).with("reason", pair.reason.rawValue)
        text.sample("quartz_check_results_total", labels, pair.count)
      }
    }
    text.family(
      "quartz_check_latency_seconds", .sums,
      "Response times of scheduled results outside maintenance that were up or degraded.")
    for row in rows {
      text.sum(
        "quartz_check_latency_seconds", row.labels,
        seconds: Double(row.status.latency.microseconds) / 1_000_000, count: row.status.latency.count)
    }
    text.family(
      "quartz_check_missed_slots", .counter, "Slots not run for the agent's own reasons, since it started.")
    for row in rows {
      text.sample("quartz_check_missed_slots_total", row.labels, row.status.missedSinceStart)
    }
  }
}
