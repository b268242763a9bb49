// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A check that swings between two alerts is notified of as flapping, and not at each swing.
@Suite struct FlapSwingTests {
  private func desk() throws -> (Desk, MonitoringCheck) {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([
      AlertRule("warn", .state(.degraded, for: .zero), severity: .medium), rule("down", .critical),
    ])
    settings.remind = .seconds(86_400)
    return (Desk(settings, [shop]), shop)
  }

  /// Degraded and down for 15 s each, in turn.
  private func swing(_ desk: inout Desk, _ shop: MonitoringCheck, to last: Int64) {
    for second in Int64(0)...last {
      if second % 15 == 0 {
        desk.note(result(shop, second % 30 == 0 ? .degraded : .down, at: second))
      }
      desk.tick(second)
    }
  }

  @Test func swings() throws {
    var (desk, shop) = try desk()
    swing(&desk, shop, to: 299)
    #expect(
      desk.lines == [
        "3 opened Shop is degraded", "15 update now critical: Shop is down: refused",
        "30 update now medium: Shop is degraded", "45 update now critical: Shop is down: refused",
        "60 update now medium: Shop is flapping", "75 update now critical: Shop is flapping: refused",
      ])
  }

  /// An acknowledgement holds them as ever.
  @Test func anAcknowledgement() throws {
    var (desk, shop) = try desk()
    swing(&desk, shop, to: 76)
    let incident = try #require(desk.book.incidents.opened.first)
    _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(76))
    let before = desk.told.count
    for second in Int64(77)...299 {
      if second % 15 == 0 { desk.note(result(shop, second % 30 == 0 ? .degraded : .down, at: second)) }
      desk.tick(second)
    }
    #expect(desk.told.count == before, "\(desk.lines)")
  }

  /// A channel that only gets the critical rule of the check: it has the check as flapping, and not its swings to the lesser rule.
  @Test func theCriticalRuleAlone() throws {
    var (desk, shop) = try desk()
    var settings = desk.book.settings
    settings.channels[0].severity = .critical
    desk = Desk(settings, [shop])
    swing(&desk, shop, to: 299)
    desk.up(shop, at: 300)
    desk.pass(from: 300, to: 700)
    #expect(
      desk.lines == [
        "18 opened Shop is down: refused",
        "33 recovered what is left is below the severity of this channel: Shop",
        "45 opened Shop is down: refused", "75 update Shop is flapping: went down 3 times",
        "600 recovered Shop is up again: it was flapping, went down 10 times, for 2m 30s in all",
      ])
  }

  /// Beside a rule of severity low, whose turn is no easing.
  @Test func besideALowRule() throws {
    var (desk, shop) = try desk()
    var settings = desk.book.settings
    settings.rules[0].severity = .low
    desk = Desk(settings, [shop])
    swing(&desk, shop, to: 299)
    desk.up(shop, at: 300)
    desk.pass(from: 300, to: 700)
    #expect(
      desk.lines == [
        "15 opened Shop is down: refused", "30 update now low: Shop is degraded",
        "45 update now critical: Shop is down: refused", "60 update now low: Shop is flapping",
        "75 update now critical: Shop is flapping: refused",
        "600 recovered Shop is up again: it was flapping, was degraded 10 times, for 2m 30s in all",
      ])
  }

  /// Beside a check that stays down by a lesser rule: it is up again once it was well for long enough.
  @Test func besideAnotherCheck() throws {
    let (web, database) = (try makeCheck("web"), try makeCheck("db"))
    var settings = quickSettings([rule("worst", .critical, ["web"]), rule("down", .high, ["db"])])
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [web, database])
    desk.down(database, at: 0)
    desk.pass(from: 0, to: 19)
    for start in stride(from: Int64(20), through: 220, by: 40) {
      desk.down(web, at: start)
      desk.pass(from: start, to: start + 19)
      desk.up(web, at: start + 20)
      desk.pass(from: start + 20, to: start + 39)
    }
    desk.pass(from: 260, to: 599)
    desk.up(database, at: 600)
    desk.pass(from: 600, to: 700)
    #expect(
      desk.lines == [
        "3 opened db is down: refused", "20 update now critical: web is down: refused",
        "50 update web is up again; still down: db", "60 update now critical: web is down: refused",
        "90 update web is up again; still down: db", "100 update now critical: web is flapping: refused",
        "540 update web is up again; still down: db",
        "603 recovered web and 1 more are up again: it was flapping, went down 6 times, for 2m in all",
      ])
  }

  /// A rule that fires the first time for a check that flaps is a swing of it as well; where it is worse it is sent.
  @Test func aRuleThatJoins() throws {
    var (desk, shop) = try desk()
    for second in Int64(0)...200 {
      // Degraded and up in turn, from 60 on down in place of up.
      if second % 15 == 0 {
        desk.note(result(shop, second % 30 == 0 ? .degraded : second < 70 ? .up : .down, at: second))
      }
      desk.tick(second)
    }
    #expect(
      desk.lines.suffix(2) == [
        "63 opened Shop is flapping, was degraded 3 times", "75 update now critical: Shop is down: refused",
      ], "\(desk.lines)")
  }

  /// What flapped and was well for long enough flaps no more: the next outage within the quarter of an hour is an ordinary one.
  @Test(arguments: [false, true]) func theNextOutage(restarts: Bool) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    (settings.groupWait, settings.remind) = (.seconds(25), .seconds(86_400))
    settings.flap.stable = .seconds(60)
    var desk = Desk(settings, [shop])
    for start in [0, 40, 80] as [Int64] {
      desk.down(shop, at: start)
      desk.pass(from: start, to: start + 19)
      desk.up(shop, at: start + 20)
      desk.pass(from: start + 20, to: start + 39)
    }
    desk.pass(from: 120, to: 299)
    if restarts { desk = try desk.restarted(at: 299) }
    desk.down(shop, at: 300)
    desk.pass(from: 300, to: 329)
    desk.up(shop, at: 330)
    desk.pass(from: 330, to: 400)
    #expect(
      desk.lines == [
        "40 opened Shop is down: refused", "80 update Shop is flapping: went down 3 times",
        "280 recovered Shop is up again: it was flapping, went down 3 times, for 1m in all",
        "325 opened Shop is down: refused", "355 recovered Shop is up again",
      ])
  }

  /// The same in an incident that others keep open.
  @Test(arguments: [(399, true), (400, false)] as [(Int64, Bool)])
  func inTheSameIncident(second: Int64, isFlapping: Bool) {
    let trouble = Trouble(
      key: .init(rule: "down", check: UniqueID(high: 0, low: 1)), subject: .availability, severity: .high,
      name: "c", since: after(0))
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    for down in [Int64(0), 40, 80] {
      incident.take(trouble, at: reading(down))
      incident.leave(trouble.key, at: reading(down + 20), .recovered)
    }
    #expect(incident.members.map(\.isFlapping) == [true])
    incident.take(trouble, at: reading(second))
    #expect(incident.members.map(\.isFlapping) == [isFlapping])
    #expect(incident.members.map(\.opens.count) == [isFlapping ? 3 : 1])
  }
}
