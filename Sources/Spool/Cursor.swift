// SPDX-License-Identifier: MIT

import Monitoring

/// What the disk knows of the delivery: 64 bytes, written alternately to two slots.
///
///     0 magic "QCUR"  4 version (16 bit)  6 zero  8 generation  16 settled through
///    24 live lane starts at  32 live lane settled through  40 identity of the store  56 CRC32C of 0..<56  60 zero
struct Cursor: Hashable, Sendable {
  static let magic: UInt32 = 0x5255_4351
  static let version: UInt16 = 1
  static let size = 64
  /// The slots are a page apart, so that no torn write reaches both.
  static let slotDistance = 4096
  static let fileSize = 2 * slotDistance
  static let fileName = "cursor"

  var generation: UInt64
  var settledThrough: UInt64
  var liveStart: UInt64
  var liveThrough: UInt64
  var identity: UniqueID

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Cursor.magic)
    bytes.append(littleEndian: Cursor.version)
    bytes.append(littleEndian: UInt16(0))
    for number in [generation, settledThrough, liveStart, liveThrough] { bytes.append(littleEndian: number) }
    bytes.append(contentsOf: identity.bytes)
    bytes.append(littleEndian: CRC32C.checksum(bytes))
    bytes.append(littleEndian: UInt32(0))
    return bytes
  }

  init(generation: UInt64, progress: DeliveryProgress, identity: UniqueID) {
    let numbers = progress.cursorNumbers
    self.generation = generation
    self.settledThrough = numbers.settledThrough
    self.liveStart = numbers.liveStart
    self.liveThrough = numbers.liveThrough
    self.identity = identity
  }

  /// Nil when the slot is damaged, empty, or of a version this program does not know.
  init?(slot bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Cursor.size, bytes.integer(UInt32.self, at: 0) == Cursor.magic,
      bytes.integer(UInt16.self, at: 4) == Cursor.version,
      bytes.integer(UInt32.self, at: 56) == CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[0..<56])),
      let identity = UniqueID(bytes: bytes[40..<56])
    else { return nil }
    self.generation = bytes.integer(UInt64.self, at: 8)
    self.settledThrough = bytes.integer(UInt64.self, at: 16)
    self.liveStart = bytes.integer(UInt64.self, at: 24)
    self.liveThrough = bytes.integer(UInt64.self, at: 32)
    self.identity = identity
    let limit = RecordFrame.sequenceLimit
    guard generation < limit, settledThrough < limit, liveStart < limit, liveThrough < limit else {
      return nil
    }
  }

  /// The newer of the two slots that can be read.
  static func newest(in bytes: [UInt8]) -> (cursor: Cursor?, damaged: Int) {
    var newest: Cursor?
    var damaged = 0
    for start in [0, slotDistance] where start + size <= bytes.count {
      let slot = bytes.withUnsafeBytes {
        Cursor(slot: UnsafeRawBufferPointer(rebasing: $0[start..<start + size]))
      }
      if slot == nil, bytes[start..<start + size].contains(where: { $0 != 0 }) { damaged += 1 }
      if let slot, slot.generation >= newest?.generation ?? 0 { newest = slot }
    }
    return (newest, damaged)
  }
}
