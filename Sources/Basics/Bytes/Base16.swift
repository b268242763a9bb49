// SPDX-License-Identifier: MIT

/// RFC 4648, section 8, in lower case.
package func base16(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}

/// Nil unless it is whole bytes in lower-case digits.
package func base16Decoded(_ text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(digits.count / 2)
  for place in stride(from: 0, to: digits.count, by: 2) {
    guard let high = base16Value(digits[place]), let low = base16Value(digits[place + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

private func base16Value(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  default: nil
  }
}
