// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Titles count and name checks, each once, however many rules fire for them; and a rise is not hidden by what recovered.
@Suite struct NotifierChecksTests {
  /// For every check.
  private func every(_ name: String, _ severity: AlertSeverity, after threshold: Int, recoveries: Int)
    -> AlertRule
  {
    AlertRule(
      name, .consecutiveFailures(threshold: threshold, recoveries: recoveries), severity: severity)
  }

  /// With reminders out of the way.
  private func settings(_ rules: [AlertRule]) -> AlertSettings {
    var settings = quickSettings(rules)
    settings.remind = .seconds(86_400)
    return settings
  }

  private func pair(_ names: String...) throws -> [MonitoringCheck] { try names.map { try makeCheck($0) } }

  /// A recovery of high severity is sent at once, also where the alert that is left is low and would wait for the digest.
  @Test func whatIsLeftIsLow() throws {
    let checks = try pair("web", "db")
    var desk = Desk(quickSettings([rule("down", .high, ["web"]), rule("mild", .low, ["db"])]), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 200)
    desk.up(checks[1], at: 201)
    desk.pass(from: 201, to: 220)
    #expect(
      desk.lines == [
        "3 opened web and 1 more are down: refused", "30 update web is up again; still down: db",
        "204 recovered web and 1 more are up again",
      ])
  }

  // A critical, B medium, and B critical after two failures more.
  private func rising() throws -> (desk: Desk, a: MonitoringCheck, b: MonitoringCheck) {
    let checks = try pair("A", "B")
    let rules = [
      rule("a", .critical, ["A"]), rule("b", .medium, ["B"]),
      rule("worse", .critical, ["B"], threshold: 2),
    ]
    var desk = Desk(settings(rules), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    desk.up(checks[0], at: 20)
    desk.tick(20)
    return (desk, checks[0], checks[1])
  }

  /// A is up, unheard; B gets worse a second later: in the same second.
  @Test func aRiseBesideWhatRecovered() throws {
    var (desk, _, b) = try rising()
    desk.down(b, at: 21)
    desk.pass(from: 21, to: 100)
    desk.up(b, at: 101)
    desk.pass(from: 101, to: 120)
    #expect(
      desk.lines == [
        "3 opened A and 1 more are down: refused", "21 update now critical: B is down: refused",
        "104 recovered A and 1 more are up again",
      ])
    #expect(desk.told[1].message.members.map(\.outcome) == [nil, nil, .recovered])
  }

  /// A new check is as severe as the one that recovered, and more than what still fires.
  @Test func aNewOneBesideWhatRecovered() throws {
    let checks = try pair("A", "B", "C")
    let rules = [rule("a", .critical, ["A", "C"]), rule("b", .medium, ["B"])]
    var desk = Desk(settings(rules), checks)
    for check in checks.prefix(2) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    desk.up(checks[0], at: 20)
    desk.tick(20)
    desk.down(checks[2], at: 21)
    desk.pass(from: 21, to: 60)
    #expect(
      desk.lines == [
        "3 opened A and 1 more are down: refused", "21 update now critical: C is down: refused",
      ])
  }

  /// The rise is muted: that A is up again is told as ever, and the rise when the mute ends.
  @Test func aMutedRiseBesideWhatRecovered() throws {
    var (desk, _, b) = try rising()
    desk.muted = [b.id]
    desk.down(b, at: 21)
    desk.pass(from: 21, to: 40)
    desk.muted = []
    desk.pass(from: 41, to: 60)
    #expect(
      desk.lines == [
        "3 opened A and 1 more are down: refused", "30 update A is up again; still down: B",
        "41 update now critical: B is down: refused",
      ])
  }

  /// All that is left is muted: the title names nothing of it.
  @Test func whatIsLeftIsMuted() throws {
    let checks = try pair("A", "B")
    var desk = Desk(
      settings([rule("a", .high, ["A"]), rule("b", .critical, ["B"])]), checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 19)
    desk.muted = [checks[1].id]
    desk.up(checks[0], at: 20)
    desk.tick(20)
    desk.down(checks[1], at: 21)
    desk.pass(from: 21, to: 40)
    desk.muted = []
    desk.pass(from: 41, to: 49)
    desk.up(checks[1], at: 50)
    desk.pass(from: 50, to: 60)
    #expect(
      desk.lines == [
        "3 opened A is down: refused", "30 update A is up again; what still fires is held",
        "41 update now critical: B is down: refused", "53 recovered B and 1 more are up again",
      ])
  }

  /// A second rule for a check that the channel knows is no check that joins.
  @Test func aSecondRule() throws {
    let shop = try makeCheck("Shop")
    let rules = [
      every("down", .high, after: 1, recoveries: 1), every("long", .high, after: 3, recoveries: 1),
      every("longer", .medium, after: 3, recoveries: 1),
    ]
    var desk = Desk(settings(rules), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 4)
    for second in [5, 6] { desk.down(shop, at: Int64(second)) }
    desk.pass(from: 6, to: 30)
    desk.up(shop, at: 31)
    desk.pass(from: 31, to: 40)
    #expect(
      desk.lines == [
        "3 opened Shop is down: refused", "13 update rules long and longer fire too: Shop is down: refused",
        "34 recovered Shop is up again",
      ])
  }

  /// It gets worse for one check, below what another one is: that one is named, and has not joined.
  @Test func worseBelowTheWorst() throws {
    let checks = try pair("db", "Shop")
    let rules = [
      rule("db", .critical, ["db"]), rule("shop", .medium, ["Shop"]),
      rule("worse", .high, ["Shop"], threshold: 2),
    ]
    var desk = Desk(settings(rules), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    desk.down(checks[1], at: 20)
    desk.pass(from: 20, to: 40)
    #expect(
      desk.lines == [
        "3 opened db and 1 more are down: refused", "20 update now high: Shop is down: refused",
      ])
  }

  /// One rule ends with the first success, the other with the third: the check is up again with the third.
  @Test(arguments: [false, true]) func twoRulesOfTwoEnds(isAlone: Bool) throws {
    let checks = try pair("Shop", "db")
    let rules = [
      every("down", .high, after: 1, recoveries: 1), every("settled", .high, after: 1, recoveries: 3),
    ]
    var desk = Desk(settings(rules), checks)
    for check in checks.prefix(isAlone ? 1 : 2) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 19)
    for second in [20, 30, 40] {
      desk.up(checks[0], at: Int64(second))
      desk.pass(from: Int64(second), to: Int64(second) + 9)
    }
    desk.pass(from: 50, to: 70)
    #expect(
      desk.lines
        == (isAlone
          ? ["3 opened Shop is down: refused", "43 recovered Shop is up again"]
          : [
            "3 opened Shop and 1 more are down: refused", "50 update Shop is up again; still down: db",
          ]))
  }

  /// Two rules for each of two checks that are left: two checks.
  @Test func whatIsLeftIsCountedByChecks() throws {
    let checks = try pair("gw", "a", "b")
    let rules = [
      every("down", .high, after: 1, recoveries: 1), every("long", .high, after: 2, recoveries: 1),
    ]
    var desk = Desk(settings(rules), checks)
    desk.down(checks[0], at: 0)
    for second in [1, 2] { for check in checks.dropFirst() { desk.down(check, at: Int64(second)) } }
    desk.pass(from: 2, to: 19)
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 40)
    #expect(
      desk.lines == [
        "3 opened gw and 2 more are down: refused", "30 update gw is up again; still down: a, b",
      ])
  }

  /// What is left of the same check is below the channel's severity: it is not up again.
  @Test func whatIsLeftOfOneCheckIsBelow() throws {
    let shop = try makeCheck("Shop")
    var settings = settings([
      every("down", .critical, after: 1, recoveries: 1), every("settled", .medium, after: 1, recoveries: 3),
    ])
    settings.channels[0].severity = .high
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 19)
    desk.up(shop, at: 20)
    desk.pass(from: 20, to: 40)
    #expect(
      desk.lines == [
        "3 opened Shop is down: refused",
        "23 recovered what is left is below the severity of this channel: Shop",
      ])
  }

  /// What became of the last alert of a check became of the check.
  @Test func theLastEndCounts() throws {
    let shop = try makeCheck("Shop")
    let rules = [
      every("down", .high, after: 1, recoveries: 1), every("settled", .high, after: 1, recoveries: 3),
    ]
    var desk = Desk(settings(rules), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 19)
    desk.up(shop, at: 20)
    desk.pass(from: 20, to: 24)
    desk.note(result(shop, .up, at: 25, maintenance: true))
    desk.pass(from: 25, to: 40)
    #expect(desk.lines == ["3 opened Shop is down: refused", "28 recovered Shop: maintenance began"])
    #expect(Set(desk.told[1].message.members.map(\.outcome)) == [.recovered, .maintenance])
  }

  /// A check of the file and one of the API have the same name: two checks, which their targets tell apart.
  @Test func twoChecksOfOneName() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "192.0.2.2", 80)
    definition.id = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    let checks = [try makeCheck("Shop"), try MonitoringCheck(definition), try makeCheck("db")]
    var desk = Desk(settings([every("down", .high, after: 1, recoveries: 1)]), checks)
    for (place, check) in checks.enumerated() { desk.down(check, at: Int64(place)) }
    desk.pass(from: 2, to: 19)
    desk.up(checks[0], at: 20)
    desk.pass(from: 20, to: 40)
    for check in checks.dropFirst() { desk.up(check, at: 41) }
    desk.pass(from: 41, to: 50)
    #expect(
      desk.lines == [
        "3 opened Shop (192.0.2.1:80) and 2 more are down: refused",
        "30 update Shop (192.0.2.1:80) is up again; still down: Shop (192.0.2.2:80), db",
        "44 recovered Shop (192.0.2.1:80) and 2 more are up again",
      ])
  }
}
