// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Acknowledgements made at the agent, as the Quartz apps are told of them: of what fires here and is open and not acknowledged
/// there, and of nothing else.
@Suite struct AppAckTests {
  private func view(_ check: MonitoringCheck, since: Int64 = 0, _ acked: AppAlerts.Acknowledgement? = nil)
    -> AppsView
  {
    var alerts = AppAlerts(version: 1)
    alerts.open[.init(check.id, .availability)] = .init(since: after(since), acknowledged: acked)
    return AppsView(.known(alerts))
  }

  /// Down since 0, acknowledged at 10 by root.
  private func story(_ check: MonitoringCheck) throws -> Desk {
    var desk = Desk(quickSettings(), [check])
    desk.down(check, at: 0)
    desk.pass(from: 0, to: 9)
    let id = try #require(desk.book.incidents.opened.first?.id)
    _ = desk.book.acknowledge(id.description, by: "root", note: "looking", now: after(10))
    return desk
  }

  private func acks(_ desk: Desk) -> [AppAck] { desk.book.acks { _ in true } }

  @Test func whatIsAcknowledgedHereIsSaidUntilItIsShown() throws {
    let shop = try makeCheck("Shop")
    var desk = try story(shop)
    #expect(acks(desk) == [], "nothing is known of the apps")
    desk.book.hear(AppsView(.silent), now: reading(11))
    #expect(acks(desk) == [])
    desk.book.hear(view(shop), now: reading(12))
    let ack = AppAck(.init(shop.id, .availability), at: after(10), by: "root", why: "looking")
    #expect(acks(desk) == [ack])
    #expect(desk.book.acks { _ in false } == [], "in a group the owner says so")
    // A restart forgets what was heard, and not what was acknowledged.
    desk = try desk.restarted(at: 13)
    #expect(acks(desk) == [])
    desk.book.hear(view(shop), now: reading(14))
    #expect(acks(desk) == [ack])
    let shown = AppAlerts.Acknowledgement(at: after(10), by: "root (looking)", agent: "a1")
    desk.book.hear(view(shop, shown), now: reading(15))
    #expect(acks(desk) == [])
    let known = try #require(desk.book.incidents.opened.first?.acknowledged)
    #expect(known.by == "root" && known.hand?.by == "root", "its echo says nothing new")
    #expect(desk.book.drainTaken() == [])
  }

  /// What got worse after it is not acknowledged by its echo.
  @Test func theEchoCoversNothingWorse() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings([rule("down", .medium), rule("long", .critical, threshold: 3)]), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 9)
    let id = try #require(desk.book.incidents.opened.first?.id)
    _ = desk.book.acknowledge(id.description, by: "root", note: nil, now: after(10))
    for second in [11, 12] { desk.down(shop, at: Int64(second)) }
    desk.book.hear(view(shop, .init(at: after(10), by: "root", agent: "a1")), now: reading(13))
    desk.pass(from: 13, to: 30)
    #expect(
      desk.told.map { "\($0.message.kind) \($0.message.severity)" } == ["opened medium", "update critical"])
    // Nor do the apps hear that it is acknowledged: not all of it is.
    desk.book.hear(view(shop), now: reading(31))
    #expect(acks(desk) == [])
  }

  /// Acknowledged at another agent, which the apps tell this one.
  @Test func anotherAgentsAcknowledgementIsHeard() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 9)
    desk.book.hear(view(shop, .init(at: after(10), by: "root (looking)", agent: "a2")), now: reading(12))
    desk.pass(from: 12, to: 200)
    #expect(desk.told.count == 1)
    #expect(desk.book.incidents.opened.first?.acknowledged?.by == "root (looking) at agent a2")
  }

  /// Acknowledged at both sides, in either order: both are known, and neither is said twice.
  @Test(arguments: [false, true]) func acknowledgedAtBothSides(isAppFirst: Bool) throws {
    let shop = try makeCheck("Shop")
    let inApp = view(shop, .init(at: after(isAppFirst ? 5 : 20), by: "Ann Smith"))
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 9)
    if isAppFirst { desk.book.hear(inApp, now: reading(9)) }
    let id = try #require(desk.book.incidents.opened.first?.id)
    _ = desk.book.acknowledge(id.description, by: "root", note: nil, now: after(10))
    desk.book.hear(inApp, now: reading(21))
    #expect(acks(desk) == [])
    #expect(desk.book.incidents.opened.first?.acknowledged?.by == "root")
    #expect(desk.book.drainTaken().map(\.by) == (isAppFirst ? ["Ann Smith in the Quartz app"] : []))
    desk.pass(from: 21, to: 300)
    #expect(desk.told.count == 1)
  }

  /// An outage of the way there: what ended meanwhile is not said, whatever is open there by then.
  @Test(arguments: [false, true]) func whatEndedSinceIsNotSaid(isDownAgain: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = try story(shop)
    desk.up(shop, at: 100)
    desk.pass(from: 100, to: 110)
    if isDownAgain {
      desk.down(shop, at: 200)
      desk.pass(from: 200, to: 210)
    }
    desk.book.hear(view(shop), now: reading(220))
    #expect(acks(desk) == [])
  }

  /// The alert of the apps began after it: it is another one, although here it is one incident that flaps.
  @Test func aLaterAlertIsNotAcknowledged() throws {
    let shop = try makeCheck("Shop")
    var desk = try story(shop)
    desk.book.hear(view(shop, since: 70), now: reading(80))
    #expect(acks(desk).count == 1, "within a minute: clocks differ")
    desk.book.hear(view(shop, since: 71), now: reading(80))
    #expect(acks(desk) == [])
  }

  /// A file of before the apps were heard has acknowledgements that were made here.
  @Test func anAcknowledgementOfBefore() throws {
    let shop = try makeCheck("Shop")
    var desk = try story(shop)
    let text = try desk.saved(at: 11).text
    let old = text.replacing(
      #""hands":[{"at":"2026-01-05T00:00:10.000Z","by":"root","note":"looking"}],"#, with: ""
    )
    .replacing(#","hand":true"#, with: "")
    #expect(old.utf8.count < text.utf8.count - 60)
    desk = Desk(quickSettings(), [shop], saved: try JSONValue.parse(Array(old.utf8)), at: 11)
    desk.book.hear(view(shop), now: reading(12))
    #expect(acks(desk) == [AppAck(.init(shop.id, .availability), at: after(10), by: "root", why: "looking")])
  }
}
