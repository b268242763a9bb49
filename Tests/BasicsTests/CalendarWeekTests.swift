// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Weeks in UTC.
@Suite struct CalendarWeekTests {
  @Test(arguments: [
    ("2026-W44", "2026-10-26T00:00:00.000Z", "2026-11-02T00:00:00.000Z", "Week 44, 26 Oct to 1 Nov 2026"),
    ("2026-W01", "2025-12-29T00:00:00.000Z", "2026-01-05T00:00:00.000Z", "Week 1, 29 Dec to 4 Jan 2026"),
    ("2026-W53", "2026-12-28T00:00:00.000Z", "2027-01-04T00:00:00.000Z", "Week 53, 28 Dec to 3 Jan 2027"),
    ("1970-W01", "1969-12-29T00:00:00.000Z", "1970-01-05T00:00:00.000Z", "Week 1, 29 Dec to 4 Jan 1970"),
  ])
  func aWeekIsRead(text: String, start: String, end: String, words: String) throws {
    let period = try #require(CalendarPeriod.Unit.week.period(text: text))
    #expect(period.start.rfc3339 == start && period.end.rfc3339 == end)
    #expect(period.text == text && period.words == words && "\(period)" == text)
    #expect(CalendarPeriod.Unit.week.period(of: period.start) == period)
    #expect(CalendarPeriod.Unit.week.period(of: period.end.advanced(by: .microseconds(-1))) == period)
    #expect(CalendarPeriod.Unit.week.period(of: period.end) == period.adding(1))
  }

  /// 2027 has 52 weeks.
  @Test(arguments: [
    "", "2026-44", "2026-W4", "2026-W00", "2026-W54", "2027-W53", "1969-W52", "2026-w44", "２026-W4",
  ])
  func anotherTextIsNone(text: String) { #expect(CalendarWeek(text: text) == nil) }
}
