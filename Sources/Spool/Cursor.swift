// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The progress of the delivery on disk: 64 bytes and a few ranges, written alternately to two slots.
///
///     0 magic "QCUR"  4 version (16 bit)  6 number of ranges (16 bit)  8 generation  16 settled through
///    24 live lane starts at  32 live lane settled through  40 identity of the store  56 CRC32C of 0..<56
///    60 CRC32C of 0..<56 and the ranges, zero without any
///    64 ranges settled beside these, rising: first and last of each (64 bit)
///
/// Ranges exist only while results wait for longer than those after them. A slot counts whole or not at all.
struct Cursor: Hashable, Sendable {
  static let magic: UInt32 = 0x5255_4351
  static let version: UInt16 = 1
  static let size = 64
  /// The slots are a page apart, so that no torn write reaches both.
  static let slotDistance = 4096
  static let fileSize = 2 * slotDistance
  static let rangeSize = 16
  /// Ranges that a slot has room for. Further ones are sent again after a restart.
  static let rangeLimit = (slotDistance - size) / rangeSize
  static let fileName = "cursor"

  var generation: UInt64
  var settledThrough: UInt64
  var liveStart: UInt64
  var liveThrough: UInt64
  var identity: UniqueID
  /// At most `rangeLimit`, rising.
  var ranges: [ClosedRange<UInt64>] = []

  /// The last sequence that the cursor speaks of.
  var highest: UInt64 {
    max(settledThrough, liveThrough, max(liveStart, 1) - 1, ranges.last?.upperBound ?? 0)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Cursor.magic)
    bytes.append(littleEndian: Cursor.version)
    bytes.append(littleEndian: UInt16(ranges.count))
    for number in [generation, settledThrough, liveStart, liveThrough] { bytes.append(littleEndian: number) }
    bytes.append(contentsOf: identity.bytes)
    var extent: [UInt8] = []
    for range in ranges {
      extent.append(littleEndian: range.lowerBound)
      extent.append(littleEndian: range.upperBound)
    }
    let checksums = (CRC32C.checksum(bytes), extent.isEmpty ? 0 : CRC32C.checksum(bytes + extent))
    bytes.append(littleEndian: checksums.0)
    bytes.append(littleEndian: checksums.1)
    return bytes + extent
  }

  init(generation: UInt64, progress: DeliveryProgress, identity: UniqueID) {
    let numbers = progress.cursorNumbers
    self.generation = generation
    self.settledThrough = numbers.settledThrough
    self.liveStart = numbers.liveStart
    self.liveThrough = numbers.liveThrough
    self.identity = identity
    self.ranges = progress.cursorRanges(atMost: Cursor.rangeLimit)
  }

  /// `nil` when the slot is damaged, empty, or of a version this program does not know.
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
    guard generation < limit, settledThrough < limit, liveStart < limit, liveThrough < limit,
      let ranges = Cursor.ranges(slot: bytes)
    else { return nil }
    self.ranges = ranges
  }

  /// `nil` when they are damaged.
  private static func ranges(slot bytes: UnsafeRawBufferPointer) -> [ClosedRange<UInt64>]? {
    let count = Int(bytes.integer(UInt16.self, at: 6))
    guard count > 0 else { return [] }
    let end = size + count * rangeSize
    guard count <= rangeLimit, bytes.count >= end else { return nil }
    let extent = bytes[size..<end]
    guard bytes.integer(UInt32.self, at: 60) == CRC32C.checksum(Array(bytes[0..<56]) + extent) else {
      return nil
    }
    var ranges: [ClosedRange<UInt64>] = []
    for start in stride(from: size, to: end, by: rangeSize) {
      let first = bytes.integer(UInt64.self, at: start)
      let last = bytes.integer(UInt64.self, at: start + 8)
      guard first <= last, last < RecordFrame.sequenceLimit, first > ranges.last?.upperBound ?? 0 else {
        return nil
      }
      ranges.append(first...last)
    }
    return ranges
  }

  /// The newer of the two slots that can be read.
  static func newest(in bytes: [UInt8]) -> (cursor: Cursor?, damaged: Int) {
    var newest: Cursor?
    var damaged = 0
    for start in [0, slotDistance] where start + size <= bytes.count {
      let slot = bytes.withUnsafeBytes {
        Cursor(slot: UnsafeRawBufferPointer(rebasing: $0[start..<min(start + slotDistance, $0.count)]))
      }
      if slot == nil, bytes[start..<start + size].contains(where: { $0 != 0 }) { damaged += 1 }
      if let slot, slot.generation >= newest?.generation ?? 0 { newest = slot }
    }
    return (newest, damaged)
  }
}
