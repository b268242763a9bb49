// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Scheduler

@Suite struct LatenessTests {
  @Test(arguments: [0, 1, 31, 32, 63, 64, 999, 1000, 65_535, 1_000_003, 3_600_000_000, Int64.max / 2])
  func aQuantileIsNeverTooLowAndAtMost32PerMilleTooHigh(value: Int64) {
    var sketch = LatenessSketch()
    sketch.add(value)
    // The largest value is known exactly; a larger one beside it shows the bucket's own end.
    sketch.add(.max)
    let median = sketch.quantile(0.5)
    #expect(median >= value)
    #expect(Double(median) <= Double(value) * 1.032)
  }

  /// The end of each value's bucket: the value itself below 64, then 32 buckets to each power of two.
  @Test(
    arguments: [
      (-5, 0), (0, 0), (31, 31), (32, 32), (63, 63), (64, 65), (65, 65), (66, 67), (127, 127), (128, 131),
      (131, 131), (132, 135), (255, 255), (256, 263), (1000, 1007), (1007, 1007), (1008, 1023), (1023, 1023),
      (1024, 1055),
    ] as [(Int64, Int64)])
  func theEndOfABucket(value: Int64, end: Int64) {
    var sketch = LatenessSketch()
    sketch.add(value)
    sketch.add(.max)
    #expect(sketch.quantile(0.5) == end && sketch.count == 2 && sketch.maximum == .max)
  }

  /// Two sketches together are one of all their values, whichever is larger.
  @Test func merging() {
    var (low, high) = (LatenessSketch(), LatenessSketch())
    for value in [1, 2, 3] as [Int64] { low.add(value) }
    high.add(500)
    for sum in [low.merged(with: high), high.merged(with: low)] {
      #expect(sum.count == 4 && sum.maximum == 500)
      #expect([0.25, 0.5, 0.75, 1].map(sum.quantile) == [1, 2, 3, 500])
    }
    #expect(LatenessSketch().quantile(0.5) == 0)
  }

  @Test func quantilesOfAKnownSet() {
    var sketch = LatenessSketch()
    for value in stride(from: Int64(1000), through: 1, by: -1) { sketch.add(value * 10) }
    #expect((5000...5160).contains(sketch.quantile(0.5)))
    #expect((9900...10_000).contains(sketch.quantile(0.99)))
    #expect(sketch.quantile(1) == 10_000)
    #expect(sketch.maximum == 10_000)
  }

  /// Nearest rank: the smallest value that this share of all does not exceed. Values so far apart that the bucket's width
  /// is no excuse.
  @Test(arguments: 1...20) func theRankIsExact(count: Int) {
    var sketch = LatenessSketch()
    let values = (0..<count).map { Int64(1) << Int64($0 * 2 + 1) }
    for value in values.shuffled() { sketch.add(value) }
    for percent in [1, 10, 25, 50, 75, 90, 95, 99, 100] {
      let exact = values[max(1, (count * percent + 99) / 100) - 1]
      let quantile = sketch.quantile(Double(percent) / 100)
      #expect(quantile >= exact && Double(quantile) <= Double(exact) * 1.032, "p\(percent) of \(count)")
    }
  }

  @Test func figuresForgetWhatIsTwoPeriodsOld() {
    var lateness = Lateness()
    var now = Instant(microseconds: 0)
    #expect(lateness.figures(at: now) == nil)
    lateness.record(.seconds(3), at: now)
    now = now.advanced(by: Lateness.period)
    lateness.record(.milliseconds(1), at: now)
    #expect(lateness.figures(at: now)?.max == .seconds(3))
    now = now.advanced(by: Lateness.period)
    #expect(lateness.figures(at: now)?.max == .milliseconds(1))
    now = now.advanced(by: Lateness.period * 5)
    #expect(lateness.figures(at: now) == nil)
  }
}
