// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What `quartz-agent alert test` sends, and what templates are tried with: an outage that never was, through the same
// words as a real one.
extension MessageWriter {
  package func sample(_ kind: AlertMessage.Kind, _ channel: AlertChannel, now: Timestamp) -> AlertMessage {
    var generator = SystemRandomNumberGenerator()
    var message: AlertMessage
    switch kind {
    case .test: message = test(now: now, using: &generator)
    case .report: message = sampleReport(channel, UniqueID.v7(at: now, using: &generator), now)
    default:
      message =
        sampleMessage(kind, channel, UniqueID.v7(at: now, using: &generator), now)
        ?? test(now: now, using: &generator)
    }
    message.isSample = true
    return message
  }

  private func sampleMessage(
    _ kind: AlertMessage.Kind, _ channel: AlertChannel, _ id: UniqueID, _ now: Timestamp
  ) -> AlertMessage? {
    let begin = now.advanced(by: .seconds(-300))
    let moment = ClockReading(boot: Instant(nanoseconds: 0), wall: now)
    var incident = Incident(id: id, subject: .availability, begin: begin, opened: begin, at: moment.boot)
    let first = Self.sampleAlert("Example shop (test)", since: begin, max(channel.severity, .high))
    incident.take(first, at: moment)
    if kind != .opened, let draft = Draft(whole: incident, channel, AlertSettings()) {
      incident.log[channel.name, default: .init()].deliver(draft.heard, at: moment)
    }
    switch kind {
    case .update:
      incident.take(
        Self.sampleAlert("Example database (test)", since: now, max(channel.severity, .high)), at: moment)
    case .recovered, .digest:
      incident.leave(first.key, at: moment, .recovered)
      incident.end = now
    case .acknowledged: incident.acknowledge(by: "ann", note: nil, at: now)
    case .opened, .report, .test: break
    }
    guard let draft = Draft(incident, channel, AlertSettings()) else { return nil }
    return message(
      Notification(
        id: id, channel: channel, kind: kind, form: kind == .digest ? .digest : .incident, parts: [draft],
        recipients: nil, isPlain: false), now: now)
  }

  private func sampleReport(_ channel: AlertChannel, _ id: UniqueID, _ now: Timestamp) -> AlertMessage {
    let schedule = ReportSchedule(name: "example", channels: [channel.name])
    let period = CalendarPeriod.Unit.month.period(of: now).adding(-1)
    let content = ReportContent(
      schedule, period, summary: "2 checks, average uptime 99.9%, objective kept by 1 of 2, 1 outage",
      headlines: ["✕ Example shop (test): 99.8% of 99.9%, 1 outage, down 1h 29m"])
    return report(schedule, period, id: id, now: now, content: content)
  }

  private static func sampleAlert(_ name: String, since: Timestamp, _ severity: AlertSeverity) -> Trouble {
    var alert = Trouble(
      key: .init(rule: "down", part: name), subject: .availability, severity: severity, name: name,
      target: "https://shop.example/", since: since)
    (alert.state, alert.reason, alert.text) = (.down, .httpStatus, "status 503, expected 200-299")
    return alert
  }
}

extension AlertChannel {
  /// Templates that come to nothing for a kind of notification, so that the built-in words are sent.
  package func emptyTemplates(_ writer: MessageWriter, now: Timestamp) -> [(
    key: String, kind: AlertMessage.Kind
  )] {
    // A report has no template.
    AlertMessage.Kind.allCases.filter { $0 != .report }.flatMap { kind in
      let text = MessageText(writer.sample(kind, self, now: now), template)
      return text.emptyKeys.map { ($0, kind) }
    }
  }
}
