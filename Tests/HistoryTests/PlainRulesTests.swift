// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// The rules of the history one at a time, in small numbers.
@Suite struct PlainRulesTests {
  /// A verdict of twenty minutes lies in four buckets of five, and leaves the window bucket by bucket.
  @Test(arguments: [true, false]) func aLongVerdictLeavesTheWindowBitByBit(isAskedOften: Bool) throws {
    let check = try makeCheck(interval: .seconds(1200))
    // The next run settles the first, and says nothing of the target.
    let runs = [Run(slot: midnight), Run(slot: midnight + .seconds(1200), state: .unknown)]
    let store = makeStore(check, runs: runs)
    for (after, minutes) in [(86_399, 20), (86_400, 15), (86_699, 15), (86_700, 10), (87_300, 0)]
      as [(Int64, Int64)]
    {
      let asked = isAskedOften ? store : makeStore(check, runs: runs)
      let day = asked.checks(now: midnight + .seconds(after)).window(.day)
      #expect(day.time.up == minutes * 60_000_000, "after \(after) s")
      #expect(day.counts.up == (after < 86_400 ? 1 : 0))
    }
  }

  /// A window is so many buckets long however it was counted: a step back and a step forward count it again.
  @Test func aWindowThatIsCountedAnewHasItsLength() {
    var series = BucketSeries(SeriesShape(width: 10, windows: [3, 6]))
    for key in 0..<6 { series.count(.up, at: 10 * Int64(key), latency: nil) }
    for now in [59, 49, 29, 59, 69, 39] as [Int64] {
      let held = (0..<Int64(6)).count { (10 * $0)...(10 * $0 + 29) ~= now }
      #expect(series.totals(0, now: now).counts[.up] == Int64(held), "at \(now)")
    }
  }

  /// What other buckets gave a bin stays in it.
  @Test(arguments: [(3, 1, 2), (3, 2, 1), (3, 3, nil)] as [(UInt32, UInt32, UInt32?)])
  func aBinKeepsItsRest(first: UInt32, taken: UInt32, left: UInt32?) {
    var (sketch, other) = (LatencySketch(), LatencySketch())
    sketch.add(7, first)
    other.add(7, taken)
    sketch -= other
    #expect(sketch.bins.map(\.count) == (left.map { [$0] } ?? []))
  }

  /// A bin that does not exist is damage: its value would be looked up beyond the edges.
  @Test func aSketchBeyondItsEdgesIsDamaged() throws {
    for (index, isSound) in [(LatencyBins.edges.count - 1, true), (LatencyBins.edges.count, false)] {
      var (sketch, writer) = (LatencySketch(), ByteWriter())
      sketch.add(UInt16(index))
      sketch.encode(into: &writer)
      var reader = ByteReader(writer.bytes)
      #expect((try? LatencySketch(from: &reader)) == (isSound ? sketch : nil))
    }
  }

  /// Time is claimed once, whatever it is claimed by.
  @Test func whatIsClaimedIsNotClaimedAgain() {
    var claimed = ClaimedTime()
    #expect(claimed.claim(Span(start: 0, end: 10)) == [Span(start: 0, end: 10)])
    #expect(claimed.claim(Span(start: 20, end: 30)) == [Span(start: 20, end: 30)])
    #expect(claimed.claim(Span(start: 40, end: 50)) == [Span(start: 40, end: 50)])
    #expect(claimed.claim(Span(start: 5, end: 45)) == [Span(start: 10, end: 20), Span(start: 30, end: 40)])
    #expect(claimed.claim(Span(start: 0, end: 50)).isEmpty)
    #expect(claimed.claim(Span(start: -5, end: 55)) == [Span(start: -5, end: 0), Span(start: 50, end: 55)])
  }

  /// Enabled time is that between switching on and off, inside what is asked for.
  @Test func enabledTimeIsWhatLiesBetween() {
    var time = EnabledTime()
    time.set(true, at: 100)
    time.set(false, at: 200)
    time.set(true, at: 250)
    #expect(time.spans == [Span(start: 100, end: 200), Span(start: 250, end: .max)])
    #expect(time.length(from: 0, to: 300) == 150)
    #expect(time.length(from: 150, to: 260) == 60)
    #expect(time.length(from: 210, to: 240) == 0)
    #expect(time.length(from: 260, to: 300) == 40)
  }

  /// A result that arrives after a later one tells of the past and changes nothing that is.
  @Test func aLateArrivalDoesNotChangeTheState() throws {
    let check = try makeCheck()
    let store = makeStore(
      check, runs: [Run(slot: midnight + .seconds(120)), Run(slot: midnight + .seconds(60), state: .down)])
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(130)))
    #expect(status.state == .up && status.failures == 0)
    #expect(status.since == midnight + .seconds(120))
    #expect(status.window(.day).counts.down == 1)
  }

  /// Failures count one after the other: a success begins again, and what nobody could judge changes nothing.
  @Test(
    arguments: [
      ([.down, .down], 2), ([.down, .down, .up], 0), ([.down, .up, .down], 1),
      ([.down, .degraded, .down], 1),
      ([.down, .unknown, .down], 2),
    ] as [([CheckState], Int)])
  func aSuccessEndsTheCountOfFailures(states: [CheckState], failures: Int) throws {
    let check = try makeCheck()
    let runs = states.enumerated().map { Run(slot: midnight + .seconds(60 * $0.offset), state: $0.element) }
    let status = try #require(
      makeStore(check, runs: runs).figures(of: check.id, now: midnight + .seconds(600)))
    #expect(status.failures == failures)
  }

  /// A check without a result for three intervals and a minute is stale, unless its slots were left out on purpose.
  @Test(arguments: [true, false]) func skippedSlotsAreNoSilence(areSkipped: Bool) throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(1))
    if areSkipped {
      for minute in 1...10 {
        store.skipped(check.id, slot: midnight + .seconds(60 * minute), interval: .seconds(60))
      }
    }
    let status = try #require(store.figures(of: check.id, now: midnight + .seconds(660)))
    #expect(status.stale == !areSkipped)
  }

  /// A window holds its last buckets and no others, also when it moves on after the last one has left it, and
  /// the longest window and one bucket more are kept.
  @Test func aWindowThatMovesOn() {
    var series = BucketSeries(SeriesShape(width: 10, windows: [3]))
    let filled = (0..<8 as Range<Int64>).map { key in
      for _ in 0..<2 { series.count(.up, at: 10 * key, latency: nil) }
      return series.totals(0, now: 10 * key).counts[.up]
    }
    #expect(filled == [2, 4, 6, 6, 6, 6, 6, 6])
    var keys: [Int64] = []
    series.forEach { keys.append($0.key) }
    #expect(keys == [4, 5, 6, 7])
    let emptied = (7..<14 as Range<Int64>).map { series.totals(0, now: 10 * $0).counts[.up] }
    #expect(emptied == [6, 4, 2, 0, 0, 0, 0])
  }

  /// The points of a line have edges on whole multiples of their step, and each key from the first to the last
  /// is in one.
  @Test(
    arguments: [
      (5, 14, 3, [nil, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, nil], [4, 8, 12]),
      (-3, 2, 2, [nil, 0, 0, 0, 1, 1, 1, nil], [-3, 0]), (7, 9, 3, [nil, 0, 1, 2, nil], [7, 8, 9]),
    ] as [(Int64, Int64, Int, [Int?], [Int64])])
  func theGridOfALine(first: Int64, last: Int64, points: Int, places: [Int?], edges: [Int64]) {
    let grid = SeriesGrid(first: first, last: last, points: points)
    #expect(((first - 1)...(last + 1)).map { grid.place(of: $0) } == places)
    #expect((0..<grid.count).map { grid.keys($0).lowerBound } == edges)
    let ends = (0..<grid.count).map { grid.keys($0).upperBound }
    #expect(Array(ends.dropLast()) == Array(edges.dropFirst()) && ends.last ?? 0 > last)
  }

  /// Results are counted by their state and their reason together.
  @Test func countsAreOfPairs() {
    var counts = ResultCounts()
    for (state, reason) in [
      (.down, .connectRefused), (.down, .httpStatus), (.degraded, .httpStatus), (.down, .httpStatus),
    ] as [(CheckState, Reason)] {
      counts.add(state, reason)
    }
    #expect(counts.pairs.map(\.state) == [.down, .down, .degraded])
    #expect(counts.pairs.map(\.reason) == [.connectRefused, .httpStatus, .httpStatus])
    #expect(counts.pairs.map(\.count) == [1, 2, 1])
  }

  /// A check is stale after three intervals and a minute, and one that is switched off never is.
  @Test(arguments: [(240, true, false), (241, true, true), (241, false, false)])
  func silenceOfWhatIsProbed(after seconds: Int, isEnabled: Bool, isStale: Bool) throws {
    let store = makeStore(try makeCheck(), runs: grid(1))
    let check = try makeCheck(enabled: isEnabled)
    store.apply([check], now: midnight + .seconds(60))
    #expect(store.figures(of: check.id, now: midnight + .seconds(seconds))?.stale == isStale)
  }
}
