// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What people acknowledge in the Quartz apps, and what the apps are told of: under a clock of the test's.
@Suite struct AppAcknowledgementTests {
  /// A list of the apps with alerts of these checks, of failures since 0.
  private func view(
    _ checks: [MonitoringCheck], kind: AlertSubject = .availability, since: Int64 = 0,
    acked: AppAlerts.Acknowledgement? = nil
  ) -> AppsView {
    var alerts = AppAlerts(version: 1)
    for check in checks {
      alerts.open[.init(check.id, kind)] = .init(since: after(since), acknowledged: acked)
    }
    return AppsView(.known(alerts))
  }

  private func ann(_ second: Int64) -> AppAlerts.Acknowledgement { .init(at: after(second), by: "Ann Smith") }

  /// Shop is down from 0 on, and its channel knows since 3.
  private func story(_ checks: [MonitoringCheck], _ rules: [AlertRule]? = nil) -> Desk {
    var desk = Desk(quickSettings(rules), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 9)
    return desk
  }

  @Test func anAcknowledgementInTheAppQuietsTheChannels() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    var other = desk
    desk.book.hear(view([shop], acked: ann(10)), now: reading(12))
    desk.pass(from: 12, to: 300)
    other.pass(from: 12, to: 300)
    #expect(desk.lines == ["3 opened Shop is down: refused"])
    #expect(other.told.count == 5, "reminders without it")
    let known = try #require(desk.book.incidents.opened.first?.acknowledged)
    #expect(known.by == "Ann Smith in the Quartz app" && known.at == after(10) && known.note == nil)
    #expect(known.hand == nil)
    let short = try #require(desk.book.incidents.opened.first).short
    let taken = desk.book.drainTaken()
    #expect(taken.map(\.words) == ["incident \(short) is acknowledged: no more reminders"])
    #expect(taken.map(\.by) == ["Ann Smith in the Quartz app"])
    #expect(desk.book.drainTaken() == [], "audited once")
    #expect(desk.book.acks { _ in true } == [], "the apps have it")
  }

  /// One alert of the app is one alert here: what fires beside it goes on, until it is acknowledged as well.
  @Test func itCoversThatAlertAndNoOther() throws {
    let (shop, mail) = (try makeCheck("Shop"), try makeCheck("Mail"))
    var desk = story([shop, mail])
    #expect(desk.book.incidents.opened.count == 1, "of one host")
    desk.book.hear(view([shop], acked: ann(10)), now: reading(12))
    desk.pass(from: 12, to: 80)
    #expect(desk.told.map(\.at) == [3, 63], "a reminder for the other")
    let incident = try #require(desk.book.incidents.opened.first)
    #expect(!incident.isAcknowledged)
    #expect(
      desk.book.drainTaken().map(\.words) == [
        "Shop (availability) of incident \(incident.short) is acknowledged; others of it are not"
      ])
    desk.book.hear(view([shop, mail], acked: ann(81)), now: reading(82))
    desk.pass(from: 82, to: 300)
    #expect(desk.told.map(\.at) == [3, 63] && desk.book.incidents.opened.first?.isAcknowledged == true)
  }

  /// Availability that is acknowledged says nothing of response times.
  @Test func itCoversItsKind() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    desk.book.hear(view([shop], kind: .performance, acked: ann(10)), now: reading(12))
    desk.pass(from: 12, to: 70)
    #expect(desk.told.map(\.at) == [3, 63])
  }

  /// The list of the apps says so as long as it is open there: what gets worse is notified all the same, also after a restart.
  @Test(arguments: [false, true]) func worseThanWhatWasAcknowledged(isRestarted: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], [rule("down", .medium), rule("long", .critical, threshold: 3)])
    let said = view([shop], acked: ann(10))
    desk.book.hear(said, now: reading(12))
    desk.pass(from: 12, to: 20)
    if isRestarted {
      desk = try desk.restarted(at: 21)
      desk.book.hear(said, now: reading(22))
    }
    for second in [23, 24, 25] { desk.down(shop, at: Int64(second)) }
    desk.pass(from: 25, to: 50)
    desk.book.hear(said, now: reading(50))
    desk.pass(from: 50, to: 55)
    #expect(
      desk.told.map { "\($0.message.kind) \($0.message.severity)" } == ["opened medium", "update critical"])
    #expect(desk.book.drainTaken().count == (isRestarted ? 0 : 1))
  }

  /// Acknowledged, recovered, and down again: that is another alert here, whatever the app makes of it.
  @Test func whatComesBackIsNotAcknowledged() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    desk.book.hear(view([shop], acked: ann(10)), now: reading(12))
    desk.up(shop, at: 100)
    desk.pass(from: 100, to: 110)
    // Within five minutes the app opens the same alert again, with its acknowledgement.
    desk.down(shop, at: 160)
    desk.book.hear(view([shop], acked: ann(10)), now: reading(161))
    desk.pass(from: 161, to: 230)
    #expect(desk.told.map(\.message.kind) == [.opened, .recovered, .opened, .update])
  }

  /// It was acknowledged in the app before a rule here fired.
  @Test func anAcknowledgementThatCameFirst() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings([rule("down", .high, threshold: 5)]), [shop])
    desk.down(shop, at: 0)
    desk.book.hear(view([shop], acked: ann(10)), now: reading(12))
    for second in [20, 30, 40, 50] { desk.down(shop, at: Int64(second)) }
    desk.pass(from: 50, to: 200)
    #expect(desk.lines == [] && desk.book.incidents.opened.first?.isAcknowledged == true)
  }

  /// The clock of this machine is two hours ahead of the receiver's: the acknowledgement is of now all the same.
  @Test func theClocksDiffer() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    var said = view([shop], since: -7200, acked: ann(10 - 7200))
    said.offset = .seconds(7200)
    desk.book.hear(said, now: reading(12))
    #expect(desk.book.incidents.opened.first?.acknowledged?.at == after(10))
    _ = desk.book.acknowledge(
      try #require(desk.book.incidents.opened.first).id.description, by: "root", note: nil, now: after(13))
    said = view([shop], since: -7200)
    #expect(desk.book.acks { _ in true } == [], "there it is acknowledged")
    said.offset = .seconds(7200)
    desk.book.hear(said, now: reading(14))
    #expect(desk.book.acks { _ in true }.map(\.at) == [after(13)])
  }

  /// Browsers write the time: one that is an hour slow or fast acknowledges what was open at the last contact, and nothing later.
  @Test(arguments: [-3600, 3600] as [Int64]) func theClockOfABrowserIsWrong(by seconds: Int64) throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    desk.book.hear(view([shop]), now: reading(10))
    desk.book.hear(view([shop], acked: ann(15 + seconds)), now: reading(20))
    #expect(desk.book.incidents.opened.first?.acknowledged?.at == after(20))
    desk.up(shop, at: 100)
    desk.pass(from: 100, to: 110)
    desk.down(shop, at: 160)
    desk.book.hear(view([shop], acked: ann(15 + seconds)), now: reading(161))
    #expect(desk.book.incidents.opened.first?.isAcknowledged == false)
  }

  /// A person resolved it in the app while it still fails: what is measured does not end, but is acknowledged.
  @Test func resolvedByHandIsAcknowledged() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop])
    var alerts = AppAlerts(version: 1)
    alerts.closed[.init(shop.id, .availability)] = after(10)
    desk.book.hear(AppsView(.known(alerts)), now: reading(12))
    desk.pass(from: 12, to: 100)
    #expect(desk.told.count == 1 && desk.book.incidents.opened.count == 1)
    let known = try #require(desk.book.incidents.opened.first?.acknowledged)
    #expect(known.by == "an operator in the Quartz app")
    #expect(known.note == "resolved there while the check still fails")
  }
}
