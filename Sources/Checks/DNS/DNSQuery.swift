// SPDX-License-Identifier: MIT

/// A question on its way: what is sent, and what may be taken for its answer.
package struct DNSQuery: Hashable, Sendable {
  package var id: UInt16
  package var question: DNSQuestion
  package var recursion: Bool
  /// Announce that answers up to 1,232 bytes may come by UDP: what fits an IPv6 packet of minimum size.
  package var edns: Bool

  package init(id: UInt16, question: DNSQuestion, recursion: Bool, edns: Bool) {
    self.id = id
    self.question = question
    self.recursion = recursion
    self.edns = edns
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12 + question.name.wire.count + 4 + 11)
    bytes += [UInt8(id >> 8), UInt8(id & 255), recursion ? 1 : 0, 0]
    bytes += [0, 1, 0, 0, 0, 0, 0, edns ? 1 : 0]
    bytes += question.name.wire
    let type = question.type.rawValue
    bytes += [UInt8(type >> 8), UInt8(type & 255), 0, 1]
    // OPT at the root, 1,232 bytes, version 0, no flags, no options (RFC 6891 6.1).
    if edns { bytes += [0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0] }
    return bytes
  }

  /// Whether the bytes are an answer to this query, by RFC 5452 9.1; the socket vouches for the peer. Whatever is
  /// not is to be ignored while the wait goes on, or anybody who can guess our port could end it.
  package func accepts(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 12 else { return false }
    let start = bytes.startIndex
    guard bytes[start] == UInt8(id >> 8), bytes[start + 1] == UInt8(id & 255) else { return false }
    // QR set, opcode 0.
    guard bytes[start + 2] & 0xf8 == 0x80 else { return false }
    guard bytes[start + 4] == 0, bytes[start + 5] == 1 else { return false }
    // The first name of a message has nothing to point back to, so it is never compressed.
    let tail = question.name.wire.count + 4
    guard bytes.count >= 12 + tail else { return false }
    let name = DNSName(wire: Array(bytes[(start + 12)..<(start + 8 + tail)]))
    let type = question.type.rawValue
    return name == question.name
      && bytes[(start + 8 + tail)..<(start + 12 + tail)].elementsEqual([
        UInt8(type >> 8), UInt8(type & 255), 0, 1,
      ])
  }
}
