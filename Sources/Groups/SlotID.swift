// SPDX-License-Identifier: MIT

import Basics

/// Id of a slot of a group's check on the wire, the same for every member.
///
/// Two members that run one slot give their results one id, and a receiver that knows an id already takes the first and
/// leaves the second: a probe made twice is one row. The id is made of the slot's instant, not of its number: a check
/// that gets another interval never has the id of an old slot again.
package enum SlotID {
  /// Version 8 (RFC 9562, section 5.8): the first 122 free bits of SHA-256 over the group's name with its length, the check's id
  /// and the slot's microseconds, each of 8 bytes in network order.
  package static func id(group: String, check: UniqueID, slot: Timestamp) -> UniqueID {
    let name = Array(group.utf8)
    var message: [UInt8] = []
    message.reserveCapacity(name.count + 32)
    append(UInt64(name.count), to: &message)
    message += name
    append(check.high, to: &message)
    append(check.low, to: &message)
    append(UInt64(bitPattern: slot.microseconds), to: &message)
    let digest = sha256(message)
    let (high, low) = (word(digest, at: 0), word(digest, at: 8))
    return UniqueID(high: high & ~0xf000 | 0x8000, low: low & ~(3 << 62) | 1 << 63)
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  private static func word(_ bytes: [UInt8], at start: Int) -> UInt64 {
    bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
