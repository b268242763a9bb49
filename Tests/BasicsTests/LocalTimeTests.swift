// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Dates of a clock without a zone, and the field Retry-After.
@Suite struct LocalTimeTests {
  /// A day that the later month does not have becomes its last one, by the later year's own February.
  @Test(arguments: [
    ("2023-01-31T02:30", 1, "2023-02-28T02:30"), ("2023-01-31T02:30", 13, "2024-02-29T02:30"),
    ("2024-02-29T23:59:59", 12, "2025-02-28T23:59:59"), ("2024-02-29T00:00", 48, "2028-02-29T00:00"),
    ("2024-01-31T12:00", 25, "2026-02-28T12:00"), ("2024-03-31T12:00", -13, "2023-02-28T12:00"),
    ("2025-03-31T12:00", -13, "2024-02-29T12:00"), ("2026-12-31T00:00", 2, "2027-02-28T00:00"),
    ("2026-10-31T00:00", 1, "2026-11-30T00:00"), ("2026-11-30T00:00", 1, "2026-12-30T00:00"),
    ("2026-01-15T08:00", -1, "2025-12-15T08:00"), ("1900-01-31T00:00", 1, "1900-02-28T00:00"),
    ("2000-01-31T00:00", 1, "2000-02-29T00:00"),
  ])
  func monthsLater(text: String, months: Int64, later: String) throws {
    #expect(try #require(LocalTime(text: text)).adding(months: months).text == later)
  }

  /// A number stands alone, with blanks around it; with anything else it is no number of seconds.
  @Test(
    arguments: [
      ("120", 120), ("0", 0), (" 7", 7), ("7 ", 7), ("\t7\t ", 7), ("007", 7),
      ("99999999999999999999", 1 << 40),
      ("1099511627777", 1 << 40), ("120 s", nil), ("120 120", nil), ("120\tx", nil), ("120s", nil),
      ("12,5", nil), ("12.5", nil), ("-5", nil), ("+5", nil), ("", nil), (" ", nil), ("s", nil),
    ] as [(String, Int64?)])
  func secondsOfRetryAfter(text: String, seconds: Int64?) {
    #expect(RetryTime.digits(text) == seconds)
  }
}
