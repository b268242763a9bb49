// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Testing

@Suite struct UsualTimeTests {
  private let begin = Timestamp(seconds: 1_767_492_000)

  @Test func whatIsUsualTakesTheDayOrTheWeek() throws {
    let store = HistoryStore()
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("A", "tcp", "a.example", 1)
    definition.interval = .seconds(3600)
    let check = try MonitoringCheck(definition)
    store.apply([check], now: begin)
    #expect(store.usual(check.id, now: begin) == nil)
    for hour in 0..<120 {
      let slot = begin.advanced(by: .seconds(3600 * hour))
      var result = CheckResult(
        id: UniqueID(high: 1, low: UInt64(hour)), check: check, trigger: .schedule, scheduledAt: slot,
        startedAt: slot, late: .zero, verdict: .ok)
      result.responseTime = .milliseconds(50)
      store.record(result, interval: .seconds(3600))
    }
    let usual = try #require(store.usual(check.id, now: begin.advanced(by: .seconds(3600 * 120))))
    #expect(usual.count >= 100 && usual.p99 == .milliseconds(50))
  }
}
