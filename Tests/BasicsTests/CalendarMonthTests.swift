// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Months in UTC.
@Suite struct CalendarMonthTests {
  @Test(arguments: [
    ("2026-10", "2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "October 2026"),
    ("2024-02", "2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z", "February 2024"),
    ("2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "December 2026"),
    ("1970-01", "1970-01-01T00:00:00.000Z", "1970-02-01T00:00:00.000Z", "January 1970"),
  ])
  func aMonthIsRead(text: String, start: String, end: String, words: String) throws {
    let month = try #require(CalendarMonth(text: text))
    #expect(month.start.rfc3339 == start && month.end.rfc3339 == end)
    #expect(month.text == text && month.words == words && "\(month)" == text)
    #expect(
      CalendarMonth(month.start) == month && CalendarMonth(month.end.advanced(by: .microseconds(-1))) == month
    )
    #expect(CalendarMonth(month.end) == month.adding(1) && month < month.adding(1))
  }

  @Test(arguments: [
    "", "2026", "2026-1", "2026-13", "2026-00", "1969-12", "10-2026", "2026-10-01", "+026-10", "2026-+1",
    "2026/10",
    "20261-0", "２026-10",
  ])
  func anotherTextIsNone(text: String) { #expect(CalendarMonth(text: text) == nil) }

  @Test func monthsAreAddedOverYears() throws {
    let month = try #require(CalendarMonth(text: "2026-01"))
    #expect(month.adding(-1).text == "2025-12" && month.adding(-13).text == "2024-12")
    #expect(month.adding(23).text == "2027-12" && month.shortWords == "Jan 2026")
    #expect(month.days.count == 31 && month.adding(25).days.count == 29)
  }
}
