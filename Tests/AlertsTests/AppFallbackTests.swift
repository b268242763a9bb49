// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// `alerts.app: fallback`: local channels notify of what the Quartz apps do not show within 90 seconds, and of its end.
@Suite struct AppFallbackTests {
  private func settings(_ rules: [AlertRule]? = nil) -> AlertSettings {
    var settings = quickSettings(rules)
    settings.app = .fallback
    return settings
  }

  /// A list of the apps with the availability of these checks.
  private func view(_ checks: MonitoringCheck...) -> AppsView {
    var alerts = AppAlerts(version: 1)
    for check in checks { alerts.open[.init(check.id, .availability)] = .init(since: after(0)) }
    return AppsView(.known(alerts))
  }

  private func story(_ checks: [MonitoringCheck], _ first: AppsView?, _ rules: [AlertRule]? = nil) -> Desk {
    var desk = Desk(settings(rules), checks)
    if let first { desk.book.hear(first, now: reading(0)) }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 9)
    return desk
  }

  private func times(_ desk: Desk) -> [String] { desk.told.map { "\($0.at) \($0.message.kind.rawValue)" } }

  @Test func whatTheAppsShowIsTheirs() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view())
    #expect(desk.hold(at: 9) == .app)
    desk.book.hear(view(shop), now: reading(10))
    desk.pass(from: 10, to: 500)
    #expect(desk.hold(at: 500) == .app)
    desk.up(shop, at: 501)
    desk.book.hear(view(), now: reading(502))
    desk.pass(from: 501, to: 900)
    #expect(desk.lines == [])
    #expect(desk.book.incidents.opened.isEmpty)
  }

  /// The way to the apps is cut: they would have shown it by then. Its end is told as well.
  @Test func whatTheyDoNotShowIsNotified() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view())
    desk.pass(from: 10, to: 149)
    #expect(times(desk) == ["90 opened"])
    // The way is there again: reminders are theirs, the end is told to whom the begin was.
    desk.book.hear(view(shop), now: reading(149))
    desk.pass(from: 150, to: 400)
    desk.up(shop, at: 401)
    desk.pass(from: 401, to: 500)
    #expect(times(desk) == ["90 opened", "404 recovered"])
  }

  @Test func withoutTheAppsRemindersGoOn() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view())
    desk.pass(from: 10, to: 220)
    #expect(times(desk) == ["90 opened", "150 update", "210 update"])
  }

  /// No apps, an old receiver, one that is in shadow: as with `always`.
  @Test(arguments: [nil, AppsView(.silent)]) func whereThereAreNoApps(view: AppsView?) throws {
    let shop = try makeCheck("Shop")
    #expect(times(story([shop], view)) == ["3 opened"])
  }

  /// Before the first answer the time counts from the start of the agent.
  @Test func theStart() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], AppsView(.unheard(since: reading(0).boot)))
    desk = try desk.restarted(at: 60)
    desk.book.hear(AppsView(.unheard(since: reading(60).boot)), now: reading(60))
    desk.down(shop, at: 61)
    desk.pass(from: 61, to: 200)
    #expect(times(desk) == ["150 opened"])
  }

  /// Moved back to the backend's runner: what was theirs is not any more.
  @Test func theAppsStop() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view(shop))
    desk.book.hear(AppsView(.silent), now: reading(20))
    desk.pass(from: 20, to: 30)
    #expect(times(desk) == ["20 opened"])
  }

  /// What the apps cannot have: budgets, the agent itself, and checks of the file that are not theirs.
  @Test func whatTheAppsCannotHave() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings([AlertRule("agent", .agent(for: .seconds(1)), severity: .high)]), [shop])
    desk.book.hear(view(), now: reading(0))
    desk.book.note([.critical("disk", "is full")], now: reading(0))
    desk.book.note([.critical("disk", "is full")], now: reading(2))
    desk.pass(from: 2, to: 9)
    #expect(times(desk) == ["5 opened"])
    var local = Desk(settings(), [shop])
    local.book.hear(view(), now: reading(0))
    local.down(shop, at: 0)
    var context = local.context(3)
    context.isInApps = { _ in false }
    local.book.advance(to: reading(3))
    #expect(local.book.next(context).count == 1)
  }

  /// Of an incident, what the apps show is theirs, and the rest is notified when it is due.
  @Test func halfOfAnIncident() throws {
    let (shop, mail) = (try makeCheck("Shop"), try makeCheck("Mail"))
    var desk = story([shop, mail], view(shop))
    desk.pass(from: 10, to: 100)
    #expect(desk.lines == ["90 opened Mail is down: refused"])
    #expect(desk.told.first?.message.members.map(\.name) == ["Mail"])
  }

  /// A rule of the agent that ends later than the alert of the apps is no reason to open it here.
  @Test func anEndThatIsLaterHere() throws {
    let shop = try makeCheck("Shop")
    let patient = AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 2), severity: .high)
    var desk = story([shop], view(shop), [patient])
    desk.pass(from: 10, to: 300)
    desk.up(shop, at: 301)
    desk.book.hear(view(), now: reading(302))
    desk.pass(from: 302, to: 361)
    desk.up(shop, at: 361)
    desk.pass(from: 361, to: 400)
    #expect(desk.lines == [])
    // It goes on here, and not there: after 90 s and three intervals it is notified.
    var other = story([shop], view(shop), [patient])
    other.book.hear(view(), now: reading(10))
    other.pass(from: 10, to: 300)
    #expect(times(other) == ["280 opened"])
  }

  /// It was over before the apps could have shown it.
  @Test func whatIsShortIsNotNotified() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view())
    desk.up(shop, at: 60)
    desk.pass(from: 10, to: 300)
    #expect(desk.lines == [])
  }

  /// More are open than the list has: what is older than all of it may be beyond its end.
  @Test func aListThatIsCut() throws {
    let (shop, mail) = (try makeCheck("Shop"), try makeCheck("Mail"))
    var alerts = AppAlerts(version: 1)
    alerts.open[.init(mail.id, .availability)] = .init(since: after(0))
    alerts.isCut = true
    #expect(alerts.shows(.init(shop.id, .availability), since: after(0)))
    #expect(!alerts.shows(.init(shop.id, .availability), since: after(1)))
    alerts.isCut = false
    #expect(!alerts.shows(.init(shop.id, .availability), since: after(0)))
  }

  /// A receiver that keeps a state is triggered or not; what it was sent it is sent the end of.
  @Test(arguments: [false, true]) func aReceiverThatKeepsAState(isShown: Bool) throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.channels = [makePagerDuty("pd")]
    var desk = Desk(settings, [shop])
    desk.book.hear(isShown ? view(shop) : view(), now: reading(0))
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 100)
    desk.book.hear(view(shop), now: reading(100))
    desk.pass(from: 101, to: 200)
    desk.up(shop, at: 201)
    desk.pass(from: 201, to: 210)
    #expect(try desk.told.map { try pagerDutyAction($0.message) } == (isShown ? [] : ["trigger", "resolve"]))
  }

  /// An acknowledgement and the fallback: who acknowledges in the app is not notified here when the apps go away.
  @Test func acknowledgedThereAndThenAway() throws {
    let shop = try makeCheck("Shop")
    var desk = story([shop], view(shop))
    var said = AppAlerts(version: 2)
    said.open[.init(shop.id, .availability)] = .init(
      since: after(0), acknowledged: .init(at: after(20), by: "Ann Smith"))
    desk.book.hear(AppsView(.known(said)), now: reading(21))
    desk.book.hear(AppsView(.silent), now: reading(30))
    desk.pass(from: 30, to: 300)
    #expect(desk.lines == [])
  }

  /// An alert is shown in the apps while it is open there, and counts as shown when a person has resolved it; of a cut list,
  /// also where it began no later than the oldest that is in it.
  @Test func whatCountsAsShown() {
    let (one, two) = (UniqueID(high: 0, low: 1), UniqueID(high: 0, low: 2))
    let key = AppAlerts.Key(one, .availability)
    var alerts = AppAlerts(version: 1)
    #expect(!alerts.shows(key, since: after(0)))
    alerts.closed[key] = after(10)
    #expect(alerts.shows(key, since: after(0)))
    #expect(!alerts.shows(.init(one, .performance), since: after(0)))
    #expect(!alerts.shows(.init(two, .availability), since: after(0)))
    alerts.closed = [:]
    alerts.open[key] = .init(since: after(5), acknowledged: nil)
    #expect(alerts.shows(key, since: after(0)) && !alerts.shows(.init(two, .availability), since: after(5)))
    alerts.isCut = true
    #expect(alerts.shows(.init(two, .availability), since: after(5)))
    #expect(!alerts.shows(.init(two, .availability), since: after(6)))
  }
}
