// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusSupport
import Testing
@testable import Status

/// Every family of the metrics, with its kind and its words, in the order in which they come.
@Suite struct MetricFamilyTests {
  /// An agent with every part that has metrics.
  private func families(_ format: MetricsFormat) throws -> [(name: String, kind: String, help: String)] {
    let sample = try sampleStatus()
    var status = sample.status
    status.checks[0].places = [PlaceStatus("paris")]
    status.checks[0].resourceID = UniqueID(high: 1, low: 1)
    (status.alerts, status.group) = (AlertsView(), GroupStatus.group("eu", members: 1))
    status.spool?.hoursCovered = 1
    status.delivery?.tally.lastSuccess = now
    status.waits = [WaitView(queue: "dns", origin: "checks", count: 1, held: .zero)]
    var view = sample.metrics()
    view.probes = ProbeFigures(limit: 1)
    view.probes?.readAt = now
    let text = String(decoding: OpenMetrics.render(status, view, format), as: UTF8.self)
    var found: [(name: String, kind: String, help: String)] = []
    var help: (name: String, words: String)?
    for line in text.split(separator: "\n") where line.hasPrefix("# ") && line != "# EOF" {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if words[1] == "HELP" {
        help = (words[2], words[3])
      } else {
        #expect(words[1] == "TYPE" && help?.name == words[2], "\(line)")
        found.append((words[2], words[3], help?.words ?? ""))
      }
    }
    return found
  }

  private static let all = """
    quartz_agent info, quartz_build info, quartz_agent_start_time_seconds gauge, quartz_checks gauge,
    quartz_checks_pending gauge, quartz_maintenance_windows_active gauge, quartz_resources gauge,
    quartz_check_state gauge, quartz_check_up gauge, quartz_check_degraded gauge, quartz_check_stale gauge,
    quartz_check_pending gauge, quartz_check_first_run_timestamp_seconds gauge,
    quartz_check_maintenance gauge, quartz_check_dependency_failed gauge,
    quartz_check_response_time_seconds gauge, quartz_check_last_result_timestamp_seconds gauge,
    quartz_check_http_status_code gauge, quartz_check_certificate_expiry_timestamp_seconds gauge,
    quartz_check_certificate_remaining_seconds gauge, quartz_check_phase_duration_seconds gauge,
    quartz_check_ping_loss_ratio gauge, quartz_check_dns_ttl_seconds gauge,
    quartz_check_uptime_ratio gauge, quartz_check_coverage_ratio gauge, quartz_check_data_ratio gauge,
    quartz_check_down_seconds gauge, quartz_check_outage_start_timestamp_seconds gauge,
    quartz_check_last_outage_duration_seconds gauge, quartz_check_verdicts counter,
    quartz_check_results counter, quartz_check_latency_seconds summary,
    quartz_check_missed_slots counter, quartz_check_place_up gauge,
    quartz_check_place_uptime_ratio gauge, quartz_check_place_response_time_seconds gauge,
    quartz_response_time_seconds histogram, quartz_phase_duration_seconds histogram,
    quartz_spool_records gauge, quartz_spool_oldest_timestamp_seconds gauge, quartz_spool_used_bytes gauge,
    quartz_spool_capacity_bytes gauge, quartz_spool_durable gauge, quartz_spool_quarantined gauge,
    quartz_spool_parked gauge, quartz_spool_gaps gauge, quartz_spool_lost gauge,
    quartz_spool_cursor_damaged gauge, quartz_spool_outage_covered_seconds gauge, quartz_spool_dropped counter,
    quartz_delivery_delivered counter, quartz_delivery_duplicates counter,
    quartz_delivery_last_success_timestamp_seconds gauge, quartz_delivery_failing gauge,
    quartz_delivery_requests_hour gauge, quartz_delivery_skipped_checks gauge,
    quartz_incidents_open gauge, quartz_alert_messages counter, quartz_alert_messages_waiting gauge,
    quartz_incidents_acknowledged gauge, quartz_alerts_firing gauge, quartz_notifications counter,
    quartz_notifications_pending gauge, quartz_notifications_held gauge,
    quartz_notifications_oldest_pending_seconds gauge, quartz_notification_channel_failing gauge,
    quartz_notification_storms counter, quartz_scheduler_lateness_seconds summary,
    quartz_scheduler_in_flight gauge, quartz_scheduler_in_flight_limit gauge,
    quartz_scheduler_missed_slots counter, quartz_scheduler_spanned_slots counter,
    quartz_group_members gauge, quartz_group_view gauge, quartz_group_owned gauge,
    quartz_group_alone gauge, quartz_group_takeovers counter, quartz_kept_results gauge,
    quartz_kept_result_bytes gauge, quartz_judged counter, quartz_judged_over_budget counter,
    quartz_judging gauge, quartz_queue_waiting gauge, quartz_queue_held_seconds gauge,
    quartz_gone_checks gauge, quartz_gone_check_bytes gauge, quartz_gone_checks_forgotten counter,
    quartz_state_files_unwritten gauge, quartz_config_reloads counter,
    quartz_config_last_reload_successful gauge,
    quartz_config_last_reload_success_timestamp_seconds gauge, quartz_probe_requests counter,
    quartz_probe_in_flight gauge, quartz_probe_in_flight_limit gauge, blackbox_module_unknown counter,
    blackbox_exporter_config_last_reload_successful gauge,
    blackbox_exporter_config_last_reload_success_timestamp_seconds gauge, quartz_traces counter,
    quartz_traces_dropped counter, quartz_traces_running gauge, quartz_traces_waiting gauge,
    process_cpu_seconds counter, process_start_time_seconds gauge, process_resident_memory_bytes gauge,
    process_virtual_memory_bytes gauge, process_open_fds gauge, process_max_fds gauge,
    process_threads gauge
    """

  private static var table: [String] {
    all.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
  }

  @Test func familiesOfOpenMetrics() throws {
    let found = try families(.openMetrics)
    #expect(found.map { "\($0.name) \($0.kind)" } == Self.table)
  }

  /// In the text format a counter's and an info's family has the ending of its samples.
  @Test func familiesOfTheTextFormat() throws {
    let expected = Self.table.map { row in
      row.hasSuffix(" counter")
        ? row.replacing(" counter", with: "_total counter") : row.replacing(" info", with: "_info gauge")
    }
    #expect(try families(.plain).map { "\($0.name) \($0.kind)" } == expected)
  }

  /// Each family says in a sentence what it is.
  @Test func wordsOfFamilies() throws {
    let found = try families(.plain)
    for family in found {
      #expect(family.help.hasSuffix(".") && family.help.contains { $0 == " " } || family.help == "Threads.")
    }
  }
}
