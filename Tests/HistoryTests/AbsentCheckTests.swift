// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import History

/// A check that is away for a while, and a store that knows less than the history.
@Suite struct AbsentCheckTests {
  private let start = Timestamp(seconds: 1_767_225_600)

  private func check() throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.name = "Shop"
    definition.type = "tcp"
    definition.host = "shop.test"
    definition.port = 443
    return try MonitoringCheck(definition)
  }

  private func result(_ check: MonitoringCheck, at time: Timestamp, _ verdict: Verdict = .ok) -> CheckResult {
    var generator = SystemRandomNumberGenerator()
    return CheckResult(
      id: .v7(at: time, using: &generator), check: check, trigger: .schedule, scheduledAt: time,
      startedAt: time,
      late: .zero, verdict: verdict)
  }

  private func store() -> HistoryStore {
    HistoryStore()
  }

  /// A day of results, and more than a day without any: the end of the last verdict before it is told when the first one
  /// after it comes, and must not take that one's place.
  @Test func theFirstVerdictAfterADayAwayIsCounted() throws {
    let check = try check()
    let store = store()
    store.apply([check], now: start)
    for slot in 0..<1500 {
      store.record(result(check, at: start.advanced(by: .seconds(60 * slot))), interval: .seconds(60))
    }
    let back = start.advanced(by: .seconds(60 * (1500 + 30 * 60)))
    var first = result(check, at: back)
    first.responseTime = .milliseconds(10)
    store.record(first, interval: .seconds(60))
    let window = try #require(store.checks(now: back.advanced(by: .seconds(30))).first?.window(.day))
    #expect(window.counts.up == 1)
    #expect(window.latency?.count == 1)
    #expect(window.time.up == 30_000_000)
  }

  @Test func figuresWaitAWeekForTheCheckToComeBack() throws {
    let check = try check()
    let store = store()
    store.apply([check], now: start)
    store.record(result(check, at: start), interval: .seconds(60), sequence: 1)
    store.apply([], now: start.advanced(by: .seconds(120)))
    #expect(store.checks(now: start.advanced(by: .seconds(120))).isEmpty)
    #expect(store.recent(check.id) == nil)
    store.apply([check], now: start.advanced(by: .seconds(180)))
    let back = store.checks(now: start.advanced(by: .seconds(180)))
    #expect(back.first?.window(.day).counts.up == 1)

    store.apply([], now: start.advanced(by: .seconds(8 * 86_400)))
    store.apply([check], now: start.advanced(by: .seconds(8 * 86_400)))
    let late = store.checks(now: start.advanced(by: .seconds(8 * 86_400)))
    #expect(late.first?.window(.month).counts.up == 0, "after a week without it, it starts again")
  }

  @Test func whatTheStoreLostIsNotMistakenForCounted() throws {
    let check = try check()
    let store = store()
    store.apply([check], now: start)
    store.record(result(check, at: start), interval: .seconds(60), sequence: 1)
    store.record(result(check, at: start.advanced(by: .seconds(60))), interval: .seconds(60), sequence: 2)
    store.recount(after: 1)
    #expect(store.appliedThrough == 1)
    let down = Verdict(.connectRefused)
    let again = start.advanced(by: .seconds(120))
    store.record(result(check, at: again, down), interval: .seconds(60), sequence: 2)
    let status = try #require(store.checks(now: again.advanced(by: .seconds(60))).first)
    #expect(status.state == .down)
    // What was seen stays: the minute of the lost result is up, and the next one is counted under its number.
    let day = status.window(.day)
    #expect(day.counts.up == 2 && day.counts.down == 1)
    #expect(day.time.up == 120_000_000 && day.time.down == 60_000_000)
  }

  /// The numbers of a store begin far above 0, and until the first of them is accounted for the history says of none that
  /// all before it are counted; a check knows its own all the same.
  @Test func aCheckThatCountedMoreThanTheStoreHasTakesTheNumbersAgain() throws {
    let check = try check()
    let store = store()
    let base: UInt64 = 1_780_350_024_000_000
    store.apply([check], now: start)
    for minute in 0..<3 {
      store.record(
        result(check, at: start.advanced(by: .seconds(60 * minute))), interval: .seconds(60),
        sequence: base + UInt64(minute))
    }
    #expect(store.appliedThrough == 0)
    store.recount(after: base)
    for minute in 3..<5 {
      store.record(
        result(check, at: start.advanced(by: .seconds(60 * minute))), interval: .seconds(60),
        sequence: base + UInt64(minute - 2))
    }
    let now = start.advanced(by: .seconds(300))
    let day = try #require(store.checks(now: now).first).window(.day)
    #expect(day.counts.up == 5)
    #expect(day.time.up == 300_000_000)
  }

  @Test func whatTheStoreHoldsIsCountedOnceItWasReplayed() throws {
    let check = try check()
    let store = store()
    let base: UInt64 = 1_780_350_024_000_000
    store.apply([check], now: start)
    store.replayed(through: base - 1, now: start)
    #expect(store.appliedThrough == base - 1)
    store.record(result(check, at: start), interval: .seconds(60), sequence: base)
    #expect(store.appliedThrough == base)
    // Those that came before the end of the replay count as well.
    store.record(
      result(check, at: start.advanced(by: .seconds(60))), interval: .seconds(60), sequence: base + 3)
    store.replayed(through: base + 2, now: start.advanced(by: .seconds(60)))
    #expect(store.appliedThrough == base + 3)
    store.replayed(through: base, now: start.advanced(by: .seconds(60)))
    #expect(store.appliedThrough == base + 3)
  }

  @Test func recordsOfACheckThatIsNotBackYetAreCounted() throws {
    let check = try check()
    let store = store()
    let record = DeliveryRecord(result(check, at: start), agent: "a", flags: [])
    store.replay(QueuedRecord(sequence: 1, record: record), interval: .seconds(60))
    store.apply([check], now: start.advanced(by: .seconds(30)))
    let status = store.checks(now: start.advanced(by: .seconds(30))).first
    #expect(status?.window(.day).counts.up == 1)
    #expect(status?.state == .up)
  }
}
