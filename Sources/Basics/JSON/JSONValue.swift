// SPDX-License-Identifier: MIT

/// A parsed JSON text, members in the order they came.
package enum JSONValue: Hashable, Sendable {
  case object([Member])
  case array([JSONValue])
  case string(String)
  /// The digits as written, so that no precision is lost before the number is read.
  case number(String)
  case bool(Bool)
  case null

  package struct Member: Hashable, Sendable {
    /// Compared by its bytes, as all text of this room.
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      ByteText(left.name) == ByteText(right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
      ByteText(name).hash(into: &hasher)
      value.hash(into: &hasher)
    }
  }

  /// The member's value; nil when this is no object or has no such member.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The element; nil when this is no array or shorter.
  package subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  package var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  package var bool: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// A whole number in 64 bits; `1.0` and `1e2` are not whole numbers here, as they are none for the backend.
  package var integer: Int64? {
    // bounded: digits that are no such number are nil
    if case .number(let digits) = self { return Int64(digits) }
    return nil
  }

  /// A finite number; `1e400` is nil.
  package var double: Double? {
    guard case .number(let digits) = self, let value = Double(digits), value.isFinite else { return nil }
    return value
  }

  package var array: [JSONValue]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  package var members: [Member]? {
    if case .object(let members) = self { return members }
    return nil
  }

  /// In RFC 3339.
  package var timestamp: Timestamp? { string.flatMap { Timestamp(rfc3339: $0) } }

  /// In the form with hyphens.
  package var uniqueID: UniqueID? { string.flatMap { UniqueID($0) } }

  package var isNull: Bool { if case .null = self { true } else { false } }
}

extension JSONValue {
  /// Text from outside is compared and hashed as it was written, see `ByteText`.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.object(let left), .object(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.string(let left), .string(let right)), (.number(let left), .number(let right)):
      ByteText(left) == ByteText(right)
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .object(let members): hasher.combine(members)
    case .array(let elements): hasher.combine(elements)
    case .string(let text), .number(let text): hasher.combine(ByteText(text))
    case .bool(let value): hasher.combine(value)
    case .null: hasher.combine(0)
    }
  }
}

/// Why a JSON text was refused, and at which byte.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  package var offset: Int
  package var message: String
  package var description: String { "\(message) at byte \(offset)" }
}

extension JSONValue {
  /// Parses one JSON text strictly by RFC 8259: valid UTF-8, no trailing text, no duplicate names (section 4 leaves
  /// them undefined, and two parsers that differ are an attack), no lone surrogates.
  ///
  /// - Parameter maxDepth: arrays and objects inside one another; deeper is an error, not a stack overflow.
  package static func parse(_ bytes: some Sequence<UInt8>, maxDepth: Int = 64) throws(JSONError) -> JSONValue
  {
    var parser = JSONParser(bytes: Array(bytes), maxDepth: maxDepth)
    return try parser.text()
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  let maxDepth: Int
  var index = 0

  init(bytes: [UInt8], maxDepth: Int) {
    self.bytes = bytes
    self.maxDepth = maxDepth
  }

  mutating func text() throws(JSONError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard index == bytes.count else { throw error("unexpected text after the value") }
    return value
  }

  private func error(_ message: String) -> JSONError { JSONError(offset: index, message: message) }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case .some(0x30...0x39), UInt8(ascii: "-"): return try number()
    case nil: throw error("unexpected end")
    default: throw error("unexpected character")
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    let expected = Array(text.description.utf8)
    // bounded: a word of four or five letters
    guard index + expected.count <= bytes.count, Array(bytes[index..<index + expected.count]) == expected
    else {
      throw error("unexpected character")
    }
    index += expected.count  // bounded: a word of four or five letters
    return value
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < maxDepth else { throw error("nested deeper than \(maxDepth)") }
    index += 1
    var members: [JSONValue.Member] = []
    var names: Set<ByteText> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw error("expected a member name") }
      let name = try string()
      guard names.insert(ByteText(name)).inserted else { throw error("duplicate member name") }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw error("expected a colon") }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw error("expected a comma or }") }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < maxDepth else { throw error("nested deeper than \(maxDepth)") }
    index += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw error("expected a comma or ]") }
    return .array(elements)
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return .number(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    let start = index
    while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
    guard index > start else { throw error("expected a digit") }
  }

  private mutating func string() throws(JSONError) -> String {
    index += 1
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: content, as: UTF8.self) else { throw error("invalid UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw error("control character in a string")
      default:
        content.append(byte)
        index += 1
      }
    }
    throw error("unexpected end of a string")
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
    index += 1
    guard let byte = current else { throw error("unexpected end of a string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = Unicode.Scalar(try codePoint()) ?? "\u{fffd}"
      content.append(contentsOf: String(Character(scalar)).utf8)
    default: throw error("unknown escape")
    }
  }

  /// The code point of a `\u` escape, of two that are a surrogate pair. Half a pair is within the grammar (RFC 8259
  /// section 8.2) and stands for itself.
  private mutating func codePoint() throws(JSONError) -> UInt32 {
    let first = try unit()
    guard (0xd800...0xdbff).contains(first) else { return first }
    let mark = index
    guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      index = mark
      return first
    }
    let second = try unit()
    guard (0xdc00...0xdfff).contains(second) else {
      index = mark
      return first
    }
    // bounded: the two halves of a surrogate pair
    return 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
  }

  private mutating func unit() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Base16.value(byte) else {
        throw error("expected four hex digits")
      }
      value = value << 4 | UInt32(digit)  // bounded: four digits of four bits
      index += 1
    }
    return value
  }
}
