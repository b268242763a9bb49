// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Counts and histograms, on both sides of each bound.
@Suite struct HistoryRuleTests {
  /// A bound belongs to the bucket below it; what is above all has a place of its own.
  @Test func bucketsOfAHistogram() {
    let bounds: [Int64] = [
      1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
      10_000_000, 30_000_000, 60_000_000,
    ]
    #expect(LatencyHistogram.bounds == bounds)
    for (index, bound) in bounds.enumerated() {
      var histogram = LatencyHistogram()
      histogram.add(.microseconds(bound))
      histogram.add(.microseconds(bound + 1))
      histogram.add(.microseconds(bound + 1))
      #expect(histogram.counts[index] == 1 && histogram.counts[index + 1] == 2)
      #expect(histogram.count == 3 && histogram.sum == 3 * bound + 2 && histogram.zeros == 0)
    }
  }

  /// Bucket i is for more than 2^((i-1)/8) seconds, up to 2^(i/8).
  @Test(
    arguments: [
      (1_000_000, 0), (1_000_001, 1), (2_000_000, 8), (2_000_001, 9), (1_999_999, 8), (500_000, -8),
      (500_001, -7), (1_090_507, 1), (1_090_509, 2), (4_000_000, 16), (256_000_000, 64), (300_000_000, 64),
      (1, -159),
    ] as [(Int64, Int)])
  func fineBuckets(microseconds: Int64, number: Int) {
    var histogram = LatencyHistogram()
    histogram.add(.microseconds(microseconds))
    let places = histogram.fineCounts.indices.filter { histogram.fineCounts[$0] > 0 }
    #expect(places == [number + 160] && histogram.fineCounts.count == 225)
  }

  @Test func whatTookNoTime() {
    var histogram = LatencyHistogram()
    histogram.add(.zero)
    histogram.add(.microseconds(-5))
    #expect(histogram.zeros == 2 && histogram.sum == 0 && histogram.counts[0] == 2)
    #expect(histogram.fineCounts.allSatisfy { $0 == 0 })
  }

  /// By kind of check and state; each part of the time by itself.
  @Test func histogramsByKind() throws {
    let check = try makeCheck()
    var histograms = ResultHistograms()
    let parts = Timings(
      dns: .microseconds(1), connect: .microseconds(2), startTLS: .microseconds(3), tls: .microseconds(4),
      firstByte: .microseconds(5), transfer: .microseconds(6), total: .microseconds(99))
    for (state, milliseconds) in [(.up, 10), (.up, 20), (.down, 5)] as [(CheckState, Int)] {
      var run = Run(slot: midnight, state: state)
      run.latency = .milliseconds(milliseconds)
      var result = run.result(of: check)
      result.facts.timings = state == .down ? Timings(connect: .microseconds(100)) : parts
      histograms.add(result)
    }
    #expect(histograms.responses.map(\.state) == [.up, .down])
    #expect(histograms.responses.map(\.times.sum) == [30_000, 5000])
    #expect(histograms.responses.map(\.times.count) == [2, 1])
    #expect(histograms.responses.allSatisfy { $0.type == .tcp })
    let names = ["dns", "connect", "starttls", "tls", "first_byte", "transfer"]
    #expect(histograms.phases.map(\.part.rawValue) == names)
    #expect(histograms.phases.map(\.times.sum) == [2, 104, 6, 8, 10, 12])
  }

  /// Some, but less than one in a hundred.
  @Test(
    arguments: [
      (0, 10_000, false, 0), (1, 10_000, true, 0.01), (99, 10_000, true, 0.99), (100, 10_000, false, 1),
      (30_000, 10_000, false, 100), (5, 0, false, 0),
    ] as [(Int64, Int64, Bool, Double)])
  func aThinShare(judged: Int64, span: Int64, isThin: Bool, percent: Double) {
    let share = DataShare(judged: judged, span: span)
    #expect(share.isThin == isThin && share.percent == percent)
  }
}
