// SPDX-License-Identifier: MIT

/// Writes one JSON text (RFC 8259) into a byte buffer, commas included. Made for the hot path: no dictionaries,
/// no intermediate values.
///
/// Absent values are left out by the `…IfPresent` forms, so that what was not measured does not appear.
package struct JSONWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init(reserving capacity: Int = 512) { bytes.reserveCapacity(capacity) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"), body, UInt8(ascii: "}"))
  }

  package mutating func array(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["), body, UInt8(ascii: "]"))
  }

  /// The name is a literal of ours, in which nothing needs escaping.
  package mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// For keys that are data, such as the names of a map.
  package mutating func key(dynamic name: String) {
    separate()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func string(_ value: String) {
    separate()
    quote(value)
    needsComma = true
  }

  /// As RFC 3339 in UTC with milliseconds.
  package mutating func timestamp(_ value: Timestamp) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    value.writeRFC3339(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

  /// A finite number; anything else is written as null, JSON having no word for it.
  package mutating func number(_ value: Double) {
    guard value.isFinite else { return raw("null") }
    if value == value.rounded(), abs(value) < 1e15 { return raw(String(Int64(value))) }
    raw("\(value)")
  }

  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  package mutating func null() { raw("null") }

  /// A value that is JSON already.
  package mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  package mutating func field(_ name: StaticString, _ value: String) { key(name); string(value) }
  package mutating func field(_ name: StaticString, _ value: Bool) { key(name); bool(value) }
  package mutating func field(_ name: StaticString, _ value: some BinaryInteger) { key(name); integer(value) }
  package mutating func field(_ name: StaticString, _ value: Double) { key(name); number(value) }
  /// Milliseconds with microsecond precision.
  package mutating func field(_ name: StaticString, _ value: Duration) {
    key(name); number(value.milliseconds)
  }
  package mutating func field(_ name: StaticString, _ value: Timestamp) { key(name); timestamp(value) }

  package mutating func fieldIfPresent(_ name: StaticString, _ value: String?) {
    if let value { field(name, value) }
  }
  package mutating func fieldIfPresent(_ name: StaticString, _ value: (some BinaryInteger)?) {
    if let value { field(name, value) }
  }
  package mutating func fieldIfPresent(_ name: StaticString, _ value: Double?) {
    if let value { field(name, value) }
  }
  package mutating func fieldIfPresent(_ name: StaticString, _ value: Duration?) {
    if let value { field(name, value) }
  }
  package mutating func fieldIfPresent(_ name: StaticString, _ value: Timestamp?) {
    if let value { field(name, value) }
  }

  private mutating func open(_ first: UInt8, _ body: (inout JSONWriter) -> Void, _ last: UInt8) {
    separate()
    bytes.append(first)
    needsComma = false
    body(&self)
    bytes.append(last)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    // Most texts go as they are, at once.
    if text.utf8.allSatisfy(Self.isPlain) { bytes.append(contentsOf: text.utf8) } else { escape(text) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a byte is not escaped.
  @inline(__always) private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7f
  }

  private mutating func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7f:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Base16.lower[Int(byte >> 4)])
        bytes.append(Base16.lower[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }
}
