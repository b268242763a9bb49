// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Changes within the incidents of a storm are notified of by the rules for one incident: a rise at once, what joins with the
/// next update, an acknowledgement where all that fires is acknowledged.
@Suite struct StormChangeTests {
  private static let rules = [
    AlertRule("warn", .state(.degraded, for: .zero), severity: .medium), rule("down", .critical),
  ]

  /// So many slow checks, notified at 15 s as a storm, to people, to PagerDuty and to Alertmanager.
  private func slow(_ count: Int = 13, _ change: (inout AlertSettings) -> Void = { _ in }) throws -> (
    Desk, [MonitoringCheck]
  ) {
    let checks = try StormTests.checks(count)
    var settings = StormTests.settings(["ops", "pd", "am"])
    settings.rules = Self.rules
    (settings.channels[1], settings.channels[2]) = (makePagerDuty("pd"), makeWebhook("am", .alertmanager))
    settings.channels[0].acknowledged = true
    change(&settings)
    var desk = Desk(settings, checks)
    for check in checks { desk.note(result(check, .degraded, at: 0)) }
    desk.pass(from: 0, to: 29)
    #expect(lines(desk, "ops") == ["15 opened \(count) checks of \(count) incidents are degraded"])
    return (desk, checks)
  }

  private func lines(_ desk: Desk, _ channel: String, after first: Int64 = 0) -> [String] {
    desk.told.filter { $0.channel == channel && $0.at >= first }
      .map { "\($0.at) \($0.message.kind.rawValue) \($0.message.title)" }
  }

  private func acknowledge(_ desk: inout Desk, at second: Int64) {
    for incident in desk.book.incidents.opened {
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(second))
    }
  }

  /// A brown-out that turns into an outage: the first check that is down is sent at once, the others with the next update.
  @Test func aRise() throws {
    var (desk, checks) = try slow()
    desk.down(checks[3], at: 30)
    desk.pass(from: 30, to: 39)
    for check in checks.suffix(9) { desk.down(check, at: 40) }
    desk.pass(from: 40, to: 200)
    for channel in ["ops", "pd", "am"] {
      #expect(
        lines(desk, channel, after: 30) == [
          "30 update now critical: 13 checks of 13 incidents are still down or degraded; the storm had 13 incidents",
          "90 update 13 checks of 13 incidents are still down or degraded; the storm had 13 incidents",
        ], "\(channel)")
    }
    let rise = try #require(desk.told.first { $0.at == 30 }?.message)
    #expect(rise.severity == .critical && rise.members.first?.name == "c3")
  }

  /// One that was muted when it rose is sent when the mute ends, and the rest of the storm meanwhile.
  @Test func aRiseThatIsMuted() throws {
    var (desk, checks) = try slow { $0.channels = Array($0.channels.prefix(1)) }
    desk.muted = [checks[3].id]
    desk.down(checks[3], at: 30)
    desk.pass(from: 30, to: 110)
    #expect(lines(desk, "ops", after: 30) == [])
    desk.muted = []
    desk.pass(from: 111, to: 200)
    #expect(
      lines(desk, "ops", after: 30) == [
        "111 update now critical: 13 checks of 13 incidents are still down or degraded; the storm had 13 incidents"
      ])
  }

  /// An outage that turns into a brown-out in quiet hours which hold the brown-out: the channel took it for critical, and is sent that it
  /// is less at once, as of one incident.
  @Test func anEasingInQuietHours() throws {
    let checks = try StormTests.checks(13)
    var settings = StormTests.settings()
    settings.rules = Self.rules
    settings.quietHours = QuietHours(from: 60, to: 660, zone: .utc, except: .critical)
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks { desk.note(result(check, .degraded, at: 61)) }
    desk.pass(from: 61, to: 199)
    for check in checks { desk.up(check, at: 200) }
    desk.pass(from: 200, to: 300)
    #expect(
      desk.lines == [
        "15 opened 13 checks of 13 incidents are down",
        "75 update 13 checks of 13 incidents are still degraded; the storm had 13 incidents",
        "215 recovered all 13 incidents of the storm are over",
      ])
  }

  /// A check that joins one of the incidents waits for the interval.
  @Test func aCheckThatJoins() throws {
    let checks = try StormTests.checks(12) + [makeCheck("twin", host: "10.0.0.1")]
    var desk = Desk(StormTests.settings(), checks)
    for check in checks.prefix(12) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 29)
    desk.down(checks[12], at: 30)
    desk.pass(from: 30, to: 300)
    #expect(
      desk.lines == [
        "15 opened 12 checks of 12 incidents are down",
        "75 update 13 checks of 12 incidents are still down; the storm had 12 incidents",
      ])
  }

  /// An incident that is new and more severe has its `group_wait`, and not the whole interval.
  @Test func aSevereOneThatIsNew() throws {
    let checks = try StormTests.checks(13)
    var settings = StormTests.settings()
    settings.rules = [rule("down", .high, (0..<12).map { "c\($0)" }), rule("worst", .critical, ["c12"])]
    var desk = Desk(settings, checks)
    for check in checks.prefix(12) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 29)
    desk.down(checks[12], at: 30)
    desk.pass(from: 30, to: 300)
    #expect(
      desk.lines == [
        "15 opened 12 checks of 12 incidents are down",
        "45 update now critical: 13 checks of 13 incidents are still down; the storm had 13 incidents",
      ])
  }

  /// Once all that fires is acknowledged, that is sent and nothing is repeated; another rise is sent again. The text keeps a
  /// check whose alert became another one before the acknowledgement.
  @Test func anAcknowledgement() throws {
    var (desk, checks) = try slow { $0.remind = .seconds(120) }
    desk.answer = { _, second in
      (30..<40).contains(second) ? .failed("away", retryAfter: .seconds(10)) : .delivered
    }
    desk.down(checks[3], at: 30)
    desk.pass(from: 30, to: 34)
    acknowledge(&desk, at: 35)
    desk.pass(from: 35, to: 400)
    for channel in ["ops", "pd"] {
      let told = lines(desk, channel, after: 30)
      #expect(
        told.map { $0.drop { $0 != " " } } == [
          " acknowledged acknowledged by ann: 13 checks of 13 incidents are down or degraded"
        ], "\(channel) \(told)")
    }
    let message = try #require(desk.told.last { $0.channel == "pd" }?.message)
    #expect(message.severity == .critical && message.acknowledgedBy == "ann")
    #expect(try pagerDutyAction(message) == "acknowledge")
    desk.down(checks[4], at: 401)
    desk.pass(from: 401, to: 410)
    acknowledge(&desk, at: 411)
    desk.pass(from: 411, to: 500)
    let pager = desk.told.filter { $0.channel == "pd" && $0.at > 400 }
    #expect(try pager.map { try pagerDutyAction($0.message) } == ["trigger", "acknowledge"])
  }

  /// A part of it that is acknowledged holds nothing, and is no acknowledgement of the whole.
  @Test func anAcknowledgementOfSome() throws {
    var (desk, checks) = try slow { $0.remind = .seconds(120) }
    for incident in desk.book.incidents.opened where incident.members[0].trouble.name != "c0" {
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(30))
    }
    desk.pass(from: 30, to: 139)
    #expect(
      lines(desk, "pd", after: 30) == [
        "135 update 13 checks of 13 incidents are still degraded; the storm had 13 incidents"
      ])
    desk.note(result(checks[0], .up, at: 140))
    desk.pass(from: 140, to: 300)
    #expect(
      lines(desk, "pd", after: 140) == [
        "140 acknowledged acknowledged by ann: 12 checks of 12 incidents are degraded"
      ])
  }

  /// An end that its receiver refuses is not sent again and again.
  @Test func anEndThatIsRefused() throws {
    var (desk, checks) = try slow { $0.channels = Array($0.channels.prefix(1)) }
    desk.answer = { message, _ in message.kind == .recovered ? .refused("400") : .delivered }
    for check in checks { desk.up(check, at: 30) }
    desk.pass(from: 30, to: 300)
    #expect(desk.sent.map(\.at) == [15, 45])
  }
}
