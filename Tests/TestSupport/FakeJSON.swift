// SPDX-License-Identifier: MIT

/// A JSON reader of the fake backend's own, so that the agent's parser is not judged by itself. Numbers keep their
/// text: `12.0` must be told from `12`.
package indirect enum FakeJSON: Hashable, Sendable {
  case object([String: FakeJSON])
  case array([FakeJSON])
  case string(String)
  case number(String)
  case bool(Bool)
  case null

  package subscript(name: String) -> FakeJSON? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }

  package var array: [FakeJSON]? { if case .array(let value) = self { value } else { nil } }

  /// Nil: no JSON text.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let value = reader.value() else { return nil }
    reader.space()
    guard reader.index == bytes.count else { return nil }
    self = value
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func space() {
      while index < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[index]) { index += 1 }
    }

    mutating func take(_ text: StaticString) -> Bool {
      let wanted = Array(text.description.utf8)
      guard bytes[index...].starts(with: wanted) else { return false }
      index += wanted.count
      return true
    }

    mutating func value() -> FakeJSON? {
      space()
      guard index < bytes.count else { return nil }
      if take("null") { return .null }
      if take("true") { return .bool(true) }
      if take("false") { return .bool(false) }
      if take("{") { return object() }
      if take("[") { return array() }
      if bytes[index] == UInt8(ascii: "\"") { return string().map(FakeJSON.string) }
      let digits = bytes[index...].prefix { "+-.0123456789eE".utf8.contains($0) }
      index += digits.count
      return digits.isEmpty ? nil : .number(String(decoding: digits, as: UTF8.self))
    }

    mutating func object() -> FakeJSON? {
      var members: [String: FakeJSON] = [:]
      space()
      if take("}") { return .object([:]) }
      while true {
        space()
        guard let name = string() else { return nil }
        space()
        guard take(":"), let value = value(), members.updateValue(value, forKey: name) == nil else {
          return nil
        }
        space()
        if take("}") { return .object(members) }
        guard take(",") else { return nil }
      }
    }

    mutating func array() -> FakeJSON? {
      var elements: [FakeJSON] = []
      space()
      if take("]") { return .array([]) }
      while true {
        guard let value = value() else { return nil }
        elements.append(value)
        space()
        if take("]") { return .array(elements) }
        guard take(",") else { return nil }
      }
    }

    mutating func string() -> String? {
      guard take("\"") else { return nil }
      var content: [UInt8] = []
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let text = escape() else { return nil }
          content += Array(text.utf8)
        default: content.append(byte)
        }
      }
      return nil
    }

    private mutating func escape() -> String? {
      guard index < bytes.count else { return nil }
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"):
        guard index + 4 <= bytes.count,
          let code = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16),
          let scalar = Unicode.Scalar(code)
        else { return nil }
        index += 4
        return String(Character(scalar))
      default: return String(decoding: [byte], as: UTF8.self)
      }
    }
  }
}
