// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// How long a notification has been due.
@Suite struct PendingTimeTests {
  /// Of each notification that is due, to a channel, in seconds.
  private func overdue(_ desk: Desk, at second: Int64, _ channel: String = "ops") -> [Int64] {
    let context = desk.context(second)
    return desk.book.decisions(context).compactMap { _, to, decision in
      guard to.name == channel else { return nil }
      return desk.book.notifier.overdue(decision, to: to, context).map { $0.microseconds / 1_000_000 }
    }
  }

  private func settings(_ rules: [AlertRule]? = nil) -> AlertSettings {
    var settings = quickSettings(rules)
    settings.remind = .seconds(86_400)
    return settings
  }

  private let hours: Int64 = 3 * 3600

  /// One that escalates waits for its quarter of an hour, and is late after it.
  @Test func escalation() throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.channels.append(AlertChannel(name: "phone", kind: settings.channels[0].kind))
    settings.escalate = [Escalation(after: .seconds(900), to: ["phone"])]
    var desk = Desk(settings, [shop])
    desk.answer = { _, second in second < 900 ? .delivered : .failed("away") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 899)
    #expect(overdue(desk, at: 899, "phone").isEmpty && desk.hold("phone", at: 899) == .wait)
    #expect(overdue(desk, at: 900, "phone") == [0])
    desk.pass(from: 900, to: 1500)
    #expect(overdue(desk, at: 1500, "phone") == [600] && overdue(desk, at: 1500).isEmpty)
  }

  /// A check that joins an incident of three hours is as old as its failure.
  @Test(arguments: [false, true]) func joins(isRestarted: Bool) throws {
    let (web, database) = (try makeCheck("web"), try makeCheck("db"))
    var desk = Desk(settings(), [web, database])
    desk.answer = { [hours] _, second in second < hours ? .delivered : .failed("away") }
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 20)
    desk.down(database, at: hours)
    if isRestarted { desk = try desk.restarted(at: hours + 1) }
    #expect(overdue(desk, at: hours + 2) == [2])
    desk.pass(from: hours + 2, to: hours + 100)
    #expect(overdue(desk, at: hours + 100) == [100] && desk.hold(at: hours + 100) == .retry)
  }

  /// A severity that rises after three hours, also over a restart.
  @Test(arguments: [false, true]) func rises(isRestarted: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    desk.answer = { [hours] _, second in second < hours ? .delivered : .failed("away") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 20)
    var trouble = try #require(desk.book.incidents.opened.first?.members.first?.trouble)
    trouble.severity = .critical
    desk.book.incidents.take(.holds(trouble), now: reading(hours))
    if isRestarted { desk = try desk.restarted(at: hours + 1) }
    #expect(overdue(desk, at: hours + 5) == [5])
  }

  /// What rose, was well for a moment and fires again is late from the last time that it began.
  @Test func firesAgainAfterARise() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    desk.answer = { [hours] _, second in second < hours ? .delivered : .failed("away") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 20)
    var trouble = try #require(desk.book.incidents.opened.first?.members.first?.trouble)
    trouble.severity = .critical
    desk.book.incidents.take(.holds(trouble), now: reading(hours))
    desk.book.incidents.take(
      .ended(trouble.key, at: after(hours + 10), .recovered), now: reading(hours + 10))
    desk.book.incidents.take(.holds(trouble), now: reading(hours + 12))
    #expect(overdue(desk, at: hours + 20) == [8])
  }

  /// What ends after three hours is late from its end, which is after `group_wait`.
  @Test func ends() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    desk.answer = { [hours] _, second in second < hours ? .delivered : .failed("away") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 20)
    desk.up(shop, at: hours)
    desk.pass(from: hours, to: hours + 2)
    #expect(overdue(desk, at: hours + 2).isEmpty)
    desk.pass(from: hours + 3, to: hours + 63)
    #expect(overdue(desk, at: hours + 63) == [60])
  }

  /// An acknowledgement, for a receiver that knows them.
  @Test func acknowledgement() throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.channels = [makePagerDuty("ops")]
    var desk = Desk(settings, [shop])
    desk.answer = { [hours] _, second in second < hours ? .delivered : .failed("away") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 20)
    let word = try #require(desk.book.incidents.opened.first?.short)
    _ = desk.book.acknowledge(word, by: "ann", note: nil, now: after(hours))
    #expect(overdue(desk, at: hours + 7) == [7])
  }

  /// An incident that joins a storm is late from the storm's next notification.
  @Test func storms() throws {
    let checks = try StormTests.checks(30)
    var settings = StormTests.settings()
    settings.groupInterval = .seconds(3600)
    var desk = Desk(settings, checks)
    for check in checks.dropLast() { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 20)
    desk.down(checks[29], at: 20)
    desk.pass(from: 21, to: 40)
    #expect(desk.told.map(\.at) == [15] && desk.told.allSatisfy(\.message.isStorm))
    #expect(overdue(desk, at: 40).isEmpty && overdue(desk, at: 3614).isEmpty)
    #expect(overdue(desk, at: 3625) == [10])
  }

  /// A reminder is late from its own time, what is muted not at all.
  @Test func remindersAndMutes() throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.remind = .seconds(60)
    var desk = Desk(settings, [shop])
    desk.muted = [shop.id]
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 20)
    #expect(overdue(desk, at: 20).isEmpty && desk.hold(at: 20) == .mute)
    desk.muted = []
    desk.tick(21)
    #expect(desk.kinds == [.opened])
    #expect(overdue(desk, at: 80).isEmpty && overdue(desk, at: 91) == [10])
  }
}
