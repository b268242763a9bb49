// SPDX-License-Identifier: MIT

/// A UUID (RFC 9562): 16 bytes, compared in byte order, printed in lower case.
package struct UniqueID: Hashable, Comparable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// `nil` unless there are exactly 16 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    self.init(high: words.0, low: words.1)
  }

  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * $0)) }
  }

  package static func < (left: UniqueID, right: UniqueID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UniqueID: CustomStringConvertible {
  /// Parses the 8-4-4-4-12 form, either case; nothing else.
  package init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8)
    guard utf8.count == 36 else { return nil }
    var words: [UInt64] = [0, 0]
    var digits = 0
    for (index, byte) in utf8.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let value = Base16.value(byte) else { return nil }
      words[digits / 16] = words[digits / 16] << 4 | UInt64(value)
      digits += 1
    }
    self.init(high: words[0], low: words[1])
  }

  package var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      text.append(Base16.lower[Int(byte >> 4)])
      text.append(Base16.lower[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UniqueID {
  /// Version 7: 48 bits of Unix milliseconds, then 74 random bits, so ids sort by creation and never repeat, also
  /// after a clock step or on a cloned machine. RFC 9562, section 5.7.
  package static func v7(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> UniqueID {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xffff_ffff_ffff
    let high = milliseconds << 16 | 0x7000 | generator.next() & 0xfff
    let low = 1 << 63 | generator.next() >> 2
    return UniqueID(high: high, low: low)
  }

  /// Version 5: the same name in the same namespace is the same id for ever. RFC 9562, section 5.5.
  package static func v5(namespace: UniqueID, name: String) -> UniqueID {
    let digest = sha1(namespace.bytes + Array(name.utf8))
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<8 {
      high = high << 8 | UInt64(digest[index])
      low = low << 8 | UInt64(digest[index + 8])
    }
    return UniqueID(high: high & ~0xf000 | 0x5000, low: low & ~(3 << 62) | 1 << 63)
  }
}
