// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What a message counts are checks, each once, however many rules fire for it.
@Suite struct MemberCountTests {
  private static let rules = [rule("down", .high), rule("long", .high)]

  /// One check with two alerts is one member, in each notification and in its text.
  @Test func oneCheckWithTwoAlertsIsOneMember() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(Self.rules), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 10)
    desk.up(shop, at: 11)
    desk.pass(from: 11, to: 20)
    #expect(desk.lines == ["3 opened Shop is down: refused", "14 recovered Shop is up again"])
    #expect(desk.told.map(\.message.memberCount) == [1, 1])
    #expect(desk.told.map(\.message.alertCount) == [2, 2])
    let count = try AlertTemplate.parse("{{count}}")
    for message in desk.told.map(\.message) {
      var template = AlertTemplate()
      template.title = count
      #expect(MessageText(message, template).title == "1")
      #expect(MessageText(message).lines.allSatisfy { !$0.contains("more") })
      var json = JSONWriter()
      message.write(to: &json)
      let written = try JSONValue.parse(json.bytes)
      #expect(written["member_count"]?.integer == 1 && written["alert_count"]?.integer == 2)
      #expect(written["members"]?.array?.count == 2)
    }
  }

  /// Twelve checks of one host with two alerts each: the title counts twelve, the text names the alerts that are left out.
  @Test func titlesCountChecks() throws {
    let checks = try (0..<12).map { try makeCheck("c\($0)") }
    var desk = Desk(quickSettings(Self.rules), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    #expect(desk.lines == ["3 opened c0 and 11 more are down: refused"])
    let message = try #require(desk.told.first?.message)
    #expect(message.memberCount == 12 && message.alertCount == 24 && message.members.count == 20)
    #expect(MessageText(message).lines.contains("and 4 more"))
  }

  /// A storm of slow checks is no storm of checks that are down, and one of both has alerts. While nothing fires any more it is
  /// silent until it is over.
  @Test func aStormOfSlowChecks() throws {
    let checks = try StormTests.checks(24)
    var settings = StormTests.settings()
    settings.rules = [
      rule("down", .high),
      AlertRule(
        "slow", .responseTime(above: .milliseconds(500), percentile: nil, window: .seconds(900)),
        severity: .high),
    ]
    var desk = Desk(settings, checks)
    for check in checks.prefix(12) { desk.note(result(check, .up, at: 0, took: .seconds(1))) }
    desk.pass(from: 0, to: 20)
    #expect(desk.lines == ["15 opened 12 checks of 12 incidents are slow"])
    for check in checks.suffix(12) { desk.down(check, at: 21) }
    desk.pass(from: 21, to: 80)
    #expect(
      desk.lines.last == "75 update 24 checks of 24 incidents still have alerts; the storm had 24 incidents")
    for (place, check) in checks.enumerated() {
      desk.note(result(check, .up, at: 130 + Int64(place) / 4))
      if place % 4 == 3 { desk.tick(130 + Int64(place) / 4) }
    }
    desk.pass(from: 136, to: 300)
    #expect(
      desk.lines.count == 3 && desk.lines.last == "150 recovered all 24 incidents of the storm are over")
  }

  /// A storm counts checks in its title and by tag, network and reason.
  @Test func aStormCountsChecks() throws {
    let checks = try StormTests.checks(12)
    var settings = StormTests.settings()
    settings.rules = Self.rules
    var desk = Desk(settings, checks)
    let byID = Dictionary(uniqueKeysWithValues: checks.map { ($0.id, $0) })
    desk.writer = MessageWriter(agent: "test", region: nil, pageURL: nil, check: { byID[$0] })
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 20)
    #expect(desk.lines == ["15 opened 12 checks of 12 incidents are down"])
    let message = try #require(desk.told.first?.message)
    #expect(message.memberCount == 12 && message.alertCount == 24)
    #expect(
      message.counts.filter { $0.of == "tag" }.map { "\($0.name) \($0.checks)" } == ["even 6", "odd 6"])
    #expect(message.counts.filter { $0.of == "reason" }.map(\.checks) == [12])
    #expect(message.counts.filter { $0.of == "network" }.allSatisfy { $0.checks == 1 })
    #expect(
      MessageText(message).lines.filter { $0.hasPrefix("by ") } == [
        "by tag: even (6), odd (6)", "by reason: connect_refused (12)",
      ])
  }

  /// Of a digest each incident is one, also one with two alerts.
  @Test func aDigestCountsIncidents() throws {
    let checks = try (0..<2).map { try makeCheck("c\($0)", host: "10.0.\($0).1") }
    var settings = quickSettings([rule("down", .low), rule("long", .low)])
    settings.digest = 60
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 70)
    #expect(desk.lines == ["60 digest 2 incidents since the last digest"])
    #expect(desk.told.first?.message.memberCount == 2 && desk.told.first?.message.digest.count == 2)
  }
}
