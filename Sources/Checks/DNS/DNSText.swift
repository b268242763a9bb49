// SPDX-License-Identifier: MIT

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

/// Upper case, as the RFCs print digests.
func hexText(_ bytes: some Collection<UInt8>) -> String {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes { text += [upperHexDigits[Int(byte >> 4)], upperHexDigits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}

func hexText(_ word: UInt16) -> String { hexText([UInt8(word >> 8), UInt8(word & 255)]) }

private let upperHexDigits = Array("0123456789ABCDEF".utf8)

/// RFC 4648 4, padded, in one piece.
func base64Text(_ bytes: some Collection<UInt8>) -> String {
  let alphabet = base64Alphabet
  var text = encode(bytes, alphabet, bitsPerDigit: 6)
  while text.count % 4 != 0 { text.append(0x3d) }
  return String(decoding: text, as: UTF8.self)
}

/// RFC 4648 7 without padding, upper case.
func base32Text(_ bytes: some Collection<UInt8>) -> String {
  String(decoding: encode(bytes, base32Alphabet, bitsPerDigit: 5), as: UTF8.self)
}

private let base64Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let base32Alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUV".utf8)

private func encode(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8], bitsPerDigit: Int) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 8 / bitsPerDigit + 4)
  var pending = 0
  var bits = 0
  for byte in bytes {
    pending = (pending << 8 | Int(byte)) & 0xffff
    bits += 8
    while bits >= bitsPerDigit {
      bits -= bitsPerDigit
      text.append(alphabet[pending >> bits & (alphabet.count - 1)])
    }
  }
  if bits > 0 { text.append(alphabet[pending << (bitsPerDigit - bits) & (alphabet.count - 1)]) }
  return text
}

/// `YYYYMMDDHHmmSS` in UTC, for the 32 bits that RRSIG has.
func calendarText(_ seconds: UInt32) -> String {
  // Days since 1 March of the year 0, in eras of 400 years, so that the leap day is the last of a year.
  let days = Int(seconds) / 86_400 + 719_468
  let (era, dayOfEra) = (days / 146_097, days % 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shifted = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * shifted + 2) / 5 + 1
  let month = shifted < 10 ? shifted + 3 : shifted - 9
  let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  let second = Int(seconds) % 86_400
  let parts = [month, day, second / 3600, second / 60 % 60, second % 60]
  return String(year) + parts.map { $0 < 10 ? "0\($0)" : String($0) }.joined()
}
