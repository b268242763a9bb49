// SPDX-License-Identifier: MIT

import Basics

/// A message in the protobuf wire format (protobuf.dev, "Encoding"): fields one after another, written straight into bytes.
struct ProtobufMessage {
  private(set) var bytes: [UInt8] = []

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func integer(_ field: Int, _ value: UInt64) {
    tag(field, 0)
    varint(value)
  }

  /// `sint32` and `sint64`: small numbers of either sign are short.
  mutating func signed(_ field: Int, _ value: Int64) {
    integer(field, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func double(_ field: Int, _ value: Double) {
    tag(field, 1)
    unsafe withUnsafeBytes(of: value.bitPattern.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func text(_ field: Int, _ value: some Collection<UInt8>) {
    tag(field, 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func message(_ field: Int, _ value: ProtobufMessage) { text(field, value.bytes) }

  /// A message of a stream of them, behind its length.
  mutating func delimited(_ value: ProtobufMessage) {
    varint(UInt64(value.bytes.count))
    bytes.append(contentsOf: value.bytes)
  }

  private mutating func tag(_ field: Int, _ type: UInt64) { varint(UInt64(field) << 3 | type) }
}
