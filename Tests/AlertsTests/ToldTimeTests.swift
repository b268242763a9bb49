// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Times of a notification: those of the alerts that its channel is notified of.
@Suite struct ToldTimeTests {
  /// An alert that is not routed to a channel makes nothing longer there.
  @Test func theAlertsOfAChannel() throws {
    let checks = try ["lo", "hi"].map { try makeCheck($0) }
    var settings = quickSettings(
      [rule("a", .high, ["lo"]), rule("b", .critical, ["hi"])], channels: ["ops", "crit"])
    settings.channels[1].severity = .critical
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 25)
    desk.down(checks[1], at: 26)
    desk.pass(from: 26, to: 59)
    desk.up(checks[1], at: 60)
    desk.pass(from: 60, to: 89)
    desk.up(checks[0], at: 90)
    desk.pass(from: 90, to: 100)
    func messages(_ channel: String) -> [AlertMessage] {
      desk.told.filter { $0.channel == channel }.map(\.message)
    }
    let (ops, crit) = (messages("ops"), messages("crit"))
    #expect(Set(ops.map(\.begin)) == [after(0)] && ops.last?.end == after(90), "\(desk.lines)")
    #expect(Set(crit.map(\.begin)) == [after(26)] && crit.last?.end == after(60), "\(desk.lines)")
    let last = try #require(crit.last)
    #expect(
      MessageText(last).lines.first == "severity critical, from 2026-01-05 00:00 to 00:01 UTC, for 34s")
    let body = try body(last, makeWebhook("am", .alertmanager))
    #expect(body[0]?["startsAt"]?.string?.prefix(19) == "2026-01-05T00:00:26")
  }

  /// One that recovered and opened again began when it first did.
  @Test func whatOpensAgain() throws {
    let checks = try ["lo", "hi"].map { try makeCheck($0) }
    var settings = quickSettings(
      [rule("a", .high, ["lo"]), rule("b", .critical, ["hi"])], channels: ["crit"])
    settings.channels[0].severity = .critical
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 25)
    for (down, up) in [(26, 60), (80, 120)] as [(Int64, Int64)] {
      desk.down(checks[1], at: down)
      desk.pass(from: down, to: up - 1)
      desk.up(checks[1], at: up)
      desk.pass(from: up, to: up + 19)
    }
    #expect(
      desk.told.map(\.message.begin) == Array(repeating: after(26), count: desk.told.count), "\(desk.lines)")
    #expect(desk.told.count == 4 && desk.told.last?.message.end == after(120), "\(desk.lines)")
  }

  /// With seconds where the minute is one, and with the dates where they are two.
  @Test(
    arguments: [
      (2, 10, false, "from 00:00:02 to 00:00:10 UTC"), (2, 2, false, "from 00:00:02 to 00:00:02 UTC"),
      (2, 10, true, "from 2026-01-05 00:00:02 to 00:00:10 UTC"), (2, 70, false, "from 00:00 to 00:01 UTC"),
      (2, 70, true, "from 2026-01-05 00:00 to 00:01 UTC"),
      (86_399, 86_401, false, "from 2026-01-05 23:59 to 2026-01-06 00:00 UTC"),
    ] as [(Int64, Int64, Bool, String)])
  func spans(begin: Int64, end: Int64, isDated: Bool, words: String) {
    #expect(MessageText.span(after(begin), after(end), isDated: isDated) == words)
  }
}
