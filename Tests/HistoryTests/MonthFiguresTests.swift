// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// Months of a check, from its results.
@Suite struct MonthFiguresTests {
  private let hour: Int64 = 3_600_000_000
  private let january = CalendarPeriod.month(CalendarMonth(midnight))

  private func at(_ day: Int, _ hour: Int) -> Timestamp {
    midnight + .seconds((day - 1) * 86_400 + hour * 3600)
  }

  /// January 2026, a run an hour: two outages, one of them over midnight; an hour each of degraded, unknown and maintenance;
  /// the 8th is missing.
  private func runs() -> [Run] {
    let states: [Timestamp: CheckState] = [
      at(2, 23): .down, at(3, 0): .down, at(10, 5): .down, at(5, 10): .degraded, at(6, 10): .unknown,
    ]
    return grid(31 * 24, every: .seconds(3600)).filter { $0.slot < at(8, 0) || $0.slot >= at(9, 0) }.map {
      run in
      var run = run
      run.state = states[run.slot] ?? .up
      run.maintenance = run.slot == at(20, 12)
      return run
    }
  }

  private func check(_ found: MonthFigures?) throws {
    let month = try #require(found)
    #expect(month.period == january && month.span == 744 * hour && month.enabled == 744 * hour)
    #expect(Standing.allCases.map { month.time[$0] / hour } == [714, 1, 3, 1, 1])
    #expect(Standing.allCases.map { month.counts[$0] } == [714, 1, 3, 1, 1])
    #expect(month.uptime == 715 * 100 / 718.0 && month.coverage == 718 * 100 / 743.0)
    #expect(month.data == DataShare(judged: 718 * hour, span: 744 * hour))
    #expect(month.outages == 2 && !month.mayHaveMore && month.longest == 2 * hour)
    #expect(month.maintenanceDays == 1)
    let ten = Duration.milliseconds(10)
    #expect(month.latency == MonthLatency(count: 715, mean: ten, medianP95: ten, highestP95: ten))
  }

  /// The same at the month's end, after a restart, and when the windows have long forgotten it.
  @Test func aMonthIsKept() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(check, runs: runs())
    let february = january.end
    store.record(Run(slot: february).result(of: check), interval: check.interval)
    let first = try #require(store.periods(through: january, count: 1, now: february)[check.id])
    try self.check(first.periods.first)
    #expect(first.periods.count == 1 && first.days.count == 31 && first.begins == midnight)
    #expect(first.days[7].time.judged == 0 && first.days[0].time.up == 24 * hour)
    #expect(first.outages.map(\.begin) == [at(2, 23), at(10, 5)])

    let restored = HistoryStore(decoding: store.files())
    #expect(restored.damage == nil)
    restored.apply([check], now: february)
    for run in grid(120 * 24, every: .seconds(3600), from: february + .seconds(3600)) {
      restored.record(run.result(of: check), interval: check.interval)
    }
    let june = february + .seconds(120 * 86_400)
    let months = try #require(restored.periods(through: january.adding(4), count: 6, now: june)[check.id])
    #expect(
      months.periods.map(\.period.text) == ["2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05"])
    try self.check(months.periods[1])
    #expect(months.periods[0].uptime == nil && months.periods[0].coverage == nil)
    #expect(months.periods[2].uptime == 100 && months.periods[2].coverage == 100)
    #expect(months.begins == midnight)
    // The outages of January are older than 90 days.
    #expect(try #require(restored.periods(through: january, count: 1, now: june)[check.id]).outages.isEmpty)
  }

  /// The newest verdict counts until now, and the days to come are not there.
  @Test func theRunningMonthIsUntilNow() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(
      check, runs: [Run(slot: midnight), Run(slot: midnight + .seconds(3600), state: .down)])
    let now = midnight + .seconds(5400)
    let months = try #require(store.periods(through: january, count: 1, now: now)[check.id])
    let month = try #require(months.periods.last)
    #expect(month.span == 3 * hour / 2 && month.time.up == hour && month.time.down == hour / 2)
    #expect(month.outages == 1 && month.longest == hour / 2 && months.days.count == 1)
    #expect(months.outages.first?.isOver == false)
  }

  /// 23:00 comes after the first run of the next day: the day is folded again, and whole.
  @Test func aLateVerdictIsInItsDay() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(check, runs: grid(23, every: .seconds(3600)) + [Run(slot: at(2, 0))])
    func firstDay(_ now: Timestamp) -> Int64? {
      store.periods(through: january, count: 1, now: now)[check.id]?.days.first?.time.up
    }
    #expect(firstDay(at(2, 0)) == 23 * hour)
    store.record(Run(slot: at(1, 23)).result(of: check), interval: check.interval)
    #expect(firstDay(at(2, 0)) == 24 * hour)
    store.record(Run(slot: at(2, 1)).result(of: check), interval: check.interval)
    #expect(firstDay(at(2, 1)) == 24 * hour)
  }

  /// Of 499 finished days the last 428 are there.
  @Test func thirteenMonthsAreKept() throws {
    let check = try makeCheck(interval: .seconds(86_400))
    let store = makeStore(check, runs: grid(500, every: .seconds(86_400)))
    let now = midnight + .seconds(500 * 86_400)
    let months = store.periods(through: .month(CalendarMonth(now)), count: 14, now: now)[check.id]
    #expect(months?.begins == midnight + .seconds(71 * 86_400))
    #expect(months?.periods.map(\.uptime) == Array(repeating: 100, count: 14))
    #expect(months?.periods.first?.time.up == 30 * 24 * hour)
  }

  /// A check that is not configured is in no report.
  @Test func aCheckThatIsGoneIsLeftOut() throws {
    let check = try makeCheck(interval: .seconds(3600))
    let store = makeStore(check, runs: grid(30, every: .seconds(3600)))
    store.apply([], now: at(2, 6))
    #expect(store.periods(through: january, count: 1, now: at(2, 6)).isEmpty)
    store.apply([check], now: at(2, 8))
    #expect(
      store.periods(through: january, count: 1, now: at(2, 8))[check.id]?.periods.first?.time.up == 30 * hour)
  }

  /// Whatever comes, and in whatever order: the days add up to the window of 90 days, also after a restart.
  @Test(arguments: [1, UInt64.random(in: 2...(.max))]) func theDaysAddUpToTheWindow(seed: UInt64) throws {
    print("the days of a window from the seed \(seed)")
    var dice = Dice(state: seed)
    let others: [CheckState] = [.down, .degraded, .unknown]
    let check = try makeCheck(interval: .seconds(3600))
    var runs = grid(80 * 24, every: .seconds(3600)).filter { _ in !dice.chance(9) }
    for index in runs.indices {
      if dice.chance(6) { runs[index].state = others[Int(dice.next() % 3)] }
      runs[index].maintenance = dice.chance(20)
      if index > 0, dice.chance(15) { runs.swapAt(index, index - 1) }
    }
    var store = makeStore(check)
    for (index, run) in runs.enumerated() {
      if index == 1000 {
        store = HistoryStore(decoding: store.files())
        store.apply([check], now: run.slot)
      }
      store.record(run.result(of: check), interval: check.interval)
    }
    let now = midnight + .seconds(80 * 86_400)
    let months = try #require(store.periods(through: january.adding(2), count: 3, now: now)[check.id]).periods
    var (time, counts) = (Tally(), Tally())
    for month in months {
      time += month.time
      counts += month.counts
    }
    let window = store.checks(now: now).window(.quarter)
    #expect(time == window.time && counts == window.counts, "\(seed)")
  }
}
