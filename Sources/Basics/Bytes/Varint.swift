// SPDX-License-Identifier: MIT

/// A number in base 128, low group first, high bit set on all but the last byte: small ones take one byte.
@usableFromInline
package struct Varint: Sendable {
  /// Whole once a byte has ended it.
  @usableFromInline package var value: UInt64 = 0
  @usableFromInline package var shift: UInt64 = 0

  @inlinable
  package init() {}

  /// More bytes than a number has.
  @inlinable package var isTooLong: Bool { shift >= 64 }

  /// True: it is the last byte.
  @inlinable
  package mutating func take(_ byte: UInt8) -> Bool {
    value |= UInt64(byte & 0x7f) << shift  // bounded: seven bits, and a shift that loses what is too high
    shift += 7  // bounded: a byte more than 64 bits need at most
    return byte < 0x80
  }
}

extension [UInt8] {
  @inlinable
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))  // bounded: seven bits
  }
}
