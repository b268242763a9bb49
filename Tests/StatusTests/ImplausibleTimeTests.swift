// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// A clock without a battery, or one that jumped decades ahead: what it stamped is flagged, not believed.
@Suite struct ImplausibleTimeTests {
  @Test(
    "C1: results of a clock that nobody can believe count in no window, are counted, and still say how the target is",
    arguments: [0, 946_684_800, 7_500_000_000, 100_000_000_000] as [Int64], [false, true])
  func unbelievable(seconds: Int64, replayed: Bool) throws {
    let check = try makeCheck()
    let wrong = Timestamp(seconds: seconds)
    let good = Array(grid(10))
    let store = makeStore(check, runs: replayed ? [] : good)
    if replayed {
      for (index, run) in good.enumerated() {
        store.replay(run.record(of: check, sequence: UInt64(index + 1)), interval: check.interval)
      }
    }
    let now = midnight + .seconds(600)
    let before = try #require(store.status(of: check.id, now: now))
    for index in 0..<5 {
      let run = Run(slot: wrong.advanced(by: .seconds(60 * Int64(index))), state: .down)
      if replayed {
        store.replay(run.record(of: check, sequence: UInt64(20 + index)), interval: check.interval)
      } else {
        store.record(run.result(of: check), interval: check.interval)
      }
    }
    let after = try #require(store.status(of: check.id, now: now))
    #expect(after.windows == before.windows, "not a second of the windows moved")
    #expect(after.implausible == 5 && before.implausible == 0)
    let problems = store.snapshot(now: now).problems.map(\.what)
    #expect(
      problems.contains { $0.hasPrefix("the clock of this machine was wrong: 5 results bear a time before") })
    // Set right again, it goes on as if nothing had been.
    store.record(Run(slot: now).result(of: check, number: 99), interval: check.interval)
    let later = try #require(store.status(of: check.id, now: now + .seconds(60)))
    #expect(later.state == .up)
    #expect(later.window(.day).time.down == 0)
    #expect(later.window(.day).time.up == 11 * 60_000_000)
  }

  @Test("C1: a clock that is wrong now is told with what to do")
  func wrongNow() throws {
    let store = makeStore(try makeCheck(), enabledAt: Timestamp(seconds: 100))
    let problem = try #require(store.snapshot(now: Timestamp(seconds: 200)).problems.first)
    #expect(problem.what.hasPrefix("the clock of this machine is wrong"))
    #expect(problem.hint?.contains("timedatectl") == true)
    #expect(store.snapshot(now: midnight).problems.allSatisfy { !$0.what.contains("clock") })
  }

  @Test("C1: a stamp that is only a while ahead waits for its time")
  func ahead() throws {
    let store = makeStore(
      try makeCheck(), runs: grid(5) + [Run(slot: midnight + .seconds(86_400), state: .down)])
    let window = store.snapshot(now: midnight + .seconds(300)).window(.day)
    #expect(window.time.down == 0)
    #expect(window.time.up == 300_000_000)
  }
}
