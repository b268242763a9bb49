// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct TimestampTests {
  /// Seconds from `date -u -d … +%s`.
  static let instants: [(text: String, microseconds: Int64)] = [
    ("1970-01-01T00:00:00.000Z", 0),
    ("1970-01-01T00:00:00.001Z", 1000),
    ("1969-12-31T23:59:59.999Z", -1000),
    ("1969-12-31T23:59:59.000Z", -1_000_000),
    ("1969-07-20T20:17:40.000Z", -14_182_940_000_000),
    ("1900-03-01T00:00:00.000Z", -2_203_891_200_000_000),
    ("1582-10-15T00:00:00.000Z", -12_219_292_800_000_000),
    ("0001-01-01T00:00:00.000Z", -62_135_596_800_000_000),
    ("2000-02-29T12:00:00.000Z", 951_825_600_000_000),
    ("2001-09-09T01:46:40.000Z", 1_000_000_000_000_000),
    ("2024-02-29T23:59:59.999Z", 1_709_251_199_999_000),
    ("2024-03-01T00:00:00.000Z", 1_709_251_200_000_000),
    ("2026-12-31T23:59:59.500Z", 1_798_761_599_500_000),
    ("2038-01-19T03:14:07.000Z", 2_147_483_647_000_000),
    ("2038-01-19T03:14:08.000Z", 2_147_483_648_000_000),
    ("2100-02-28T23:59:59.000Z", 4_107_542_399_000_000),
    ("2100-03-01T00:00:00.000Z", 4_107_542_400_000_000),
    ("2106-02-07T06:28:16.000Z", 4_294_967_296_000_000),
    ("2400-02-29T00:00:00.000Z", 13_574_563_200_000_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999_000),
  ]

  @Test(arguments: instants)
  func printsAndReadsBack(text: String, microseconds: Int64) throws {
    #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    #expect(try #require(Timestamp(rfc3339: text)).microseconds == microseconds)
  }

  @Test(arguments: [
    // RFC 3339, section 5.8, and what PostgreSQL and PostgREST print.
    ("1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"),
    ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"),
    ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"),
    ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000Z"),
    ("1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"),
    ("2026-01-04t02:00:00z", "2026-01-04T02:00:00.000Z"),
    ("2026-01-04 02:00:00+00", "2026-01-04T02:00:00.000Z"),
    ("2026-01-04 02:00:00.123456+00", "2026-01-04T02:00:00.123Z"),
    ("2026-01-04T02:00:00.123456+00:00", "2026-01-04T02:00:00.123Z"),
    ("2026-01-04 07:30:00.1+05:30", "2026-01-04T02:00:00.100Z"),
    ("2026-01-04 07:30:00+0530", "2026-01-04T02:00:00.000Z"),
    ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
    ("2026-01-04T02:00:00-00:00", "2026-01-04T02:00:00.000Z"),
    ("2024-02-29T23:59:59.9999999999999Z", "2024-02-29T23:59:59.999Z"),
  ])
  func readsEveryOffsetAndFraction(text: String, normal: String) throws {
    #expect(try #require(Timestamp(rfc3339: text)).rfc3339 == normal)
  }

  @Test func keepsMicroseconds() throws {
    #expect(try #require(Timestamp(rfc3339: "1970-01-01T00:00:00.123456789Z")).microseconds == 123_456)
  }

  @Test func roundsMillisecondsDownAlsoBeforeTheEpoch() {
    #expect(Timestamp(microseconds: 1999).rfc3339 == "1970-01-01T00:00:00.001Z")
    #expect(Timestamp(microseconds: 253_402_300_800_000_000).rfc3339 == "10000-01-01T00:00:00.000Z")
    #expect(Timestamp(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
  }

  @Test(arguments: [
    "", "Z", "2026", "2026-01-04", "2026-01-04T02:00Z", "2026-01-04T02:00:00", "2026-01-04T02:00:00.Z",
    "2026-01-04T02:00:00,5Z", "2026-1-4T02:00:00Z", "26-01-04T02:00:00Z", "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-01-04T24:00:00Z",
    "2026-01-04T02:60:00Z", "2026-01-04T02:00:61Z", "2026-01-04T02:00:00+24:00", "2026-01-04T02:00:00+01:60",
    "2026-01-04T02:00:00+1", "2026-01-04T02:00:00+01:", "2026-01-04T02:00:00+01:0", "2026-01-04T02:00:00Z ",
    " 2026-01-04T02:00:00Z", "2026-01-04T02:00:00ZZ", "2026-01-04T02:00:00Z\0", "-2026-01-04T02:00:00Z",
    "+2026-01-04T02:00:00Z", "2026/01/04T02:00:00Z", "2026-01-04X02:00:00Z", "٢٠٢٦-01-04T02:00:00Z",
    "2026-01-04T02:00:00.5", "infinity", "0044-03-15 12:00:00+00 BC", "20260104T020000Z",
  ])
  func refuses(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  /// One step a day through 400 years, after which the calendar repeats: each date is the day after the one before,
  /// and reads back as itself.
  @Test func everyDayOfAnEra() throws {
    var wrong: [String] = []
    var lastDay = 0
    for day in Int64(-25_567)..<120_530 {
      let stamp = Timestamp(seconds: day * 86_400)
      let text = stamp.rfc3339
      let ofMonth = Int(text.dropFirst(8).prefix(2)) ?? 0
      if Timestamp(rfc3339: text) != stamp || ofMonth != lastDay + 1 && ofMonth != 1 { wrong.append(text) }
      lastDay = ofMonth
    }
    #expect(wrong.isEmpty)
  }

  @Test func ordersAndMeasures() {
    let early = Timestamp(seconds: 10)
    let late = early.advanced(by: .milliseconds(1500))
    #expect(early < late)
    #expect(early.duration(to: late) == .milliseconds(1500))
    #expect(late.duration(to: early) == .milliseconds(-1500))
    #expect(late.advanced(by: .milliseconds(-1500)) == early)
    #expect(Timestamp(milliseconds: 10_000) == early)
    #expect(Timestamp.epoch < early)
  }

  @Test(arguments: [Int64.min, Int64.min + 1, Int64.max - 1, Int64.max])
  func extremesNeitherTrapNorWrap(microseconds: Int64) {
    let stamp = Timestamp(microseconds: microseconds)
    #expect(!stamp.rfc3339.isEmpty)
    #expect(stamp.advanced(by: .seconds(1)) >= stamp)
    #expect(stamp.advanced(by: .seconds(-1)) <= stamp)
    let distance = Timestamp.epoch.duration(to: stamp)
    #expect((distance < .zero) == (microseconds < 0))
    #expect((Timestamp(microseconds: .max).duration(to: Timestamp(microseconds: .min))) < .zero)
  }

  /// Numbers from a remote side (a token's expiry, say) must not be able to end the process.
  @Test func unitsOutOfRangeClamp() {
    #expect(Timestamp(seconds: .max).microseconds == .max)
    #expect(Timestamp(seconds: .min).microseconds == .min)
    #expect(Timestamp(milliseconds: .max).microseconds == .max)
    #expect(Timestamp(milliseconds: .min).microseconds == .min)
  }

  @Test func nowIsTheWallClock() {
    let before = Timestamp.now()
    #expect(before > Timestamp(seconds: 1_700_000_000))
    #expect(Timestamp.now() >= before)
  }
}
