// SPDX-License-Identifier: MIT

import Basics

// The alphabets that zone files write bytes in.

/// A character string in quotes; quotes and backslashes get a backslash, what is not printable ASCII `\DDD`.
func quoted(_ bytes: some Collection<UInt8>) -> String {
  var text: [UInt8] = [0x22]
  for byte in bytes {
    switch byte {
    case 0x22, 0x5c: text += [0x5c, byte]
    case 0x20...0x7e: text.append(byte)
    default: text += decimalEscape(byte)
    }
  }
  text.append(0x22)
  return String(decoding: text, as: UTF8.self)
}

/// `YYYYMMDDHHmmSS` in UTC, for the 32 bits that RRSIG has.
func calendarText(_ seconds: UInt32) -> String {
  // Days since 1 March of the year 0, in eras of 400 years, so that the leap day is the last of a year.
  let days = Int(seconds) / 86_400 + 719_468  // bounded: seconds have 32 bits
  let (era, dayOfEra) = (days / 146_097, days % 146_097)
  // bounded: seconds have 32 bits
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  // bounded: seconds have 32 bits
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shifted = (5 * dayOfYear + 2) / 153  // bounded: seconds have 32 bits
  let day = dayOfYear - (153 * shifted + 2) / 5 + 1  // bounded: seconds have 32 bits
  let month = shifted < 10 ? shifted + 3 : shifted - 9  // bounded: seconds have 32 bits
  let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)  // bounded: seconds have 32 bits
  let second = Int(seconds) % 86_400  // bounded: seconds have 32 bits
  let parts = [month, day, second / 3600, second / 60 % 60, second % 60]
  // bounded: seconds have 32 bits
  return String(year) + parts.map { $0 < 10 ? "0\($0)" : String($0) }.joined()
}
