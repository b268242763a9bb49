// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// What programs read of results: exit codes, JUnit, figures over rounds.
@Suite struct OutputRulesTests {
  private func result(_ verdict: Verdict, name: String = "Shop", milliseconds: Double = 5) throws
    -> CheckResult
  {
    var result = try Explained.http(verdict) { $0.check = name }
    result.responseTime = Explained.ms(milliseconds)
    return result
  }

  /// One that is down decides, then one that is unknown; nothing that was run is no pass.
  @Test(
    arguments: [
      ([], 3), ([.up], 0), ([.up, .degraded], 1), ([.up, .down], 2), ([.down, .up], 2),
      ([.unknown, .down, .up], 2),
      ([.up, .unknown, .degraded], 3),
    ] as [([CheckState], Int32)])
  func theWorstDecides(states: [CheckState], status: Int32) {
    #expect(ExitStatus.of(states) == status)
  }

  /// A result that says nothing about the target is an error, and not a pass.
  @Test func whatIsUnknownIsAnError() throws {
    let text = renderJUnit(
      [
        try result(.ok), try result(Verdict(.localFault, phase: .connect, message: "no descriptor")),
        try result(Verdict(.httpStatus, phase: .assertion, message: "status 503")),
      ], ["Bank"])
    #expect(text.contains("tests=\"4\" failures=\"1\" errors=\"2\""))
    #expect(text.contains("<error type=\"local_fault\" message=\"local_fault: no descriptor\"/>"))
    #expect(text.contains("name=\"Bank\"><error type=\"stopped\""))
  }

  /// A name may hold what XML means otherwise.
  @Test func namesAreEscaped() throws {
    let text = renderJUnit([try result(.ok, name: "a & b < c > d \"e\"")])
    #expect(text.contains("name=\"a &amp; b &lt; c &gt; d &quot;e&quot;\""))
  }

  /// The smallest value that so many are not above: of ten, the median is the fifth.
  @Test func aPercentileIsAValueAtItsRank() throws {
    let results = try [7, 3, 10, 1, 9, 2, 8, 4, 6, 5].map { try result(.ok, milliseconds: $0) }
    let summary = LatencySummary(check: "Shop", results: results)
    #expect([0.01, 0.1, 0.11, 0.5, 0.9, 0.95, 1].map { summary.percentile($0) } == [1, 1, 2, 5, 9, 10, 10])
    #expect(summary.minimum == 1 && summary.maximum == 10 && summary.loss == 0)
    #expect(LatencySummary(check: "Shop", results: []).percentile(0.5) == nil)
  }
}
