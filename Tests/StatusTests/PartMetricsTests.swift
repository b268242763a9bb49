// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import StatusSupport
import Testing
@testable import Status

/// The metrics of the agent and of its parts, each series with a value of its own.
@Suite struct PartMetricsTests {
  private func lines(
    _ status: StatusSnapshot, _ view: MetricsView = MetricsView(), _ prefixes: String...
  ) -> [String] {
    String(decoding: OpenMetrics.render(status, view, .plain), as: UTF8.self).split(separator: "\n")
      .map(String.init).filter { line in prefixes.contains { line.hasPrefix($0) } }
  }

  /// Five checks up, four degraded, three down, two unknown, six pending, one in maintenance, and one off.
  private func manyChecks() throws -> StatusSnapshot {
    var status = try sampleStatus().status
    let heard = try #require(status.checks.first { $0.name == "Shop front" })
    let pending = try #require(status.checks.first { $0.name == "Never ran yet" })
    var checks: [CheckStatus] = []
    func add(_ base: CheckStatus, _ state: CheckState, _ count: Int, resources: Int) {
      for number in 0..<count {
        var check = base
        check.id = UniqueID(high: 5, low: UInt64(checks.count))
        (check.state, check.failures, check.failureThreshold) = (state, 2, 2)
        if number < resources { check.resourceID = UniqueID(high: 6, low: UInt64(checks.count)) }
        checks.append(check)
      }
    }
    add(heard, .up, 5, resources: 3)
    add(heard, .degraded, 4, resources: 2)
    add(heard, .down, 3, resources: 1)
    add(heard, .unknown, 2, resources: 0)
    add(pending, .unknown, 6, resources: 4)
    add(heard, .down, 2, resources: 0)
    checks[20].maintenance = CheckMaintenance(name: "night", until: now, skip: false)
    checks[21].enabled = false
    status.checks = checks
    return status
  }

  @Test func theAgent() throws {
    var status = try manyChecks()
    let windows = [(-60, 60), (-30, 90), (300, 400)].map { from, until in
      MaintenanceWindow(
        id: UniqueID(high: 9, low: 9), name: "w", selection: MaintenanceSelection(checks: ["none"]),
        from: now.advanced(by: .seconds(from)), until: now.advanced(by: .seconds(until)), skip: false)
    }
    status.mark(MaintenancePlan(windows, checks: []))
    #expect(
      lines(
        status, MetricsView(), "quartz_agent", "quartz_checks", "quartz_maintenance", "quartz_resources")
        == [
          "quartz_agent_info{name=\"london-1\",version=\"0.1.0\",region=\"eu-west\"} 1",
          "quartz_agent_start_time_seconds 1767225600", "quartz_checks{state=\"up\"} 5",
          "quartz_checks{state=\"degraded\"} 4", "quartz_checks{state=\"down\"} 3",
          "quartz_checks{state=\"unknown\"} 8", "quartz_checks{state=\"maintenance\"} 1",
          "quartz_checks_pending 6", "quartz_maintenance_windows_active 2",
          "quartz_resources{state=\"up\"} 3", "quartz_resources{state=\"degraded\"} 2",
          "quartz_resources{state=\"down\"} 1", "quartz_resources{state=\"unknown\"} 4",
        ])
    status.agent.region = nil
    status.checks = []
    #expect(
      lines(status, MetricsView(), "quartz_agent_info", "quartz_resources")
        == ["quartz_agent_info{name=\"london-1\",version=\"0.1.0\"} 1"])
  }

  @Test func delivery() throws {
    var status = try sampleStatus().status
    var delivery = DeliveryStatus(.quartz)
    (delivery.tally.delivered, delivery.tally.duplicates, delivery.usage.hour) = (11, 12, 14)
    (delivery.tally.lastSuccess, delivery.usage.perHour) = (Timestamp(seconds: 13), 17)
    status.undelivered = [.warning(.check("A"), "x"), .warning(.check("B"), "y")]
    status.delivery = delivery
    let wanted = [
      "quartz_delivery_delivered_total 11", "quartz_delivery_duplicates_total 12",
      "quartz_delivery_last_success_timestamp_seconds 13", "quartz_delivery_failing 0",
      "quartz_delivery_requests_hour 14", "quartz_delivery_skipped_checks 2",
    ]
    #expect(lines(status, MetricsView(), "quartz_delivery_") == wanted)
    status.delivery?.tally.trouble = .warning(.delivery, "500")
    status.delivery?.tally.lastSuccess = nil
    let failing = lines(status, MetricsView(), "quartz_delivery_failing", "quartz_delivery_last")
    #expect(failing == ["quartz_delivery_failing 1"])
    status.delivery = nil
    #expect(lines(status, MetricsView(), "quartz_delivery_") == [])
  }

  @Test func schedule() throws {
    var status = try sampleStatus().status
    var scheduler = ScheduleStatus()
    (scheduler.lateP50, scheduler.lateP99) = (.microseconds(1500), .milliseconds(20))
    (scheduler.lateMax, scheduler.inFlight, scheduler.limit) = (.milliseconds(2500), 4, 5)
    (scheduler.missedBy, scheduler.spanned) = ([.gap: 6, .failover: 7, .limit: 8], 9)
    status.scheduler = scheduler
    #expect(
      lines(status, MetricsView(), "quartz_scheduler_") == [
        "quartz_scheduler_lateness_seconds{quantile=\"0.5\"} 0.0015",
        "quartz_scheduler_lateness_seconds{quantile=\"0.99\"} 0.02",
        "quartz_scheduler_lateness_seconds{quantile=\"1\"} 2.5", "quartz_scheduler_in_flight 4",
        "quartz_scheduler_in_flight_limit 5", "quartz_scheduler_missed_slots_total{cause=\"limit\"} 8",
        "quartz_scheduler_missed_slots_total{cause=\"gap\"} 6",
        "quartz_scheduler_missed_slots_total{cause=\"budget\"} 0",
        "quartz_scheduler_missed_slots_total{cause=\"failover\"} 7", "quartz_scheduler_spanned_slots_total 9",
      ])
    status.scheduler = ScheduleStatus()
    #expect(lines(status, MetricsView(), "quartz_scheduler_lateness_seconds") == [])
  }

  @Test func groupAndLoad() throws {
    var status = try sampleStatus().status
    var group = GroupStatus.group("london", members: 2)
    (group.view, group.assignment.total, group.assignment.owned) = (30, 40, 5)
    (group.assignment.held, group.assignment.standingIn, group.journal.takeovers) = (6, 7, 8)
    status.group = group
    (status.kept.results, status.kept.bytes) = (1, 2)
    (status.judging.judged, status.judging.overBudget, status.judging.waiting) = (3, 4, 5)
    status.waits = [
      WaitView(queue: "judge", origin: "file_checks", count: 6, held: .milliseconds(1500)),
      WaitView(queue: "decode", origin: "api_checks", count: 7, held: .zero),
    ]
    let families = ["quartz_group_", "quartz_kept_", "quartz_judg", "quartz_queue_"]
    func found() -> [String] {
      lines(status, MetricsView(), families[0], families[1], families[2], families[3])
    }
    #expect(
      found() == [
        "quartz_group_members 2", "quartz_group_view 30", "quartz_group_owned 5", "quartz_group_alone 0",
        "quartz_group_takeovers_total 8", "quartz_kept_results 1", "quartz_kept_result_bytes 2",
        "quartz_judged_total 3", "quartz_judged_over_budget_total 4", "quartz_judging 5",
        "quartz_queue_waiting{queue=\"judge\",origin=\"file_checks\"} 6",
        "quartz_queue_waiting{queue=\"decode\",origin=\"api_checks\"} 7",
        "quartz_queue_held_seconds{queue=\"judge\",origin=\"file_checks\"} 1.5",
        "quartz_queue_held_seconds{queue=\"decode\",origin=\"api_checks\"} 0",
      ])
    status.group?.alone = .init(since: now)
    #expect(found().contains("quartz_group_alone 1"))
    (status.group, status.waits) = (nil, [])
    #expect(found().count == 5)
  }

  @Test func filesAndConfiguration() throws {
    let status = try sampleStatus().status
    var view = MetricsView()
    (view.gone.checks, view.gone.bytes, view.gone.forgotten, view.unwritten) = (1, 2, 3, 4)
    var reloads = ReloadFigures(lastSuccess: Timestamp(microseconds: 7_500_000))
    (reloads.taken, reloads.refused, reloads.wasLastRefused) = (5, 6, true)
    view.reloads = reloads
    #expect(
      lines(status, view, "quartz_gone_", "quartz_state_", "quartz_config_") == [
        "quartz_gone_checks 1", "quartz_gone_check_bytes 2", "quartz_gone_checks_forgotten_total 3",
        "quartz_state_files_unwritten 4", "quartz_config_reloads_total{outcome=\"taken\"} 5",
        "quartz_config_reloads_total{outcome=\"refused\"} 6", "quartz_config_last_reload_successful 0",
        "quartz_config_last_reload_success_timestamp_seconds 7.5",
      ])
  }

  @Test func tracesAndTheProcess() throws {
    let status = try sampleStatus().status
    var view = MetricsView()
    var traces = TraceFigures()
    (traces.failure, traces.slow, traces.good) = (1, 2, 3)
    (traces.dropped, traces.running, traces.waiting) = (4, 5, 6)
    view.traces = traces
    view.process = ProcessFigures(
      processorSeconds: 1.25, residentBytes: 2, virtualBytes: 3, openDescriptors: 4, maxDescriptors: 5,
      threads: 6)
    #expect(
      lines(status, view, "quartz_traces_", "process_") == [
        "quartz_traces_total{cause=\"failure\"} 1", "quartz_traces_total{cause=\"slow\"} 2",
        "quartz_traces_total{cause=\"good\"} 3", "quartz_traces_dropped_total 4", "quartz_traces_running 5",
        "quartz_traces_waiting 6", "process_cpu_seconds_total 1.25",
        "process_start_time_seconds 1767225600", "process_resident_memory_bytes 2",
        "process_virtual_memory_bytes 3", "process_open_fds 4", "process_max_fds 5", "process_threads 6",
      ])
  }

  /// Names and types of a family in each of the two text formats; a label is escaped once.
  @Test func familiesInBothFormats() {
    func text(_ format: MetricsFormat, _ write: (inout MetricsText) -> Void) -> String {
      var text = MetricsText(format)
      write(&text)
      text.end()
      return String(decoding: text.bytes, as: UTF8.self)
    }
    let rows: [(MetricsText.Kind, String, String)] = [
      (.gauge, "x gauge", "x gauge"), (.counter, "x counter", "x_total counter"),
      (.info, "x info", "x_info gauge"), (.histogram, "x histogram", "x histogram"),
      (.summary, "x summary", "x summary"), (.sums, "x summary", "x summary"),
    ]
    for (kind, open, plain) in rows {
      let name = plain.prefix { $0 != " " }
      #expect(text(.openMetrics) { $0.family("x", kind, "H.") } == "# HELP x H.\n# TYPE \(open)\n# EOF\n")
      #expect(text(.plain) { $0.family("x", kind, "H.") } == "# HELP \(name) H.\n# TYPE \(plain)\n")
    }
    let labels = MetricsText.Labels([("a", "\"\\\n"), ("b", "")]).with("c", "é")
    #expect(text(.plain) { $0.sample("x", labels, 7) } == "x{a=\"\\\"\\\\\\n\",b=\"\",c=\"é\"} 7\n")
    #expect(labels.pairs.map { String(decoding: $0.value, as: UTF8.self) } == ["\"\\\n", "", "é"])
    #expect(labels.pairs.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "b", "c"])
    #expect(
      text(.plain) { $0.sum("x", MetricsText.Labels(), seconds: 1.5, count: 2) } == "x_sum 1.5\nx_count 2\n")
  }
}
