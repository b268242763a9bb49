// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The snapshot in OpenMetrics text (version 1.0). Every name is in docs/status.md. Labels are the agent's, and the
/// configured checks' names and types; nothing a target says becomes a label.
struct OpenMetrics {
  private var lines: [String] = []

  static func render(_ snapshot: StatusSnapshot) -> [UInt8] {
    var metrics = OpenMetrics()
    metrics.agent(snapshot)
    metrics.checks(snapshot.checks.filter(\.enabled))
    if let spool = snapshot.spool { metrics.spool(spool) }
    if let delivery = snapshot.delivery { metrics.delivery(delivery) }
    if let scheduler = snapshot.scheduler { metrics.scheduler(scheduler) }
    metrics.load(snapshot.load)
    metrics.lines.append("# EOF\n")
    return Array(metrics.lines.joined(separator: "\n").utf8)
  }

  private enum Kind: String {
    case gauge, counter, info
  }

  private mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    lines.append("# TYPE \(name) \(kind.rawValue)")
    lines.append("# HELP \(name) \(help)")
  }

  private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let text = labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    let number = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    lines.append(name + (text.isEmpty ? "" : "{\(text)}") + " " + number)
  }

  private mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
    guard let value else { return }
    family(name, .gauge, help)
    sample(name, [], value)
  }

  private mutating func counter(_ name: String, _ help: String, _ value: Int) {
    family(name, .counter, help)
    sample(name + "_total", [], Double(value))
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private mutating func agent(_ snapshot: StatusSnapshot) {
    family("quartz_agent", .info, "Name, region and version of the agent.")
    var labels = [("name", snapshot.agent.name), ("version", snapshot.agent.version)]
    if let region = snapshot.agent.region { labels.append(("region", region)) }
    sample("quartz_agent_info", labels, 1)
    gauge("quartz_agent_start_time_seconds", "When the agent started.", seconds(snapshot.agent.started))
    let summary = snapshot.summary
    family("quartz_checks", .gauge, "Enabled checks by state.")
    let states: [(CheckState, Int)] = [
      (.up, summary.up), (.degraded, summary.degraded), (.down, summary.down), (.unknown, summary.unknown),
    ]
    for (state, count) in states { sample("quartz_checks", [("state", state.rawValue)], Double(count)) }
    sample("quartz_checks", [("state", "maintenance")], Double(summary.maintenance))
    gauge("quartz_checks_pending", "Enabled checks without a result so far.", Double(summary.pending))
    gauge(
      "quartz_maintenance_windows_active", "Maintenance windows that hold now.",
      Double(snapshot.maintenance.count(where: \.isActive)))
    resources(snapshot.resources)
  }

  private mutating func resources(_ resources: [ResourceStatus]) {
    guard !resources.isEmpty else { return }
    family("quartz_resources", .gauge, "Resources by the state that their checks show.")
    for state in CheckState.allCases {
      let count = resources.count { $0.state == state }
      sample("quartz_resources", [("state", state.rawValue)], Double(count))
    }
  }

  private mutating func each(
    _ checks: [CheckStatus], _ name: String, _ help: String, _ value: (CheckStatus) -> Double?
  ) {
    family(name, .gauge, help)
    for check in checks {
      guard let value = value(check) else { continue }
      sample(name, [("check", check.name), ("type", check.type.rawValue)], value)
    }
  }

  private mutating func checks(_ checks: [CheckStatus]) {
    each(checks, "quartz_check_up", "1 up or degraded, 0 down; absent while unknown.") {
      $0.state == .unknown ? nil : ($0.state == .down ? 0 : 1)
    }
    each(checks, "quartz_check_degraded", "1 while degraded; absent while unknown.") {
      $0.state == .unknown ? nil : ($0.state == .degraded ? 1 : 0)
    }
    each(checks, "quartz_check_stale", "1 when the last result is older than three intervals and a minute.") {
      $0.stale ? 1 : 0
    }
    each(checks, "quartz_check_pending", "1 until the first result, then 0.") { $0.isPending ? 1 : 0 }
    each(
      checks, "quartz_check_first_run_timestamp_seconds", "When a pending check runs first; absent otherwise."
    ) {
      $0.isPending ? $0.nextRun.map(seconds) : nil
    }
    each(checks, "quartz_check_maintenance", "1 in a maintenance window, else 0.") {
      $0.maintenance == nil ? 0 : 1
    }
    each(checks, "quartz_check_response_time_seconds", "Response time of the last result.") {
      $0.last?.responseTime?.seconds
    }
    each(checks, "quartz_check_last_result_timestamp_seconds", "When the last run began.") {
      $0.last.map { seconds($0.startedAt) }
    }
    each(
      checks, "quartz_check_certificate_expiry_timestamp_seconds", "End of the leaf certificate's validity."
    ) {
      $0.last?.certificateNotAfter.map(seconds)
    }
    windows(
      checks, "quartz_check_uptime_ratio",
      "Share of the judged time that was up or degraded; absent without data."
    ) { $0.uptime }
    windows(
      checks, "quartz_check_coverage_ratio", "Share of the enabled time outside maintenance with a verdict."
    ) {
      $0.coverage
    }
    windows(checks, "quartz_check_data_ratio", "Share of the whole window with a verdict.") {
      $0.data.percent
    }
    family("quartz_check_missed_slots", .counter, "Slots not run for the agent's own reasons.")
    for check in checks {
      sample(
        "quartz_check_missed_slots_total", [("check", check.name), ("type", check.type.rawValue)],
        Double(check.missed))
    }
  }

  private mutating func windows(
    _ checks: [CheckStatus], _ name: String, _ help: String, _ percent: (WindowStatus) -> Double?
  ) {
    family(name, .gauge, help)
    for check in checks {
      for window in check.windows {
        guard let value = percent(window) else { continue }
        let labels = [
          ("check", check.name), ("type", check.type.rawValue), ("period", window.period.rawValue),
        ]
        sample(name, labels, value / 100)
      }
    }
  }

  private mutating func spool(_ spool: SpoolView) {
    gauge("quartz_spool_records", "Results not yet delivered.", Double(spool.depth))
    gauge(
      "quartz_spool_oldest_timestamp_seconds", "When the oldest of them was made.", spool.oldest.map(seconds))
    gauge("quartz_spool_used_bytes", "Bytes of the store in use.", Double(spool.usedBytes))
    gauge("quartz_spool_capacity_bytes", "Size of the store.", Double(spool.capacityBytes))
    gauge("quartz_spool_durable", "1 when results are on disk, 0 when in memory only.", spool.durable ? 1 : 0)
    gauge(
      "quartz_spool_quarantined", "Results set aside because the receiver refused them.",
      Double(spool.quarantined))
    gauge(
      "quartz_spool_parked", "Results held back while a bad row among them is looked for.",
      Double(spool.parked))
    gauge("quartz_spool_gaps", "Gap records in the store.", Double(spool.gaps))
    gauge("quartz_spool_lost", "Results the gap records stand for.", Double(spool.lostInGaps))
    gauge(
      "quartz_spool_outage_covered_seconds", "How long the store can still take in results undelivered.",
      spool.hoursCovered.map { $0 * 3600 })
    counter("quartz_spool_dropped", "Results overwritten before they could be delivered.", spool.dropped)
  }

  private mutating func delivery(_ delivery: DeliveryView) {
    counter("quartz_delivery_delivered", "Results the receiver acknowledged.", delivery.delivered)
    gauge(
      "quartz_delivery_last_success_timestamp_seconds", "When the last request succeeded.",
      delivery.lastSuccess.map(seconds))
    gauge("quartz_delivery_failing", "1 while the last request failed.", delivery.lastError == nil ? 0 : 1)
    gauge("quartz_delivery_requests_hour", "Requests of the last hour.", Double(delivery.requestsUsed))
    gauge(
      "quartz_delivery_skipped_checks", "Checks whose results are not delivered.",
      Double(delivery.skipped.count))
  }

  private mutating func scheduler(_ scheduler: SchedulerView) {
    family("quartz_scheduler_lateness_seconds", .gauge, "From a slot to the start of its run, by quantile.")
    let lateness = [
      ("0.5", scheduler.latenessP50), ("0.99", scheduler.latenessP99), ("1", scheduler.latenessMax),
    ]
    for (quantile, value) in lateness {
      guard let value else { continue }
      sample("quartz_scheduler_lateness_seconds", [("quantile", quantile)], value.seconds)
    }
    gauge("quartz_scheduler_in_flight", "Runs under way.", Double(scheduler.inFlight))
    gauge("quartz_scheduler_in_flight_limit", "Runs that may be under way at once.", Double(scheduler.limit))
    counter("quartz_scheduler_missed_slots", "Slots not run for the agent's own reasons.", scheduler.missed)
    counter("quartz_scheduler_spanned_slots", "Slots that took a running run's verdict.", scheduler.spanned)
  }
}

extension OpenMetrics {
  fileprivate mutating func load(_ load: LoadView) {
    gauge("quartz_kept_results", "Full results kept in memory.", Double(load.kept.results))
    gauge("quartz_kept_result_bytes", "Bytes they take, an upper estimate.", Double(load.kept.bytes))
    counter("quartz_judged", "Answers judged on threads of their own.", load.judged)
    counter(
      "quartz_judged_over_budget", "Answers that took more processor time to judge than they may.",
      load.overBudget)
    gauge("quartz_judging", "Answers being judged or waiting for it.", Double(load.judging))
  }
}

private func seconds(_ instant: Timestamp) -> Double { Double(instant.microseconds) / 1_000_000 }
