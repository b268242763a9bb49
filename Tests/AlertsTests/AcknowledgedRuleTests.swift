// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// An acknowledgement covers the checks that it saw, at the severity that they had: another rule for one of them says
/// nothing new, unless it is worse.
@Suite struct AcknowledgedRuleTests {
  /// Down at 0, acknowledged at 10; the rule `long` fires with the failure at 20.
  private func story(_ long: AlertSeverity, _ channel: AlertChannel, acknowledge: Bool = true) throws -> Desk
  {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([rule("down", .high), rule("long", long, threshold: 2)])
    settings.channels = [channel]
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 9)
    if acknowledge { try self.acknowledge(&desk, at: 10) }
    desk.pass(from: 10, to: 19)
    desk.down(shop, at: 20)
    desk.pass(from: 20, to: 60)
    return desk
  }

  /// It is up for a moment when somebody acknowledges it: the next swing is no news, and what was acknowledged before stays so.
  @Test(arguments: [false, true]) func acknowledgedWhileItIsUp(isSecond: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    if isSecond { try acknowledge(&desk, at: 5) }
    desk.up(shop, at: 6)
    desk.pass(from: 6, to: 7)
    try acknowledge(&desk, at: 7)
    desk.down(shop, at: 8)
    desk.pass(from: 8, to: 300)
    #expect(desk.lines == ["3 opened Shop is down: refused"])
    #expect(desk.book.incidents.all.filter(\.isOpen).map(\.isAcknowledged) == [true])
  }

  private func acknowledge(_ desk: inout Desk, at second: Int64) throws {
    let incident = try #require(desk.book.incidents.opened.first)
    _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(second))
  }

  private var ops: AlertChannel {
    AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
  }

  @Test func anotherRuleOfTheSameSeveritySaysNothing() throws {
    let desk = try story(.high, ops)
    #expect(desk.lines == ["3 opened Shop is down: refused"])
    #expect(try #require(desk.book.incidents.opened.first).isAcknowledged)
    #expect(desk.hold(at: 61) == .acknowledge)
  }

  @Test func aLesserRuleSaysNothing() throws {
    #expect(try story(.medium, ops).lines == ["3 opened Shop is down: refused"])
  }

  @Test func aWorseRuleNotifies() throws {
    let desk = try story(.critical, ops)
    #expect(
      desk.lines == ["3 opened Shop is down: refused", "20 update now critical: Shop is down: refused"])
    #expect(try #require(desk.book.incidents.opened.first).isAcknowledged == false)
  }

  @Test func withoutAnAcknowledgementTheRuleIsToldOf() throws {
    #expect(
      try story(.high, ops, acknowledge: false).lines == [
        "3 opened Shop is down: refused", "20 update rule long fires too: Shop is down: refused",
      ])
  }

  @Test func aReceiverThatKnowsAcknowledgementKeepsIt() throws {
    let actions = { (desk: Desk) in try desk.told.map { try pagerDutyAction($0.message) } }
    #expect(try actions(story(.high, makePagerDuty("pd"))) == ["trigger", "acknowledge"])
    #expect(try actions(story(.critical, makePagerDuty("pd"))) == ["trigger", "acknowledge", "trigger"])
  }

  /// One that must be repeated is repeated all the same.
  @Test func aReceiverThatForgetsIsNotHeld() throws {
    var desk = try story(.high, makeWebhook("am", .alertmanager))
    desk.pass(from: 61, to: 600, by: 10)
    #expect(desk.kinds.filter { $0 == .update }.count >= 2 && !desk.kinds.contains(.recovered))
  }

  /// Also once the check of the title is well and another one is not: it would be resolved there.
  @Test func aReceiverThatForgetsIsNotHeldAfterItsRoot() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = quickSettings()
    settings.channels = [makeWebhook("am", .alertmanager)]
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 9)
    try acknowledge(&desk, at: 10)
    desk.up(checks[0], at: 11)
    desk.pass(from: 11, to: 600)
    #expect(
      desk.told.map { "\($0.at) \($0.message.kind.rawValue)" } == [
        "3 opened", "21 update", "261 update", "501 update",
      ])
  }

  /// Another check is new, whatever its severity; after a restart, too.
  @Test(arguments: [false, true]) func anotherCheckIsNew(_ restarts: Bool) throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = quickSettings([rule("down", .high), rule("long", .high, threshold: 2)])
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 9)
    try acknowledge(&desk, at: 10)
    if restarts { desk = try desk.restarted(at: 11) }
    desk.down(checks[0], at: 20)
    desk.pass(from: 20, to: 20)
    desk.down(checks[1], at: 21)
    desk.pass(from: 21, to: 40)
    #expect(
      desk.lines == [
        "3 opened web is down: refused", "21 update db joined: web and 1 more are down: refused",
      ])
  }

  /// What joined is acknowledged before it was sent: who is sent acknowledgements gets this one, and not the join.
  @Test(arguments: [true, false]) func acknowledgedBeforeTheJoinIsSent(_ isPagerDuty: Bool) throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = quickSettings()
    var people = ops
    people.acknowledged = true
    settings.channels = [isPagerDuty ? makePagerDuty("pd") : people]
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 4)
    desk.down(checks[1], at: 5)
    desk.pass(from: 5, to: 6)
    try acknowledge(&desk, at: 7)
    desk.pass(from: 7, to: 60)
    #expect(desk.kinds == [.opened, .acknowledged], "\(desk.lines)")
  }

  /// Acknowledged before the channel was sent it: the check that joins later is reminded of all the same.
  @Test func whatJoinsIsRemindedOf() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = quickSettings()
    settings.channels = [ops]
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 1)
    try acknowledge(&desk, at: 1)
    desk.pass(from: 2, to: 19)
    desk.down(checks[1], at: 20)
    desk.pass(from: 20, to: 150)
    try acknowledge(&desk, at: 151)
    desk.pass(from: 151, to: 300)
    #expect(
      desk.lines == [
        "23 opened db is down: refused", "83 update db is down: refused", "143 update db is down: refused",
      ])
  }
}
