// SPDX-License-Identifier: MIT

/// An instant of the wall clock in microseconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX time).
///
/// 64 bits of microseconds reach past the year 290,000, so 2038 and 2100 are ordinary dates.
package struct Timestamp: Hashable, Comparable, Sendable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Clamped to the range, as `init(seconds:)` is: the number may come from a stranger.
  package init(milliseconds: Int64) { self.microseconds = clampedProduct(milliseconds, 1000) }

  package init(seconds: Int64) { self.microseconds = clampedProduct(seconds, 1_000_000) }

  package static let epoch = Timestamp(microseconds: 0)

  /// Whole milliseconds since 1970, rounded towards it.
  package var milliseconds: Int64 { microseconds / 1000 }

  /// The system's wall clock (CLOCK_REALTIME).
  package static func now() -> Timestamp { Timestamp(microseconds: SystemClock.wall.microseconds) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

  /// Stops at the ends of the range.
  package func advanced(by duration: Duration) -> Timestamp {
    let step = duration.microseconds
    let (sum, overflow) = microseconds.addingReportingOverflow(step)
    return Timestamp(microseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  /// Negative when `other` is earlier.
  package func duration(to other: Timestamp) -> Duration {
    // bounded: a Duration has 128 bits
    .microseconds(other.microseconds) - .microseconds(microseconds)
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with milliseconds, rounded down: `2026-01-04T02:00:00.000Z`.
  package var rfc3339: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    writeRFC3339(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The same in whole seconds, for people: `2026-01-05T02:00:00Z`.
  package var rfc3339Seconds: String { "\(rfc3339.prefix(19))Z" }

  /// The bytes of `rfc3339`.
  package func writeRFC3339(to bytes: inout [UInt8]) {
    let (days, inDay) = floorDivide(microseconds, 86_400_000_000)
    let date = civil(fromDays: days)
    let millisecond = inDay / 1000
    append(date.year, 4, "-", to: &bytes)
    append(date.month, 2, "-", to: &bytes)
    append(date.day, 2, "T", to: &bytes)
    append(millisecond / 3_600_000, 2, ":", to: &bytes)
    append(millisecond / 60_000 % 60, 2, ":", to: &bytes)
    append(millisecond / 1000 % 60, 2, ".", to: &bytes)
    append(millisecond % 1000, 3, "Z", to: &bytes)
  }

  package var description: String { rfc3339 }

  /// Parses RFC 3339, section 5.6: any offset, any number of fractional digits (cut to microseconds), a leap second
  /// (`:60`) becomes the next second. PostgreSQL's `+00` without minutes and a space for the `T` are accepted.
  package init?(rfc3339 text: some StringProtocol) {
    var scanner = DigitScanner(Array(text.utf8))
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("Tt "), let hour = scanner.number(2), scanner.skip(":"),
      let minute = scanner.number(2), scanner.skip(":"), let second = scanner.number(2)
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= daysInMonth(year, month), hour <= 23, minute <= 59,
      second <= 60
    else { return nil }
    let fraction = scanner.skip(".") ? scanner.fraction() : 0
    guard let fraction, let offset = scanner.offset(), scanner.atEnd else { return nil }
    let days = daysFromCivil(year, month, day)
    // bounded: four digits of a year, and two of each part
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    // bounded: the seconds of ten thousand years
    self.microseconds = seconds * 1_000_000 + fraction
  }
}

/// Reads digits and separators off a byte array.
private struct DigitScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var atEnd: Bool { index == bytes.count }

  mutating func number(_ digits: Int) -> Int64? {
    // bounded: a place in memory and four digits at most
    guard index + digits <= bytes.count else { return nil }
    var value: Int64 = 0
    // bounded: looked at above
    for byte in bytes[index..<index + digits] {
      guard (0x30...0x39).contains(byte) else { return nil }
      // bounded: four digits at most
      value = value * 10 + Int64(byte - 0x30)
    }
    // bounded: looked at above
    index += digits
    return value
  }

  mutating func skip(_ oneOf: StaticString) -> Bool {
    guard index < bytes.count, oneOf.description.utf8.contains(bytes[index]) else { return false }
    index += 1
    return true
  }

  /// Fractional digits as microseconds; nil without a digit.
  mutating func fraction() -> Int64? {
    var value: Int64 = 0
    var scale: Int64 = 100_000
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
      // bounded: a digit times 100,000, and no more than six of them count
      value += Int64(bytes[index] - 0x30) * scale
      scale /= 10
      index += 1
    }
    return index > start ? value : nil
  }

  /// Seconds east of UTC.
  mutating func offset() -> Int64? {
    if skip("Zz") { return 0 }
    let negative: Bool
    if skip("+") { negative = false } else if skip("-") { negative = true } else { return nil }
    guard let hours = number(2), hours <= 23 else { return nil }
    let separated = skip(":")
    let minutes = number(2)
    if separated, minutes == nil { return nil }
    guard (minutes ?? 0) <= 59 else { return nil }
    // bounded: two digits each
    let seconds = hours * 3600 + (minutes ?? 0) * 60
    return negative ? -seconds : seconds
  }
}

func clampedProduct(_ value: Int64, _ factor: Int64) -> Int64 {
  let (product, overflow) = value.multipliedReportingOverflow(by: factor)
  return overflow ? (value < 0 ? .min : .max) : product
}

/// Digits with zeros in front up to a width, and what follows them.
private func append(_ value: Int64, _ width: Int, _ end: Unicode.Scalar, to bytes: inout [UInt8]) {
  if value < 0 || value > 9999 {
    bytes.append(contentsOf: padded(value, width).utf8)
  } else {
    func digit(_ unit: Int64) -> UInt8 { UInt8(ascii: "0") + UInt8(value / unit % 10) }  // bounded: a digit
    if width > 3 || value > 999 { bytes.append(digit(1000)) }
    if width > 2 || value > 99 { bytes.append(digit(100)) }
    bytes.append(digit(10))
    bytes.append(digit(1))
  }
  bytes.append(UInt8(ascii: end))
}

/// A number with zeros in front up to a width. Not negative.
package func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  // bounded: the width is of a few digits
  return digits.count >= width ? digits : String(repeating: "0", count: width - digits.count) + digits
}

/// Rounded towards minus infinity: a clock may well be set before 1970.
@inlinable
package func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  // bounded: a quotient of a divisor above one, and a remainder between the divisor and nothing
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

/// Proleptic Gregorian date of a day number, 0 being 1970-01-01. Eras of 400 years start on 1 March, so that the
/// leap day is the last of its year and month lengths follow one linear rule.
func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  // bounded: a day of the years that 64 bits of microseconds reach
  let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
  // bounded: a day of 400 years
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  // bounded: a day of 400 years
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  // bounded: a day of a year
  let marchMonth = (5 * dayOfYear + 2) / 153
  // bounded: a day of a year
  let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
  // bounded: a month
  let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  // bounded: a day of the years that 64 bits of microseconds reach
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

func daysFromCivil(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  // bounded: a day of the years that 64 bits of microseconds reach
  let shifted = month <= 2 ? year - 1 : year
  let (era, yearOfEra) = floorDivide(shifted, 400)
  // bounded: a month and a day of it
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  // bounded: a year of 400
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  // bounded: a day of the years that 64 bits of microseconds reach
  return era * 146_097 + dayOfEra - 719_468
}

func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
  switch month {
  case 4, 6, 9, 11: 30
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  default: 31
  }
}
