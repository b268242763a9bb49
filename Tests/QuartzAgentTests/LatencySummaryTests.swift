// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What `once --count` says of its rounds.
@Suite struct LatencySummaryTests {
  private func summary(_ milliseconds: [Int]) throws -> LatencySummary {
    let check = try tcpCheck("Shop")
    let results = milliseconds.enumerated().map { index, value in
      var result = CheckResult(
        id: UniqueID(high: 1, low: UInt64(index)), check: check, trigger: .manual, scheduledAt: .epoch,
        startedAt: .epoch, late: .zero, verdict: .ok)
      result.responseTime = .milliseconds(value)
      return result
    }
    return LatencySummary(check: "Shop", results: results)
  }

  /// Nearest rank: the smallest value that this share of all does not exceed.
  @Test(arguments: 1...40) func theRankIsExact(count: Int) throws {
    let summary = try summary((1...count).reversed())
    for (share, percent) in [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100)] {
      #expect(summary.percentile(share) == Double((count * percent + 99) / 100), "p\(percent) of \(count)")
    }
  }

  /// Nothing is made up where there is no success.
  @Test func noValuesNoPercentile() throws {
    #expect(try summary([]).percentile(0.5) == nil)
  }
}
