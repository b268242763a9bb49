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
    // 450: half of 120 and of the second stretch the half that has passed: 60 + 120.
    #expect(found == [120, 180, 240, 360, 240, 300])
  }
}
