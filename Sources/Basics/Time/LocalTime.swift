// SPDX-License-Identifier: MIT

/// A date and time of day as a clock on the wall shows it, without a zone: which instant it is depends on where.
package struct LocalTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00 on that clock, every day having 86,400.
  package var seconds: Int64

  package init(seconds: Int64) { self.seconds = seconds }

  /// Local time of a clock `offset` seconds east of UTC at the instant; fractions are cut.
  package init(_ instant: Timestamp, offset: Int64 = 0) {
    seconds = floorDivide(instant.microseconds, 1_000_000).quotient + offset
  }

  /// `nil` when there is no such date or time.
  package init?(
    year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
  ) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= daysInMonth(year, month),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// Parses `2026-01-04T02:00` or `2026-01-04T02:00:30`; a space may stand for the T. No zone, no offset.
  package init?(text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
      let date = Self.numbers(bytes[0..<10], widths: [4, 2, 2], separator: UInt8(ascii: "-")),
      let time = Self.timeOfDay(String(decoding: bytes[11...], as: UTF8.self)),
      let midnight = LocalTime(year: date[0], month: date[1], day: date[2])
    else { return nil }
    seconds = midnight.seconds + time
  }

  /// Seconds after midnight of `02:00` or `02:00:30`.
  package static func timeOfDay(_ text: some StringProtocol) -> Int64? {
    let bytes = Array(text.utf8)[...]
    let widths = bytes.count == 5 ? [2, 2] : [2, 2, 2]
    guard let parts = numbers(bytes, widths: widths, separator: UInt8(ascii: ":")), parts[0] <= 23,
      parts[1] <= 59, parts.count < 3 || parts[2] <= 59
    else { return nil }
    return parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)
  }

  package static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }

  package var date: (year: Int64, month: Int64, day: Int64) {
    civil(fromDays: floorDivide(seconds, 86_400).quotient)
  }

  /// Seconds after midnight.
  package var timeOfDay: Int64 { floorDivide(seconds, 86_400).remainder }

  /// 0 is Monday.
  package var weekday: Int { Int(floorDivide(floorDivide(seconds, 86_400).quotient + 3, 7).remainder) }

  /// The form that `init(text:)` reads: `2026-01-04T02:00`, with seconds only where there are some.
  package var text: String {
    let (year, month, day) = date
    let time = timeOfDay
    let tail = time % 60 == 0 ? "" : ":" + padded(time % 60, 2)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(time / 3600, 2)):"
      + "\(padded(time / 60 % 60, 2))\(tail)"
  }

  /// The same time of day so many months later; a day that the month does not have becomes its last one.
  package func adding(months: Int64) -> LocalTime {
    let (year, month, day) = date
    let (years, index) = floorDivide(year * 12 + month - 1 + months, 12)
    let last = daysInMonth(years, index + 1)
    return LocalTime(seconds: daysFromCivil(years, index + 1, min(day, last)) * 86_400 + timeOfDay)
  }

  private static func numbers(_ bytes: ArraySlice<UInt8>, widths: [Int], separator: UInt8) -> [Int64]? {
    guard bytes.count == widths.reduce(widths.count - 1, +) else { return nil }
    var numbers: [Int64] = []
    var index = bytes.startIndex
    for width in widths {
      if !numbers.isEmpty {
        guard bytes[index] == separator else { return nil }
        index += 1
      }
      var value: Int64 = 0
      for byte in bytes[index..<index + width] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      numbers.append(value)
      index += width
    }
    return numbers
  }
}
