// SPDX-License-Identifier: MIT

import Basics

/// The bytes are no DNS message; the text says what is wrong with them.
package struct DNSMalformed: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

/// Reads fields off a message. Every access is checked against the end, so no message can make it trap.
struct DNSReader {
  let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  // bounded: places within a message of at most 65,535 bytes; widths are fixed
  var remaining: Int { bytes.count - offset }

  mutating func byte() throws(DNSMalformed) -> UInt8 {
    // bounded: places within a message of at most 65,535 bytes; widths are fixed
    guard offset < bytes.count else { throw DNSMalformed("the message ends inside a field") }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func word() throws(DNSMalformed) -> UInt16 {
    // bounded: places within a message of at most 65,535 bytes; widths are fixed
    let high = try byte()
    return UInt16(high) << 8 | UInt16(try byte())
  }

  mutating func long() throws(DNSMalformed) -> UInt32 {
    // bounded: places within a message of at most 65,535 bytes; widths are fixed
    let high = try word()
    return UInt32(high) << 16 | UInt32(try word())
  }

  mutating func wide() throws(DNSMalformed) -> UInt64 {
    // bounded: places within a message of at most 65,535 bytes; widths are fixed
    let high = try long()
    return UInt64(high) << 32 | UInt64(try long())
  }

  mutating func take(_ count: Int) throws(DNSMalformed) -> ArraySlice<UInt8> {
    // bounded: places within a message of at most 65,535 bytes; widths are fixed
    guard count >= 0, count <= remaining else {
      throw DNSMalformed("a length reaches past the end of the message")
    }
    defer { offset += count }
    return bytes[offset..<(offset + count)]
  }

  /// A name, compressed or not. Each pointer must lead before the labels it continues, so a chain of them always
  /// ends; 126 jumps are more than a name of 255 bytes can need (RFC 9267).
  mutating func name() throws(DNSMalformed) -> DNSName {
    if offset < bytes.count, bytes[offset] == 0 {
      offset += 1  // bounded: a message has 65,535 bytes at most
      return .root
    }
    var wire: [UInt8] = []
    wire.reserveCapacity(32)
    var cursor = offset
    var floor = offset
    var jumps = 0
    while true {
      guard cursor < bytes.count else { throw DNSMalformed("a name reaches past the end of the message") }
      let length = bytes[cursor]
      switch length {
      case 0:
        wire.append(0)
        if jumps == 0 { offset = cursor + 1 }  // bounded: a place within the message
        return DNSName(wire: wire)
      case 1...63:
        let end = cursor + 1 + Int(length)  // bounded: a place within the message, and 63 at most
        guard end <= bytes.count else { throw DNSMalformed("a label reaches past the end of the message") }
        wire += bytes[cursor..<end]
        // With the root's byte still to come.
        guard wire.count < 255 else { throw DNSMalformed("a name is longer than 255 bytes") }
        cursor = end
      case 0xc0...0xff:
        // bounded: a place within the message
        guard cursor + 1 < bytes.count else { throw DNSMalformed("a compression pointer is cut off") }
        // bounded: fourteen bits, and the byte is there
        let target = Int(length & 0x3f) << 8 | Int(bytes[cursor + 1])
        guard target < floor else { throw DNSMalformed("a compression pointer does not lead backward") }
        if jumps == 0 { offset = cursor + 2 }  // bounded: a place within the message
        jumps += 1  // bounded: held to 126 next
        guard jumps <= 126 else { throw DNSMalformed("a name has more than 126 compression pointers") }
        cursor = target
        floor = target
      default: throw DNSMalformed("a label has a reserved type")
      }
    }
  }
}
