// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// What is asked of single checks: their usual time, their downtime, and their latest results.
@Suite struct ReadingRuleTests {
  private let day = Duration.seconds(86_400)

  private func record(
    _ store: HistoryStore, _ check: MonitoringCheck, _ count: Int, from start: Timestamp, _ latency: Duration
  ) {
    for run in grid(count, from: start) {
      var run = run
      run.latency = latency
      store.record(run.result(of: check), interval: check.interval)
    }
  }

  /// Of the last day where it has a hundred results, else of the week, whatever that has.
  @Test(
    arguments: [
      (100, 1000, 100, 20), (99, 1000, 1099, 200), (3, 0, 3, 20), (0, 7, 7, 200), (150, 900, 150, 20),
    ] as [(Int, Int, Int64, Int64)])
  func theUsualTime(recent: Int, older: Int, count: Int64, milliseconds: Int64) throws {
    let check = try makeCheck()
    let store = makeStore(check)
    let now = midnight + day * 4
    // Ten days before, and so in neither.
    record(store, check, 500, from: midnight + day * -6, .seconds(9))
    record(store, check, older, from: midnight, .milliseconds(200))
    record(store, check, recent, from: now + .seconds(-60 * recent), .milliseconds(20))
    let usual = try #require(store.usual(check.id, now: now))
    #expect(usual.count == count)
    let exact = Double(milliseconds) * 1000
    #expect(abs(Double(usual.p99.microseconds) - exact) <= exact * 0.02)
  }

  @Test func nothingIsUsualWithoutResults() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    record(store, check, 500, from: midnight + day * -10, .milliseconds(20))
    #expect(store.usual(check.id, now: midnight) == nil)
    record(store, check, 2, from: midnight, .milliseconds(20))
    #expect(store.usual(check.id, now: midnight + .seconds(120))?.count == 2)
    store.apply([], now: midnight + .seconds(120))
    #expect(store.usual(check.id, now: midnight + .seconds(120)) == nil)
    #expect(store.usual(UniqueID(high: 1, low: 2), now: midnight) == nil)
  }

  /// A minute of downtime forty days ago, one three days ago and one an hour ago: each span has what lies in it.
  @Test func downtimeOfEachSpan() throws {
    let check = try makeCheck()
    let store = makeStore(check, enabledAt: midnight + day * -50)
    for start in [midnight + day * -40, midnight + day * -3, midnight + .seconds(-3600)] {
      store.record(Run(slot: start, state: .down).result(of: check), interval: check.interval)
      store.record(Run(slot: start + .seconds(60)).result(of: check), interval: check.interval)
    }
    for (span, minutes) in [
      (.seconds(1800), 0), (.seconds(7200), 1), (day, 1), (day * 7, 2), (day * 30, 2), (day * 90, 3),
    ] as [(Duration, Int64)] {
      #expect(store.down(check.id, last: span, now: midnight) == .seconds(60 * minutes), "\(span)")
    }
    #expect(store.down(UniqueID(high: 1, low: 2), last: day, now: midnight) == nil)
    store.apply([], now: midnight)
    #expect(store.down(check.id, last: day, now: midnight) == nil)
  }

  /// A run by hand is not the latest of the schedule; what has no run, or is gone, is left out.
  @Test func theLatestOfTheSchedule() throws {
    let names = ["both", "by hand", "none", "gone"]
    let checks = try names.map { try makeCheck($0) }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    for (place, number, trigger) in [
      (0, 1, .schedule), (0, 2, .schedule), (0, 3, .manual), (1, 4, .manual), (3, 5, .schedule),
    ] as [(Int, UInt64, Trigger)] {
      let run = Run(slot: midnight + .seconds(Int64(number) * 60), state: .degraded, trigger: trigger)
      store.record(run.result(of: checks[place], number: number), interval: .seconds(60))
    }
    #expect(store.latestScheduled { $0.id.low } == [checks[0].id: 2, checks[3].id: 5])
    #expect(store.lastStates == [checks[0].id: .degraded, checks[3].id: .degraded])
    store.apply(Array(checks.dropLast()), now: midnight + .seconds(600))
    #expect(store.latestScheduled { $0.id.low } == [checks[0].id: 2])
    #expect(store.lastStates == [checks[0].id: .degraded])
    #expect(store.recent(checks[0].id)?.map(\.id.low) == [3, 2, 1])
    #expect(store.recent(checks[2].id) == [] && store.recent(checks[3].id) == nil)
    #expect(store.kept.results == 4 && store.kept.bytes > 0)
    #expect(store.checks(now: midnight).map(\.name) == ["both", "by hand", "none"])
    #expect(store.checks(now: midnight) { $0.missed } == [0, 0, 0])
  }

  /// More checks than are looked at in one go are all there, in their order.
  @Test(arguments: [31, 32, 33, 65]) func everyCheckInItsOrder(count: Int) throws {
    let checks = try (0..<count).map { try makeCheck("check \($0)") }
    let store = HistoryStore()
    store.apply(checks.reversed(), now: midnight)
    #expect(store.checks(now: midnight).map(\.id) == checks.reversed().map(\.id))
    let other = try makeCheck("other")
    #expect(store.knows(checks) && !store.knows(checks + [other]))
  }
}
