// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A receiver that keeps a state has the end of a storm only when what still fires can be opened there by itself.
@Suite struct StormEndTests {
  enum Hold: CaseIterable { case quietHours, mute, acknowledgement }

  /// 13 checks down at 0, three of them up at 61: ten are left at 76, held until 400.
  private func held(_ hold: Hold) throws -> (Desk, [MonitoringCheck]) {
    let checks = try StormTests.checks(13)
    var settings = StormTests.settings(["pd", "am"])
    (settings.channels[0], settings.channels[1]) = (makePagerDuty("pd"), makeWebhook("am", .alertmanager))
    if hold == .quietHours {
      settings.quietHours = QuietHours(from: 60, to: 400, zone: .utc, except: .critical)
    }
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks.prefix(3) { desk.up(check, at: 61) }
    if hold == .mute { desk.muted = Set(checks.map(\.id)) }
    for incident in desk.book.incidents.opened where hold == .acknowledgement {
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(61))
    }
    desk.pass(from: 61, to: 399)
    return (desk, checks)
  }

  /// It ended with the last of its incidents, and not when that was sent; while some of them last, it ends when that is sent.
  @Test(arguments: [false, true]) func theTimeOfItsEnd(lasts: Bool) throws {
    let checks = try StormTests.checks(13)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks.prefix(6) { desk.up(check, at: 61) }
    desk.pass(from: 61, to: 69)
    for check in checks[6..<(lasts ? 12 : 13)] { desk.up(check, at: 70) }
    desk.pass(from: 70, to: 120)
    let last = try #require(desk.told.last?.message)
    #expect(desk.kinds == [.opened, .recovered] && last.begin == after(0), "\(desk.lines)")
    #expect(last.end == after(lasts ? 76 : 70) && last.at == after(lasts ? 76 : 85))
  }

  /// Where maintenance began nothing is up again: the end of the storm says so.
  @Test func aStormThatMaintenanceEnds() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 29)
    for check in checks {
      var marked = result(check, .down, at: 30)
      marked.maintenance = true
      desk.note(marked)
    }
    desk.pass(from: 30, to: 200)
    #expect(desk.kinds == [.opened, .recovered])
    let title = try #require(desk.told.last?.message.title)
    #expect(title.hasPrefix("all 30 incidents of the storm are over; c"), "\(title)")
    #expect(title.hasSuffix(" and 29 more: maintenance began"), "\(title)")
  }

  @Test(arguments: Hold.allCases) func nothingIsResolvedWhileItFires(_ hold: Hold) throws {
    var (desk, checks) = try held(hold)
    #expect(!desk.kinds.contains(.recovered), "\(desk.lines)")
    #expect(Set(desk.told.map(\.message.incident)).count == 2, "one storm for each channel")
    for check in checks.suffix(10) { desk.up(check, at: 400) }
    desk.pass(from: 400, to: 500)
    let ends = desk.told.filter { $0.message.kind == .recovered }.map { "\($0.channel) \($0.message.title)" }
    #expect(
      ends.sorted() == ["am", "pd"].map { "\($0) all 13 incidents of the storm are over" }, "\(desk.lines)")
  }

  /// What changes meanwhile is sent all the same: only a first trigger is held.
  @Test func theTextsMeanwhile() throws {
    let (quiet, _) = try held(.quietHours)
    #expect(
      quiet.told.filter { $0.channel == "pd" }.map {
        "\($0.at) \($0.message.kind.rawValue) \($0.message.title)"
      }
        == [
          "15 opened 13 checks of 13 incidents are down",
          "76 update 10 checks of 10 incidents are still down; the storm had 13 incidents",
        ])
    let (acknowledged, _) = try held(.acknowledgement)
    #expect(
      try acknowledged.told.filter { $0.channel == "pd" }.map { try pagerDutyAction($0.message) }
        == ["trigger", "acknowledge"])
  }

  /// At the end of the hold the storm ends, and what is left is opened.
  @Test func theEndOfTheHold() throws {
    var (desk, _) = try held(.quietHours)
    desk.pass(from: 400, to: 450)
    let later = desk.told.filter { $0.channel == "pd" && $0.at >= 400 }
    #expect(
      later.map(\.message.kind) == [.recovered] + Array(repeating: .opened, count: 10), "\(desk.lines)")
    #expect(later.first?.message.title.hasPrefix("the storm of 13 incidents is over; still down: c") == true)
  }

  /// An outage that begins while a storm is only held is no part of it: it is opened by itself.
  @Test func aNewOutageMeanwhile() throws {
    let checks = try StormTests.checks(14)
    var settings = StormTests.settings(["pd"])
    settings.channels[0] = makePagerDuty("pd")
    var desk = Desk(settings, checks)
    for check in checks.prefix(13) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks.prefix(3) { desk.up(check, at: 61) }
    for incident in desk.book.incidents.opened {
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(61))
    }
    desk.pass(from: 61, to: 399)
    desk.down(checks[13], at: 400)
    desk.pass(from: 400, to: 500)
    #expect(desk.lines.last == "415 opened c13 is down: refused", "\(desk.lines)")
  }
}
