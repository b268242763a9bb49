// SPDX-License-Identifier: MIT

import Basics
import Glibc
@testable import History
import HistorySupport
import Monitoring
import Testing

/// Quantiles against the exact ones: within 2 % for the short windows, 5 % for the long ones.
@Suite struct LatencyTests {
  enum Shape: String, CaseIterable, Sendable {
    case narrow, wide, twoPeaks, tiny
  }

  /// Microseconds.
  private func sample(_ shape: Shape, _ dice: inout Dice) -> Int64 {
    switch shape {
    case .narrow: Int64.random(in: 9_500...10_500, using: &dice)
    case .wide: Int64(exp(Double.random(in: 4...17, using: &dice)))
    case .twoPeaks: dice.chance(10) ? Int64.random(in: 2_000_000...2_100_000, using: &dice) : 12_345
    case .tiny: Int64.random(in: 0...60, using: &dice)
    }
  }

  @Test(arguments: Shape.allCases) func quantilesAreWithinTheirError(_ shape: Shape) throws {
    var dice = Dice(state: 42)
    let check = try makeCheck()
    let store = makeStore(check)
    var all: [Int64] = []
    for var run in grid(5 * 1440) {
      let latency = sample(shape, &dice)
      all.append(latency)
      run.latency = .microseconds(latency)
      store.record(run.result(of: check), interval: .seconds(60))
    }
    let figures = store.checks(now: midnight + .seconds(5 * 86_400 - 1))
    for (period, error) in [(UptimePeriod.week, 0.02), (.month, 0.05), (.quarter, 0.05)] {
      try expect(figures.window(period), all, within: error)
    }
    // 24h: the sketches begin at a whole hour, 23 to 24 hours ago; here that is exactly a day.
    try expect(figures.window(.day), Array(all.suffix(1440)), within: 0.02)
  }

  /// Successes that are all older than the hour (24h) or the day (30d) at which the sketches begin: sums are exact, quantiles
  /// within the least and the most, in the share of a group too.
  @Test(
    arguments: [
      // From 23:55 of the first day on; the first success is before it.
      (.day, [(82_860, 900), (86_160, 10), (86_220, 20)], 172_330),
      // From the tenth day, 06:00 on.
      (.month, [(864_000, 900), (864_000 + 43_200, 10), (864_000 + 43_260, 20)], 40 * 86_400 + 3600),
    ] as [(UptimePeriod, [(Int, Int)], Int)])
  func successesOfTheFirstBucket(period: UptimePeriod, runs: [(Int, Int)], seconds: Int) throws {
    let check = try makeCheck()
    let store = makeStore(
      check,
      runs: runs.map { Run(slot: midnight + .seconds($0.0), latency: .milliseconds($0.1)) })
    let now = midnight + .seconds(seconds)
    let window = store.checks(now: now).window(period)
    let stats = try #require(window.latency)
    #expect(window.counts.up == 2 && stats.count == 2 && stats.mean == .milliseconds(15))
    #expect(stats.minimum == .milliseconds(10) && stats.maximum == .milliseconds(20))
    for quantile in [stats.p50, stats.p90, stats.p95, stats.p99] {
      #expect(quantile >= stats.minimum && quantile <= stats.maximum)
    }
    let share = try #require(store.share(of: check.id, now: now))
    let merged = try #require(WindowShare.merged([share], now: now))
    #expect(merged.first { $0.period == period }?.latency == stats)
    // Of one success all figures are its own.
    let one = makeStore(check, runs: [Run(slot: midnight + .seconds(runs[2].0), latency: .milliseconds(20))])
    let alone = try #require(one.checks(now: now).window(period).latency)
    #expect(
      alone
        == LatencyStats(
          count: 1, mean: .milliseconds(20), minimum: .milliseconds(20), maximum: .milliseconds(20),
          p50: .milliseconds(20), p90: .milliseconds(20), p95: .milliseconds(20), p99: .milliseconds(20)))
  }

  private func expect(_ window: WindowStatus, _ values: [Int64], within error: Double) throws {
    let stats = try #require(window.latency)
    let sorted = values.sorted()
    #expect(stats.count == Int64(sorted.count))
    #expect(stats.minimum.microseconds == sorted.first)
    #expect(stats.maximum.microseconds == sorted.last)
    #expect(stats.mean.microseconds == sorted.reduce(0, +) / Int64(sorted.count))
    for (share, value) in [(50, stats.p50), (90, stats.p90), (95, stats.p95), (99, stats.p99)] {
      let exact = Double(sorted[(sorted.count * share + 99) / 100 - 1])
      // Latencies are whole microseconds: half of one is no error.
      #expect(
        abs(Double(value.microseconds) - exact) <= max(0.5, exact * error), "p\(share) of \(window.period)")
    }
  }

  /// Every number of values has its own rank (nearest rank: the smallest that p % do not exceed), here with values so far
  /// apart that the one beside it is no error of the sketch.
  @Test(arguments: 1...27) func theRankIsExact(_ count: Int) throws {
    let check = try makeCheck()
    let store = makeStore(check)
    var values: [Int64] = []
    for (number, slot) in grid(count).enumerated() {
      var run = slot
      var value: Int64 = 100
      for _ in 0..<(number * 7 % count) { value += value / 2 }
      values.append(value)
      run.latency = .microseconds(value)
      store.record(run.result(of: check), interval: .seconds(60))
    }
    let figures = store.checks(now: midnight + .seconds(60 * Int64(count)))
    for period in UptimePeriod.allCases { try expect(figures.window(period), values, within: 0.05) }
  }

  /// The same with a hundred values and one more or less, where the ranks of the percents move.
  @Test(arguments: [19, 20, 21, 99, 100, 101, 199, 200, 201]) func theRankOfTheTailIsExact(_ count: Int)
    throws
  {
    let check = try makeCheck()
    let store = makeStore(check)
    // All alike but around the ranks asked for, where each value is half as large again.
    let ranks = [50, 90, 95, 99].map { (count * $0 + 99) / 100 }
    var value: Int64 = 100
    var values: [Int64] = []
    for rank in 1...count {
      if ranks.contains(where: { abs($0 - rank) <= 1 }) { value += value / 2 }
      values.append(value)
    }
    for (value, slot) in zip(values.shuffled(), grid(count)) {
      var run = slot
      run.latency = .microseconds(value)
      store.record(run.result(of: check), interval: .seconds(60))
    }
    let figures = store.checks(now: midnight + .seconds(60 * Int64(count)))
    for period in UptimePeriod.allCases { try expect(figures.window(period), values, within: 0.05) }
  }

  @Test func onlySuccessesCount() throws {
    var runs = grid(4)
    runs[1].state = .down
    runs[2].state = .unknown
    runs[3].state = .degraded
    runs[3].latency = .milliseconds(30)
    let window = makeStore(try makeCheck(), runs: runs).checks(now: midnight + .seconds(240)).window(.day)
    #expect(window.latency?.count == 2)
    #expect(window.latency?.mean == .milliseconds(20))
  }
}
