// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Times as texts: of a clock on the wall, of HTTP, and what a server asks to wait.
@Suite struct ClockTextTests {
  /// Seconds of `date -u -d … +%s`; 0 is Monday.
  @Test(
    arguments: [
      ("1970-01-01T00:00", 0, 3, "1970-01-01T00:00"), ("1969-12-31T23:59:59", -1, 2, "1969-12-31T23:59:59"),
      ("2026-01-04T02:00", 1_767_492_000, 6, "2026-01-04T02:00"),
      ("2026-01-04 02:00:00", 1_767_492_000, 6, "2026-01-04T02:00"),
      ("2026-01-05T00:00:07", 1_767_571_207, 0, "2026-01-05T00:00:07"),
      ("2024-02-29T23:59:59", 1_709_251_199, 3, "2024-02-29T23:59:59"),
      ("2026-12-31T09:05", 1_798_707_900, 3, "2026-12-31T09:05"),
    ] as [(String, Int64, Int, String)])
  func aClockOnTheWall(text: String, seconds: Int64, weekday: Int, printed: String) throws {
    let time = try #require(LocalTime(text: text))
    #expect(time.seconds == seconds && time.weekday == weekday && time.text == printed)
    #expect(time == LocalTime(Timestamp(microseconds: seconds * 1_000_000 + 999_999)))
    #expect(LocalTime(Timestamp(seconds: seconds), offset: -3600).seconds == seconds - 3600)
  }

  @Test(arguments: [
    "", "2026-01-04", "2026-01-04T2:00", "2026-01-04t02:00", "2026-01-04T24:00", "2026-01-04T02:60",
    "2026-01-04T02:00:60", "2026-01-04T02:00Z", "2026-01-04T02:00:00.5", "2026-01-04T02:00:",
    "2026/01/04T02:00", "2026-01-04T02-00", "2026-00-04T02:00",
    "2026-13-04T02:00", "2026-01-00T02:00", "2026-02-29T02:00",
    "2026-04-31T02:00", "0000-01-01T00:00", "2026-01-04T02:00+01:00", " 2026-01-04T02:00",
  ])
  func noTimeOfAClock(text: String) { #expect(LocalTime(text: text) == nil) }

  @Test(
    arguments: [
      ("00:00", 0), ("02:00", 7200), ("02:03", 7380), ("02:03:04", 7384), ("23:59", 86_340),
      ("23:59:59", 86_399), ("24:00", nil), ("23:60", nil), ("23:59:60", nil), ("2:00", nil),
      ("02:00:", nil), ("02-00", nil), ("0200", nil), ("", nil), ("02:0a", nil), ("-2:00", nil),
    ] as [(String, Int64?)])
  func aTimeOfDay(text: String, seconds: Int64?) { #expect(LocalTime.timeOfDay(text) == seconds) }

  @Test func partsOfATime() throws {
    let time = try #require(LocalTime(year: 2024, month: 2, day: 29, hour: 13, minute: 7, second: 41))
    let (year, month, day) = time.date
    #expect(year == 2024 && month == 2 && day == 29 && time.timeOfDay == 47_261)
    #expect(time.text == "2024-02-29T13:07:41")
    #expect(LocalTime(year: 9999, month: 12, day: 31)?.text == "9999-12-31T00:00")
    #expect(LocalTime(year: 10_000, month: 1, day: 1) == nil)
    #expect(LocalTime(year: 2026, month: 1, day: 1, hour: 24) == nil)
    #expect(LocalTime(seconds: 5) < LocalTime(seconds: 6) && !(LocalTime(seconds: 6) < LocalTime(seconds: 5)))
  }

  /// The three forms of RFC 9110, section 5.6.7, with the example it has for each.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thursday, 01-Jan-26 00:00:00 GMT", 1_767_225_600), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
      ("Friday, 01-Jan-99 00:00:00 GMT", 915_148_800), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
      ("Sun, 06 nov 1994 08:49:37 GMT", nil), ("Sun, 31 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("06 Nov 1994 08:49:37 GMT", nil), ("784111777", nil),
      ("", nil),
    ] as [(String, Int64?)])
  func aDateOfHTTP(text: String, seconds: Int64?) {
    #expect(HTTPDate.parse(text) == seconds.map { Timestamp(seconds: $0) })
  }

  /// The first of each month of 2026 at noon.
  @Test func everyMonthOfHTTP() {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let daysBefore: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
    for (name, days) in zip(names, daysBefore) {
      let noon = Timestamp(seconds: 1_767_225_600 + days * 86_400 + 43_200)
      #expect(HTTPDate.parse("Mon, 01 \(name) 2026 12:00:00 GMT") == noon, "\(name)")
      #expect(HTTPDate.parse("Mon \(name)  1 12:00:00 2026") == noon, "\(name)")
    }
  }

  /// An hour at most; what is over, or no wait at all, is none.
  @Test(
    arguments: [
      ("120", 120), ("1", 1), ("3599", 3599), ("3600", 3600), ("3601", 3600), ("0", nil), ("-3", nil),
      ("soon", nil), ("Sun, 06 Nov 1994 08:51:07 GMT", 90), ("Sun, 06 Nov 1994 09:49:37 GMT", 3600),
      ("Sun, 06 Nov 1994 10:49:37 GMT", 3600), ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:36 GMT", nil),
    ] as [(String, Int64?)])
  func aWaitThatAServerAsksFor(text: String, seconds: Int64?) {
    #expect(
      RetryTime.wait(text, now: Timestamp(seconds: 784_111_777)) == seconds.map { Duration.seconds($0) })
  }

  /// The years 2020 to 2199.
  @Test(
    arguments: [
      ("2019-12-31T23:59:59.999999Z", false), ("2020-01-01T00:00:00Z", true),
      ("2199-12-31T23:59:59.999Z", true), ("2200-01-01T00:00:00Z", false), ("1970-01-01T00:00:00Z", false),
    ])
  func aPlausibleTime(text: String, isPlausible: Bool) throws {
    #expect(try #require(Timestamp(rfc3339: text)).isPlausible == isPlausible)
  }
}
