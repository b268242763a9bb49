// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What `once --count` says of its rounds.
@Suite struct LatencySummaryTests {
  private func summary(_ milliseconds: [Int]) throws -> LatencySummary {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    let check = try MonitoringCheck(definition)
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

  /// Of a sample, from unequal times; the same by definition.
  @Test func theSpreadIsTheSamples() throws {
    #expect(try summary([2, 4, 4, 4, 5, 5, 7, 9]).deviation == 2.138)
    #expect(try summary([9, 2, 5, 4, 7, 4, 5, 4]).deviation == 2.138)
    #expect(try summary([40, 42]).deviation == 1.414)
    #expect(try summary([40]).deviation == nil && summary([]).deviation == nil)
    #expect(try summary([40, 40, 40]).deviation == 0)
  }

  /// Beyond three times the distance of the quartiles: here 20 and 40, so below -40 and above 100.
  @Test func whatLiesFarOutIsCounted() throws {
    #expect(try summary([10, 20, 20, 30, 30, 40, 40, 100]).outliers == 0)
    #expect(try summary([10, 20, 20, 30, 30, 40, 40, 101]).outliers == 1)
    #expect(try summary([10, 20, 20, 30, 30, 40, 101]).outliers == nil)
    let text = try summary([10, 20, 20, 30, 30, 40, 40, 101]).json
    #expect(text.contains("\"stddev_ms\":28.071,\"jitter_ms\":13,\"outliers\":1"), "\(text)")
  }

  /// Nothing is made up where there is no success.
  @Test func noValuesNoPercentile() throws {
    #expect(try summary([]).percentile(0.5) == nil)
  }

  /// On a narrow terminal the columns of least worth leave, one after the other: the check and its median stay.
  @Test func columnsThatLeave() throws {
    let rows = [try summary([10, 20, 30, 45]), try summary([7])]
    var heads: [[String]] = []
    for width in (10...100).reversed() {
      let lines = LatencySummary.table(rows, width: width).split(separator: "\n")
      #expect(lines.count == 3)
      let head = (lines.first ?? "").split(separator: " ").map(String.init)
      if head != heads.last { heads.append(head) }
    }
    let all = ["RUNS", "LOSS", "MIN", "P50", "P95", "P99", "MAX", "STDDEV", "JITTER"]
    let order = ["MIN", "RUNS", "STDDEV", "MAX", "P99", "JITTER", "P95", "LOSS"]
    let wanted = (0...order.count).map { left in all.filter { !order.prefix(left).contains($0) } }
    let found = heads.map { $0.filter { all.contains($0) } }
    #expect(found.prefix(wanted.count) == wanted[...])
    #expect(found.dropFirst(wanted.count).allSatisfy { $0 == ["P50"] || $0.isEmpty })
  }
}
