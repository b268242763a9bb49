// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// When things end and begin: flapping that calms, steps of an escalation, a mute to the end, and nights with a change of the
/// clocks.
@Suite struct NotifierTimeTests {
  /// It is resolved after `flap.stable`, and after three intervals of its check where those are longer.
  @Test(arguments: [(60, 280), (180, 280), (300, 400)] as [(Int64, Int64)])
  func flappingCalms(stable: Int64, resolved: Int64) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    (settings.groupWait, settings.remind) = (.seconds(25), .seconds(86_400))
    settings.flap.stable = .seconds(stable)
    var desk = Desk(settings, [shop])
    for start in [0, 40, 80] as [Int64] {
      desk.down(shop, at: start)
      desk.pass(from: start, to: start + 19)
      desk.up(shop, at: start + 20)
      desk.pass(from: start + 20, to: start + 39)
    }
    desk.pass(from: 120, to: 500)
    #expect(
      desk.lines == [
        "40 opened Shop is down: refused", "80 update Shop is flapping: went down 3 times",
        "\(resolved) recovered Shop is up again: it was flapping, went down 3 times, for 1m in all",
      ])
  }

  private static let escalated: [(acknowledged: Int64?, boss: [String])] = [
    (nil, ["1800 opened Shop and 1 more are down: refused", "1903 recovered Shop and 1 more are up again"]),
    // It was acknowledged before the second check joined: that one is new.
    (1000, ["1800 opened db is down: refused", "1903 recovered Shop and 1 more are up again"]),
    (1200, []),
  ]

  /// Two steps, and an acknowledgement before the second: of all that fires, or of what fired before another check joined.
  @Test(arguments: escalated.indices) func twoSteps(_ row: Int) throws {
    let (shop, db) = (try makeCheck("Shop"), try makeCheck("db"))
    var settings = quickSettings(channels: ["ops", "phone", "boss"])
    settings.escalate = [
      Escalation(after: .seconds(900), to: ["phone"]), Escalation(after: .seconds(1800), to: ["boss"]),
    ]
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [shop, db])
    desk.down(shop, at: 0)
    for second in Int64(0)...1910 {
      if second == 1100 { desk.down(db, at: second) }
      if second == 1900 { for check in [shop, db] { desk.up(check, at: second) } }
      desk.tick(second)
      if second == Self.escalated[row].acknowledged {
        let id = try #require(desk.book.incidents.opened.first).id
        _ = desk.book.acknowledge(id.description, by: "ann", note: nil, now: after(second))
      }
    }
    func lines(_ channel: String) -> [String] {
      desk.told.filter { $0.channel == channel }.map {
        "\($0.at) \($0.message.kind.rawValue) \($0.message.title)"
      }
    }
    let opened = "opened Shop is down: refused"
    let later = [
      "1100 update db joined: Shop and 1 more are down: refused",
      "1903 recovered Shop and 1 more are up again",
    ]
    #expect(lines("ops") == ["3 \(opened)"] + later)
    #expect(lines("phone") == ["900 \(opened)"] + later)
    #expect(lines("boss") == Self.escalated[row].boss)
  }

  /// How long it lasted is in the end's words, from the first failure to the first success.
  @Test func theLengthOfAnOutage() throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 119)
    desk.up(shop, at: 120)
    desk.pass(from: 120, to: 130)
    #expect(desk.lines == ["3 opened Shop is down: refused", "123 recovered Shop is up again"])
    #expect(
      desk.told.map { MessageText($0.message).lines.first } == [
        "severity high, since 2026-01-05 00:00 UTC, for 3s so far",
        "severity high, from 2026-01-05 00:00 to 00:02 UTC, for 2m",
      ])
    var template = AlertTemplate()
    template.text = [.field(.duration)]
    #expect(desk.told.map { MessageText($0.message, template).lines.first } == ["3s", "2m"])
  }

  /// Muted from before it began until after it ended: no channel hears of it, then or later.
  @Test func mutedToItsEnd() throws {
    let shop = try makeCheck("Shop")
    let settings = quickSettings(channels: ["ops", "pd"])
    var desk = Desk(settings, [shop])
    desk.book.apply(
      {
        var settings = settings
        settings.channels[1] = makePagerDuty("pd")
        return settings
      }(), now: reading(0))
    desk.book.apply([shop], DependencyGraph([shop]), now: reading(0))
    desk.muted = [shop.id]
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 1799)
    #expect(desk.hold(at: 1799) == .mute && desk.hold("pd", at: 1799) == .mute)
    desk.up(shop, at: 1800)
    desk.pass(from: 1800, to: 1900)
    desk.muted = []
    // Past the next digest.
    desk.pass(from: 1901, to: 100_000, by: 10)
    #expect(desk.lines == [] && desk.book.incidents.over.count == 1)
  }

  // 2026, Berlin: forward at 01:00 UTC of 29 March, back at 01:00 UTC of 25 October.
  private static let nights: [(evening: String, quietEnd: String)] = [
    ("2026-03-27T20:00:00Z", "2026-03-28T06:00:00Z"), ("2026-03-28T20:00:00Z", "2026-03-29T05:00:00Z"),
    ("2026-03-29T19:00:00Z", "2026-03-30T05:00:00Z"), ("2026-10-23T19:00:00Z", "2026-10-24T05:00:00Z"),
    ("2026-10-24T19:00:00Z", "2026-10-25T06:00:00Z"), ("2026-10-25T20:00:00Z", "2026-10-26T06:00:00Z"),
  ]

  private func second(_ text: String) throws -> Int64 {
    monday.duration(to: try #require(Timestamp(rfc3339: text))).microseconds / 1_000_000
  }

  /// From 22:00 to 07:00 by the clock of the zone: what lasts is opened at their end, what is held says when that is.
  @Test(arguments: nights.indices) func quietHours(_ row: Int) throws {
    let (begin, end) = (try second(Self.nights[row].evening), try second(Self.nights[row].quietEnd))
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.zone = try TimeZoneFiles().zone("Europe/Berlin")
    settings.quietHours = QuietHours(from: 22 * 3600, to: 7 * 3600, zone: settings.zone)
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, [shop], at: begin)
    desk.pass(from: begin, to: begin + 3600 + 600, by: 60)
    desk.down(shop, at: begin + 3600 + 630)
    desk.pass(from: begin + 3600 + 660, to: end - 60, by: 60)
    let holds = desk.book.decisions(desk.context(end - 60)).map { item -> Timestamp? in
      guard case .hold(.quietHours, _, let until, _) = item.decision else { return nil }
      return until
    }
    #expect(holds == [after(end)])
    desk.pass(from: end - 59, to: end + 120)
    #expect(desk.lines == ["\(end) opened Shop is down: refused"])
  }

  /// Low alerts at these moments, and when each is in a digest at 02:30 by the clock of the zone.
  private static let digests: [(alerts: [String], digests: [String])] = [
    // 02:30 does not exist: at the change.
    (
      ["2026-03-28T22:00:00Z", "2026-03-29T01:10:00Z", "2026-03-29T01:40:00Z"],
      ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
    ),
    // 02:30 comes twice: at the first.
    (
      ["2026-10-24T22:00:00Z", "2026-10-25T00:40:00Z", "2026-10-25T01:20:00Z"],
      ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    ),
  ]

  @Test(arguments: digests.indices) func oneDigestADay(_ row: Int) throws {
    let (alerts, digests) = Self.digests[row]
    let checks = try alerts.indices.map { try makeCheck("c\($0)", host: "h\($0).example") }
    var settings = quickSettings([rule("down", .low)])
    settings.zone = try TimeZoneFiles().zone("Europe/Berlin")
    (settings.digest, settings.remind) = (2 * 3600 + 1800, .seconds(86_400 * 7))
    let begin = try second(alerts[0])
    var desk = Desk(settings, checks, at: begin)
    var now = begin
    for (place, alert) in alerts.enumerated() {
      let next = try second(alert)
      if next > now { desk.pass(from: now, to: next - 60, by: 60) }
      desk.down(checks[place], at: next)
      now = next
    }
    desk.pass(from: now, to: begin + 40 * 3600, by: 60)
    #expect(desk.told.map(\.at) == (try digests.map(second)))
    #expect(desk.told.map(\.message.digest.count) == [1, 2] && desk.kinds == [.digest, .digest])
  }
}
