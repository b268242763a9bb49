// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What each channel is sent, and when: the table *When* of the documentation, row by row.
@Suite struct NotifierTests {
  // Two checks of one host.
  private func pair() throws -> [MonitoringCheck] { [try makeCheck("web"), try makeCheck("db")] }

  /// The first alert, an alert that joins, the root that recovers, a member that recovers alone, and the end.
  @Test func join() throws {
    let checks = try pair()
    var desk = Desk(quickSettings(), checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 29)
    desk.down(checks[1], at: 30)
    desk.pass(from: 30, to: 59)
    desk.up(checks[0], at: 60)
    desk.pass(from: 60, to: 119)
    desk.up(checks[1], at: 120)
    desk.pass(from: 120, to: 200)
    #expect(
      desk.lines == [
        "3 opened web is down: refused", "30 update db joined: web and 1 more are down: refused",
        "70 update web is up again; still down: db", "123 recovered web and 1 more are up again",
      ])
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
    #expect(
      desk.told[3].message.end == after(120)
        && desk.told[3].message.members.allSatisfy { $0.outcome == .recovered })
  }

  /// What joins soon after a notification waits for `group_interval`, and is named first.
  @Test func joinsAreGathered() throws {
    let checks = try pair() + [try makeCheck("ssh")]
    var desk = Desk(quickSettings(), checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 4)
    desk.down(checks[1], at: 5)
    desk.pass(from: 5, to: 6)
    #expect(desk.hold(at: 6) == .wait)
    desk.down(checks[2], at: 7)
    desk.pass(from: 7, to: 20)
    #expect(
      desk.lines == [
        "3 opened web is down: refused", "13 update db and ssh joined: web and 2 more are down: refused",
      ])
    #expect(desk.told[1].message.members.prefix(2).map(\.name) == ["db", "ssh"])
  }

  /// A member that recovers while others fire makes no message by itself: it is in the next reminder.
  @Test func aMemberAloneMakesNoMessage() throws {
    let checks = try pair()
    var desk = Desk(quickSettings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    desk.up(checks[1], at: 11)
    desk.pass(from: 11, to: 63)
    #expect(desk.kinds == [.opened, .update] && desk.told[1].at == 63)
    #expect(desk.told[1].message.trigger == .reminder)
    #expect(desk.told[1].message.members.first { $0.name == "db" }?.outcome == .recovered)
  }

  /// A severity that rises is told at once, a step of a certificate too.
  @Test func aRiseIsToldAtOnce() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings([rule("down", .medium), rule("long", .critical, threshold: 5)]), [shop])
    for second in 0..<5 {
      desk.down(shop, at: Int64(second))
      desk.tick(Int64(second))
    }
    #expect(desk.lines == ["3 opened Shop is down: refused", "4 update now critical: Shop is down: refused"])
    #expect(desk.told.map(\.message.severity) == [.medium, .critical])
  }

  /// What still fires is below the channel's severity: that channel gets a resolve with its reason, the other does not.
  @Test func belowTheSeverity() throws {
    let checks = try pair()
    var settings = quickSettings(
      [rule("a", .critical, ["web"]), rule("b", .medium, ["db"])], channels: ["ops", "pager"])
    settings.channels[1].severity = .high
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 20)
    desk.up(checks[0], at: 21)
    desk.pass(from: 21, to: 40)
    let pager = desk.told.filter { $0.channel == "pager" }
    #expect(pager.map(\.message.kind) == [.opened, .recovered] && pager.map(\.at) == [3, 24])
    #expect(
      pager[1].message.title == "web is up again; what is left is below the severity of this channel: db")
    #expect(desk.told.filter { $0.channel == "ops" }.map(\.message.kind) == [.opened, .update])
    // It is the channel's business again when it is: opened, not updated.
    desk.down(checks[0], at: 41)
    desk.pass(from: 41, to: 50)
    #expect(desk.told.filter { $0.channel == "pager" }.map(\.message.kind) == [.opened, .recovered, .opened])
  }

  /// Reminders until it is acknowledged; what is new or worse is told all the same, as a trigger, and what is not is not.
  @Test func acknowledged() throws {
    let checks = try pair()
    var settings = quickSettings(channels: ["ops", "pd", "who"])
    settings.channels[1] = makePagerDuty("pd")
    settings.channels[2].acknowledged = true
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 63)
    #expect(desk.told.filter { $0.channel == "ops" }.map(\.at) == [3, 63])
    _ = desk.book.acknowledge(
      try #require(desk.told.first).message.incident.description, by: "ann", note: nil, now: after(64))
    desk.pass(from: 64, to: 200)
    #expect(desk.told.filter { $0.channel == "ops" }.count == 2 && desk.hold(at: 200) == .acknowledge)
    for channel in ["pd", "who"] {
      #expect(desk.told.last { $0.channel == channel }?.message.kind == .acknowledged)
    }
    desk.down(checks[1], at: 201)
    desk.pass(from: 201, to: 210)
    for channel in ["ops", "pd", "who"] {
      let last = try #require(desk.told.last { $0.channel == channel })
      #expect(
        last.message.kind == .update && last.message.acknowledgedBy == nil && last.message.trigger == .joined)
    }
    _ = desk.book.acknowledge(
      try #require(desk.told.first).message.incident.description, by: "bob", note: nil, now: after(211))
    let before = desk.told.filter { $0.channel == "ops" }.count
    desk.pass(from: 211, to: 900)
    #expect(desk.told.filter { $0.channel == "ops" }.count == before)
    for check in checks { desk.up(check, at: 901) }
    desk.pass(from: 901, to: 910)
    #expect(desk.told.filter { $0.channel == "ops" }.last?.message.kind == .recovered)
  }

  /// Warning, acknowledged, critical: PagerDuty gets trigger, acknowledge, trigger.
  @Test func worseThanAcknowledged() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([rule("down", .medium), rule("long", .critical, threshold: 3)])
    settings.channels = [makePagerDuty("pd")]
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    _ = desk.book.acknowledge(desk.told[0].message.incident.description, by: "ann", note: nil, now: after(6))
    desk.pass(from: 6, to: 9)
    for second in [10, 11] { desk.down(shop, at: Int64(second)) }
    desk.pass(from: 11, to: 20)
    let actions = try desk.told.map { try pagerDutyAction($0.message) }
    #expect(actions == ["trigger", "acknowledge", "trigger"])
    #expect(desk.told.map(\.message.severity) == [.medium, .medium, .critical])
  }

  /// Channels of an escalation are notified of what is neither acknowledged nor resolved by then.
  @Test func escalation() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings(channels: ["ops", "phone"])
    settings.escalate = [Escalation(after: .seconds(900), to: ["phone"])]
    for isAcknowledged in [false, true] {
      var desk = Desk(settings, [shop])
      desk.down(shop, at: 0)
      desk.pass(from: 0, to: 100)
      if isAcknowledged {
        _ = desk.book.acknowledge(
          desk.told[0].message.incident.description, by: "ann", note: nil, now: after(101))
      }
      #expect(desk.hold("phone", at: 101) == (isAcknowledged ? .acknowledge : .wait))
      desk.pass(from: 101, to: 1000)
      let phone = desk.told.filter { $0.channel == "phone" }
      let expected: [Int64] = isAcknowledged ? [] : [900, 960]
      #expect(phone.map(\.at) == expected)
      desk.up(shop, at: 1001)
      desk.pass(from: 1001, to: 1010)
      #expect(
        desk.told.filter { $0.channel == "phone" }.last?.message.kind == (isAcknowledged ? nil : .recovered))
    }
  }

  /// A third opening of one alert within 15 minutes: the incident stays open as flapping, one message says so, and it is
  /// resolved once it was stable.
  @Test func flapping() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    (settings.groupWait, settings.remind) = (.seconds(25), .seconds(14_400))
    var desk = Desk(settings, [shop])
    for round in 0..<15 {
      let start = Int64(round) * 40
      desk.down(shop, at: start)
      desk.pass(from: start, to: start + 19)
      desk.up(shop, at: start + 20)
      desk.pass(from: start + 20, to: start + 39)
    }
    desk.pass(from: 600, to: 1200)
    #expect(
      desk.lines == [
        "40 opened Shop is down: refused", "80 update Shop is flapping: went down 3 times",
        "880 recovered Shop is up again: it was flapping, went down 15 times, for 5m in all",
      ])
  }

  /// Where `group_wait` is shorter than the pauses, what is over is told before it can be known to flap: the third opening is
  /// the first that does, and its incident the last.
  @Test func flappingBetweenResolvedIncidents() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.remind = .seconds(14_400)
    var desk = Desk(settings, [shop])
    for round in 0..<15 {
      let start = Int64(round) * 40
      desk.down(shop, at: start)
      desk.pass(from: start, to: start + 19)
      desk.up(shop, at: start + 20)
      desk.pass(from: start + 20, to: start + 39)
    }
    desk.pass(from: 600, to: 1200)
    #expect(
      desk.lines == [
        "3 opened Shop is down: refused", "23 recovered Shop is up again",
        "43 opened Shop is down: refused", "63 recovered Shop is up again",
        "83 opened Shop is flapping, went down 3 times: refused",
        "880 recovered Shop is up again: it was flapping, went down 13 times, for 4m 20s in all",
      ])
  }

  /// A gateway is down with 60 checks behind it, of which five stay down when it is back: they are the same incident, and
  /// one update says so.
  @Test func gateway() throws {
    let gateway = try makeCheck("gw", host: "198.51.100.1")
    let children = try (0..<60).map { try makeCheck("c\($0)", host: "10.\($0).0.1", on: ["gw"]) }
    var desk = Desk(quickSettings(), [gateway] + children)
    desk.down(gateway, at: 0)
    for (place, child) in children.enumerated() {
      desk.note(result(child, .unknown, at: Int64(place % 10), reason: .dependency))
    }
    desk.pass(from: 0, to: 29)
    desk.up(gateway, at: 30)
    for second in Int64(30)..<40 {
      for place in children.indices where place % 10 == Int(second) % 10 {
        desk.note(result(children[place], place < 5 ? .down : .up, at: second))
      }
      desk.tick(second)
    }
    desk.pass(from: 40, to: 60)
    #expect(
      desk.lines == [
        "3 opened gw is down: refused", "40 update gw is up again; 5 still down: c0, c1, c2 and 2 more",
      ])
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
    for child in children.prefix(5) { desk.up(child, at: 61) }
    desk.pass(from: 61, to: 80)
    #expect(desk.kinds == [.opened, .update, .recovered] && desk.told[2].at == 64)
  }
}
