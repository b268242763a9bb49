// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Incidents that are older than what a channel is notified of in them: they are new to it when that opens, or when it is let go.
@Suite struct StormRoutedTests {
  private func lines(_ desk: Desk, _ channel: String, after first: Int64 = 0) -> [String] {
    desk.told.filter { $0.channel == channel && $0.at >= first }.map {
      "\($0.at) \($0.message.kind.rawValue) \($0.message.title)"
    }
  }

  /// Checks that are degraded for 100 s, notified of to `ops` and not to `critical`.
  private func brownOut(_ count: Int) throws -> (Desk, [MonitoringCheck]) {
    let checks = try StormTests.checks(count)
    var settings = StormTests.settings(["ops", "critical"])
    settings.rules = [
      AlertRule("warn", .state(.degraded, for: .zero), severity: .medium), rule("down", .critical),
    ]
    settings.channels[1].severity = .critical
    var desk = Desk(settings, checks)
    for check in checks { desk.note(result(check, .degraded, at: 0)) }
    desk.pass(from: 0, to: 99)
    #expect(lines(desk, "critical") == [])
    return (desk, checks)
  }

  /// A brown-out that turns into an outage within some seconds is one storm for the channel that only gets the outage. It begins with
  /// the outage, and ends with it.
  @Test func anOutageAfterABrownOut() throws {
    var (desk, checks) = try brownOut(13)
    for (place, check) in checks.enumerated() {
      desk.down(check, at: 100 + Int64(place))
      desk.tick(100 + Int64(place))
    }
    desk.pass(from: 113, to: 200)
    for check in checks { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 300)
    #expect(
      lines(desk, "critical") == [
        "115 opened 13 checks of 13 incidents are down",
        "216 recovered all 13 incidents of the storm are over",
      ])
    #expect(desk.told.filter { $0.channel == "critical" }.map(\.message.begin) == [after(100), after(100)])
    #expect(
      lines(desk, "ops", after: 100).first
        == "100 update now critical: 13 checks of 13 incidents are still down or degraded; the storm had 13 incidents"
    )
  }

  /// Ten are none: each gets its own, `group_wait` after it is down.
  @Test func tenOfABrownOut() throws {
    var (desk, checks) = try brownOut(13)
    for check in checks.prefix(10) { desk.down(check, at: 100) }
    desk.pass(from: 100, to: 160)
    #expect(
      desk.told.filter { $0.channel == "critical" }.map(\.at) == (115...124).map { Int64($0) },
      "\(desk.lines)")
  }

  /// What was critical for less than `group_wait` is not notified of, however long the incident lasted.
  @Test func aMomentOfABrownOut() throws {
    var (desk, checks) = try brownOut(1)
    desk.down(checks[0], at: 100)
    desk.pass(from: 100, to: 109)
    desk.note(result(checks[0], .degraded, at: 110))
    desk.pass(from: 110, to: 199)
    desk.up(checks[0], at: 200)
    desk.pass(from: 200, to: 300)
    #expect(lines(desk, "critical") == [])
  }

  /// Many that are let go at once at the end of a mute, of a window or of quiet hours are one notification; ten have one each.
  @Test(arguments: [NotifyStage.mute, .maintenance, .quietHours], [10, 30])
  func letGoAtOnce(hold: NotifyStage, count: Int) throws {
    let checks = try StormTests.checks(count)
    var settings = StormTests.settings()
    if hold == .quietHours {
      settings.quietHours = QuietHours(from: 0, to: 200, zone: .utc, except: .critical)
    }
    var desk = Desk(settings, checks)
    if hold == .mute { desk.muted = Set(checks.map(\.id)) }
    if hold == .maintenance { desk.maintained = Set(checks.map(\.id)) }
    // Two minutes apart they would be no storm.
    for (place, check) in checks.enumerated() { desk.down(check, at: place % 2 == 0 ? 0 : 120) }
    desk.pass(from: 0, to: 199)
    #expect(desk.told.isEmpty && desk.hold(at: 199) == hold)
    (desk.muted, desk.maintained) = ([], [])
    desk.pass(from: 200, to: 250)
    if count == 10 {
      #expect(desk.told.map(\.at) == (200...209).map { Int64($0) } && desk.kinds.allSatisfy { $0 == .opened })
    } else {
      #expect(desk.lines == ["200 opened 30 checks of 30 incidents are down"])
    }
  }
}
