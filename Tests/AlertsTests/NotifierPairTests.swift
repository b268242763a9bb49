// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Two things at once: what joins late, flaps inside, is muted in quiet hours, or changes while it is open.
@Suite struct NotifierPairTests {
  /// Two incidents, and then what both depend on goes down: it joins one of them, and each is told to its end once.
  @Test func aLateParent() throws {
    let gate = try makeCheck("gate", host: "192.0.2.1")
    let (a, b) = (
      try makeCheck("a", host: "198.51.100.1", on: ["gate"]),
      try makeCheck("b", host: "203.0.113.1", on: ["gate"])
    )
    var desk = Desk(quickSettings(), [gate, a, b])
    desk.down(a, at: 0)
    desk.pass(from: 0, to: 699)
    desk.down(b, at: 700)
    desk.pass(from: 700, to: 719)
    desk.down(gate, at: 720)
    desk.pass(from: 720, to: 740)
    for check in [gate, a, b] { desk.up(check, at: 741) }
    desk.pass(from: 741, to: 800)
    #expect(
      desk.lines.filter { !$0.contains("update a is down") } == [
        "3 opened a is down: refused", "703 opened b is down: refused",
        "720 update gate joined: a and 1 more are down: refused", "744 recovered b is up again",
        "745 recovered a and 1 more are up again",
      ])
  }

  /// A member that flaps inside a long incident: the channel hears once that it does, and the incident goes on. Its end does
  /// not wait for what has been well for long.
  @Test func aMemberThatFlaps() throws {
    let (web, db) = (try makeCheck("web"), try makeCheck("db"))
    var settings = quickSettings()
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [web, db])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 59)
    for round in 0..<6 {
      let second = 60 + Int64(round) * 40
      desk.down(db, at: second)
      desk.pass(from: second, to: second + 19)
      desk.up(db, at: second + 20)
      desk.pass(from: second + 20, to: second + 39)
    }
    desk.pass(from: 300, to: 1000)
    desk.up(web, at: 1001)
    desk.pass(from: 1001, to: 1100)
    #expect(
      desk.lines == [
        "3 opened web is down: refused", "60 update db joined: web and 1 more are down: refused",
        "140 update db is flapping: went down 3 times",
        "1004 recovered web and 1 more are up again: it was flapping, went down 6 times, for 2m in all",
      ])
  }

  /// A mute and quiet hours that overlap: the later end counts, whichever it is.
  @Test(arguments: [(21_600, 25_200), (28_800, 28_800)] as [(Int64, Int64)])
  func aMuteInQuietHours(muteEnds: Int64, opened: Int64) throws {
    let web = try makeCheck("web")
    var settings = quickSettings()
    settings.quietHours = QuietHours(from: 0, to: 7 * 3600)
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [web])
    desk.muted = [web.id]
    desk.down(web, at: 60)
    desk.pass(from: 60, to: muteEnds - 1, by: 60)
    #expect(desk.hold(at: muteEnds - 1) == .mute)
    desk.muted = []
    desk.pass(from: muteEnds, to: 30_000)
    #expect(desk.lines == ["\(opened) opened web is down: refused"])
  }

  /// A channel whose severity is raised by a reload above what it was told of gets the end of it in those words; one that is
  /// lowered hears of what it did not want before.
  @Test func severityByReload() throws {
    let web = try makeCheck("web")
    func settings(_ ops: AlertSeverity, _ night: AlertSeverity) -> AlertSettings {
      var settings = quickSettings(channels: ["ops", "night"])
      (settings.channels[0].severity, settings.channels[1].severity) = (ops, night)
      settings.remind = .seconds(86_400)
      return settings
    }
    var desk = Desk(settings(.medium, .critical), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    #expect(desk.told.map(\.channel) == ["ops"])
    desk.book.apply(settings(.critical, .medium), now: reading(11))
    desk.book.apply([web], DependencyGraph([web]), now: reading(11))
    desk.pass(from: 11, to: 40)
    #expect(
      desk.told.dropFirst().map { "\($0.channel) \($0.message.kind.rawValue) \($0.message.title)" } == [
        "ops recovered what is left is below the severity of this channel: web",
        "night opened web is down: refused",
      ])
    desk.up(web, at: 41)
    desk.pass(from: 41, to: 60)
    #expect(desk.told.suffix(1).map(\.channel) == ["night"] && desk.kinds.last == .recovered)
  }
}
