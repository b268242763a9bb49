// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// What `/metrics` says of incidents and notifications: each series, and its value in its unit.
@Suite struct NotificationMetricsTests {
  private func incident(_ number: UInt64, _ severity: AlertSeverity, acknowledgedBy: String? = nil)
    -> IncidentStatus
  {
    var incident = IncidentStatus(
      id: UniqueID(high: 1, low: number), short: "\(number)", title: "Shop is down", subject: .availability,
      severity: severity, begin: started, end: nil)
    incident.acknowledgedBy = acknowledgedBy
    return incident
  }

  private func view() -> AlertsView {
    var view = AlertsView()
    view.open = [incident(1, .high), incident(2, .high, acknowledgedBy: "ann"), incident(3, .low)]
    var over = incident(4, .critical)
    over.end = now
    view.over = [over]
    view.firing = [
      .init(rule: "down", severity: .high, count: 5), .init(rule: "slow", severity: .low, count: 0),
    ]
    var ops = AlertsView.Channel(name: "ops", target: "hooks.example")
    (ops.delivered, ops.failed) = (["opened": 7, "update": 2, "recovered": 6], ["opened": 1, "update": 0])
    (ops.pending, ops.held, ops.storms) = (3, ["quiet hours": 2, "mute": 1], 4)
    ops.oldestPending = now.advanced(by: .milliseconds(-90_500))
    ops.problem = .warning(.part("notifications by ops"), "500", hint: "try it")
    // All of it waits for its time.
    var phone = AlertsView.Channel(name: "phone \"1\"", target: "hooks.example")
    phone.pending = 1
    view.channels = [ops, phone]
    return view
  }

  private static let families = [
    "quartz_incidents_", "quartz_alert", "quartz_notification",
  ]

  private func samples(_ format: MetricsFormat, _ alerts: AlertsView?) async throws -> [String] {
    var source = try sampleStatus()
    source.status.alerts = alerts
    let bytes = OpenMetrics.render(source.status, source.metrics(), format)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter { line in
      Self.families.contains { line.hasPrefix($0) }
    }
  }

  @Test(arguments: [MetricsFormat.openMetrics, .plain]) func eachSeries(format: MetricsFormat) async throws {
    let ops = "channel=\"ops\""
    let phone = "channel=\"phone \\\"1\\\"\""
    #expect(
      try await samples(format, view()) == [
        "quartz_incidents_open{severity=\"low\"} 1", "quartz_incidents_open{severity=\"medium\"} 0",
        "quartz_incidents_open{severity=\"high\"} 2", "quartz_incidents_open{severity=\"critical\"} 0",
        "quartz_alert_messages_total{\(ops),outcome=\"delivered\"} 15",
        "quartz_alert_messages_total{\(ops),outcome=\"dropped\"} 1",
        "quartz_alert_messages_total{\(phone),outcome=\"delivered\"} 0",
        "quartz_alert_messages_total{\(phone),outcome=\"dropped\"} 0",
        "quartz_alert_messages_waiting{\(ops)} 3", "quartz_alert_messages_waiting{\(phone)} 1",
        "quartz_incidents_acknowledged 1",
        "quartz_alerts_firing{rule=\"down\",severity=\"high\"} 5",
        "quartz_alerts_firing{rule=\"slow\",severity=\"low\"} 0",
        "quartz_notifications_total{\(ops),kind=\"opened\",outcome=\"delivered\"} 7",
        "quartz_notifications_total{\(ops),kind=\"recovered\",outcome=\"delivered\"} 6",
        "quartz_notifications_total{\(ops),kind=\"update\",outcome=\"delivered\"} 2",
        "quartz_notifications_total{\(ops),kind=\"opened\",outcome=\"failed\"} 1",
        "quartz_notifications_total{\(ops),kind=\"update\",outcome=\"failed\"} 0",
        "quartz_notifications_pending{\(ops)} 3", "quartz_notifications_pending{\(phone)} 1",
        "quartz_notifications_held{\(ops),reason=\"mute\"} 1",
        "quartz_notifications_held{\(ops),reason=\"quiet hours\"} 2",
        "quartz_notifications_oldest_pending_seconds{\(ops)} 90.5",
        "quartz_notifications_oldest_pending_seconds{\(phone)} 0",
        "quartz_notification_channel_failing{\(ops)} 1", "quartz_notification_channel_failing{\(phone)} 0",
        "quartz_notification_storms_total{\(ops)} 4", "quartz_notification_storms_total{\(phone)} 0",
      ])
  }

  /// Without a section `alerts` there is none of it.
  @Test func absentWithoutAlerts() async throws {
    #expect(try await samples(.plain, nil).isEmpty)
  }
}
