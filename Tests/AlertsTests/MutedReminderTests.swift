// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A mute holds what is repeated as well, and nothing that closes what a channel knows.
@Suite struct MutedReminderTests {
  private func settings() -> AlertSettings {
    var settings = quickSettings(channels: ["ops", "pd", "am"])
    settings.channels[1] = makePagerDuty("pd")
    settings.channels[2] = makeWebhook("am", .alertmanager)
    return settings
  }

  private func told(_ desk: Desk, _ channel: String) -> [String] {
    desk.told.filter { $0.channel == channel }.map { "\($0.at) \($0.message.trigger?.rawValue ?? "")" }
  }

  /// Reminders are held from the mute to its end; Alertmanager, which forgets, is told all the same.
  @Test func reminders() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 63)
    desk.muted = [web.id]
    desk.pass(from: 64, to: 300)
    #expect(desk.hold(at: 300) == .mute && desk.hold("pd", at: 300) == .mute)
    desk.muted = []
    desk.pass(from: 301, to: 310)
    desk.muted = [web.id]
    desk.up(web, at: 311)
    desk.pass(from: 311, to: 320)
    for channel in ["ops", "pd"] {
      #expect(
        told(desk, channel) == ["3 opened", "63 reminder", "301 reminder", "314 resolved"], "\(channel)")
    }
    #expect(told(desk, "am") == ["3 opened", "243 keep_alive", "314 resolved"])
  }

  /// A check that is probed rarely has no result in its window: reminders are held until that ends.
  @Test func remindersInAWindow() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 63)
    desk.maintained = [web.id]
    desk.pass(from: 64, to: 300)
    #expect(desk.hold(at: 300) == .maintenance && desk.hold("pd", at: 300) == .maintenance)
    desk.maintained = []
    desk.pass(from: 301, to: 310)
    for channel in ["ops", "pd"] {
      #expect(told(desk, channel) == ["3 opened", "63 reminder", "301 reminder"], "\(channel)")
    }
    #expect(told(desk, "am") == ["3 opened", "243 keep_alive"])
  }

  /// One of two is muted: the reminder is about the other as well, and is sent.
  @Test func oneOfTwo() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var desk = Desk(settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 10)
    desk.muted = [checks[0].id]
    desk.pass(from: 11, to: 70)
    #expect(told(desk, "ops") == ["3 opened", "63 reminder"])
    desk.muted = Set(checks.map(\.id))
    desk.pass(from: 71, to: 200)
    #expect(told(desk, "ops") == ["3 opened", "63 reminder"])
  }

  /// That a muted check flaps is told when the mute ends.
  @Test func flapping() throws {
    let web = try makeCheck("web")
    var settings = settings()
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    desk.muted = [web.id]
    for second: Int64 in [11, 14, 17] {
      desk.up(web, at: second)
      desk.down(web, at: second + 1)
      desk.pass(from: second, to: second + 2)
    }
    desk.pass(from: 20, to: 100)
    #expect(told(desk, "ops") == ["3 opened"] && desk.hold(at: 100) == .mute)
    desk.muted = []
    desk.pass(from: 101, to: 110)
    #expect(told(desk, "ops") == ["3 opened", "101 flapping"])
  }

  /// A storm whose checks are all muted is not reminded of; its end is told.
  @Test func storms() throws {
    let checks = try StormTests.checks(30)
    var settings = StormTests.settings()
    settings.remind = .seconds(120)
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 30)
    desk.muted = Set(checks.map(\.id))
    desk.pass(from: 31, to: 400)
    #expect(desk.kinds == [.opened], "\(desk.lines)")
    for check in checks { desk.up(check, at: 401) }
    desk.pass(from: 401, to: 500)
    #expect(desk.kinds == [.opened, .recovered], "\(desk.lines)")
  }

  private func acknowledge(_ desk: inout Desk, at second: Int64) throws {
    let incident = try #require(desk.book.incidents.opened.first)
    _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(second))
  }

  /// A muted check that joins holds itself alone: reminders of the other one and the acknowledgement are sent.
  @Test func aMutedOneThatJoins() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = settings()
    settings.channels[0].acknowledged = true
    var desk = Desk(settings, checks)
    desk.muted = [checks[1].id]
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 19)
    desk.down(checks[1], at: 20)
    desk.pass(from: 20, to: 130)
    #expect(desk.hold(at: 130) == .mute, "what is new is held")
    try acknowledge(&desk, at: 131)
    desk.pass(from: 131, to: 200)
    desk.muted = []
    desk.pass(from: 201, to: 300)
    for check in checks { desk.up(check, at: 301) }
    desk.pass(from: 301, to: 310)
    #expect(
      told(desk, "ops") == [
        "3 opened", "63 reminder", "123 reminder", "131 acknowledged", "304 resolved",
      ])
    let reminders = desk.told.filter { $0.channel == "ops" && $0.message.trigger == .reminder }
    #expect(reminders.map(\.message.title) == ["web is down: refused", "web is down: refused"])
  }

  /// One that joined while it was muted is not in the end, as nothing was sent of it; one that was sent before its mute is.
  @Test(arguments: [false, true]) func theEndWithAMutedOne(isSent: Bool) throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var desk = Desk(settings(), checks)
    if !isSent { desk.muted = [checks[1].id] }
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 19)
    desk.down(checks[1], at: 20)
    desk.pass(from: 20, to: 39)
    desk.muted = [checks[1].id]
    for check in checks { desk.up(check, at: 40) }
    desk.pass(from: 40, to: 60)
    let (title, names) =
      isSent ? ("web and 1 more are up again", ["web", "db"]) : ("web is up again", ["web"])
    let ends = desk.told.filter { $0.channel == "ops" && $0.at >= 40 }.map(\.message)
    #expect(ends.map(\.title) == [title] && ends.map { $0.members.map(\.name) } == [names])
    #expect(ends.map(\.memberCount) == [names.count] && ends.map(\.end) == [after(40)])
  }

  /// What is muted from before a storm is no part of its end.
  @Test func theEndOfAStormWithMutedOnes() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 14)
    desk.muted = Set(checks.prefix(12).map(\.id))
    desk.pass(from: 15, to: 30)
    for check in checks { desk.up(check, at: 31) }
    desk.pass(from: 31, to: 200)
    #expect(
      desk.lines == [
        "15 opened 18 checks of 18 incidents are down", "46 recovered all 18 incidents of the storm are over",
      ])
  }

  /// All that fires is acknowledged or muted: nothing is repeated, and what is new is sent when its mute ends.
  @Test func oneAcknowledgedAndOneMuted() throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var desk = Desk(settings(), checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 9)
    try acknowledge(&desk, at: 10)
    desk.muted = [checks[1].id]
    desk.pass(from: 10, to: 19)
    desk.down(checks[1], at: 20)
    desk.pass(from: 20, to: 200)
    #expect(told(desk, "ops") == ["3 opened"])
    desk.muted = []
    desk.pass(from: 201, to: 270)
    #expect(told(desk, "ops") == ["3 opened", "201 joined", "261 reminder"])
  }
}
