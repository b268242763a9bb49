// SPDX-License-Identifier: MIT

import Basics

/// A domain name in wire form without compression: labels with their lengths, the root's zero at the end.
///
/// Two names are equal when they differ in ASCII case only (RFC 4343).
package struct DNSName: Hashable, Sendable {
  /// 1 to 255 bytes.
  package let wire: [UInt8]

  package static let root = DNSName(wire: [0])

  package init(wire: [UInt8]) { self.wire = wire }

  /// Parses dotted text, with or without the final dot; no escapes. `nil` for an empty label, a label over 63
  /// bytes, a name over 255 bytes on the wire, and anything but ASCII.
  package init?(_ text: some StringProtocol) {
    if text == "." {
      self = .root
      return
    }
    var wire: [UInt8] = [0]
    wire.reserveCapacity(text.utf8.count + 2)  // bounded: a reserve of memory for what is in memory
    // Where the length of the label at hand goes.
    var label = 0
    for byte in text.utf8 {
      guard byte < 0x80 else { return nil }
      wire.append(byte == UInt8(ascii: ".") ? 0 : byte)
      guard byte == UInt8(ascii: ".") else { continue }
      // bounded: the label begins within the bytes; below 1 is refused next
      let length = wire.count - label - 2
      guard (1...63).contains(length) else { return nil }
      wire[label] = UInt8(length)  // bounded: held to 63 before
      label = wire.count - 1  // bounded: a count of bytes, one at least
    }
    let length = wire.count - label - 1  // bounded: the label begins within the bytes
    if length > 0 {
      guard length <= 63 else { return nil }
      wire[label] = UInt8(length)  // bounded: held to 63 before
      wire.append(0)
    } else if label == 0 {
      return nil
    }
    guard wire.count <= 255 else { return nil }
    self.wire = wire
  }

  package static func == (left: DNSName, right: DNSName) -> Bool {
    guard left.wire.count == right.wire.count else { return false }
    for (one, other) in zip(left.wire, right.wire) where one != other && folded(one) != folded(other) {
      return false
    }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    for byte in wire { hasher.combine(folded(byte)) }
  }
}

/// Length bytes are below 64 and so never letters: folding the whole wire form is right.
func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

extension DNSName: CustomStringConvertible {
  /// Presentation format with the final dot (RFC 1035 5.1): dots, backslashes and quotes inside a label get a
  /// backslash, bytes that are not printable ASCII become `\DDD`.
  package var description: String {
    if wire.count == 1 { return "." }
    var text: [UInt8] = []
    text.reserveCapacity(wire.count)
    var index = 0
    while index < wire.count, wire[index] > 0 {
      // bounded: a name that was read is whole, and has 255 bytes at most
      let end = index + 1 + Int(wire[index])
      // bounded: a name that was read is whole, and has 255 bytes at most
      for byte in wire[(index + 1)..<end] {
        switch byte {
        case 0x2e, 0x5c, 0x22, 0x28, 0x29, 0x3b, 0x40, 0x24: text += [0x5c, byte]
        case 0x21...0x7e: text.append(byte)
        default: text += decimalEscape(byte)
        }
      }
      text.append(0x2e)
      index = end
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// `\DDD`
func decimalEscape(_ byte: UInt8) -> [UInt8] {
  [0x5c, 0x30 + byte / 100, 0x30 + byte / 10 % 10, 0x30 + byte % 10]  // bounded: the digits of a byte
}
