// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Many incidents at once are one notification, then one an interval, then its end.
@Suite struct StormTests {
  static func settings(_ channels: [String] = ["ops"]) -> AlertSettings {
    var settings = makeSettings(
      [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)],
      channels: channels)
    (settings.groupWait, settings.groupInterval) = (.seconds(15), .seconds(60))
    return settings
  }

  static func checks(_ count: Int) throws -> [MonitoringCheck] {
    try (0..<count).map {
      try makeCheck("c\($0)", host: "10.\($0 / 250).\($0 % 250).1", tags: [$0 % 2 == 0 ? "even" : "odd"])
    }
  }

  /// 700 checks of 700 networks within 20 s.
  @Test func aStormIsThreeMessages() throws {
    let checks = try Self.checks(700)
    var desk = Desk(Self.settings(), checks)
    for second in 0..<20 {
      for place in stride(from: second, to: 700, by: 20) { desk.down(checks[place], at: Int64(second)) }
      desk.tick(Int64(second))
    }
    desk.pass(from: 20, to: 200)
    #expect(desk.told.map(\.at).first == 15)
    let first = try #require(desk.told.first?.message)
    #expect(first.title.hasSuffix("incidents are down") && first.members.count == 20 && first.isStorm)
    #expect(desk.told.count == 2 && desk.told[1].at == 75, "\(desk.lines)")
    #expect(desk.told[1].message.memberCount == 700)
    #expect(desk.told[1].message.counts.filter { $0.of == "reason" }.map(\.checks) == [700])
    for check in checks { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 400)
    #expect(desk.lines.count == 3 && desk.kinds.last == .recovered)
    #expect(desk.told[2].message.title == "all 700 incidents of the storm are over")
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
    #expect(desk.book.incidents.all.allSatisfy { $0.log["ops"]?.heard.isOver == true })
  }

  /// Ten are no storm: each gets its own.
  @Test func tenAreNone() throws {
    let checks = try Self.checks(10)
    var desk = Desk(Self.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 100)
    #expect(desk.told.count == 10 && desk.told.map(\.at) == (15...24).map { Int64($0) }, "one a second")
    #expect(desk.told.allSatisfy { !$0.message.isStorm })
  }

  /// What is left when it is over is named, and goes on by itself; a receiver that keeps state gets those as its own.
  @Test func whatIsLeft() throws {
    let checks = try Self.checks(30)
    var settings = Self.settings(["ops", "pd"])
    settings.channels[1] = makePagerDuty("pd")
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks.dropFirst(2) { desk.up(check, at: 61) }
    desk.pass(from: 61, to: 200)
    let ops = desk.told.filter { $0.channel == "ops" }
    #expect(ops.map(\.message.kind) == [.opened, .recovered])
    #expect(ops[1].message.title == "the storm of 30 incidents is over; still down: c0, c1")
    let pager = desk.told.filter { $0.channel == "pd" }
    #expect(pager.map(\.message.kind) == [.opened, .recovered, .opened, .opened])
    #expect(Set(pager.map(\.message.incident)).count == 3)
    for check in checks.prefix(2) { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 300)
    #expect(
      desk.told.filter { $0.channel == "ops" }.suffix(2).map(\.message.kind) == [.recovered, .recovered])
    #expect(desk.told.filter { $0.channel == "pd" }.count == 6)
  }

  /// Each result of a check that stays down says the same, and the file is not written for it.
  @Test func aFailureThatLastsIsNothingNew() throws {
    let checks = try Self.checks(1)
    var desk = Desk(Self.settings(), checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 30)
    func save() {
      var json = JSONWriter(reserving: 64)
      json.object { desk.book.encode(to: &$0, now: reading(30)) }
    }
    save()
    desk.tick(59)
    let quiet = desk.book.isDirty
    #expect(!quiet)
    desk.down(checks[0], at: 60)
    let repeated = desk.book.isDirty
    #expect(!repeated)
    desk.book.note(result(checks[0], .down, at: 120, reason: .connectTimeout), now: reading(120))
    #expect(desk.book.isDirty && desk.book.incidents.opened[0].members[0].trouble.reason == .connectTimeout)
    save()
    desk.up(checks[0], at: 180)
    #expect(desk.book.isDirty)
    save()
    // Within the wait it opens again: the same words, and news.
    desk.book.note(result(checks[0], .down, at: 185, reason: .connectTimeout), now: reading(185))
    #expect(desk.book.isDirty && desk.book.incidents.opened[0].activeCount == 1)
  }

  /// A restart in a storm goes on with it.
  @Test func aRestart() throws {
    let checks = try Self.checks(50)
    var desk = Desk(Self.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 30)
    desk = try desk.restarted(at: 30)
    desk.pass(from: 31, to: 200)
    #expect(desk.told.count == 1, "\(desk.lines)")
    for check in checks { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 300)
    #expect(desk.kinds == [.opened, .recovered])
  }

  /// A mail that not all recipients took goes to the others alone, also after a failure of the whole and a restart.
  @Test func theRestOfItsRecipients() throws {
    let checks = try Self.checks(30)
    var desk = Desk(Self.settings(), checks)
    let outcomes: [SendOutcome] = [
      .partly("452", remaining: ["c@x.example"]), .failed("421", retryAfter: nil, isUnreachable: false),
      .failed("421", retryAfter: nil, isUnreachable: false), .delivered,
    ]
    var count = 0
    let answer: (AlertMessage, Int64) -> SendOutcome = { _, _ in
      count += 1
      return outcomes[min(count, outcomes.count) - 1]
    }
    desk.answer = answer
    for check in checks { desk.down(check, at: 0) }
    var second: Int64 = 0
    while count < 3 {
      desk.pass(from: second, to: second)
      second += 1
    }
    desk = try desk.restarted(at: second)
    desk.pass(from: second, to: second + 300)
    #expect(desk.sent.map(\.recipients) == [nil, ["c@x.example"], ["c@x.example"], ["c@x.example"]])
    #expect(Set(desk.sent.map(\.id)).count == 1 && desk.kinds == [.opened])
  }

  /// Of an update that one recipient did not take, the end goes to all of them.
  @Test func theEndAfterAnUpdateOfWhichSomeDidNotHear() throws {
    let checks = try Self.checks(30)
    var desk = Desk(Self.settings(), checks)
    desk.answer = { message, _ in
      message.kind == .update ? .partly("452", remaining: ["c@x.example"]) : .delivered
    }
    for check in checks.prefix(20) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 20)
    for check in checks.suffix(10) { desk.down(check, at: 21) }
    desk.pass(from: 21, to: 76)
    #expect(desk.sent.map(\.recipients) == [nil, nil], "the first, and the update that not all took")
    for check in checks { desk.up(check, at: 77) }
    desk.pass(from: 77, to: 400)
    #expect(desk.kinds == [.opened, .recovered])
    #expect(try #require(desk.sent.last).recipients == nil)
  }

  /// Checks that are up when the storm ends, and wait for a relapse, get no message each; one that relapses does.
  @Test(arguments: [false, true]) func whatIsQuietAtTheEnd(relapses: Bool) throws {
    let checks = try Self.checks(14)
    var settings = Self.settings(["ops", "pd"])
    settings.channels[1] = makePagerDuty("pd")
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 39)
    for check in checks[6...] { desk.up(check, at: 40) }
    desk.pass(from: 40, to: 69)
    for check in checks[2..<6] { desk.up(check, at: 70) }
    desk.pass(from: 70, to: 79)
    if relapses { desk.down(checks[5], at: 80) }
    desk.pass(from: 80, to: 200)
    func lines(_ channel: String) -> [String] {
      desk.told.filter { $0.channel == channel }.map { "\($0.at) \($0.message.kind) \($0.message.title)" }
    }
    let storm = [
      "15 opened 14 checks of 14 incidents are down",
      "75 recovered the storm of 14 incidents is over; still down: c0, c1",
    ]
    #expect(lines("ops") == storm + (relapses ? ["80 opened c5 is down: refused"] : []))
    #expect(lines("pd").count == (relapses ? 5 : 4) && Array(lines("pd").prefix(2)) == storm)
    #expect(
      Set(desk.told.filter(\.message.isStorm).map(\.message.thread)) == [
        "Storm of incidents since 2026-01-05 00:00 UTC"
      ])
    for check in checks { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 240)
    #expect(desk.told.filter { $0.channel == "ops" && $0.at > 200 }.count == (relapses ? 3 : 2))
  }

  /// An update counts incidents with a check that is down, and not those that wait for a relapse.
  @Test func whatIsQuietInAnUpdate() throws {
    let checks = try Self.checks(24)
    var desk = Desk(Self.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    for check in checks[13...] { desk.up(check, at: 20) }
    desk.pass(from: 20, to: 61)
    for check in checks[1..<13] { desk.up(check, at: 62) }
    desk.pass(from: 62, to: 140)
    #expect(
      desk.lines == [
        "15 opened 24 checks of 24 incidents are down",
        "75 update 1 check of 1 incident is still down; the storm had 24 incidents",
        "135 recovered the storm of 24 incidents is over; still down: c0",
      ])
  }
}
