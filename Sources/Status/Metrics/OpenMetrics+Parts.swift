// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool

/// Metrics of the agent's own parts.
extension OpenMetrics {
  mutating func spool(_ spool: SpoolStatus, parked: Int) {
    text.gauge("quartz_spool_records", "Results not yet delivered.", Double(spool.depth))
    text.gauge(
      "quartz_spool_oldest_timestamp_seconds", "When the oldest of them was made.", spool.oldest.map(seconds))
    text.gauge("quartz_spool_used_bytes", "Bytes of the store in use.", Double(spool.bytesUsed))
    text.gauge("quartz_spool_capacity_bytes", "Size of the store.", Double(spool.bytesReserved))
    text.gauge(
      "quartz_spool_durable", "1 when results are on disk, 0 when in memory only.", spool.isDurable ? 1 : 0)
    text.gauge(
      "quartz_spool_quarantined", "Results set aside because the receiver refused them.",
      Double(spool.quarantined))
    text.gauge(
      "quartz_spool_parked", "Results held back while a bad row among them is looked for.",
      Double(parked))
    text.gauge("quartz_spool_gaps", "Gap records in the store.", Double(spool.gaps.count))
    text.gauge("quartz_spool_lost", "Results the gap records stand for.", Double(spool.lostInGaps))
    text.gauge(
      "quartz_spool_cursor_damaged", "Copies of the cursor that were damaged at the start.",
      Double(spool.cursorDamaged))
    text.gauge(
      "quartz_spool_outage_covered_seconds", "How long the store can still take in results undelivered.",
      spool.hoursCovered.map { $0 * 3600 })
    text.counter(
      "quartz_spool_dropped", "Results overwritten before they could be delivered.",
      Int(clamping: spool.dropped))
  }

  mutating func delivery(_ delivery: DeliveryStatus, undelivered: Int) {
    text.counter("quartz_delivery_delivered", "Results the receiver acknowledged.", delivery.tally.delivered)
    text.counter(
      "quartz_delivery_duplicates",
      "Delivered results whose id the receiver had: sent again, or run by another member too.",
      delivery.tally.duplicates)
    text.gauge(
      "quartz_delivery_last_success_timestamp_seconds", "When the last request succeeded.",
      delivery.tally.lastSuccess.map(seconds))
    text.gauge(
      "quartz_delivery_failing", "1 while the last request failed.", delivery.lastError == nil ? 0 : 1)
    text.gauge("quartz_delivery_requests_hour", "Requests of the last hour.", Double(delivery.usage.hour))
    text.gauge(
      "quartz_delivery_skipped_checks", "Checks whose results are not delivered.",
      Double(undelivered))
  }

  mutating func scheduler(_ scheduler: ScheduleStatus) {
    text.family(
      "quartz_scheduler_lateness_seconds", .summary, "From a slot to the start of its run, by quantile.")
    let lateness = [
      ("0.5", scheduler.lateP50), ("0.99", scheduler.lateP99), ("1", scheduler.lateMax),
    ]
    for (quantile, value) in lateness {
      guard let value else { continue }
      text.sample("quartz_scheduler_lateness_seconds", Labels([("quantile", quantile)]), value.seconds)
    }
    text.gauge("quartz_scheduler_in_flight", "Runs under way.", Double(scheduler.inFlight))
    text.gauge(
      "quartz_scheduler_in_flight_limit", "Runs that may be under way at once.", Double(scheduler.limit))
    text.family(
      "quartz_scheduler_missed_slots", .counter, "Slots not run for the agent's own reasons, by cause.")
    for cause in [MissCause.limit, .gap, .budget, .failover] {
      text.sample(
        "quartz_scheduler_missed_slots_total", Labels([("cause", cause.rawValue)]),
        scheduler.missedBy[cause, default: 0])
    }
    text.counter(
      "quartz_scheduler_spanned_slots", "Slots that took a running run's verdict.", scheduler.spanned)
  }

  /// Absent without a section `alerts`.
  mutating func alerts(_ alerts: AlertsView, now: Timestamp) {
    text.family("quartz_incidents_open", .gauge, "Incidents that are open, by severity.")
    for severity in AlertSeverity.allCases {
      text.sample(
        "quartz_incidents_open", Labels([("severity", severity.rawValue)]),
        alerts.open.count { $0.severity == severity })
    }
    text.family("quartz_alert_messages", .counter, "Messages since the start, by channel and outcome.")
    for channel in alerts.channels {
      for (outcome, count) in [("delivered", channel.deliveredCount), ("dropped", channel.failedCount)] {
        text.sample(
          "quartz_alert_messages_total", Labels([("channel", channel.name), ("outcome", outcome)]), count)
      }
    }
    text.family("quartz_alert_messages_waiting", .gauge, "Messages that wait to be sent, by channel.")
    for channel in alerts.channels {
      text.sample("quartz_alert_messages_waiting", Labels([("channel", channel.name)]), channel.pending)
    }
    notifications(alerts, now: now)
  }

  private mutating func notifications(_ alerts: AlertsView, now: Timestamp) {
    text.gauge(
      "quartz_incidents_acknowledged", "Open incidents that are acknowledged.",
      Double(alerts.open.count { $0.acknowledgedBy != nil }))
    text.family("quartz_alerts_firing", .gauge, "Alerts that fire, by rule and severity.")
    for item in alerts.firing {
      text.sample(
        "quartz_alerts_firing", Labels([("rule", item.rule), ("severity", item.severity.rawValue)]),
        item.count)
    }
    text.family(
      "quartz_notifications", .counter, "Notifications since the start, by channel, kind and outcome.")
    for channel in alerts.channels {
      for (outcome, counts) in [("delivered", channel.delivered), ("failed", channel.failed)] {
        for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
          text.sample(
            "quartz_notifications_total",
            Labels([("channel", channel.name), ("kind", kind), ("outcome", outcome)]), count)
        }
      }
    }
    channels(
      alerts, "quartz_notifications_pending", "Notifications that are to be sent and are not delivered yet."
    ) { Double($0.pending) }
    text.family("quartz_notifications_held", .gauge, "Notifications that are held, by channel and reason.")
    for channel in alerts.channels {
      for (reason, count) in channel.held.sorted(by: { $0.key < $1.key }) {
        text.sample(
          "quartz_notifications_held", Labels([("channel", channel.name), ("reason", reason)]), count)
      }
    }
    channels(
      alerts, "quartz_notifications_oldest_pending_seconds",
      "How long the oldest pending notification has been due; 0 while none is due."
    ) { channel in
      channel.oldestPending.map { max(0, $0.duration(to: now).seconds) } ?? 0
    }
    channels(
      alerts, "quartz_notification_channel_failing", "1 while the last attempt by the channel failed."
    ) { $0.problem == nil ? 0 : 1 }
    text.family("quartz_notification_storms", .counter, "Storms of incidents since the start, by channel.")
    for channel in alerts.channels {
      text.sample(
        "quartz_notification_storms_total", Labels([("channel", channel.name)]), channel.storms)
    }
  }

  private mutating func channels(
    _ alerts: AlertsView, _ name: String, _ help: String, _ value: (AlertsView.Channel) -> Double
  ) {
    text.family(name, .gauge, help)
    for channel in alerts.channels {
      text.sample(name, Labels([("channel", channel.name)]), value(channel))
    }
  }

  /// Absent where no checks are shared.
  mutating func group(_ group: GroupStatus) {
    text.gauge(
      "quartz_group_members", "Members of the group, this one included.", Double(group.members.count))
    text.gauge(
      "quartz_group_view", "Revision of the store that the newest placement of checks is of.",
      Double(group.view))
    text.gauge(
      "quartz_group_owned", "Checks of the group that are this agent's.", Double(group.assignment.owned))
    text.gauge(
      "quartz_group_alone", "1 while the group's store is out of reach for longer than a lease.",
      group.alone == nil ? 0 : 1)
    text.counter("quartz_group_takeovers", "Checks that came from other members.", group.journal.takeovers)
  }

  mutating func load(_ snapshot: StatusSnapshot) {
    text.gauge("quartz_kept_results", "Full results kept in memory.", Double(snapshot.kept.results))
    text.gauge("quartz_kept_result_bytes", "Bytes they take, an upper estimate.", Double(snapshot.kept.bytes))
    text.counter("quartz_judged", "Answers judged on threads of their own.", snapshot.judging.judged)
    text.counter(
      "quartz_judged_over_budget", "Answers that took more processor time to judge than they may.",
      snapshot.judging.overBudget)
    text.gauge("quartz_judging", "Answers being judged or waiting for it.", Double(snapshot.judging.waiting))
    queues(snapshot.waits)
  }

  /// Only of queues that are not empty.
  private mutating func queues(_ waits: [WaitView]) {
    if waits.isEmpty { return }
    text.family(
      "quartz_queue_waiting", .gauge, "Work that waits for a budget of the process, by queue and origin.")
    for wait in waits {
      text.sample(
        "quartz_queue_waiting", Labels([("queue", wait.queue), ("origin", wait.origin)]), wait.count)
    }
    text.family(
      "quartz_queue_held_seconds", .gauge, "How long a queue has held work of an origin without a break.")
    for wait in waits {
      text.sample(
        "quartz_queue_held_seconds", Labels([("queue", wait.queue), ("origin", wait.origin)]),
        wait.held.seconds)
    }
  }

  mutating func kept(_ gone: GoneFigures, unwritten: Int) {
    text.gauge("quartz_gone_checks", "Checks that are gone whose windows are kept.", Double(gone.checks))
    text.gauge("quartz_gone_check_bytes", "Bytes that these take.", Double(gone.bytes))
    text.counter(
      "quartz_gone_checks_forgotten", "Checks that are gone and were forgotten because there were too many.",
      gone.forgotten)
    text.gauge(
      "quartz_state_files_unwritten", "Files of the state directory that could not be written last.",
      Double(unwritten))
  }

  mutating func reloads(_ reloads: ReloadFigures) {
    text.family("quartz_config_reloads", .counter, "Changed configurations that were read since the start.")
    for (outcome, count) in [("taken", reloads.taken), ("refused", reloads.refused)] {
      text.sample("quartz_config_reloads_total", Labels([("outcome", outcome)]), count)
    }
    text.gauge(
      "quartz_config_last_reload_successful", "0 while the configuration on disk is refused.",
      reloads.wasLastRefused ? 0 : 1)
    text.gauge(
      "quartz_config_last_reload_success_timestamp_seconds",
      "When the running configuration was read; the start is the first time.", seconds(reloads.lastSuccess))
  }

  /// Metrics of `/probe`, under the names of blackbox_exporter where it has one.
  mutating func probes(_ probes: ProbeFigures) {
    text.family("quartz_probe_requests", .counter, "Questions of /probe, by what came of them.")
    let outcomes = [
      ("success", probes.succeeded), ("failure", probes.failed), ("refused", probes.refused),
      ("busy", probes.busy),
    ]
    for (outcome, count) in outcomes {
      text.sample("quartz_probe_requests_total", Labels([("outcome", outcome)]), count)
    }
    text.gauge("quartz_probe_in_flight", "Probes of /probe under way.", Double(probes.running))
    text.gauge("quartz_probe_in_flight_limit", "Those that may be under way at once.", Double(probes.limit))
    text.counter(
      "blackbox_module_unknown", "Questions of /probe for a module that is not known.", probes.unknown)
    text.gauge(
      "blackbox_exporter_config_last_reload_successful", "0 while the modules' file cannot be read.",
      probes.isFileRead ? 1 : 0)
    text.gauge(
      "blackbox_exporter_config_last_reload_success_timestamp_seconds",
      "When the current modules were read.", probes.readAt.map(seconds))
  }

  mutating func traces(_ traces: TraceFigures) {
    text.family("quartz_traces", .counter, "Traces to targets since the start, by cause.")
    for (cause, count) in [("failure", traces.failure), ("slow", traces.slow), ("good", traces.good)] {
      text.sample("quartz_traces_total", Labels([("cause", cause)]), count)
    }
    text.counter(
      "quartz_traces_dropped",
      "Those that were due and not made: too many waited, or the target worked again.",
      traces.dropped)
    text.gauge("quartz_traces_running", "Those under way.", Double(traces.running))
    text.gauge("quartz_traces_waiting", "Those that wait for their turn.", Double(traces.waiting))
  }

  /// By the names that every Prometheus client library uses.
  mutating func process(_ process: ProcessFigures, started: Timestamp) {
    text.family("process_cpu_seconds", .counter, "Processor time, user and system.")
    text.sample("process_cpu_seconds_total", Labels(), process.processorSeconds)
    text.gauge("process_start_time_seconds", "When the agent started.", seconds(started))
    text.gauge(
      "process_resident_memory_bytes", "Resident memory.", process.residentBytes.map(Double.init))
    text.gauge("process_virtual_memory_bytes", "Virtual memory.", process.virtualBytes.map(Double.init))
    text.gauge("process_open_fds", "Open file descriptors.", process.openDescriptors.map(Double.init))
    text.gauge(
      "process_max_fds", "Descriptors the process may have open.", process.maxDescriptors.map(Double.init))
    text.gauge("process_threads", "Threads.", process.threads.map(Double.init))
  }
}
