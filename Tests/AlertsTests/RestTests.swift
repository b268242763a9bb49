// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Incidents that wait for a reminder are left out of the passes before it, and nothing that is sent changes by it.
@Suite struct RestTests {
  private final class Looks { var count = 0 }

  /// How often the stages ask whether an alert is muted, in one pass.
  private func looks(_ desk: inout Desk, at second: Int64) -> Int {
    let looks = Looks()
    var context = desk.context(second)
    context.mutedUntil = { _ in
      looks.count += 1
      return nil
    }
    desk.book.advance(to: desk.now(second))
    for notification in desk.book.next(context) {
      desk.book.finish(notification, .delivered, title: "t", now: desk.now(second))
    }
    return looks.count
  }

  @Test func nothingIsLookedAtBeforeItIsDue() throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 4)
    let waiting = (Int64(5)...62).map { looks(&desk, at: $0) }
    #expect(waiting == Array(repeating: 0, count: 58))
    let then = (Int64(63)...65).map { looks(&desk, at: $0) > 0 }
    #expect(then == [true, true, false], "its reminder, and when the next one is due")
  }

  /// A storm's incidents rest with it, and a change in one of them ends the rest.
  @Test func aStormThatLasts() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 100)
    let lasting = (Int64(101)...160).map { looks(&desk, at: $0) }
    #expect(lasting == Array(repeating: 0, count: 60))
    desk.up(checks[0], at: 161)
    let changed = looks(&desk, at: 161)
    #expect(changed > 0)
  }

  private static let rules = [
    AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high),
    AlertRule("long", .consecutiveFailures(threshold: 3, recoveries: 1), severity: .critical),
  ]

  private static func settings(_ low: Bool) -> AlertSettings {
    var settings = quickSettings(rules, channels: ["ops", "pd", "am", "calm"])
    (settings.channels[1], settings.channels[2]) = (makePagerDuty("pd"), makeWebhook("am", .alertmanager))
    settings.channels[0].acknowledged = true
    settings.channels[3].severity = low ? .low : .critical
    settings.quietHours = QuietHours(from: 100, to: 180, zone: .utc, except: .critical)
    return settings
  }

  /// Each second something may happen: checks fail and work, mutes, acknowledgements, receivers that fail, a reload.
  private static func step(
    _ desk: inout Desk, _ checks: [MonitoringCheck], _ random: Counter, at second: Int64
  ) {
    var random = random
    for check in checks where Int.random(in: 0..<12, using: &random) == 0 {
      if Int.random(in: 0..<3, using: &random) == 0 {
        desk.up(check, at: second)
      } else {
        desk.down(check, at: second)
      }
    }
    guard let check = checks.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: desk.muted.insert(check.id)
    case 1: desk.muted.removeAll()
    case 2:
      if let word = desk.book.incidents.opened.randomElement(using: &random)?.short {
        _ = desk.book.acknowledge(word, by: "ann", note: nil, now: after(second))
      }
    case 3: desk.answer = { _, _ in .failed("away") }
    case 4, 5: desk.answer = { _, _ in .delivered }
    case 6 where second % 3 == 0:
      ReceiverChangeTests.reload(&desk, settings(Bool.random(using: &random)), at: second)
    default: break
    }
  }

  /// The same sequence with all rests and with none.
  @Test(arguments: [4, 25]) func whatIsSentIsTheSame(count: Int) throws {
    let seed = UInt64.random(in: 0...(.max))
    print("rests of \(count) checks from the seed \(seed)")
    let checks = try StormTests.checks(count)
    func run(isForgetful: Bool) -> [String] {
      let random = Counter(state: seed &* 7919)
      var desk = Desk(Self.settings(true), checks)
      for second in Int64(0)..<300 {
        Self.step(&desk, checks, random, at: second)
        if isForgetful { desk.book.notifier.rests = [:] }
        desk.tick(second)
      }
      return desk.told.map { "\($0.at) \($0.channel) \($0.message.kind) \($0.message.title)" }
    }
    let told = run(isForgetful: false)
    #expect(told == run(isForgetful: true), "\(seed)")
    #expect(told.count > 5, "\(seed)")
  }
}
