// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Which results call for a look at the way.
@Suite struct TraceRuleTests {
  /// Slow is more than so many times the usual, which has to be known from a hundred results.
  @Test(
    arguments: [
      (301, 100, 3, true), (300, 100, 3, false), (301, 99, 3, false), (301, 101, 3, true),
      (101, 100, 1, true),
      (100, 100, 1, false), (9000, 100, 0, false), (9000, 100, -1, false),
    ] as [(Int64, Int64, Int, Bool)])
  func slowness(took: Int64, count: Int64, factor: Int, isSlow: Bool) throws {
    var result = CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(.http()), trigger: .schedule,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, verdict: .ok)
    let usual = TraceUsual(count: count, p99: .milliseconds(100))
    #expect(TraceRule.slowness(result, usual, factor: factor) == nil)
    result.responseTime = .milliseconds(took)
    let slow = TraceCause.slow(took: .milliseconds(took), usual: usual)
    #expect(TraceRule.slowness(result, usual, factor: factor) == (isSlow ? slow : nil))
    #expect(TraceRule.slowness(result, nil, factor: factor) == nil)
  }
}
