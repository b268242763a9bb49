// SPDX-License-Identifier: MIT

/// Walks over a JSON text and checks it, keeping nothing.
struct JSONScanner {
  let bytes: [UInt8]
  private(set) var index = 0
  private let goesOn: () -> Bool
  private var values = 0

  init(_ bytes: [UInt8], goesOn: @escaping () -> Bool = { true }) {
    self.bytes = bytes
    self.goesOn = goesOn
  }

  var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  var isAtEnd: Bool { index == bytes.count }

  func error(_ message: String) -> JSONError { JSONError(offset: index, message: message) }

  mutating func step() { index += 1 }

  mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    index += 1
    return true
  }

  mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { index += 1 }
  }

  /// The byte order mark of UTF-8, at the beginning only.
  mutating func skipMark() { if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 } }

  mutating func scalar() throws(JSONError) {
    values &+= 1
    if values & 1023 == 0, !goesOn() { throw error("given up: it takes too long") }
    switch current {
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    case .some(0x30...0x39), UInt8(ascii: "-"): try number()
    case nil: throw error("unexpected end")
    default: throw error("unexpected character")
    }
  }

  private mutating func word(_ text: String) throws(JSONError) {
    guard bytes[index...].starts(with: text.utf8) else { throw error("unexpected character") }
    index += text.utf8.count  // bounded: a word of four or five letters
  }

  private mutating func number() throws(JSONError) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
  }

  private mutating func digits() throws(JSONError) {
    let start = index
    while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
    guard index > start else { throw error("expected a digit") }
  }

  /// Steps over a string that starts here; where it stands, quotes and all.
  mutating func string() throws(JSONError) -> Range<Int> {
    let start = index
    index += 1
    var isASCII = true
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        guard isASCII || String(validating: bytes[start..<index], as: UTF8.self) != nil else {
          throw error("invalid UTF-8")
        }
        return start..<index
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw error("control character in a string")
      default:
        if byte >= 0x80 { isASCII = false }
        index += 1
      }
    }
    throw error("unexpected end of a string")
  }

  private mutating func escape() throws(JSONError) {
    index += 1
    guard let byte = current else { throw error("unexpected end of a string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      break
    case UInt8(ascii: "u"):
      // Half a surrogate pair is within the grammar: RFC 8259 section 8.2.
      _ = try unit()
    default: throw error("unknown escape")
    }
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

  /// Whether the string at `range` (quotes and all) has these scalars, its escapes decoded.
  func string(at range: Range<Int>, equals wanted: String) -> Bool {
    let content = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]  // bounded: two quotes at least
    guard content.contains(UInt8(ascii: "\\")) else { return content.elementsEqual(wanted.utf8) }
    // Every escape is longer than what it stands for, and none more than six times as long.
    let count = wanted.utf8.count
    // bounded: counts of bytes in memory
    guard content.count > count, content.count <= 6 * count,
      let decoded = try? JSONValue.parse(bytes[range]).string
    else {
      return false
    }
    return decoded.utf8.elementsEqual(wanted.utf8)
  }

  /// The elements of the array that starts here.
  mutating func countElements(depth: Int, maxDepth: Int) throws(JSONError) -> Int {
    var count = 0
    step()
    skipSpace()
    if take(UInt8(ascii: "]")) { return 0 }
    repeat {
      try skipValue(depth: depth + 1, maxDepth: maxDepth)
      count += 1
      skipSpace()
    } while take(UInt8(ascii: ","))
    return count
  }

  private mutating func skipValue(depth: Int, maxDepth: Int) throws(JSONError) {
    skipSpace()
    guard current == UInt8(ascii: "{") || current == UInt8(ascii: "[") else { return try scalar() }
    guard depth < maxDepth else { throw error("nested deeper than \(maxDepth)") }
    let isObject = current == UInt8(ascii: "{")
    let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    step()
    skipSpace()
    if take(end) { return }
    repeat {
      if isObject {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw error("expected a member name") }
        _ = try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw error("expected a colon") }
      }
      try skipValue(depth: depth + 1, maxDepth: maxDepth)
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(end) else { throw error("expected a comma or \(isObject ? "}" : "]")") }
  }
}
