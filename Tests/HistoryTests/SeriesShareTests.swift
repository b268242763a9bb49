// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// Down within the last so many, where the window begins within a stretch of five minutes.
@Suite struct SeriesShareTests {
  /// Down in minutes 3 and 4, and 6 to 9: 120 s of the first five minutes, 240 s of the second.
  private func store(_ check: MonitoringCheck) -> HistoryStore {
    let runs = grid(60).enumerated().map { minute, run in
      var run = run
      run.state = [3, 4, 6, 7, 8, 9].contains(minute) ? .down : .up
      return run
    }
    return makeStore(check, runs: runs)
  }

  /// Begin of the window in seconds since midnight, and seconds down: of a stretch that the window has in part, that part.
  @Test(
    arguments: [
      (-3600, 360), (0, 360), (30, 348), (60, 336), (150, 300), (200, 280), (299, 240), (300, 240),
      (315, 228),
      (450, 120), (525, 60), (599, 0), (600, 0), (3000, 0),
    ] as [(Int64, Int64)])
  func whatTheWindowHas(begin: Int64, down: Int64) throws {
    let check = try makeCheck()
    let now = midnight.advanced(by: .seconds(3600))
    let found = store(check).down(check.id, last: .seconds(3600 - begin), now: now)
    // In whole seconds, rounded down.
    #expect(found.map { $0.microseconds / 1_000_000 } == down, "\(found.map(\.description) ?? "nothing")")
  }

  /// The 95th percentile of a point is within its own least and greatest, though it is read from a whole hour or day.
  @Test(arguments: UptimePeriod.allCases) func percentilesOfPoints(period: UptimePeriod) throws {
    let check = try makeCheck()
    let runs = grid(60).enumerated().map { minute, run in
      // 0.964 ms in the first half hour, 300 ms in the second.
      Run(slot: run.slot, latency: .microseconds(minute < 30 ? 964 : 300_000))
    }
    let store = makeStore(check, runs: runs)
    let now = midnight.advanced(by: .seconds(3600))
    let line = try #require(store.series(check.id, period, now: now, points: 300)).filter { $0.count > 0 }
    for point in line {
      let (p95, maximum) = (try #require(point.p95), try #require(point.maximum))
      #expect(p95 <= maximum && p95 >= .microseconds(964))
    }
    // Of points of five minutes the first six have one value only.
    if period == .day {
      #expect(line.map(\.maximum) == (0..<12).map { .microseconds($0 < 6 ? 964 : 300_000) })
      #expect(line.map(\.p95) == line.map(\.maximum))
    }
  }

  /// An outage that lasts counts in full at each minute, wherever it began in a stretch of five minutes.
  @Test(arguments: [600, 660, 840], 1...7) func anOutageThatLasts(begin: Int, minutes: Int) throws {
    let check = try makeCheck()
    let runs = grid(begin / 60 + minutes).enumerated().map { minute, run in
      Run(slot: run.slot, state: minute < begin / 60 ? .up : .down)
    }
    let now = midnight.advanced(by: .seconds(begin + 60 * minutes))
    #expect(
      makeStore(check, runs: runs).down(check.id, last: .seconds(3600), now: now) == .seconds(60 * minutes))
  }

  /// It moves on with the time, and is never more than the window.
  @Test func itMovesOn() throws {
    let check = try makeCheck()
    let store = store(check)
    let spans: [Int64] = [300, 300, 300, 600, 600, 900]
    let nows: [Int64] = [300, 450, 600, 600, 900, 1050]
    let found = zip(spans, nows).map { span, now in
      store.down(check.id, last: .seconds(span), now: midnight.advanced(by: .seconds(now)))
        .map { $0.microseconds / 1_000_000 }
    }
    // 450: half of 120, and of the second stretch no more than has passed: 60 + 150.
    #expect(found == [120, 210, 240, 360, 240, 300])
  }
}
