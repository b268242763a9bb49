// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// An incident in the API, and what of it another agent reads back.
@Suite struct IncidentDocumentTests {
  private let id = UniqueID(high: 1, low: 2)

  private func at(_ minutes: Int) -> Timestamp { midnight + .seconds(60 * minutes) }

  private func incident() -> IncidentStatus {
    var incident = IncidentStatus(
      id: id, short: "000002", title: "Shop is down", subject: .availability, severity: .high, begin: at(1),
      end: nil)
    (incident.memberCount, incident.alertCount) = (7, 9)
    return incident
  }

  private func document(_ incident: IncidentStatus, now: Timestamp) throws -> JSONValue {
    var json = JSONWriter()
    incident.write(now: now, to: &json)
    return try JSONValue.parse(json.bytes)
  }

  @Test func everyField() throws {
    var incident = incident()
    (incident.acknowledgedBy, incident.acknowledgedAt) = ("Ada", at(2))
    var told = IncidentStatus.Notification(channel: "ops", state: .delivered)
    (told.first, told.last, told.missing) = (at(3), at(4), "b@shop.example")
    var held = IncidentStatus.Notification(channel: "pager", state: .held)
    (held.stage, held.reason, held.until) = ("quiet", "quiet hours", at(5))
    incident.notifications = [told, held]
    incident.timeline = [.init(at(1), "opened"), .init(at(2), "acknowledged by Ada")]
    var member = IncidentStatus.Member(
      checkID: id, name: "Shop", rule: "down", severity: .critical, reason: .connectRefused, text: "refused",
      since: at(6), until: at(7))
    (member.state, member.outcome) = (.down, "recovered")
    let other = IncidentStatus.Member(
      checkID: nil, name: "the store", rule: "agent", severity: .low, reason: nil, text: nil, since: at(8),
      until: nil)
    incident.members = [member, other]
    let expected = #"""
      {"id":"00000000-0000-0001-0000-000000000002","title":"Shop is down","subject":"availability",\#
      "severity":"high","status":"acknowledged","triggered_at":"2026-01-01T00:01:00.000Z",\#
      "resolved_at":null,"duration_s":90,"acknowledged_by":"Ada",\#
      "acknowledged_at":"2026-01-01T00:02:00.000Z",\#
      "told":[{"channel":"ops","at":"2026-01-01T00:03:00.000Z"}],\#
      "notifications":[{"channel":"ops","state":"delivered","first":"2026-01-01T00:03:00.000Z",\#
      "last":"2026-01-01T00:04:00.000Z","missing":"b@shop.example"},\#
      {"channel":"pager","state":"held","stage":"quiet","reason":"quiet hours",\#
      "until":"2026-01-01T00:05:00.000Z"}],\#
      "timeline":[{"at":"2026-01-01T00:01:00.000Z","what":"opened"},\#
      {"at":"2026-01-01T00:02:00.000Z","what":"acknowledged by Ada"}],"members":7,"alerts":9,\#
      "checks":[{"check_id":"00000000-0000-0001-0000-000000000002","name":"Shop","rule":"down",\#
      "severity":"critical","reason":"connect_refused","text":"refused",\#
      "since":"2026-01-01T00:06:00.000Z","until":"2026-01-01T00:07:00.000Z","state":"down",\#
      "outcome":"recovered"},{"name":"the store","rule":"agent","severity":"low",\#
      "since":"2026-01-01T00:08:00.000Z"}]}
      """#
    #expect(try document(incident, now: at(2) + .seconds(30)) == JSONValue.parse(expected.utf8))
  }

  /// It takes as long as it lasted, and never less than nothing.
  @Test func howLongItTakes() throws {
    var incident = incident()
    #expect(try document(incident, now: at(11))["duration_s"]?.integer == 600)
    #expect(try document(incident, now: midnight)["duration_s"]?.integer == 0)
    #expect(try document(incident, now: at(11))["status"]?.string == "active")
    (incident.end, incident.acknowledgedBy) = (at(4), "Ada")
    let over = try document(incident, now: at(11))
    #expect(over["duration_s"]?.integer == 180 && over["status"]?.string == "resolved")
    #expect(over["resolved_at"]?.string == "2026-01-01T00:04:00.000Z")
    #expect(over["acknowledged_at"] == nil)
  }

  /// What one agent writes of a channel another reads.
  @Test func aNotificationReadsBack() throws {
    for state in IncidentStatus.Notification.State.allCases {
      var item = IncidentStatus.Notification(channel: "ops \(state)", state: state)
      (item.first, item.last, item.until) = (at(1), at(2), at(3))
      (item.missing, item.stage, item.reason) = ("a", "b", "c")
      for given in [item, .init(channel: "bare", state: state)] {
        var json = JSONWriter()
        given.write(to: &json)
        #expect(IncidentStatus.Notification(try JSONValue.parse(json.bytes)) == given)
      }
    }
    for text in [#"{"channel":"ops"}"#, #"{"state":"held"}"#, #"{"channel":"ops","state":"lost"}"#, "[]"] {
      #expect(IncidentStatus.Notification(try JSONValue.parse(text.utf8)) == nil, "\(text)")
    }
  }

  /// An incident is found by its id, whether it is open or over.
  @Test func incidentsById() {
    var alerts = AlertsView()
    alerts.open = [incident()]
    var over = incident()
    (over.id, over.title) = (UniqueID(high: 1, low: 3), "Mail")
    alerts.over = [over]
    #expect(alerts.incident(id)?.title == "Shop is down")
    #expect(alerts.incident(UniqueID(high: 1, low: 3))?.title == "Mail")
    #expect(alerts.incident(UniqueID(high: 1, low: 4)) == nil)
  }
}
