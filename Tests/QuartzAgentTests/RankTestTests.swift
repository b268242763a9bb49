// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Testing

@testable import QuartzAgent

/// Against scipy 1.x, `scipy.stats.mannwhitneyu(a, b, alternative="two-sided", method=…)`.
@Suite struct RankTestTests {
  private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-9 * max(1e-3, abs(b)) }

  /// Few values without ties: `method="exact"`.
  @Test func smallSamplesAreCountedOut() {
    let a = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    let b = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06001, 3.14, 1.29001]
    #expect(isClose(RankTest(a, b).p, 0.13591114767585355))
    #expect(isClose(RankTest(b, a).p, 0.13591114767585355))
    #expect(isClose(RankTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p, 0.007936507936507936))
  }

  /// Ties, or many values: `method="asymptotic"` with its correction for continuity.
  @Test func largeSamplesAndTiesAreApproximated() {
    #expect(isClose(RankTest([1, 2, 2, 3, 5], [2, 4, 4, 6, 7, 8]).p, 0.07934368319771502))
    let coarse = RankTest(
      [Double](repeating: 12, count: 30) + [Double](repeating: 13, count: 5),
      [Double](repeating: 13, count: 30) + [Double](repeating: 14, count: 6))
    #expect(isClose(coarse.p, 1.1528811118306684e-12))
    let row = (0..<100).map(Double.init)
    #expect(isClose(RankTest(row, row.map { $0 + 7.5 }).p, 0.0779164997764631))
    #expect(RankTest([1, 1, 1], [1, 1, 1]).p == 1)
  }

  /// One value of many that looks far out is expected.
  @Test func manyLooksCostTheirPrice() {
    let adjusted = RankTest.adjusted([0.01, 0.04, 0.03, 0.005])
    #expect(zip(adjusted, [0.03, 0.06, 0.06, 0.02]).allSatisfy { isClose($0, $1) })
    #expect(RankTest.adjusted([]).isEmpty && RankTest.adjusted([0.9, 0.8]) == [1, 1])
  }

  /// A million times are a matter of a sort.
  @Test func manyValuesTakeNoTime() {
    let a = (0..<200_000).map { Double($0 % 1000) }
    #expect(RankTest(a, a.map { $0 + 5 }).p < 0.001)
  }
}
