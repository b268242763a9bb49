// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What waits for the digest says until when: the time at which it is sent then.
@Suite struct DigestTimeTests {
  private static let hour: Int64 = 3600

  /// - Returns: what the stage says of the first open incident, at a second.
  private func hold(_ desk: Desk, at second: Int64) -> (words: String, until: Timestamp?)? {
    for (_, _, decision) in desk.book.decisions(desk.context(second)) {
      if case .hold(.severity, let words, let until, _) = decision { return (words, until) }
    }
    return nil
  }

  /// From Monday 00:00 UTC: the digest's hour, quiet hours from and to, their least severity that is let through, and the
  /// hour at which what fails at 00:00:00 and lasts is sent.
  @Test(
    arguments: [
      (8, nil, nil, .critical, 8), (1, nil, nil, .critical, 1),
      // Quiet hours that hold now end first; the digest's hour in them waits for their end.
      (8, 22, 6, .critical, 6), (5, 22, 6, .critical, 6),
      // They begin and end before the digest's hour, or reach over it.
      (8, 2, 4, .critical, 4), (8, 7, 9, .critical, 9),
      // They hold nothing of low severity, and the digest's hour in them is as ever.
      (8, 7, 9, .low, 8),
    ] as [(Int64, Int64?, Int64?, AlertSeverity, Int64)])
  func whenTheDigestIsSent(
    _ digest: Int64, _ from: Int64?, _ to: Int64?, _ except: AlertSeverity, _ expected: Int64
  ) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([rule("down", .low)])
    settings.digest = digest * Self.hour
    settings.remind = .seconds(7 * 86_400)
    if let from, let to {
      settings.quietHours = QuietHours(from: from * Self.hour, to: to * Self.hour, except: except)
    }
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 10)
    let held = try #require(hold(desk, at: 11))
    #expect(held.words == "of low severity: in the next digest")
    #expect(held.until == after(expected * Self.hour))
    desk.pass(from: 12, to: 10 * Self.hour, by: 12)
    #expect(desk.told.map(\.at) == [expected * Self.hour] && desk.kinds == [.digest])
  }

  /// More than have a line in one digest follow at once in others, and none is left for the next day.
  @Test func manyIncidents() throws {
    let checks = try StormTests.checks(205)
    var settings = quickSettings([rule("down", .low)])
    settings.digest = 30
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 100)
    #expect(
      desk.lines == [
        "30 digest 100 incidents since the last digest; 105 more follow",
        "31 digest 100 incidents since the last digest; 5 more follow",
        "32 digest 5 incidents since the last digest",
      ])
    let named = desk.told.flatMap { $0.message.digest.map(\.title) }
    #expect(named.count == 205 && Set(named).count == 205)
    #expect(desk.book.notifier.state(of: "ops").isDigestDue == false)
  }

  /// What ended in quiet hours is in the digest at their end.
  @Test func whatEndedInQuietHours() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.quietHours = QuietHours(from: 22 * Self.hour, to: 6 * Self.hour)
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 60)
    desk.up(shop, at: 61)
    desk.pass(from: 61, to: 80)
    let held = try #require(hold(desk, at: 81))
    #expect(held.words == "resolved in quiet hours: in the next digest" && held.until == after(6 * Self.hour))
    desk.pass(from: 90, to: 7 * Self.hour, by: 30)
    #expect(desk.told.map(\.at) == [6 * Self.hour] && desk.kinds == [.digest])
  }

  private func lines(_ desk: Desk, _ channel: String) -> [String] {
    desk.told.filter { $0.channel == channel }.map {
      "\($0.at) \($0.message.kind.rawValue) \($0.message.title)"
    }
  }

  private func escalating(_ severity: AlertSeverity) -> AlertSettings {
    var settings = quickSettings([rule("down", severity)], channels: ["ops", "phone"])
    settings.escalate = [Escalation(after: .seconds(900), to: ["phone"])]
    settings.remind = .seconds(7 * 86_400)
    return settings
  }

  /// A channel of an escalation has nothing in its digest before its time: not what lasts for less long yet, nor what was over.
  @Test func anEscalation() throws {
    let checks = try ["a", "b"].map { try makeCheck($0, host: "\($0).example") }
    var settings = escalating(.low)
    settings.digest = 60
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 10)
    desk.pass(from: 10, to: 29)
    desk.up(checks[0], at: 30)
    desk.pass(from: 30, to: 49)
    desk.down(checks[1], at: 50)
    desk.pass(from: 50, to: 100)
    desk.pass(from: 110, to: 86_500, by: 10)
    #expect(lines(desk, "ops") == ["60 digest 2 incidents since the last digest"])
    #expect(lines(desk, "phone") == ["86460 digest 1 incident since the last digest"])
  }

  /// What ended in quiet hours before it would have escalated is in no digest there.
  @Test func anEscalationInQuietHours() throws {
    let shop = try makeCheck("Shop")
    var settings = escalating(.high)
    settings.quietHours = QuietHours(from: 60, to: 400, zone: .utc, except: .critical)
    var desk = Desk(settings, [shop])
    desk.pass(from: 0, to: 69)
    desk.down(shop, at: 70)
    desk.pass(from: 70, to: 129)
    desk.up(shop, at: 130)
    desk.pass(from: 130, to: 500)
    #expect(lines(desk, "ops") == ["400 digest 1 incident since the last digest"])
    #expect(lines(desk, "phone") == [])
  }

  /// The next digest is tomorrow where today's is over, also in a night with a change of the clock.
  @Test func theNextDay() throws {
    var settings = AlertSettings()
    settings.digest = 8 * Self.hour
    #expect(settings.nextDigest(after: after(0)) == after(8 * Self.hour))
    #expect(settings.nextDigest(after: after(8 * Self.hour)) == after(32 * Self.hour))
    let days = QuietHours(from: 22 * Self.hour, to: 6 * Self.hour, days: [4])
    // Of a Friday night: from Monday until Saturday morning.
    #expect(days.nextEnd(after: after(0)) == after((5 * 24 + 6) * Self.hour))
    #expect(days.end(at: after(0)) == nil)
  }

  /// Quiet hours hold what is less severe than their bound, and of receivers that keep a state the first
  /// notification alone.
  @Test(
    arguments: [
      (.low, []), (.medium, [.low]), (.high, [.low, .medium]), (.critical, [.low, .medium, .high]),
    ] as [(AlertSeverity, [AlertSeverity])])
  func whatQuietHoursHold(_ except: AlertSeverity, _ expected: [AlertSeverity]) {
    var settings = quickSettings()
    settings.quietHours = QuietHours(from: 10, to: 60, except: except)
    func held(at second: Int64, _ channel: AlertChannel, isFirst: Bool) -> [AlertSeverity] {
      let context = NotifyContext(now: reading(second), settings: settings)
      return AlertSeverity.allCases.filter { context.isQuiet($0, for: channel, isFirst: isFirst) }
    }
    let (people, machine) = (settings.channels[0], makePagerDuty("pd"))
    for second in [Int64(10), 59] {
      #expect(held(at: second, people, isFirst: true) == expected)
      #expect(held(at: second, people, isFirst: false) == expected)
      #expect(held(at: second, machine, isFirst: true) == expected)
      #expect(held(at: second, machine, isFirst: false) == [])
    }
    for second in [Int64(9), 60] { #expect(held(at: second, people, isFirst: true) == []) }
  }

  /// A digest that its receiver refused has failed, and is not only held; the next one has its incidents again.
  @Test func aDigestThatIsRefused() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([rule("down", .low)])
    settings.digest = 60
    var desk = Desk(settings, [shop])
    desk.answer = { _, second in second < 1000 ? .refused("400 no") : .delivered }
    desk.down(shop, at: 10)
    desk.pass(from: 10, to: 50)
    #expect(desk.hold(at: 50) == .severity)
    desk.pass(from: 51, to: 120)
    #expect(desk.sent.map(\.at) == [60] && desk.hold(at: 120) == .deduplicate)
    desk.pass(from: 86_400, to: 86_500)
    #expect(desk.told.map(\.at) == [86_460] && desk.kinds == [.digest])
  }
}
