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
