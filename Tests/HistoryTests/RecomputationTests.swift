// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// The running totals against painting every cell of time: the error must be zero.
@Suite struct RecomputationTests {
  struct Plan: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var interval: Duration
    var slots: Int

    var testDescription: String { "seed \(seed), every \(interval.text), \(slots) slots" }
  }

  static let plans: [Plan] = [1, UInt64.random(in: 1000...(1 << 40))].flatMap { seed in
    [
      Plan(seed: seed, interval: .seconds(60), slots: 12_000),
      Plan(seed: seed + 100, interval: .seconds(900), slots: 9_500),
    ]
  }

  /// Up most of the time, in stretches; gaps; some runs come up to 40 slots late.
  private func arrivals(_ plan: Plan, _ dice: inout Dice) -> [Run] {
    var order: [(due: Int, run: Run)] = []
    var state = CheckState.up
    var missing = 0
    for number in 0..<plan.slots {
      if dice.chance(40) { state = CheckState.allCases.randomElement(using: &dice) ?? .up }
      if dice.chance(300) { missing = Int.random(in: 1...60, using: &dice) }
      missing -= 1
      if missing >= 0 { continue }
      var run = Run(slot: midnight + plan.interval * number, state: state)
      run.latency = .microseconds(Int64.random(in: 200...2_000_000, using: &dice))
      run.maintenance = dice.chance(50)
      if dice.chance(70) { run.trigger = .manual }
      run.delay = .milliseconds(Int64.random(in: 0...900, using: &dice))
      order.append((number + (dice.chance(25) ? Int.random(in: 1...40, using: &dice) : 0), run))
    }
    return order.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
      .map(\.element.run)
  }

  private func expectEqual(_ store: HistoryStore, _ slow: Recomputation, now: Timestamp) {
    let figures = store.checks(now: now)
    for period in UptimePeriod.allCases {
      let window = figures.window(period)
      #expect(window.time == slow.time(period, now: now), "\(period.rawValue) at \(now)")
      #expect(window.counts == slow.counts(period, now: now), "\(period.rawValue) at \(now)")
      expectData(window, slow.time(period, now: now), period, now: now)
      let latencies = slow.latencies(period, now: now)
      #expect(window.latency?.count ?? 0 == Int64(latencies.count))
      #expect(window.latency?.minimum.microseconds == latencies.first)
      #expect(window.latency?.maximum.microseconds == latencies.last)
    }
  }

  /// `data` is the judged share of the whole window, so never more than `coverage`, which leaves out what was not due.
  private func expectData(_ window: WindowStatus, _ time: Tally, _ period: UptimePeriod, now: Timestamp) {
    let span = Recomputation.start(period, now: now).duration(to: now).microseconds
    #expect(window.span == span && window.data.span == span)
    #expect(window.data.judged == time.up + time.degraded + time.down)
    let share = min(100, Double(time.up + time.degraded + time.down) * 100 / Double(span))
    #expect(abs(window.data.percent - share) < 1e-9, "\(period.rawValue) at \(now)")
    #expect(window.data.percent <= window.coverage ?? 0 || window.coverage == nil && share == 0)
    #expect(window.data.isThin == (share > 0 && share < 1))
  }

  @Test(arguments: plans)
  func gapsLateArrivalsAndManualRuns(_ plan: Plan) throws {
    var dice = Dice(state: plan.seed)
    let check = try makeCheck(interval: plan.interval)
    let store = makeStore(check)
    let runs = arrivals(plan, &dice)
    for (index, run) in runs.enumerated() {
      store.record(run.result(of: check), interval: plan.interval)
      // Reading in between moves the windows' edges the way a page that reloads does.
      if index % 500 == 0 { _ = store.checks(now: run.slot + plan.interval) }
    }
    var slow = Recomputation(cell: .seconds(60), origin: midnight, interval: plan.interval)
    slow.paint(runs)
    let end = midnight + plan.interval * (plan.slots + 1)
    for offset in [0, 7, 130, 1000, 5000] { expectEqual(store, slow, now: end + .seconds(60) * offset) }
  }

  /// An hour is lived twice: both lives count, so that an outage in the second one is not lost.
  @Test(arguments: [1, UInt64.random(in: 1000...(1 << 40))]) func clockSetBack(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let store = makeStore(check)
    var first = grid(2000)
    let back = Int.random(in: 20...900, using: &dice)
    var second = grid(1500, from: midnight + .seconds(60) * (2000 - back))
    for index in first.indices where dice.chance(9) { first[index].state = .down }
    for index in second.indices where dice.chance(9) { second[index].state = .degraded }
    for run in first + second { store.record(run.result(of: check), interval: .seconds(60)) }
    var slow = Recomputation(cell: .seconds(60), origin: midnight, interval: .seconds(60))
    slow.paint(first)
    slow.paint(second)
    let now = midnight + .seconds(60) * (3500 - back)
    expectEqual(store, slow, now: now)
    #expect(store.checks(now: now).window(.week).coverage == 100)
  }

  /// A clock fifty years off for ten minutes costs ten minutes, not the history.
  @Test(arguments: [1, -1]) func clockFarOff(_ sign: Int) throws {
    let check = try makeCheck()
    let runs = grid(9000)
    let store = makeStore(check, runs: runs)
    let elsewhere = midnight + .seconds(50 * 31_557_600 * sign)
    for run in grid(10, from: elsewhere) { store.record(run.result(of: check), interval: .seconds(60)) }
    _ = store.checks(now: elsewhere + .seconds(600))
    let resumed = grid(50, from: midnight + .seconds(60) * 9010)
    for run in resumed { store.record(run.result(of: check), interval: .seconds(60)) }
    let now = midnight + .seconds(60) * 9060
    let window = store.checks(now: now).window(.week)
    #expect(window.time.up == 9050 * 60_000_000)
    #expect(window.uptime == 100)
    #expect(store.checks(now: now).window(.day).time.up >= 1300 * 60_000_000)
  }

  @Test(arguments: [1, UInt64.random(in: 1000...(1 << 40))]) func restartsChangeNothing(_ seed: UInt64) throws
  {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let plan = Plan(seed: seed, interval: .seconds(60), slots: 2000)
    let runs = arrivals(plan, &dice)
    let steady = makeStore(check)
    var store = makeStore(check)
    var saved = store.files()
    for (index, run) in runs.enumerated() {
      let sequence = UInt64(index + 1)
      steady.record(run.result(of: check), interval: .seconds(60), sequence: sequence)
      store.record(run.result(of: check), interval: .seconds(60), sequence: sequence)
      if dice.chance(200) { saved = store.files() }
      if dice.chance(400) {
        store = HistoryStore(decoding: saved)
        #expect(store.damage == nil)
        store.apply([check], now: midnight)
        // From the start: what the snapshot has must not count again.
        for (earlier, run) in runs[...index].enumerated() {
          store.replay(run.record(of: check, sequence: UInt64(earlier + 1)), interval: .seconds(60))
        }
      }
    }
    let now = midnight + .seconds(60) * 2000
    let left = store.checks(now: now)
    let right = steady.checks(now: now)
    for period in UptimePeriod.allCases { #expect(left.window(period) == right.window(period)) }
    #expect(left.first?.last == right.first?.last)
    #expect(left.first?.since == right.first?.since)
    #expect(store.appliedThrough == UInt64(runs.count))
  }
}
