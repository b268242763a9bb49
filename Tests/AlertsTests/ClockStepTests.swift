// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The wall clock is set back or forward, while the agent runs or between its end and its next start.
@Suite struct ClockStepTests {
  private static let steps: [Int64] = [-400 * 86_400, -86_400, -3600, -61, -1, 0, 1, 61, 3600, 86_400]

  private func told(_ desk: Desk) -> [String] { desk.told.map { "\($0.at) \($0.message.kind.rawValue)" } }

  /// Nothing that waits asks the wall clock how long: the wait, the reminder, the end.
  @Test(arguments: ClockStepTests.steps, [1, 10]) func whileItRuns(step: Int64, at second: Int64) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: second)
    desk.step = step
    desk.pass(from: second + 1, to: 130)
    desk.up(shop, at: 131)
    desk.pass(from: 131, to: 140)
    #expect(told(desk) == ["3 opened", "63 update", "123 update", "134 recovered"])
  }

  /// An outage that begins while the clock is a day ahead has no begin after its end: Alertmanager refuses that, and would
  /// go on for that day.
  @Test func aheadAtTheBegin() throws {
    let (shop, manager) = (try makeCheck("Shop"), makeWebhook("am", .alertmanager))
    var settings = quickSettings(channels: ["ops", "am"])
    settings.channels[1] = manager
    var desk = Desk(settings, [shop])
    desk.step = 86_400
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    desk.step = 0
    desk.pass(from: 6, to: 250)
    desk.up(shop, at: 251)
    desk.pass(from: 251, to: 260)
    var times: [String] = []
    for told in desk.told where told.channel == "am" {
      let body = try body(told.message, manager)
      #expect(
        ReceiverRules.problems(.alertmanager, Array(ChannelSender.shown(told.message, manager).utf8)) == [])
      times.append("\(told.at) \(body[0]?["startsAt"]?.string?.prefix(19) ?? "")")
    }
    #expect(
      times == ["3 2026-01-06T00:00:00", "243 2026-01-05T00:04:03", "254 2026-01-05T00:04:11"], "\(times)")
    let last = try #require(desk.told.last?.message)
    let facts = "severity high, from 2026-01-05 00:04:11 to 00:04:11 UTC, for 0s"
    #expect(MessageText(last).lines.first == facts)
    #expect(last.members.map(\.since) == [after(251)])
  }

  /// A receiver that failed is tried again as soon as before the step.
  @Test(arguments: ClockStepTests.steps) func whileAReceiverFails(step: Int64) throws {
    let shop = try makeCheck("Shop")
    func attempts(_ step: Int64) -> [Int64] {
      var desk = Desk(quickSettings(), [shop])
      desk.answer = { _, second in second < 60 ? .failed("500") : .delivered }
      desk.down(shop, at: 0)
      desk.pass(from: 0, to: 4)
      desk.step = step
      desk.pass(from: 5, to: 100)
      return desk.sent.map(\.at)
    }
    let unmoved = attempts(0)
    #expect(attempts(step) == unmoved && unmoved.count > 2)
  }

  /// Restarted at 10 with another clock. Set back, the last message is as old as it was at the end; set forward, as the clock
  /// says, for the agent may have been away for as long.
  @Test(
    arguments: [
      (-400 * 86_400, 63), (-86_400, 63), (-3600, 63), (-61, 63), (-1, 63), (0, 63), (30, 33), (52, 11),
      (3600, 11), (86_400, 11),
    ] as [(Int64, Int64)])
  func overARestart(step: Int64, reminder: Int64) throws {
    let shop = try makeCheck("Shop")
    let settings = quickSettings()
    let (before, restarted) = try restart(settings, shop, step: step)
    var desk = restarted
    desk.down(shop, at: 10)
    desk.pass(from: 11, to: reminder + 60)
    desk.up(shop, at: reminder + 61)
    desk.pass(from: reminder + 61, to: reminder + 70)
    #expect(
      told(desk) == [
        "\(reminder) update", "\(reminder + 60) update", "\(reminder + 64) recovered",
      ])
    #expect(Set((before.told + desk.told).map(\.message.incident)).count == 1)
  }

  /// Down at 0, and started again at 10 with a wall clock that has stepped.
  private func restart(
    _ settings: AlertSettings, _ shop: MonitoringCheck, step: Int64
  ) throws -> (before: Desk, restarted: Desk) {
    var before = Desk(settings, [shop])
    before.down(shop, at: 0)
    before.pass(from: 0, to: 10)
    let saved = try before.saved(at: 10)
    var desk = Desk(settings, [shop], at: 10)
    desk.step = step
    desk.book = AlertBook(settings, saved: saved, now: desk.now(10), generator: Counter(state: 77))
    desk.book.apply([shop], DependencyGraph([shop]), now: desk.now(10))
    return (before, desk)
  }

  /// Where the machine has not been started again, the monotonic clock says how long the agent was away, whatever the wall
  /// clock was set to meanwhile: no reminder is early.
  @Test(
    arguments: [
      ("a", -86_400, 63), ("a", 0, 63), ("a", 52, 63), ("a", 86_400, 63), ("b", 52, 11), ("b", -61, 63),
    ] as [(String, Int64, Int64)])
  func inTheSameLife(life: String, step: Int64, reminder: Int64) throws {
    let shop = try makeCheck("Shop")
    let settings = quickSettings()
    var before = Desk(settings, [shop])
    before.book = AlertBook(settings, now: before.now(0), life: "a", generator: Counter())
    before.book.apply([shop], DependencyGraph([shop]), now: before.now(0))
    before.down(shop, at: 0)
    before.pass(from: 0, to: 10)
    let saved = try before.saved(at: 10)
    var desk = Desk(settings, [shop], at: 10)
    desk.step = step
    desk.book = AlertBook(
      settings, saved: saved, now: desk.now(10), life: life, generator: Counter(state: 77))
    desk.book.apply([shop], DependencyGraph([shop]), now: desk.now(10))
    desk.down(shop, at: 10)
    desk.pass(from: 11, to: reminder)
    #expect(told(desk) == ["\(reminder) update"])
  }

  /// What waited for its first notification waits no longer than it would have.
  @Test(arguments: [-86_400, -3600, -1, 0] as [Int64]) func untoldOverARestart(step: Int64) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.groupWait = .seconds(30)
    var desk = try restart(settings, shop, step: step).restarted
    desk.down(shop, at: 11)
    desk.pass(from: 11, to: 60)
    #expect(told(desk) == ["30 opened"])
  }
}
