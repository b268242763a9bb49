// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything on disk is little-endian, whatever the machine.
extension [UInt8] {
  mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  mutating func overwrite<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    Swift.withUnsafeBytes(of: value.littleEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// The caller has checked that the bytes are there.
  func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

/// Walks the tagged fields of a payload: tag, length, value; a field that does not fit ends the walk with an error.
struct FieldReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// `nil` at the end.
  mutating func next() throws(MalformedPayload) -> (tag: UInt64, value: FieldValue)? {
    guard offset < bytes.count else { return nil }
    // bounded: a place within the bytes
    guard let tag = varint(), let length = varint(), length <= UInt64(bytes.count - offset) else {
      throw MalformedPayload(field: nil)
    }
    let start = offset
    offset += Int(length)  // bounded: no more than the bytes that are left
    return (tag, FieldValue(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<offset])))
  }

  private mutating func varint() -> UInt64? {
    var number = Varint()
    while offset < bytes.count, !number.isTooLong {
      let isLast = number.take(bytes[offset])
      offset += 1  // bounded: a place within the bytes
      if isLast { return number.value }
    }
    return nil
  }
}

/// The bytes of one field, valid while the payload is.
struct FieldValue {
  let bytes: UnsafeRawBufferPointer

  /// Exactly 16 bytes, in the order they are printed.
  var uniqueID: UniqueID? {
    guard bytes.count == 16 else { return nil }
    return UniqueID(
      high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Strict UTF-8.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// One to eight bytes, two's complement; the writer leaves out what the sign already says.
  var integer: Int64? {
    // bounded: places within the bytes at hand; widths are fixed
    guard (1...8).contains(bytes.count) else { return nil }
    var value: UInt64 = bytes[bytes.count - 1] >= 0x80 ? .max : 0
    for byte in bytes.reversed() { value = value << 8 | UInt64(byte) }
    return Int64(bitPattern: value)
  }
}

/// Writes tagged fields.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(320) }

  mutating func put(_ tag: UInt64, _ value: some Collection<UInt8>) {
    // bounded: places within the bytes at hand; widths are fixed
    bytes.append(varint: tag)
    bytes.append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func put(_ tag: UInt64, _ id: UniqueID) {
    bytes.append(varint: tag)
    bytes.append(16)
    Swift.withUnsafeBytes(of: id.high.bigEndian) { bytes.append(contentsOf: $0) }
    Swift.withUnsafeBytes(of: id.low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ tag: UInt64, _ text: String) { put(tag, text.utf8) }

  mutating func put(_ tag: UInt64, integer value: Int64) {
    // bounded: places within the bytes at hand; widths are fixed
    var length = 1
    while length < 8, value >> (8 * length - 1) != value >> 63 { length += 1 }
    bytes.append(varint: tag)
    bytes.append(UInt8(length))
    for index in 0..<length { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

/// A payload whose checksum holds but whose content this version cannot read.
struct MalformedPayload: Error, Hashable {
  /// The tag at fault; nil when the structure itself is wrong.
  var field: UInt64?
}
