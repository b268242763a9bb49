// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Titles say of a check what its rule is about, and of nothing that it is up again but of what was down.
@Suite struct TitleStateTests {
  private func state(_ name: String, _ state: CheckState, _ checks: [String] = []) -> AlertRule {
    AlertRule(
      name, .state(state, for: .zero), severity: .high,
      selection: MaintenanceSelection(checks: Set(checks.map { ByteText($0) })))
  }

  /// A rule about degraded ends when the check goes down: it is not up again, and its mark is that of its last result.
  @Test(
    arguments: [
      (CheckState.degraded, CheckState.down, "web is no longer degraded", CheckState.down),
      (.degraded, .up, "web is no longer degraded", .up),
      (.unknown, .down, "web is no longer unknown", .down),
      (.unknown, .up, "web is no longer unknown", .up), (.down, .up, "web is up again", .up),
      (.down, .degraded, "web is up again", .up),
    ] as [(CheckState, CheckState, String, CheckState)])
  func theEndOfAState(first: CheckState, last: CheckState, title: String, mark: CheckState) throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings([state("rule", first)]), [web])
    let after = result(web, last, at: 20)
    desk.writer = MessageWriter(
      agent: "test", region: nil, pageURL: nil, check: { _ in web }, recent: { _ in [after] })
    desk.note(result(web, first, at: 0))
    desk.pass(from: 0, to: 10)
    desk.note(after)
    desk.pass(from: 20, to: 30)
    #expect(desk.told.map(\.at) == [3, 23] && desk.kinds == [.opened, .recovered])
    #expect(desk.told.first?.message.title.hasPrefix("web is \(first)") == true, "\(desk.lines)")
    #expect(desk.told.last?.message.title == title)
    #expect(desk.told.last?.message.members.first?.mark == mark)
  }

  /// A check that was down and is degraded now: no second rule fires for it, as the first does not any more.
  @Test(arguments: [AlertSeverity.low, .medium]) func oneStateAfterTheOther(severity: AlertSeverity) throws {
    let web = try makeCheck("web")
    let rules = [
      AlertRule("down", .state(.down, for: .zero), severity: .critical),
      AlertRule("weak", .state(.degraded, for: .zero), severity: severity),
    ]
    var desk = Desk(quickSettings(rules), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 19)
    desk.note(result(web, .degraded, at: 20))
    desk.pass(from: 20, to: 40)
    desk.up(web, at: 41)
    desk.pass(from: 41, to: 50)
    let titles = desk.told.map(\.message.title)
    #expect(desk.told.map(\.at) == [3, 20, 44], "\(desk.lines)")
    try #require(titles.count == 3)
    #expect(
      titles[1].hasPrefix("now \(severity.rawValue): web is degraded") && titles[0] == "web is down: refused")
    #expect(titles[2] == "web is no longer degraded")
  }

  /// What got worse is not new in the text, and what joined is.
  @Test func worseIsNotNew() throws {
    let (web, database) = (try makeCheck("web"), try makeCheck("db"))
    var desk = Desk(quickSettings(), [web, database])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 20)
    var alert = try #require(desk.book.incidents.opened.first?.members.first?.trouble)
    alert.severity = .critical
    desk.book.incidents.take(.holds(alert), now: reading(21))
    desk.pass(from: 21, to: 22)
    desk.down(database, at: 23)
    desk.pass(from: 23, to: 40)
    let marks = desk.told.map { told in
      MessageText(told.message).lines.filter { $0.contains(" since ") && $0.contains("192.0.2.1") }.map {
        $0.split(separator: " ").prefix(3).dropFirst().joined(separator: " ")
      }
    }
    let target = "(\(web.target))"
    #expect(marks == [["web \(target)"], ["web (worse)"], ["db (new)", "web \(target)"]], "\(desk.lines)")
  }

  /// Several checks in several states, in a title, in what is left of them, at their end, and once it is past.
  @Test func severalStates() throws {
    let checks = try ["web", "db", "dns"].map { try makeCheck($0) }
    let rules = [state("a", .degraded, ["web"]), state("b", .down, ["db"]), state("c", .unknown, ["dns"])]
    var desk = Desk(quickSettings(rules), checks)
    for (check, state) in zip(checks, [CheckState.degraded, .down, .unknown]) {
      desk.note(result(check, state, at: 0))
    }
    desk.pass(from: 0, to: 10)
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 40)
    for check in checks.dropFirst() { desk.up(check, at: 41) }
    desk.pass(from: 41, to: 50)
    let titles = desk.told.map(\.message.title)
    #expect(titles.count == 3, "\(desk.lines)")
    #expect(titles.first?.hasPrefix("web and 2 more are down or degraded or unknown") == true, "\(titles)")
    #expect(titles.dropFirst().first == "web is no longer degraded; still down or unknown: db, dns")
    #expect(titles.last == "db is up again; web is no longer degraded; dns is no longer unknown")
  }

  /// What began and ended while the channel was away was what its rule is about; over midnight both days are named.
  @Test(
    arguments: [
      (CheckState.degraded, Int64(0), "web was degraded from 00:00 to 00:05 UTC (5m)"),
      (.unknown, 0, "web was unknown from 00:00 to 00:05 UTC (5m)"),
      (.down, 86_280, "web was down from 2026-01-05 23:58 to 2026-01-06 00:03 UTC (5m)"),
    ] as [(CheckState, Int64, String)])
  func thePast(state found: CheckState, at begin: Int64, title: String) throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings([state("rule", found)]), [web], at: begin)
    desk.answer = { _, second in
      second < begin + 400 ? .failed("refused", isUnreachable: true) : .delivered
    }
    desk.note(result(web, found, at: begin))
    desk.pass(from: begin, to: begin + 299)
    desk.up(web, at: begin + 300)
    desk.pass(from: begin + 300, to: begin + 420)
    #expect(desk.told.map(\.message.title) == [title], "\(desk.lines)")
  }

  /// A line of a digest says once when it was, with the date.
  @Test func aLineOfADigest() throws {
    let checks = try [makeCheck("web"), makeCheck("db", host: "198.51.100.1")]
    var desk = Desk(quickSettings(), checks)
    desk.answer = { _, second in second < 400 ? .failed("refused", isUnreachable: true) : .delivered }
    for (second, check) in checks.enumerated() { desk.down(check, at: Int64(second)) }
    desk.pass(from: 1, to: 299)
    for check in checks { desk.up(check, at: 300) }
    desk.pass(from: 300, to: 420)
    let message = try #require(desk.told.first?.message)
    #expect(desk.told.count == 1 && message.kind == .digest)
    #expect(
      MessageText(message).lines == [
        "high: db was down from 2026-01-05 00:00 to 00:05 UTC (4m 59s)",
        "high: web was down from 2026-01-05 00:00 to 00:05 UTC (5m)", "agent test",
      ])
  }

  /// A slow check works, and what fires of it is degraded; what is left of slow ones is slow.
  @Test func slow() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    let slow = AlertRule.Kind.responseTime(above: .milliseconds(500), percentile: nil, window: .seconds(900))
    var desk = Desk(quickSettings([AlertRule("slow", slow, severity: .high)]), checks)
    for check in checks { desk.note(result(check, .up, at: 0, took: .seconds(1))) }
    desk.pass(from: 0, to: 10)
    #expect(desk.told.first?.message.members.map(\.mark) == [.degraded, .degraded])
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 40)
    #expect(desk.told.last?.message.title == "web is fast again; still slow: db", "\(desk.lines)")
  }

  /// Of several certificates the title has the days left of the first that ends.
  @Test func certificates() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var desk = Desk(quickSettings(AlertRule.defaults), checks)
    for (check, days) in zip(checks, [6, 20]) {
      var found = result(check, .up, at: 0)
      found.facts.tls = TLSFacts(verified: true, notAfter: after(Int64(days) * 86_400))
      desk.note(found)
    }
    desk.pass(from: 0, to: 10)
    #expect(desk.lines == ["3 opened web and 1 more: a certificate expires in 6d, at 2026-01-11T00:00:00Z"])
  }

  /// What is left of an incident is named for why the channel does not get it: for its severity, or for its route.
  @Test(
    arguments: [
      (AlertSeverity.critical, "web is up again; what is left is not routed to this channel: db"),
      (.medium, "web is up again; what is left is below the severity of this channel: db"),
    ] as [(AlertSeverity, String)])
  func whatIsLeft(severity: AlertSeverity, title: String) throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var rules = [rule("a", .high, ["web"]), rule("b", severity, ["db"])]
    rules[1].channels = ["dba"]
    var settings = quickSettings(rules, channels: ["ops", "dba"])
    settings.channels[0].severity = .high
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 30)
    #expect(desk.told.filter { $0.channel == "ops" }.map(\.message.title).last == title, "\(desk.lines)")
  }

  /// An outage that flaps over several incidents, and restarts, is not said to have opened once.
  @Test(arguments: [false, true]) func flappingOverIncidents(restarts: Bool) throws {
    let web = try makeCheck("web")
    var settings = quickSettings()
    settings.flap.stable = .seconds(60)
    var desk = Desk(settings, [web])
    for second: Int64 in [0, 20, 40] {
      desk.down(web, at: second)
      desk.pass(from: second, to: second + 9)
      desk.up(web, at: second + 10)
      desk.pass(from: second + 10, to: second + 19)
      if restarts { desk = try desk.restarted(at: second + 19) }
    }
    desk.pass(from: 60, to: 400)
    #expect(
      desk.lines == [
        "3 opened web is down: refused", "13 recovered web is up again", "23 opened web is down: refused",
        "33 recovered web is up again", "43 opened web is flapping, went down 3 times: refused",
        "230 recovered web is up again: it was flapping, went down 3 times within 50s",
      ])
  }

  /// On surfaces an incident that is open while nothing fires is not called over.
  @Test func recovering() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 9)
    var titles = desk.book.incidents.all.map(\.shownTitle)
    desk.up(web, at: 10)
    desk.tick(11)
    titles += desk.book.incidents.all.map(\.shownTitle)
    let incident = try #require(desk.book.incidents.opened.first)
    #expect(desk.context(11).end(of: incident, at: "ops") == after(13))
    #expect(desk.context(11).end(of: incident, at: "other") == nil)
    desk.pass(from: 12, to: 20)
    titles += desk.book.incidents.all.map(\.shownTitle)
    #expect(titles == ["web is down: refused", "recovering: web is up again", "web is up again"])
  }

  /// Surfaces show the severity of what fires, as notifications do; of what is over, the highest that it had.
  @Test func theShownSeverity() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var desk = Desk(quickSettings([rule("a", .critical, ["web"]), rule("b", .high, ["db"])]), checks)
    var shown: [AlertSeverity] = []
    func note() { shown.append(contentsOf: desk.book.incidents.all.map(\.shownSeverity)) }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    note()
    desk.up(checks[0], at: 11)
    note()
    desk.up(checks[1], at: 12)
    desk.pass(from: 12, to: 20)
    note()
    #expect(shown == [.critical, .high, .critical] && desk.book.incidents.open.isEmpty)
  }
}
