// SPDX-License-Identifier: MIT

/// Bytes in hexadecimal digits (RFC 4648, section 8).
package enum Base16 {
  package static let lower = Array("0123456789abcdef".utf8)
  package static let upper = Array("0123456789ABCDEF".utf8)

  package static func text(_ bytes: some Sequence<UInt8>, _ digits: [UInt8] = lower) -> String {
    String(decoding: self.digits(bytes, digits), as: UTF8.self)
  }

  package static func digits(_ bytes: some Sequence<UInt8>, _ digits: [UInt8] = lower) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount * 2)  // bounded: bytes that are there
    for byte in bytes {
      // bounded: half a byte
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])  // bounded: half a byte
    }
    return text
  }

  /// A number, with zeros in front up to a width.
  package static func text(_ value: some UnsignedInteger, width: Int) -> String {
    let digits = String(value, radix: 16)
    // bounded: constants
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// `nil` unless it is whole bytes in lower-case digits.
  package static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0, !digits.contains(where: { (0x41...0x46).contains($0) }) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
      // bounded: within the digits
      guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
      bytes.append(high << 4 | low)  // bounded: two digits
    }
    return bytes
  }

  /// Of a digit, either case.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30  // bounded: a digit
    case 0x41...0x46: digit - 0x41 + 10  // bounded: a digit
    case 0x61...0x66: digit - 0x61 + 10  // bounded: a digit
    default: nil
    }
  }
}
