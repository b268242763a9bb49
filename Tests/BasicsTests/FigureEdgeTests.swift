// SPDX-License-Identifier: MIT

import Basics
import Testing

/// The figures of the surfaces on either side of where they change places or unit.
@Suite struct FigureEdgeTests {
  /// Cut, never rounded up: only a flawless window shows 100.
  @Test(
    arguments: [
      (nil, "no data"), (0, "0%"), (0.009, "0%"), (12.345_678, "12.34%"), (97.5, "97.5%"),
      (98.9999, "98.99%"), (99, "99%"), (99.0005, "99%"), (99.5, "99.5%"), (99.9875, "99.987%"),
      (99.9999, "99.999%"), (99.999_999_9, "99.999%"), (100, "100%"), (100.5, "100%"),
    ] as [(Double?, String)])
  func aPercentageIsCut(value: Double?, text: String) { #expect(StatusFormat.percent(value) == text) }

  @Test(
    arguments: [
      (0, "0%"), (0.05, "0%"), (0.125, "0.1%"), (12.25, "12.2%"), (12.29, "12.2%"), (50, "50%"),
      (99.99, "99.9%"), (100, "100%"), (101, "100%"),
    ] as [(Double, String)])
  func aShareHasOneDecimal(value: Double, text: String) { #expect(StatusFormat.share(value) == text) }

  /// Three digits in each range, rounded; the unit changes where rounding would need a fourth.
  @Test(
    arguments: [
      (0, "0 ms"), (4, "0 ms"), (6, "0.01 ms"), (420, "0.42 ms"), (9994, "9.99 ms"), (9995, "10 ms"),
      (12_340, "12.3 ms"), (99_940, "99.9 ms"), (99_950, "100 ms"), (123_400, "123 ms"),
      (999_400, "999 ms"), (999_500, "1 s"), (1_234_000, "1.23 s"), (9_994_000, "9.99 s"),
      (9_995_000, "10 s"), (12_340_000, "12.3 s"), (75_000_000, "75 s"), (123_460_000, "123.5 s"),
    ] as [(Int64, String)])
  func aLatency(microseconds: Int64, text: String) {
    #expect(StatusFormat.latency(.microseconds(microseconds)) == text)
  }

  @Test func noLatencyIsADash() { #expect(StatusFormat.latency(nil) == "–") }

  /// The two greatest units, the second only where there is some of it; what is below is cut.
  @Test(
    arguments: [
      (-5, "0s"), (0, "0s"), (1, "1s"), (59, "59s"), (60, "1m"), (61, "1m 1s"), (250, "4m 10s"),
      (3599, "59m 59s"), (3600, "1h"), (3659, "1h"), (3660, "1h 1m"), (19_980, "5h 33m"),
      (86_399, "23h 59m"), (86_400, "1d"), (89_999, "1d"), (90_000, "1d 1h"), (273_600, "3d 4h"),
      (8_640_000, "100d"),
    ] as [(Int64, String)])
  func aSpan(seconds: Int64, text: String) {
    #expect(StatusFormat.span(seconds * 1_000_000) == text)
    if seconds >= 0 { #expect(StatusFormat.span(seconds * 1_000_000 + 999_999) == text) }
  }

  /// Below a second, and by a clock set back, it is now.
  @Test(
    arguments: [
      (-60_000_000, "0s", "just now"), (0, "0s", "just now"), (999_999, "0s", "just now"),
      (1_000_000, "1s", "1s ago"), (59_999_999, "59s", "59s ago"), (60_000_000, "1m", "1m ago"),
      (7_199_000_000, "1h", "1h ago"), (172_800_000_000, "2d", "2d ago"),
    ] as [(Int64, String, String)])
  func anAge(microseconds: Int64, age: String, ago: String) {
    let then = Timestamp(seconds: 1_767_225_600)
    let now = then.advanced(by: .microseconds(microseconds))
    #expect(StatusFormat.age(then, now: now) == age)
    #expect(StatusFormat.ago(then, now: now) == ago)
  }

  /// A name has room for 120 bytes on a line, and no signs that steer a terminal.
  @Test func aNameIsMadeSafe() {
    #expect(StatusFormat.name(String(repeating: "x", count: 120)) == String(repeating: "x", count: 120))
    #expect(StatusFormat.name(String(repeating: "x", count: 121)) == String(repeating: "x", count: 117) + "…")
    #expect(StatusFormat.name("a\u{1b}[2Jb") == "a\\u{1b}[2Jb")
  }
}
