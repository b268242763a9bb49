// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Where the history keeps what it holds, and what it leaves out to hold it in less.
@Suite struct HistoryTableTests {
  private func id(_ number: Int) -> UniqueID { UniqueID(high: 1, low: UInt64(number)) }

  /// Whatever goes, everybody else is found with what is their own.
  @Test func whoStaysIsFoundAfterOthersGo() {
    var table = HistoryTable()
    var dice = Dice(state: 3)
    var expected: [UniqueID: Int] = [:]
    for number in 0..<400 {
      if dice.chance(3), let gone = expected.keys.min(), let place = table.place(of: gone) {
        table.remove(at: place)
        expected[gone] = nil
      }
      let place = table.insert(id(number))
      table[place: place].miss(number)
      expected[id(number)] = number
    }
    #expect(table.count == expected.count)
    for number in 0..<400 {
      #expect(table.place(of: id(number)).map { table[place: $0].missed } == expected[id(number)])
    }
    #expect(zip(table.keys, table.all).allSatisfy { expected[$0] == $1.missed })
  }

  /// An id that is there has one place.
  @Test func nobodyIsThereTwice() {
    var table = HistoryTable()
    #expect(table.insert(id(1)) == table.insert(id(1)))
    #expect(table.count == 1)
  }

  /// While a series has one bucket its windows are that bucket, as long as they reach it, also with a clock set back.
  @Test func oneBucketIsTheTotalOfTheWindowsThatHoldIt() {
    var series = BucketSeries(SeriesShape(width: 10, windows: [3, 6]))
    #expect(series.totals(0, now: 50).counts.up == 0)
    series.count(.up, at: 55, latency: 7)
    for (now, short, long) in [(59, 1, 1), (79, 1, 1), (89, 0, 1), (109, 0, 1), (119, 0, 0), (49, 0, 0)] {
      #expect(series.totals(0, now: Int64(now)).counts.up == Int64(short), "at \(now)")
      #expect(series.totals(1, now: Int64(now)).counts.up == Int64(long), "at \(now)")
    }
    // A second one, after somebody has looked: both count, each where it belongs.
    series.count(.down, at: 85, latency: nil)
    #expect(series.totals(0, now: 89).counts.judged == 1)
    #expect(series.totals(1, now: 89).counts.judged == 2)
  }

  /// Windows of a series that was read equal those of one that was never written, whenever they are looked at, and also
  /// where more is counted after the reading.
  @Test(arguments: [1, UInt64.random(in: 1000...(1 << 40))]) func whatWasReadIsCounted(seed: UInt64) throws {
    var dice = Dice(state: seed)
    for _ in 0..<40 {
      let shape = SeriesShape(width: 10, windows: [3, 6, 20])
      var live = BucketSeries(shape)
      var now: Int64 = 1000
      for _ in 0..<Int.random(in: 0..<60, using: &dice) {
        now += Int64.random(in: 0..<25, using: &dice)
        let standing: Standing = Bool.random(using: &dice) ? .up : .down
        let slot = now - Int64.random(in: 0..<40, using: &dice)
        live.count(
          standing, at: slot, latency: standing == .up ? Int64.random(in: 1..<900, using: &dice) : nil)
      }
      var writer = ByteWriter()
      live.encode(into: &writer)
      var read = BucketSeries(shape)
      var reader = ByteReader(writer.bytes)
      try read.decode(from: &reader)
      for _ in 0..<6 {
        for index in 0..<3 {
          let (one, other) = (read.totals(index, now: now), live.totals(index, now: now))
          #expect(one.counts == other.counts, "window \(index) at \(now)")
          #expect(Self.facts(one.latency) == Self.facts(other.latency), "window \(index) at \(now)")
        }
        now += Int64.random(in: -20..<70, using: &dice)
        live.count(.up, at: now, latency: 5)
        read.count(.up, at: now, latency: 5)
      }
    }
  }

  /// Extremes mean nothing where there is no latency.
  private static func facts(_ sum: LatencySum) -> [Int64] {
    sum.count == 0 ? [] : [sum.count, sum.sum, sum.minimum, sum.maximum]
  }

  /// A tally adds and takes away each standing by itself, and equals another by its numbers alone.
  @Test func talliesAddUp() {
    for standing in Standing.allCases {
      var (one, two) = (Tally(), Tally())
      one[standing] = 3
      two[standing] = 2
      one += two
      #expect(Standing.allCases.map { one[$0] } == Standing.allCases.map { $0 == standing ? 5 : 0 })
      one -= two
      one -= two
      two[standing] = 1
      #expect(one == two && one.hashValue == two.hashValue)
      one -= two
      #expect(one == Tally())
    }
  }
}
