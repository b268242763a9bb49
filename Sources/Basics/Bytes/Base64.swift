// SPDX-License-Identifier: MIT

/// Base64 (RFC 4648, section 4).
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    // bounded: three bytes or four digits at a time
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (word, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      word = word << 8 | UInt32(byte)  // bounded: three bytes
      count += 1  // bounded: to three
      guard count == 3 else { continue }
      // bounded: three bytes or four digits at a time
      for shift in [18, 12, 6, 0] { text.append(letters[Int(word >> UInt32(shift) & 63)]) }
      (word, count) = (0, 0)
    }
    if count > 0 {
      // bounded: three bytes or four digits at a time
      word <<= UInt32(8 * (3 - count))
      for index in 0...count { text.append(letters[Int(word >> UInt32(18 - 6 * index) & 63)]) }
      for _ in count..<3 { text.append(UInt8(ascii: "=")) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `nil` when it is none, or more than `limit` bytes.
  package static func bytes(_ text: String, limit: Int) -> [UInt8]? {
    let count = text.utf8.count
    // bounded: three bytes or four digits at a time
    guard count % 4 == 0, count / 4 * 3 <= limit.bounded(plus: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count / 4 * 3)  // bounded: less than the text
    var (word, digits, padding): (UInt32, Int, Int) = (0, 0, 0)
    for letter in text.utf8 {
      if letter == UInt8(ascii: "=") {
        padding += 1  // bounded: by the text
        word <<= 6
      } else {
        guard padding == 0, let value = value(letter) else { return nil }
        word = word << 6 | value
      }
      digits += 1  // bounded: by the text
      guard digits == 4 else { continue }
      guard padding <= 2 else { return nil }
      // bounded: three bytes or four digits at a time
      for index in 0..<(3 - padding) {
        // bounded: one of three bytes
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * index)))
      }
      (word, digits) = (0, 0)
    }
    return bytes.count <= limit ? bytes : nil
  }

  private static func value(_ letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter) - 65  // bounded: a letter
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter) - 71  // bounded: a letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter) + 4  // bounded: a digit
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
