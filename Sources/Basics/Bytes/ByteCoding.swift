// SPDX-License-Identifier: MIT

/// Appends the numbers of a snapshot, as a `Varint` each.
@usableFromInline
package struct ByteWriter {
  @usableFromInline package var bytes: [UInt8] = []

  package init() {}

  @inlinable
  package mutating func unsigned(_ value: UInt64) { bytes.append(varint: value) }

  @inlinable
  package mutating func count(_ value: Int) { unsigned(UInt64(value)) }  // bounded: a count

  /// Zigzag: small negative numbers stay small.
  @inlinable
  package mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Presence, then the value.
  @inlinable
  package mutating func optional(_ value: Int64?) {
    bytes.append(value == nil ? 0 : 1)
    if let value { signed(value) }
  }

  package mutating func fixed32(_ value: UInt32) {
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  package mutating func blob(_ value: [UInt8]) {
    count(value.count)
    bytes += value
  }

  package mutating func text(_ value: String?) { blob(value.map { Array($0.utf8) } ?? []) }

  package mutating func id(_ value: UniqueID) { bytes += value.bytes }
}

/// Bytes that are not what `ByteWriter` wrote.
@usableFromInline
package struct CodingDamage: Error {
  @usableFromInline
  package init() {}
}

/// Reads what `ByteWriter` wrote. Every read is checked: the bytes come from a disk.
@usableFromInline
package struct ByteReader {
  @usableFromInline package let bytes: [UInt8]
  @usableFromInline package var position: Int
  @usableFromInline let end: Int

  package init(_ bytes: [UInt8], from position: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.position = position
    self.end = min(end ?? bytes.count, bytes.count)
  }

  package var atEnd: Bool { position == end }

  @inlinable
  package mutating func byte() throws(CodingDamage) -> UInt8 {
    // bounded: places within the bytes at hand; widths are fixed
    guard position < end else { throw CodingDamage() }
    position += 1
    return bytes[position - 1]
  }

  @inlinable
  package mutating func unsigned() throws(CodingDamage) -> UInt64 {
    var number = Varint()
    while !number.isTooLong { if number.take(try byte()) { return number.value } }
    throw CodingDamage()
  }

  /// A number of things that follow; never more than bytes are left, so a damaged count reserves nothing.
  @inlinable
  package mutating func count() throws(CodingDamage) -> Int {
    // bounded: places within the bytes at hand; widths are fixed
    let value = try unsigned()
    guard value <= UInt64(end - position) else { throw CodingDamage() }
    return Int(value)
  }

  @inlinable
  package mutating func signed() throws(CodingDamage) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number beyond the range is damage: none of ours lies there, and the sums made of them must fit.
  @inlinable
  package mutating func signed(in range: ClosedRange<Int64>) throws(CodingDamage) -> Int64 {
    let value = try signed()
    guard range.contains(value) else { throw CodingDamage() }
    return value
  }

  @inlinable
  package mutating func unsigned(through limit: UInt64) throws(CodingDamage) -> UInt64 {
    let value = try unsigned()
    guard value <= limit else { throw CodingDamage() }
    return value
  }

  @inlinable
  package mutating func optional() throws(CodingDamage) -> Int64? { try byte() == 0 ? nil : try signed() }

  @inlinable
  package mutating func fixed32() throws(CodingDamage) -> UInt32 {
    // bounded: places within the bytes at hand; widths are fixed
    var value: UInt32 = 0
    for shift in [0, 8, 16, 24] as [UInt32] { value |= UInt32(try byte()) << shift }
    return value
  }

  package mutating func take(_ count: Int) throws(CodingDamage) -> [UInt8] {
    // bounded: places within the bytes at hand; widths are fixed
    guard count <= end - position else { throw CodingDamage() }
    position += count
    return Array(bytes[position - count..<position])
  }

  package mutating func blob() throws(CodingDamage) -> [UInt8] { try take(try count()) }

  /// `nil` for the empty text, which is how absence is written.
  package mutating func text() throws(CodingDamage) -> String? {
    let content = try blob()
    guard let text = String(validating: content, as: UTF8.self) else { throw CodingDamage() }
    return text.isEmpty ? nil : text
  }

  package mutating func id() throws(CodingDamage) -> UniqueID {
    guard let id = UniqueID(bytes: try take(16)) else { throw CodingDamage() }
    return id
  }
}
