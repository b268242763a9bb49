// SPDX-License-Identifier: MIT

/// A week of the calendar in UTC, from Monday, by its number of ISO 8601: the week of a year's first Thursday is its first.
package struct CalendarWeek: Hashable, Comparable, Sendable {
  /// Weeks since that of Monday, 29 December 1969.
  private let number: Int64

  private init(number: Int64) { self.number = number }

  /// The week of an instant.
  package init(_ instant: Timestamp) {
    number = floorDivide(floorDivide(instant.microseconds, 86_400_000_000).quotient + 3, 7).quotient
  }

  /// Parses `2026-W44`: four digits of the year from 1970 on, two of the week.
  package init?(text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 8, bytes[4] == UInt8(ascii: "-"), bytes[5] == UInt8(ascii: "W"),
      (bytes[..<4] + bytes[6...]).allSatisfy({ (0x30...0x39).contains($0) }),
      let year = Int64(String(decoding: bytes[..<4], as: UTF8.self)),
      let week = Int64(String(decoding: bytes[6...], as: UTF8.self)), year >= 1970, (1...53).contains(week)
    else { return nil }
    // 4 January is always in the first week.
    let first = CalendarWeek(Timestamp(seconds: daysFromCivil(year, 1, 4) * 86_400))
    self.init(number: first.number + week - 1)
    // A 53rd week that the year does not have is the first of the next.
    guard self.year == year else { return nil }
  }

  package static func < (left: CalendarWeek, right: CalendarWeek) -> Bool { left.number < right.number }

  package func adding(_ weeks: Int) -> CalendarWeek { CalendarWeek(number: number + Int64(weeks)) }

  /// Days since 1970: those of this week.
  package var days: Range<Int64> { (number * 7 - 3)..<(number * 7 + 4) }

  /// That of the week's Thursday.
  private var year: Int64 { civil(fromDays: days.lowerBound + 3).year }

  private var week: Int64 {
    floorDivide(days.lowerBound + 3 - daysFromCivil(year, 1, 1), 7).quotient + 1
  }

  /// The form that `init(text:)` reads.
  package var text: String { "\(padded(year, 4))-W\(padded(week, 2))" }

  /// `Week 44, 26 Oct to 1 Nov 2026`
  package var words: String {
    let last = civil(fromDays: days.upperBound - 1)
    return "Week \(week), \(Self.day(days.lowerBound)) to \(Self.day(days.upperBound - 1)) \(last.year)"
  }

  /// `W44 2026`
  package var shortWords: String { "W\(padded(week, 2)) \(year)" }

  private static func day(_ day: Int64) -> String {
    let month = CalendarMonth(Timestamp(seconds: day * 86_400))
    return "\(civil(fromDays: day).day) \(month.shortWords.prefix(3))"
  }
}

/// Period of a report: a month or a week, in UTC.
package enum CalendarPeriod: Hashable, Sendable {
  case month(CalendarMonth)
  case week(CalendarWeek)

  package enum Unit: String, CaseIterable, Hashable, Sendable {
    case month, week

    /// The period of an instant.
    package func period(of instant: Timestamp) -> CalendarPeriod {
      switch self {
      case .month: .month(CalendarMonth(instant))
      case .week: .week(CalendarWeek(instant))
      }
    }

    /// Parses `2026-10` or `2026-W44`.
    package func period(text: some StringProtocol) -> CalendarPeriod? {
      switch self {
      case .month: CalendarMonth(text: text).map { .month($0) }
      case .week: CalendarWeek(text: text).map { .week($0) }
      }
    }
  }

  package var unit: Unit {
    switch self {
    case .month: .month
    case .week: .week
    }
  }

  package func adding(_ count: Int) -> CalendarPeriod {
    switch self {
    case .month(let month): .month(month.adding(count))
    case .week(let week): .week(week.adding(count))
    }
  }

  /// Days since 1970: those of the period.
  package var days: Range<Int64> {
    switch self {
    case .month(let month): month.days
    case .week(let week): week.days
    }
  }

  /// Midnight of its first day.
  package var start: Timestamp { Timestamp(seconds: days.lowerBound * 86_400) }
  /// Midnight after its last day.
  package var end: Timestamp { Timestamp(seconds: days.upperBound * 86_400) }

  /// `2026-10`, `2026-W44`
  package var text: String {
    switch self {
    case .month(let month): month.text
    case .week(let week): week.text
    }
  }

  /// `October 2026`, `Week 44, 26 Oct to 1 Nov 2026`
  package var words: String {
    switch self {
    case .month(let month): month.words
    case .week(let week): week.words
    }
  }

  /// `Oct 2026`, `W44 2026`
  package var shortWords: String {
    switch self {
    case .month(let month): month.shortWords
    case .week(let week): week.shortWords
    }
  }
}

extension CalendarPeriod: CustomStringConvertible {
  package var description: String { text }
}
