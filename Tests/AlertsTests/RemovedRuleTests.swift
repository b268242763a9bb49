// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A rule that is removed while it fires ends at the channels that were sent it, and shows on no other one.
@Suite struct RemovedRuleTests {
  private func settings(_ routes: [String: String], _ checks: [String]) -> AlertSettings {
    var rules = checks.map { rule($0, .high, [$0]) }
    for place in rules.indices { rules[place].channels = routes[rules[place].name].map { [$0] } ?? [] }
    var settings = quickSettings(rules, channels: ["ops", "dba"])
    settings.remind = .seconds(86_400)
    return settings
  }

  private func lines(_ desk: Desk, _ channel: String) -> [String] {
    desk.told.filter { $0.channel == channel }.map {
      "\($0.at) \($0.message.kind.rawValue) \($0.message.title)"
    }
  }

  /// One incident of two checks, each by a rule of one channel.
  @Test func anotherChannelsRule() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    let routes = ["web": "ops", "db": "dba"]
    var desk = Desk(settings(routes, ["web", "db"]), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    desk.book.apply(settings(routes, ["db"]), now: reading(11))
    desk.book.apply(checks, DependencyGraph(checks), now: reading(11))
    desk.pass(from: 11, to: 19)
    desk.up(checks[1], at: 20)
    desk.pass(from: 20, to: 40)
    #expect(
      lines(desk, "ops") == [
        "3 opened web is down: refused",
        "14 recovered web: the alerting rule was changed or removed; what is left is not routed to this channel: db",
      ])
    #expect(lines(desk, "dba") == ["3 opened db is down: refused", "23 recovered db is up again"])
    #expect(desk.told.last?.message.members.map(\.name) == ["db"])
  }

  /// An alert by a rule that is not known here, such as of a member of the group that was reloaded first, is every channel's while it
  /// fires, and ends where it was sent.
  @Test func aRuleThatIsNotKnownHere() throws {
    let check = UniqueID(high: 0, low: 1)
    let trouble = Trouble(
      key: .init(rule: "new", check: check), subject: .availability, severity: .high, name: "web",
      since: after(0))
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    incident.take(trouble, at: reading(0))
    let settings = settings([:], ["db"])
    let opened = try #require(Draft(incident, settings.channels[0], settings))
    #expect(opened.trigger == .opened && opened.members.map(\.trouble.name) == ["web"])
    incident.log["ops", default: .init()].deliver(opened.heard, at: reading(3))
    incident.leave(trouble.key, at: reading(10), .recovered)
    incident.end = after(10)
    #expect(Draft(incident, settings.channels[0], settings)?.trigger == .resolved)
    #expect(Draft(incident, settings.channels[1], settings) == nil)
  }
}
