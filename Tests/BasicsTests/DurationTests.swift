// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct DurationTests {
  @Test(
    arguments: [
      ("0s", 0), ("0ms", 0), ("0d", 0), ("1us", 1), ("500ms", 500_000), ("30s", 30_000_000),
      ("1.5s", 1_500_000), ("0.5m", 30_000_000), ("5m", 300_000_000), ("1h", 3_600_000_000),
      ("21d", 1_814_400_000_000), ("0.001s", 1000), ("1.25ms", 1250), ("1.001ms", 1001),
      ("0.125h", 450_000_000), ("007s", 7_000_000), ("000.500s", 500_000), ("3652.5d", 315_576_000_000_000),
      ("315576000s", 315_576_000_000_000),
    ] as [(String, Int64)])
  func reads(text: String, microseconds: Int64) throws {
    #expect(try #require(Duration(text: text)) == .microseconds(microseconds))
  }

  @Test(arguments: [
    "", "s", "5", "5 s", " 5s", "5s ", "-5s", "+5s", "5S", "5sec", "5min", "1w", "1y", "1e3s", "0x5s", ".5s",
    "5.s", "1.2.3s", "1..2s", "1,5s", "1.0001s", "0.1us", "1.5us", "1m30s", "٥s", "5ѕ", "5s\0", "∞s", "nan",
    "3652.501d", "3653d", "315576001s", "87661h", "106751991.5d", "106751992d", "9223372036854775807us",
    "9223372036854775808us", "999999999999d", "99999999999999999999s", "1_000s", "½s", "5m̈",
  ])
  func refuses(text: String) {
    #expect(Duration(text: text) == nil)
  }

  @Test(
    arguments: [
      (.zero, "0s"), (.microseconds(1), "1us"), (.microseconds(1500), "1500us"), (.milliseconds(2), "2ms"),
      (.milliseconds(1500), "1500ms"), (.seconds(30), "30s"), (.seconds(60), "1m"), (.seconds(90), "90s"),
      (.seconds(3600), "1h"), (.seconds(5400), "90m"), (.seconds(86_400), "1d"), (.seconds(129_600), "36h"),
      (.seconds(86_401), "86401s"), (.seconds(315_576_000), "87660h"),
    ] as [(Duration, String)])
  func printsTheShortestExactForm(duration: Duration, text: String) {
    #expect(duration.text == text)
    #expect(Duration(text: text) == duration)
  }

  @Test func everyTextReadsBack() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let duration = Duration.microseconds(Int64.random(in: 0...315_576_000_000_000, using: &generator))
      #expect(try #require(Duration(text: duration.text)) == duration)
    }
  }

  @Test func convertsRoundingTowardsZero() {
    #expect(Duration.nanoseconds(1999).microseconds == 1)
    #expect(Duration.nanoseconds(-1999).microseconds == -1)
    #expect(Duration.microseconds(1234).milliseconds == 1.234)
    #expect(Duration.milliseconds(-1500).seconds == -1.5)
  }

  /// A duration beyond 64 bits of microseconds stays at the end of the range instead of changing its sign.
  @Test(arguments: [9_223_372_036_854, 9_223_372_036_855, Int64.max])
  func clampsBeyondTheRange(seconds: Int64) {
    let long = Duration.seconds(seconds) + .milliseconds(999)
    #expect(long.microseconds > 9_223_372_036_853_000_000)
    #expect((Duration.zero - long).microseconds < -9_223_372_036_853_000_000)
  }
}
