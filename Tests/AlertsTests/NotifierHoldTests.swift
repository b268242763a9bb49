// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Outcomes, reloads, and what holds a notification.
@Suite struct NotifierHoldTests {
  /// Each outcome has its own words and never those of another.
  @Test(arguments: [
    ("removed", TroubleEnd.removed, "web is not monitored any more: removed from the configuration"),
    ("disabled", .disabled, "web is not monitored any more: disabled"),
    ("renamed", .renamed, "web was renamed to web 2"),
    ("rule", .ruleChanged, "web: the alerting rule was changed or removed"),
    ("maintenance", .maintenance, "web: maintenance began"),
  ])
  func outcomes(_ what: String, end: TroubleEnd, title: String) throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    switch what {
    case "removed": desk.book.apply([], DependencyGraph(), now: reading(11))
    case "disabled":
      desk.book.apply([try makeCheck("web", enabled: false)], DependencyGraph(), now: reading(11))
    case "renamed": desk.book.apply([try makeCheck("web 2")], DependencyGraph(), now: reading(11))
    case "rule":
      desk.book.apply(quickSettings([rule("other", .high)]), now: reading(11))
      desk.book.apply([web], DependencyGraph(), now: reading(11))
    default: desk.note(result(web, .down, at: 11, maintenance: true))
    }
    desk.pass(from: 11, to: 30)
    #expect(desk.lines == ["3 opened web is down: refused", "14 recovered \(title)"])
    #expect(desk.told[1].message.members[0].outcome == end)
  }

  /// Removed while the agent was not there.
  @Test func removedOverARestart() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    var next = Desk(quickSettings(), [], saved: try desk.saved(at: 10), at: 20)
    next.pass(from: 20, to: 40)
    #expect(next.lines == ["23 recovered web is not monitored any more: removed from the configuration"])
    #expect(next.told.first?.message.incident == desk.told.first?.message.incident)
  }

  /// What fired before a restart and was told to nobody waits for a result: one that is down opens it, one that is up makes
  /// it one of the past; without one it is opened ten minutes after the start.
  @Test(
    arguments: [
      (CheckState.down, ["160 opened web is down: refused"]),
      (.up, ["163 recovered web was down from 00:00 to 00:02 UTC (2m 40s)"]),
      (nil, ["700 opened web is down: refused"]),
    ] as [(CheckState?, [String])])
  func untoldOverARestart(found: CheckState?, lines: [String]) throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 2)
    var next = Desk(quickSettings(), [web], saved: try desk.saved(at: 2), at: 100)
    next.pass(from: 100, to: 159)
    #expect(next.lines == [] && next.hold(at: 159) == .wait)
    if let found { next.note(result(web, found, at: 160)) }
    next.pass(from: 160, to: found == nil ? 720 : 200)
    #expect(desk.lines + next.lines == lines)
  }

  /// A result that says nothing of the target confirms nothing, and a result of another check neither.
  @Test func onlyAVerdictConfirms() throws {
    let (web, db) = (try makeCheck("web"), try makeCheck("db", host: "198.51.100.1"))
    var desk = Desk(quickSettings(), [web, db])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 2)
    var next = Desk(quickSettings(), [web, db], saved: try desk.saved(at: 2), at: 100)
    next.note(result(web, .unknown, at: 101))
    next.note(result(db, .up, at: 102))
    next.pass(from: 103, to: 130)
    #expect(next.lines == [] && next.hold(at: 130) == .wait)
    next.down(web, at: 131)
    next.pass(from: 131, to: 140)
    #expect(next.lines == ["131 opened web is down: refused"])
  }

  /// What was on its way when the agent died may be known: it is sent once more at once, under its id.
  @Test func onItsWayOverARestart() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 2)
    desk.book.advance(to: reading(3))
    let first = try #require(desk.book.next(desk.context(3)).first)
    var next = Desk(quickSettings(), [web], saved: try desk.saved(at: 3), at: 100)
    next.pass(from: 100, to: 101)
    #expect(next.lines == ["100 opened web is down: refused"] && next.sent.map(\.id) == [first.id])
  }

  /// What was told already goes on as it was, and a check that has failed since opens its incident at once.
  @Test func toldOverARestart() throws {
    let (web, db) = (try makeCheck("web"), try makeCheck("db", host: "198.51.100.1"))
    var desk = Desk(quickSettings(), [web, db])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    var next = Desk(quickSettings(), [web, db], saved: try desk.saved(at: 10), at: 100)
    next.down(db, at: 101)
    next.pass(from: 101, to: 150)
    #expect(next.lines == ["104 opened db is down: refused"], "no reminder of what was not looked at")
    next.up(web, at: 161)
    next.pass(from: 161, to: 170)
    #expect(next.lines.contains("164 recovered web is up again"), "\(next.lines)")
  }

  /// Other settings while an incident is open: it keeps its id and its log, a new channel hears of it, one that is gone gets
  /// its end first.
  @Test func reload() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(channels: ["ops", "old"]), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    desk.book.apply(quickSettings(channels: ["ops", "new"]), now: reading(11))
    desk.book.apply([web], DependencyGraph(), now: reading(11))
    desk.pass(from: 11, to: 20)
    #expect(desk.told.filter { $0.channel == "ops" }.map(\.message.kind) == [.opened])
    #expect(desk.told.filter { $0.channel == "new" }.map(\.message.kind) == [.opened])
    let old = desk.told.filter { $0.channel == "old" }
    #expect(old.map(\.message.kind) == [.opened, .recovered])
    #expect(
      old[1].message.title
        == "channel removed; the incident is still open: web is down: refused")
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
    desk.up(web, at: 21)
    desk.pass(from: 21, to: 30)
    #expect(desk.told.suffix(2).map(\.message.kind) == [.recovered, .recovered] && desk.told.count == 6)
  }

  /// In quiet hours people are held below `except`; when they end, what lasts is opened and what ended is in the digest,
  /// whatever its length.
  @Test func quietHours() throws {
    let checks = try ["a", "b", "c"].map { try makeCheck($0, host: "\($0).example") }
    var settings = quickSettings([rule("c", .critical, ["c"]), rule("down", .high, ["a", "b"])])
    settings.quietHours = QuietHours(from: 0, to: 7 * 3600)
    (settings.digest, settings.remind) = (12 * 3600, .seconds(86_400))
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 60)
    desk.down(checks[1], at: 61)
    desk.tick(61)
    desk.up(checks[1], at: 62)
    desk.down(checks[2], at: 63)
    desk.pass(from: 63, to: 120)
    // Nothing is told in the night, whenever it is looked; then second by second.
    desk.pass(from: 150, to: 7 * 3600 - 30, by: 30)
    desk.pass(from: 7 * 3600 - 29, to: 7 * 3600 + 60)
    #expect(desk.lines.first == "66 opened c is down: refused")
    #expect(desk.told.dropFirst().map(\.message.kind) == [.opened, .digest])
    #expect(desk.told.dropFirst().map(\.at) == [25_200, 25_201])
    let line = "b was down from 2026-01-05 00:01:01 to 00:01:02 UTC (1s)"
    #expect(desk.told[2].message.digest.map(\.title) == [line])
  }

  /// A mute that expires while it lasts: opened then. What it hid to its end is told by nothing.
  @Test func muted() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.muted = [web.id]
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 1800)
    #expect(desk.told.isEmpty && desk.hold(at: 1800) == .mute)
    desk.muted = []
    desk.pass(from: 1801, to: 1900, by: 1)
    #expect(desk.told.first?.at == 1801 && desk.kinds.first == .opened)
  }

  @Test func maintenanceHoldsAFirstNotification() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.maintained = [web.id]
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    #expect(desk.told.isEmpty && desk.hold(at: 10) == .maintenance)
  }

  /// A first notification waits for a look at the path, ten seconds at most.
  @Test func aLookAtThePath() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.looking = [web.id]
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 12)
    #expect(desk.told.isEmpty && desk.hold(at: 12) == .pathLook)
    desk.pass(from: 13, to: 14)
    #expect(desk.told.map(\.at) == [13])
  }

  /// Low severity waits for the digest of the day, and is told once; its end is in the next.
  @Test func lowSeverityWaits() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings([rule("down", .low)]), [shop])
    desk.down(shop, at: 60)
    desk.pass(from: 60, to: 20 * 3600, by: 5)
    #expect(desk.kinds == [.digest] && desk.told[0].at == 8 * 3600)
    desk.up(shop, at: 21 * 3600)
    desk.pass(from: 21 * 3600, to: 100 * 3600, by: 60)
    #expect(desk.kinds == [.digest, .digest])
    #expect(desk.told[1].message.digest.map(\.title) == ["Shop is up again"])
  }

  /// A blink that was over before it was due is told by nothing.
  @Test func aBlinkIsNotTold() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.up(shop, at: 1)
    desk.pass(from: 1, to: 4000)
    #expect(desk.told.isEmpty)
  }

  /// A restart anywhere tells nothing twice and forgets nothing.
  @Test(arguments: [1, 2, 3, 4, 30, 62, 63, 64, 100]) func restarts(at second: Int64) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: second)
    desk = try desk.restarted(at: second)
    desk.down(shop, at: second + 1)
    desk.pass(from: second + 1, to: 119)
    desk.up(shop, at: 120)
    desk.pass(from: 120, to: 200)
    #expect(desk.kinds == [.opened, .update, .recovered], "\(desk.lines)")
    #expect(desk.told.map(\.at) == [3, 63, 123])
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
  }
}
