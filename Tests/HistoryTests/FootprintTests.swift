// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// The cost of 90 full days of a check.
@Suite struct FootprintTests {
  @Test(arguments: [60, 900]) func ninetyDaysStayUnder48KiB(_ interval: Int) throws {
    var dice = Dice(state: 5)
    let check = try makeCheck(interval: .seconds(interval))
    var history = CheckHistory()
    history.configure(check, now: midnight)
    for number in 0..<(91 * 86_400 / interval) {
      var run = Run(slot: midnight + .seconds(interval * number))
      // Log-normal round 80 ms with a long tail, as web services have it; an outage and a slow spell a day.
      let spread = (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -0.25...0.25, using: &dice) }
      run.latency = .microseconds(
        Int64(80_000 * (1 + spread + 0.4 * spread * spread)) * (dice.chance(50) ? 4 : 1))
      if number * interval % 86_400 < 1800 { run.state = .down }
      if number * interval % 86_400 > 82_000 { run.state = .degraded }
      history.add(LastResult(run.result(of: check)), interval: check.interval, sequence: nil)
    }
    let now = midnight + .seconds(91 * 86_400)
    let status = history.figures(now: now)
    #expect(status?.window(.quarter).coverage == 100)
    print("history of one check, every \(interval) s, 90 days full: \(history.footprint) bytes")
    #expect(history.footprint <= 48 * 1024)
  }
}
