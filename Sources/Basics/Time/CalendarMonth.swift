// SPDX-License-Identifier: MIT

/// A month of the calendar in UTC.
package struct CalendarMonth: Hashable, Comparable, Sendable {
  /// Months since January of the year 0.
  private let number: Int64

  private init(number: Int64) { self.number = number }

  /// The month of an instant.
  package init(_ instant: Timestamp) {
    let date = LocalTime(instant).date
    number = date.year * 12 + date.month - 1
  }

  /// Parses `2026-10`: four digits of the year from 1970 on, two of the month.
  package init?(text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 7, bytes[4] == UInt8(ascii: "-"),
      (bytes[..<4] + bytes[5...]).allSatisfy({ (0x30...0x39).contains($0) }),
      let year = Int64(String(decoding: bytes[..<4], as: UTF8.self)),
      let month = Int64(String(decoding: bytes[5...], as: UTF8.self)), year >= 1970, (1...12).contains(month)
    else { return nil }
    number = year * 12 + month - 1
  }

  package static func < (left: CalendarMonth, right: CalendarMonth) -> Bool { left.number < right.number }

  package func adding(_ months: Int) -> CalendarMonth { CalendarMonth(number: number + Int64(months)) }

  private var year: Int64 { floorDivide(number, 12).quotient }
  private var month: Int64 { floorDivide(number, 12).remainder + 1 }

  /// Days since 1970: those of this month.
  package var days: Range<Int64> { daysFromCivil(year, month, 1)..<firstDayOfNext }

  private var firstDayOfNext: Int64 {
    let next = adding(1)
    return daysFromCivil(next.year, next.month, 1)
  }

  /// Midnight of its first day.
  package var start: Timestamp { Timestamp(seconds: days.lowerBound * 86_400) }
  /// Midnight after its last day.
  package var end: Timestamp { Timestamp(seconds: days.upperBound * 86_400) }

  /// The form that `init(text:)` reads.
  package var text: String { "\(padded(year, 4))-\(padded(month, 2))" }

  /// `October 2026`
  package var words: String { "\(Self.names[Int(month - 1)]) \(year)" }

  /// `Oct 2026`
  package var shortWords: String { "\(Self.names[Int(month - 1)].prefix(3)) \(year)" }

  private static let names = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
}

extension CalendarMonth: CustomStringConvertible {
  package var description: String { text }
}
