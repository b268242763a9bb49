// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import QuartzAPI

/// The snapshot as metrics. Every name is in docs/status.md. Labels are the agent's own words, the configured checks'
/// names and types, and the values of the tags that `metrics.labels` names; nothing a target says becomes a label.
package struct OpenMetrics {
  typealias Labels = MetricsText.Labels

  var text: MetricsText
  let view: MetricsView

  package static func render(
    _ snapshot: StatusSnapshot, _ view: MetricsView = MetricsView(), _ format: MetricsFormat = .openMetrics
  ) -> [UInt8] {
    var metrics = OpenMetrics(text: MetricsText(format), view: view)
    metrics.agent(snapshot)
    metrics.checks(snapshot)
    metrics.places(snapshot)
    metrics.histograms(view.histograms)
    if let spool = snapshot.spool { metrics.spool(spool, parked: snapshot.delivery?.parked ?? 0) }
    if let delivery = snapshot.delivery {
      metrics.delivery(delivery, undelivered: snapshot.undelivered.count)
    }
    if let alerts = snapshot.alerts { metrics.alerts(alerts, now: snapshot.now) }
    if let scheduler = snapshot.scheduler { metrics.scheduler(scheduler) }
    if let group = snapshot.group { metrics.group(group) }
    metrics.load(snapshot)
    metrics.kept(view.gone, unwritten: view.unwritten)
    if let reloads = view.reloads { metrics.reloads(reloads) }
    if let probes = view.probes { metrics.probes(probes) }
    if let traces = view.traces { metrics.traces(traces) }
    if let process = view.process { metrics.process(process, started: snapshot.agent.started) }
    metrics.text.end()
    return metrics.text.bytes
  }

  private mutating func agent(_ snapshot: StatusSnapshot) {
    text.family("quartz_agent", .info, "Name, region and version of the agent.")
    var labels = Labels([("name", snapshot.agent.name), ("version", snapshot.agent.version)])
    if let region = snapshot.agent.region { labels.add("region", region) }
    text.sample("quartz_agent_info", labels, 1)
    text.family("quartz_build", .info, "Version and machine of the program.")
    text.sample(
      "quartz_build_info", Labels([("version", snapshot.agent.version), ("machine", Self.machine)]), 1)
    text.gauge("quartz_agent_start_time_seconds", "When the agent started.", seconds(snapshot.agent.started))
    let summary = snapshot.summary
    text.family("quartz_checks", .gauge, "Enabled checks by state.")
    let states: [(String, Int)] = [
      ("up", summary.up), ("degraded", summary.degraded), ("down", summary.down),
      ("unknown", summary.unknown),
      ("maintenance", summary.maintenance),
    ]
    for (state, count) in states { text.sample("quartz_checks", Labels([("state", state)]), count) }
    text.gauge("quartz_checks_pending", "Enabled checks without a result so far.", Double(summary.pending))
    text.gauge(
      "quartz_maintenance_windows_active", "Maintenance windows that hold now.",
      Double(snapshot.maintenance.count(where: \.isActive)))
    resources(snapshot.resources)
  }

  private static var machine: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "other"
    #endif
  }

  private mutating func resources(_ resources: [ResourceStatus]) {
    guard !resources.isEmpty else { return }
    text.family("quartz_resources", .gauge, "Resources by the state that their checks show.")
    for state in CheckState.allCases {
      text.sample(
        "quartz_resources", Labels([("state", state.rawValue)]), resources.count { $0.state == state })
    }
  }

  private mutating func histograms(_ histograms: ResultHistograms) {
    text.family(
      "quartz_response_time_seconds", .histogram, "Response time of scheduled runs by kind and state.")
    for item in histograms.responses {
      histogram(
        "quartz_response_time_seconds",
        Labels([("type", item.type.rawValue), ("state", item.state.rawValue)]), item.times)
    }
    text.family("quartz_phase_duration_seconds", .histogram, "Parts of scheduled runs by kind and phase.")
    for item in histograms.phases {
      histogram(
        "quartz_phase_duration_seconds",
        Labels([("type", item.type.rawValue), ("phase", item.part.rawValue)]), item.times)
    }
  }

  private mutating func histogram(_ name: String, _ labels: Labels, _ times: LatencyHistogram) {
    if text.format == .protobuf { return text.histogram(labels, times) }
    var sum: Int64 = 0
    for (place, count) in times.counts.enumerated() {
      sum += count
      let bound = place < LatencyHistogram.bounds.count ? Self.bounds[place] : "+Inf"
      text.sample(name + "_bucket", labels.with("le", bound), sum)
    }
    text.sample(name + "_sum", labels, Double(times.sum) / 1_000_000)
    text.sample(name + "_count", labels, sum)
  }

  /// OpenMetrics wants a decimal point in each.
  private static let bounds = LatencyHistogram.bounds.map { "\(Double($0) / 1_000_000)" }
}

func seconds(_ instant: Timestamp) -> Double { Double(instant.microseconds) / 1_000_000 }
