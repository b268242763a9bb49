// SPDX-License-Identifier: MIT

import Agent
import Alerts
import Basics
import Monitoring
import Status
import Testing
@testable import QuartzAgent

/// Timeline of an incident, and what commands say of it.
@Suite struct IncidentWordsTests {
  private let begin = Timestamp(seconds: 1_767_571_200)
  private let shop = UniqueID(high: 1, low: 1)
  private let search = UniqueID(high: 1, low: 2)

  private func reading(_ second: Int64) -> ClockReading {
    ClockReading(
      boot: Instant(nanoseconds: second * 1_000_000_000), wall: begin.advanced(by: .seconds(second)))
  }

  private func alert(_ name: String, _ check: UniqueID, _ rule: String, at second: Int64) -> Trouble {
    var alert = Trouble(
      key: .init(rule: rule, check: check), subject: .availability, severity: .high, name: name,
      since: reading(second).wall)
    (alert.state, alert.text) = (.down, "refused")
    return alert
  }

  private func sent(_ channel: String, _ kind: AlertMessage.Kind, _ title: String, at second: Int64)
    -> SentNotification
  {
    SentNotification(at: reading(second).wall, channel: channel, kind: kind, title: title)
  }

  /// Two rules for the shop, a check that joins, and three channels, of which one was away for a while.
  private func incident() -> Incident {
    var incident = Incident(
      id: UniqueID(high: 7, low: 1), subject: .availability, begin: begin, opened: begin, at: reading(0).boot)
    let alerts =
      [
        (alert("Shop", shop, "down", at: 0), 0), (alert("Shop", shop, "long", at: 0), 1),
        (alert("Search", search, "down", at: 30), 30),
      ] as [(Trouble, Int64)]
    for (alert, second) in alerts { incident.take(alert, at: reading(second)) }
    incident.sent = [
      sent("ops", .opened, "Shop is down", at: 15), sent("mail", .opened, "Shop is down", at: 16),
      sent("pager", .opened, "Shop is down", at: 80), sent("ops", .update, "Search joined", at: 81),
    ]
    for (alert, _) in alerts { incident.leave(alert.key, at: reading(100), .recovered) }
    incident.sent.append(sent("ops", .recovered, "Shop and 1 more are up again", at: 115))
    incident.end = reading(100).wall
    return incident
  }

  /// Channels that got the same at the same time are one line, and alerts of two rules for one check are told apart.
  @Test func timeline() {
    #expect(
      IncidentStatus(incident()).timeline.map(\.words) == [
        "opened", "Shop down (rule down): refused", "Shop down (rule long): refused",
        "notified mail, ops: opened", "Search down: refused", "notified pager: opened",
        "notified ops: updated", "Shop (rule down): recovered", "Shop (rule long): recovered",
        "Search: recovered", "resolved", "notified ops: resolved",
      ])
    // An alert is told at the time since when it is so, not when it joined.
    #expect(
      IncidentStatus(incident()).timeline.map { begin.duration(to: $0.at) }
        == [0, 0, 0, 15, 30, 80, 81, 100, 100, 100, 100, 115].map { Duration.seconds($0) })
  }

  /// All checks are known, also where a page shows some.
  @Test func checks() {
    let status = IncidentStatus(incident())
    #expect(status.checks == [shop, search] && status.memberCount == 2 && status.alertCount == 3)
  }

  /// What a list leaves out is counted.
  @Test(arguments: [(3, []), (4, ["  and 1 more"]), (27, ["  and 24 more"])] as [(Int, [String])])
  func whatIsLeftOut(alerts: Int, rest: [String]) throws {
    let check = #""reason":"connect_refused","text":"refused","state":"down""#
    let json = try JSONValue.parse(
      """
      {"id":"01a2-abcdef","severity":"high","status":"active","triggered_at":"2026-01-05T00:00:00.000Z",
       "duration_s":60,"title":"Shop is down","members":25,"alerts":\(alerts),"notifications":[],"checks":[
       {"check_id":"1","name":"Shop","rule":"down",\(check)},{"check_id":"1","name":"Shop","rule":"long",\(check)},
       {"check_id":"2","name":"Search","rule":"down",\(check)}]}
      """.utf8)
    let lines = IncidentText(width: 200).render([json]).split(separator: "\n").map(String.init)
    let mark = CheckState.down.mark
    #expect(
      Array(lines.drop { !$0.contains("no channel") }.dropFirst()) == [
        "  \(mark) Shop  down: connect_refused: refused", "  \(mark) Shop  long: connect_refused: refused",
        "  \(mark) Search  connect_refused: refused",
      ] + rest)
  }

  /// The mark of an alert that is over, as on the incident's page.
  @Test(
    arguments: [
      ("availability", "down", CheckState.up, "recovered"),
      ("availability", "degraded", .unknown, "no longer degraded"),
      ("certificate", "degraded", .up, "recovered"),
    ] as [(String, String, CheckState, String)])
  func theMarkOfWhatIsOver(subject: String, state: String, mark: CheckState, words: String) throws {
    let json = try JSONValue.parse(
      """
      {"id":"01a2-abcdef","subject":"\(subject)","severity":"high","status":"active","members":1,"alerts":1,
       "triggered_at":"2026-01-05T00:00:00.000Z","duration_s":60,"title":"Shop","notifications":[],"checks":[
       {"check_id":"1","name":"Shop","rule":"down","text":"it was","state":"\(state)","outcome":"recovered",
        "until":"2026-01-05T00:00:30.000Z"}]}
      """.utf8)
    let last = IncidentText(width: 200).render([json]).split(separator: "\n").last
    #expect(last == "  \(mark.mark) Shop  it was, \(words) at 2026-01-05 00:00:30Z")
  }

  /// An answer that has not all incidents says how many are left out.
  @Test(
    arguments: [(2, ""), (3, "and 1 older incident\n"), (5000, "and 4998 older incidents\n")]
      as [(Int, String)])
  func incidentsThatAreLeftOut(total: Int, words: String) throws {
    let answer = try JSONValue.parse(#"{"data":[{},{}],"meta":{"total":\#(total)}}"#.utf8)
    #expect(omittedIncidents(answer) == words)
  }
}
