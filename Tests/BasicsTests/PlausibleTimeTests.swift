// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Clocks that this program believes.
@Suite struct PlausibleTimeTests {
  /// The years 2020 to 2199, to the microsecond.
  @Test(arguments: [
    ("2020-01-01T00:00:00Z", true), ("2199-12-31T23:59:59Z", true), ("2026-06-01T00:00:00Z", true),
    ("2019-12-31T23:59:59Z", false), ("2200-01-01T00:00:00Z", false), ("1970-01-01T00:00:00Z", false),
  ])
  func years(text: String, isPlausible: Bool) throws {
    #expect(try #require(Timestamp(rfc3339: text)).isPlausible == isPlausible)
  }

  @Test func edges() throws {
    let first = try #require(Timestamp(rfc3339: "2020-01-01T00:00:00Z"))
    let end = try #require(Timestamp(rfc3339: "2200-01-01T00:00:00Z"))
    #expect(!first.advanced(by: .microseconds(-1)).isPlausible)
    #expect(end.advanced(by: .microseconds(-1)).isPlausible)
    for instant in [Int64.min, -1, 0, .max] { #expect(!Timestamp(microseconds: instant).isPlausible) }
  }
}
