// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Kind of a record. The raw values are the format.
enum RecordKind: UInt8, Sendable {
  case result = 1
  /// Stands where results were lost: why, how many, which.
  case gap = 2
  /// A result the receiver refused, in the quarantine only.
  case refused = 3
}

/// The frame around a payload:
///
///     0  magic "QREC"      4  version   5  kind   6  flags (16 bit)
///     8  payload length   12  CRC32C of bytes 0..<12 and 16..<24
///    16  sequence         24  payload …  CRC32C of all before it, zeros up to a multiple of 8
///
/// The header has its own checksum, so the length of a record with a damaged payload can still be trusted and the
/// record is stepped over exactly.
struct RecordFrame: Hashable, Sendable {
  static let magic: UInt32 = 0x4345_5251
  static let version: UInt8 = 1
  static let headerSize = 24
  /// More than any writer of version 1 makes, so that a later one may grow.
  static let payloadLimit = 4096
  static let sizeLimit = size(payload: payloadLimit)
  /// Numbers above this are damage: nothing counts that far, and arithmetic on smaller ones cannot overflow.
  static let sequenceLimit: UInt64 = 1 << 62

  /// Set on a result that belongs in the delivery lanes, so that counting needs no decoding.
  static let deliverable: UInt16 = 1

  var version = RecordFrame.version
  var kind: UInt8
  var flags: UInt16
  var sequence: UInt64
  var payloadLength: Int

  var isDeliverable: Bool { kind == RecordKind.result.rawValue && flags & RecordFrame.deliverable != 0 }
  var isGap: Bool { kind == RecordKind.gap.rawValue }
  var size: Int { RecordFrame.size(payload: payloadLength) }

  static func size(payload: Int) -> Int { (headerSize + payload + 4 + 7) & ~7 }

  /// The header at `offset` when its magic, checksum and length are right.
  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard offset + RecordFrame.headerSize <= bytes.count,
      bytes.integer(UInt32.self, at: offset) == RecordFrame.magic
    else { return nil }
    let length = bytes.integer(UInt32.self, at: offset + 8)
    let crc = RecordFrame.headerChecksum(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 24]))
    guard bytes.integer(UInt32.self, at: offset + 12) == crc, length <= UInt32(RecordFrame.payloadLimit)
    else {
      return nil
    }
    self.version = bytes[offset + 4]
    self.kind = bytes[offset + 5]
    self.flags = bytes.integer(UInt16.self, at: offset + 6)
    self.sequence = bytes.integer(UInt64.self, at: offset + 16)
    self.payloadLength = Int(length)
    guard sequence < RecordFrame.sequenceLimit else { return nil }
  }

  /// True when the payload that follows the header at `offset` is complete and undamaged.
  func isIntact(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard offset + size <= bytes.count else { return false }
    let end = offset + RecordFrame.headerSize + payloadLength
    let crc = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
    return bytes.integer(UInt32.self, at: end) == crc
  }

  /// Appends one whole record.
  static func encode(_ entry: SpoolEntry, into bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(littleEndian: magic)
    bytes.append(version)
    bytes.append(entry.kind.rawValue)
    bytes.append(littleEndian: entry.deliverable ? deliverable : 0)
    bytes.append(littleEndian: UInt32(entry.payload.count))
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: entry.sequence)
    let crc = bytes.withUnsafeBytes {
      headerChecksum(UnsafeRawBufferPointer(rebasing: $0[start..<start + 24]))
    }
    bytes.overwrite(crc, at: start + 12)
    bytes.append(contentsOf: entry.payload)
    let whole = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    bytes.append(littleEndian: whole)
    while (bytes.count - start) % 8 != 0 { bytes.append(0) }
  }

  private static func headerChecksum(_ header: UnsafeRawBufferPointer) -> UInt32 {
    let first = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[0..<12]))
    return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[16..<24]), from: first)
  }
}

/// A record on its way to the disk.
struct SpoolEntry: Hashable, Sendable {
  var sequence: UInt64
  var kind: RecordKind
  /// Always false for a gap.
  var deliverable: Bool
  var payload: [UInt8]

  var size: Int { RecordFrame.size(payload: payload.count) }
}
