// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Random lives of a check: its outages add up to the windows' down time, before and after a restart.
@Suite struct OutageTimeTests {
  /// Long stretches, so that 64 outages are enough for the whole life; holes, late arrivals, maintenance, skipped slots,
  /// spanned ones, and faster probing while down.
  private func live(_ store: HistoryStore, _ check: MonitoringCheck, _ dice: inout Dice) -> Timestamp {
    var late: [(due: Int, run: Run)] = []
    var state = CheckState.up
    var (missing, maintained, skipped, sequence) = (0, 0, 0, UInt64(0))
    func record(_ run: Run, _ interval: Duration, _ spanned: SlotRange? = nil) {
      sequence += 1
      store.record(
        run.result(of: check, number: sequence), interval: interval, sequence: sequence, spanned: spanned)
    }
    let slots = 3000
    for number in 0..<slots {
      let slot = midnight + .seconds(60 * number)
      if dice.chance(60) { state = CheckState.allCases.randomElement(using: &dice) ?? .up }
      if dice.chance(400) { missing = Int.random(in: 1...30, using: &dice) }
      if dice.chance(400) { maintained = Int.random(in: 1...30, using: &dice) }
      if dice.chance(700) { skipped = Int.random(in: 1...30, using: &dice) }
      (missing, maintained, skipped) = (missing - 1, maintained - 1, skipped - 1)
      for (_, run) in late.filter({ $0.due <= number }) { record(run, .seconds(60)) }
      late.removeAll { $0.due <= number }
      if missing >= 0 { continue }
      if skipped >= 0 {
        store.skipped(check.id, slot: slot, interval: .seconds(60))
        continue
      }
      var run = Run(slot: slot, state: state)
      run.maintenance = maintained >= 0
      if dice.chance(40), state == .down {
        for second in stride(from: 0, to: 60, by: 15) {
          record(Run(slot: slot + .seconds(second), state: .down), .seconds(15))
        }
      } else if dice.chance(60) {
        late.append((number + Int.random(in: 1...4, using: &dice), run))
      } else if dice.chance(80) {
        let count = Int.random(in: 1...5, using: &dice)
        missing = count
        record(
          run, .seconds(60), SlotRange(first: slot + .seconds(60), count: count, interval: .seconds(60)))
      } else {
        record(run, .seconds(60))
      }
    }
    return midnight + .seconds(60 * slots)
  }

  private func down(_ outages: [Outage], from: Timestamp, now: Timestamp) -> Int64 {
    outages.reduce(0) { sum, outage in
      let end = min(outage.end ?? outage.heldUntil, now)
      return sum + max(0, max(from, outage.begin).duration(to: end).microseconds)
    }
  }

  /// The sum of the outages inside a window is its down time, to the microsecond, whatever came in whichever order.
  @Test(arguments: [UInt64](1...16)) func outagesAreTheDownTimeOfTheWindows(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let store = makeStore(check)
    let end = live(store, check, &dice)
    for after in [0, 20, 61, 400, 90_000] {
      let now = end + .seconds(after)
      let outages = try #require(store.outages(check.id, now: now))
      try #require(outages.count < Outage.limit, "the test wants a life that fits")
      for period in UptimePeriod.allCases {
        let window = store.checks(now: now).window(period)
        #expect(
          down(outages, from: window.from, now: now) == window.time.down, "\(period.rawValue) +\(after) s")
      }
      // None touches another: what is unbroken is one.
      for (left, right) in zip(outages, outages.dropFirst()) { #expect(left.heldUntil < right.begin) }
    }
    let now = end + .seconds(30)
    let restored = HistoryStore(decoding: store.files())
    restored.apply([check], now: now)
    #expect(restored.damage == nil)
    #expect(restored.outages(check.id, now: now) == store.outages(check.id, now: now))
    #expect(restored.checks(now: now).first?.counts == store.checks(now: now).first?.counts)
  }

  /// The points of a line are the window: times, successes, and no more of them than asked for.
  @Test(arguments: [UInt64](1...6)) func theLineIsTheWindow(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let check = try makeCheck()
    let store = makeStore(check)
    let now = live(store, check, &dice) + .seconds(Int64.random(in: 0...600, using: &dice))
    for period in UptimePeriod.allCases {
      let window = store.checks(now: now).window(period)
      for wanted in [2, 7, 60, 120, 300] {
        let line = try #require(store.series(check.id, period, now: now, points: wanted))
        #expect(line.count <= wanted && line.count >= min(wanted, 90) / 2)
        #expect(line.reduce(into: Tally()) { $0 += $1.time } == window.time)
        #expect(line.reduce(0) { $0 + $1.count } == window.latency?.count ?? 0)
        #expect(line.first?.start == window.from)
        #expect(line.reduce(0) { $0 + $1.width.microseconds } == window.span)
        for (left, right) in zip(line, line.dropFirst()) {
          #expect(left.start.advanced(by: left.width) == right.start)
        }
        #expect(line.allSatisfy { ($0.mean == nil) == ($0.count == 0) && ($0.p95 == nil) == ($0.count == 0) })
      }
    }
  }

  /// The edges of points stay where they are while time goes on.
  @Test func pointsDoNotSlide() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(600))
    let first = try #require(store.series(check.id, .day, now: midnight + .seconds(36_000), points: 100))
    let second = try #require(store.series(check.id, .day, now: midnight + .seconds(36_300), points: 100))
    #expect(
      Set(second.dropFirst().map(\.start)).isSubset(
        of: Set(first.map(\.start) + [midnight + .seconds(36_000)])))
  }
}
