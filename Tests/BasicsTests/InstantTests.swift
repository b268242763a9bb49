// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct InstantTests {
  /// A limit of centuries is none: an instant stops at the ends of its range.
  @Test(
    arguments: [
      (0, 8_999_999_999, 8_999_999_999_000_000_000), (0, 9_000_000_000, .max), (0, -9_000_000_000, .min),
      (0, -8_999_999_999, -8_999_999_999_000_000_000), (0, .max, .max), (0, .min, .min),
      (8_999_999_999_000_000_000, 8_999_999_999, .max), (-8_999_999_999_000_000_000, -8_999_999_999, .min),
      (7, 1, 1_000_000_007), (7, -1, -999_999_993),
    ] as [(Int64, Int64, Int64)])
  func itStopsAtTheEnds(from: Int64, seconds: Int64, to: Int64) {
    let start = Instant(nanoseconds: from)
    #expect(start.advanced(by: .seconds(seconds)) == Instant(nanoseconds: to))
    #expect(start + .seconds(seconds) == Instant(nanoseconds: to))
  }

  @Test func spans() {
    let (first, last) = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))
    #expect(Instant(nanoseconds: 5).duration(to: Instant(nanoseconds: 3)) == .nanoseconds(-2))
    #expect(first.duration(to: last) == .nanoseconds(Int64.max))
    #expect(last.duration(to: first) == .nanoseconds(Int64.min))
    #expect(first < last && !(last < first) && !(first < first))
    #expect(Instant(nanoseconds: 1999).microseconds == 1)
  }
}
