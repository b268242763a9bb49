// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// A snapshot of more checks than are looked at at once.
@Suite struct LargeSnapshotTests {
  @Test(arguments: [0, 1, 31, 32, 33, 64, 100]) func everyCheckInItsPlaceWithItsFigures(count: Int) throws {
    let checks = try (0..<count).map { try makeCheck("check \($0)") }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    for (place, check) in checks.enumerated() {
      for minute in 0...place {
        let run = Run(slot: midnight + .seconds(60 * minute), state: minute % 2 == 0 ? .up : .down)
        store.record(
          run.result(of: check), interval: .seconds(60), sequence: UInt64(place * 200 + minute + 1))
      }
    }
    let figures = store.checks(now: midnight + .seconds(7200))
    #expect(figures.map(\.name) == checks.map(\.name))
    let down = figures.map { Int($0.window(.day).counts.down) }
    let wanted = (0..<count).map { ($0 + 1) / 2 }
    #expect(down == wanted)
  }
}
