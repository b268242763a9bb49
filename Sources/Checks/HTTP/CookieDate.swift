// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The `Expires` of a cookie, read as leniently as RFC 6265 section 5.1.1 wants. `nil` where it is no date.
func cookieDate(_ text: String) -> Timestamp? {
  var time: (Int, Int, Int)?
  var (day, month, year): (Int?, Int?, Int?)
  for token in text.utf8.split(whereSeparator: isDelimiter) {
    let word = String(Substring(token))
    if time == nil, let found = clock(word) {
      time = found
    } else if day == nil, let found = number(word, digits: 1...2) {
      day = found
    } else if month == nil, let found = monthNumber(word) {
      month = found
    } else if year == nil, let found = number(word, digits: 2...4) {
      year = found
    }
  }
  guard let time, let day, let month, var year else { return nil }
  // bounded: a year of two digits
  if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
  guard (1...31).contains(day), year >= 1601, time.0 <= 23, time.1 <= 59, time.2 <= 59 else { return nil }
  // bounded: an hour, a minute and a second of two digits
  let seconds = Int64(time.0 * 3600 + time.1 * 60 + time.2)
  // bounded: days of a year of four digits
  return Timestamp(seconds: daysSinceEpoch(year, month, day) * 86_400 + seconds)
}

private func isDelimiter(_ byte: UInt8) -> Bool {
  byte == 0x09 || (0x20...0x2f).contains(byte) || (0x3b...0x40).contains(byte) || (0x5b...0x60).contains(byte)
    || (0x7b...0x7e).contains(byte)
}

private func clock(_ word: String) -> (Int, Int, Int)? {
  let parts = word.split(separator: ":", omittingEmptySubsequences: false)
  guard parts.count == 3 else { return nil }
  let numbers = parts.compactMap { number(String($0), digits: 1...2) }
  return numbers.count == 3 ? (numbers[0], numbers[1], numbers[2]) : nil
}

/// The digits a word begins with; what follows them is ignored.
private func number(_ word: String, digits: ClosedRange<Int>) -> Int? {
  // bounded: a year of four digits, everything else of two
  let found = word.prefix { $0.isASCII && $0.isNumber }
  return digits.contains(found.count) ? Int(found) : nil
}

private func monthNumber(_ word: String) -> Int? {
  // bounded: a year of four digits, everything else of two
  let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  return names.firstIndex(of: word.prefix(3).lowercased()).map { $0 + 1 }
}

/// Days from 1970-01-01 in the Gregorian calendar; the year counted from March, so that leap days come last.
private func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
  // bounded: a year of four digits, everything else of two
  let shifted = month <= 2 ? year - 1 : year
  let era = shifted / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
}
