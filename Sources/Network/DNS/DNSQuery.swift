// SPDX-License-Identifier: MIT

import Basics

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
    let name = question.name.wire
    // bounded: a name has 255 bytes at most
    return [UInt8](unsafeUninitializedCapacity: 12 + name.count + 4 + 11) { buffer, count in
      var at = 0
      func put(_ byte: UInt8) {
        buffer[at] = byte
        // bounded: counts the bytes put, which the capacity has room for
        at += 1
      }
      func put(word: UInt16) {
        // bounded: of 16 bits without the lower eight
        put(UInt8(word >> 8))
        // bounded: eight bits
        put(UInt8(word & 255))
      }
      put(word: id)
      put(word: (recursion ? 0x0100 : 0) | (question.wantsProof ? 0x0020 : 0))
      // One question, nothing else but OPT.
      for number in [1, 0, 0, edns ? 1 : 0] as [UInt16] { put(word: number) }
      for byte in name { put(byte) }
      put(word: question.type.rawValue)
      put(word: question.recordClass)
      if edns {
        // OPT at the root, 1,232 bytes, version 0, DO or no flag, no options (RFC 6891 6.1).
        for byte in [0, 0, 41, 0x04, 0xd0, 0, 0, question.wantsProof ? 0x80 : 0, 0, 0, 0] as [UInt8] {
          put(byte)
        }
      }
      count = at
    }
  }

  /// Whether the bytes are an answer to this query, by RFC 5452 9.1; the socket vouches for the peer. Whatever is
  /// not is to be ignored while the wait goes on, or anybody who can guess our port could end it.
  package func accepts(_ bytes: ArraySlice<UInt8>) -> Bool {
    if isBareRefusal(bytes) { return true }
    // The first name of a message has nothing to point back to, so it is never compressed.
    let name = question.name.wire
    // bounded: a name has 255 bytes at most
    guard bytes.count >= 12 + name.count + 4 else { return false }
    let start = bytes.startIndex
    // bounded: within the length that is looked at above
    func word(_ index: Int) -> UInt16 { UInt16(bytes[start + index]) << 8 | UInt16(bytes[start + index + 1]) }
    // Our id, QR set, opcode 0, one question.
    // bounded: within the length that is looked at above
    guard word(0) == id, bytes[start + 2] & 0xf8 == 0x80, word(4) == 1 else { return false }
    // bounded: within the length that is looked at above
    for index in name.indices where folded(bytes[start + 12 + index]) != folded(name[index]) { return false }
    // bounded: a name has 255 bytes at most
    return word(12 + name.count) == question.type.rawValue
      && word(14 + name.count) == question.recordClass  // bounded: a name has 255 bytes at most
  }

  /// Old servers and load balancers refuse with a header and no more. Under our id it is no easier to make up than a
  /// refusal with the question, which everybody knows, and there is nothing in it to believe but that.
  private func isBareRefusal(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 12 else { return false }
    let header = Array(bytes.prefix(12))
    // bounded: eight bits each
    guard header[0] == UInt8(id >> 8), header[1] == UInt8(id & 255), header[2] & 0xf8 == 0x80 else {
      return false
    }
    let codes: [DNSResponseCode] = [.formErr, .servFail, .notImp, .refused]
    // No question, no answer, no authority; there may be an OPT record.
    // bounded: four bits
    return header[4..<10].allSatisfy { $0 == 0 } && codes.contains { $0.rawValue == UInt16(header[3] & 15) }
  }
}
