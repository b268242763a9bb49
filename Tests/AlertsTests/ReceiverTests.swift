// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Receivers that keep a state, fail, are away, or refuse; clocks that are set; processes that die.
@Suite struct ReceiverTests {
  private func settings(_ channels: [AlertChannel]? = nil, rules: [AlertRule]? = nil) -> AlertSettings {
    var settings = makeSettings(
      rules ?? [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)])
    if let channels { settings.channels = channels }
    (settings.groupWait, settings.groupInterval, settings.remind) = (
      .seconds(3), .seconds(10), .seconds(3600)
    )
    return settings
  }

  /// Alertmanager never hears that it is resolved while it is down, through quiet hours and mutes, and hears it when it is.
  @Test(arguments: [true, false]) func keptState(isMuted: Bool) throws {
    let shop = try makeCheck("Shop")
    var settings = settings([makeWebhook("am", .alertmanager)])
    if !isMuted { settings.quietHours = QuietHours(from: 100, to: 50_000) }
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 99)
    if isMuted { desk.muted = [shop.id] }
    desk.pass(from: 100, to: 2000)
    let times = Array(stride(from: Int64(3), through: 3 + 8 * 240, by: 240))
    #expect(desk.told.map(\.at) == times)
    let ends = try desk.told.map { told -> Timestamp in
      let text = try body(told.message, settings.channels[0])[0]?["endsAt"]?.string
      return try #require(text.flatMap { Timestamp(rfc3339: $0) })
    }
    for (told, end) in zip(desk.told.dropFirst(), ends) { #expect(end > after(told.at), "it ran out before") }
    desk.up(shop, at: 2001)
    desk.pass(from: 2001, to: 2010)
    #expect(desk.kinds.last == .recovered && desk.told.last?.at == 2004)
    let all = try desk.told.map { told in
      "\(try #require(try body(told.message, settings.channels[0])[0]?["labels"]))"
    }
    #expect(Set(all).count == 1, "a label changed: for Alertmanager that is another alert")
  }

  /// A first trigger may be held.
  @Test func aFirstTriggerIsHeld() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings([makePagerDuty("pd")]), [shop])
    desk.muted = [shop.id]
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 100)
    desk.up(shop, at: 101)
    desk.pass(from: 101, to: 200)
    #expect(desk.told.isEmpty)
  }

  /// Gone for ten minutes with three outages, of which one lasts: within ten seconds of its return what lasts, then one
  /// message of what is over.
  @Test func away() throws {
    let checks = try ["a", "b", "c"].map { try makeCheck($0, host: "\($0).example") }
    var desk = Desk(settings(), checks)
    desk.answer = { _, second in
      second < 600 ? .failed("connection refused", isUnreachable: true) : .delivered
    }
    for (place, check) in checks.enumerated() {
      let start = Int64(place) * 100
      desk.down(check, at: start)
      desk.pass(from: start, to: start + 50)
      if place < 2 { desk.up(check, at: start + 51) }
      desk.pass(from: start + 51, to: start + 99)
    }
    desk.pass(from: 300, to: 700)
    #expect(desk.kinds == [.opened, .digest])
    #expect(desk.told[0].message.title == "c is down: refused" && desk.told[0].at <= 610)
    #expect(
      desk.told[1].message.title == "2 incidents began and ended while this channel could not be reached")
    #expect(
      desk.told[1].message.digest.map(\.title) == [
        "b was down from 2026-01-05 00:01 to 00:02 UTC (51s)",
        "a was down from 2026-01-05 00:00:00 to 00:00:51 UTC (51s)",
      ])
  }

  /// 5, 10, 20 s and so on up to 5 minutes, each up to a quarter later; `Retry-After` up to an hour.
  @Test func backoff() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    desk.answer = { _, _ in .failed("busy") }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 2000)
    let waits = zip(desk.sent.dropFirst(), desk.sent).map { $0.at - $1.at }
    for (wait, least) in zip(waits, [5, 10, 20, 40, 80, 160, 300, 300]) {
      #expect((Int64(least)...Int64(least * 5 / 4 + 1)).contains(wait), "\(waits)")
    }
    #expect(Set(desk.sent.map(\.id)).count == 1, "the same message has the same id")
    #expect(desk.hold(at: 2000) == .retry)
    desk.answer = { _, _ in .failed("busy", retryAfter: .seconds(90_000)) }
    let before = desk.sent.count
    desk.pass(from: 2001, to: 8000)
    let later = desk.sent.dropFirst(before).map(\.at)
    #expect(later.count == 2 && (3600...4501).contains(later[1] - later[0]), "\(later)")
  }

  /// One refused as it is does not come again, until something of it changes; other incidents go on.
  @Test func refused() throws {
    let checks = try ["a", "b"].map { try makeCheck($0, host: "\($0).example") }
    var desk = Desk(settings(), checks)
    desk.answer = { message, _ in message.title.hasPrefix("a") ? .refused("400 no") : .delivered }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 60)
    #expect(desk.sent.count == 2 && desk.told.map(\.message.title) == ["b is down: refused"])
    let holds = desk.book.decisions(desk.context(60)).compactMap { _, _, decision -> NotifyStage? in
      if case .hold(let stage, _, _, _) = decision { stage } else { nil }
    }
    #expect(Set(holds) == [.deduplicate, .wait], "a is held as refused, b has its reminder to come")
    #expect(desk.book.notifier.state(of: "ops").failed[.opened] == 1)
  }

  /// What is refused with a template is tried once more without it.
  @Test func refusedWithATemplate() throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.channels[0].template.title = try AlertTemplate.parse("{{title}}")
    var book = AlertBook(settings, now: reading(0), generator: Counter())
    book.apply([shop], DependencyGraph(), now: reading(0))
    book.note(result(shop, .down, at: 0), now: reading(0))
    var plain: [Bool] = []
    for second in 0..<20 {
      book.advance(to: reading(Int64(second)))
      for notification in book.next(NotifyContext(now: reading(Int64(second)), settings: settings)) {
        plain.append(notification.isPlain)
        book.finish(notification, .refused("400"), title: "", now: reading(Int64(second)))
      }
    }
    #expect(plain == [false, true])
    #expect(book.notifier.state(of: "ops").failed == [.opened: 1], "one notification, tried twice")
  }

  /// Of three recipients one is not taken at first: the others once, that one again, alone, until it takes it.
  @Test func recipients() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    desk.answer = { _, second in second < 30 ? .partly("452", remaining: ["c@x.example"]) : .delivered }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 100)
    #expect(desk.sent[0].recipients == nil)
    #expect(desk.sent.dropFirst().allSatisfy { $0.recipients == ["c@x.example"] } && desk.sent.count >= 3)
    #expect(Set(desk.sent.map(\.id)).count == 1 && desk.told.count == 1)
  }

  /// The wall clock a day ahead when it begins, right six seconds later: on time, and so is the reminder.
  @Test(arguments: [86_400, -86_400]) func clock(step: Int64) throws {
    let shop = try makeCheck("Shop")
    var settings = settings()
    settings.groupWait = .seconds(15)
    settings.remind = .seconds(60)
    var desk = Desk(settings, [shop])
    desk.step = step
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    desk.step = 0
    desk.pass(from: 6, to: 140)
    #expect(desk.told.map(\.at) == [15, 75, 135] && desk.kinds == [.opened, .update, .update])
    desk.up(shop, at: 141)
    desk.pass(from: 141, to: 160)
    #expect(desk.kinds.last == .recovered && desk.told.last?.at == 156)
  }

  private enum Point: CaseIterable { case decided, written, sent, answered, noted }

  /// Killed at each point between the decision and its note: each difference is delivered, each id at most twice, and no
  /// message says what is not so.
  @Test func killedAnywhere() throws {
    let shop = try makeCheck("Shop")
    let settings = settings()
    let first = Int.random(in: 0..<1_000_000)
    print("deaths of a notifier from the round \(first) on")
    for round in first..<first + 60 {
      for point in Point.allCases {
        var chance = Counter(state: UInt64(round * 7 + 1))
        var arrived: [(id: UniqueID, kind: AlertMessage.Kind)] = []
        var desk = Desk(settings, [shop])
        var disk = try desk.saved(at: 0)
        let (down, up) = (Int64(1), Int64.random(in: 5...40, using: &chance))
        let death = Int64.random(in: 1...(up + 10), using: &chance)
        var isDead = false
        for second in 0..<120 {
          let second = Int64(second)
          if second >= down, second < up { desk.down(shop, at: second) }
          if second >= up { desk.up(shop, at: second) }
          desk.book.advance(to: reading(second))
          if desk.book.isDirty { disk = try desk.saved(at: second) }
          for notification in desk.book.next(desk.context(second)) {
            let message = try #require(desk.writer.message(notification, now: after(second)))
            let dies = !isDead && second >= death
            func die() throws {
              desk = Desk(settings, [shop], saved: disk, at: second)
              isDead = true
            }
            if dies, point == .decided { try die(); break }
            disk = try desk.saved(at: second)
            if dies, point == .written { try die(); break }
            arrived.append((message.id, message.kind))
            if dies, point == .sent { try die(); break }
            if dies, point == .answered { try die(); break }
            desk.book.finish(notification, .delivered, title: "", now: reading(second))
            if dies, point == .noted { try die(); break }
            disk = try desk.saved(at: second)
          }
        }
        var counts: [UniqueID: Int] = [:]
        for message in arrived { counts[message.id, default: 0] += 1 }
        #expect(counts.values.allSatisfy { $0 <= 2 }, "\(point) \(round): \(arrived)")
        var kinds: [AlertMessage.Kind] = []
        for message in arrived where kinds.last != message.kind { kinds.append(message.kind) }
        #expect(
          kinds == [.opened, .recovered] || kinds == [.recovered] || (kinds.isEmpty && up - down <= 3),
          "\(point) \(round): \(arrived)")
      }
    }
  }

  /// What was kept before there was a log: what was told stays told, what waited in the outbox is sent.
  @Test func oldFormat() throws {
    let shop = try makeCheck("Shop")
    let id = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    func file(waiting kind: String?) throws -> JSONValue {
      let outbox = kind.map { kind in
        """
        {"channel":"ops","queued":"\(after(20).rfc3339)","message":{"id":"\(id)","incident":"\(id)","kind":"\(kind)"}}
        """
      }
      return try JSONValue.parse(
        """
        {"version":1,"digest_up_to":"\(after(0).rfc3339)","open":[{"id":"\(id)","subject":"availability",
        "begin":"\(after(0).rfc3339)","opened":"\(after(0).rfc3339)",
        "told":[{"channel":"ops","first":"\(after(15).rfc3339)","last":"\(after(15).rfc3339)","severity":"high","level":1,
        "digest":false,"over":false}],"members":[{"rule":"down","check":"\(shop.id)","subject":"availability",
        "severity":"high","name":"Shop","state":"down","since":"\(after(0).rfc3339)","level":1,
        "joined":"\(after(0).rfc3339)"}]}],"over":[],"outbox":[\(outbox ?? "")]}
        """.utf8)
    }
    let cases: [(String?, [AlertMessage.Kind])] = [(nil, [.recovered]), ("opened", [.opened, .recovered])]
    for (waiting, expected) in cases {
      var desk = Desk(settings(), [shop], saved: try file(waiting: waiting), at: 30)
      desk.down(shop, at: 31)
      desk.pass(from: 31, to: 50)
      desk.up(shop, at: 51)
      desk.pass(from: 51, to: 60)
      #expect(desk.kinds == expected && desk.told.allSatisfy { $0.message.incident == id })
    }
  }
}
