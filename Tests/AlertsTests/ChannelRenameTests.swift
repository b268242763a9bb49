// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A channel that has another name and the same receiver is the same channel: an end by the old name and a begin by the new one
/// would reach it at once, in any order.
@Suite struct ChannelRenameTests {
  private func settings(_ name: String, _ severity: AlertSeverity = .low) -> AlertSettings {
    var settings = quickSettings(channels: [])
    settings.channels = [makePagerDuty(name)]
    settings.channels[0].severity = severity
    return settings
  }

  private func rename(_ desk: inout Desk, _ settings: AlertSettings, at second: Int64) {
    desk.book.apply(settings, now: reading(second))
    desk.book.apply(desk.checks, DependencyGraph(desk.checks), now: reading(second))
  }

  private func lines(_ desk: Desk) throws -> [String] {
    try desk.told.map { told in
      "\(told.at) \(told.channel) \(try pagerDutyAction(told.message) ?? "") \(told.message.trigger?.rawValue ?? "")"
    }
  }

  /// While an incident is open nothing is sent for it; its reminder and its end come by the new name.
  @Test func whileOpen() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings("pager"), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    rename(&desk, settings("pagerduty"), at: 11)
    #expect(desk.book.notifier.leaving.isEmpty)
    desk = try desk.restarted(at: 11)
    desk.down(web, at: 12)
    desk.pass(from: 12, to: 70)
    desk.up(web, at: 71)
    desk.pass(from: 71, to: 80)
    #expect(
      try lines(desk) == [
        "3 pager trigger opened", "63 pagerduty trigger reminder", "74 pagerduty resolve resolved",
      ])
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
  }

  /// What is on its way by the old name is sent once more by the new one, under its id; the channel is not busy for ever.
  @Test func whileSending() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings("pager"), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 2)
    desk.book.advance(to: reading(3))
    let first = try #require(desk.book.next(desk.context(3)).first)
    rename(&desk, settings("pagerduty"), at: 3)
    desk.book.finish(first, .delivered, title: "web", now: reading(4))
    desk.pass(from: 4, to: 30)
    #expect(desk.sent.map(\.id) == [first.id] && desk.sent.map(\.at) == [4])
    desk.up(web, at: 31)
    desk.pass(from: 31, to: 40)
    #expect(
      try lines(desk) == ["4 pagerduty trigger opened", "34 pagerduty resolve resolved"])
    #expect(desk.book.incidents.all.first?.log.keys.sorted() == ["pagerduty"])
  }

  /// What else is changed with the name counts as ever.
  @Test func withAnotherSeverity() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings("pager"), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    rename(&desk, settings("pagerduty", .critical), at: 11)
    desk.pass(from: 11, to: 30)
    #expect(try lines(desk) == ["3 pager trigger opened", "11 pagerduty resolve below_severity"])
  }

  /// Another receiver is another channel: its own begin, and the end by the old one.
  @Test func anotherReceiver() throws {
    let web = try makeCheck("web")
    var desk = Desk(settings("pager"), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    var other = settings("pagerduty")
    other.channels = [makeWebhook("am", .alertmanager)]
    rename(&desk, other, at: 11)
    desk.pass(from: 11, to: 30)
    #expect(
      desk.told.map { "\($0.channel) \($0.message.trigger?.rawValue ?? "")" }.sorted() == [
        "am opened", "pager channel_removed", "pager opened",
      ])
  }
}
