// SPDX-License-Identifier: MIT

/// A text with one level of escapes undone, and where each byte stood: percent form with whatever a framework leaves as
/// it is, the escapes of JSON and those of HTML. A word is found in it however it was written.
struct EscapedText {
  private let source: [UInt8]
  private var bytes: [UInt8] = []
  /// Of each byte in the source, and the source's end.
  private var starts: [Int] = []

  /// `nil` where nothing in it can be an escape.
  init?(_ text: [UInt8]) {
    source = text
    guard source.contains(where: { "%\\&".utf8.contains($0) }) else { return nil }
    bytes.reserveCapacity(source.count)
    starts.reserveCapacity(source.count + 1)
    var index = 0
    while index < source.count {
      let (meant, length) = Self.next(source[index...])
      starts.append(index)
      index += length
      switch meant {
      case .byte(let byte): bytes.append(byte)
      case .scalar(let scalar):
        let form = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        bytes.append(contentsOf: form)
        // The first of its bytes stands for all that was written.
        starts.append(contentsOf: repeatElement(index, count: form.count - 1))
      }
    }
    starts.append(source.count)
  }

  /// The places in the text as it was written whose meaning is one of the finder's words, ascending.
  func runs(of finder: WordFinder) -> [Range<Int>] {
    (finder.runs(in: bytes) ?? []).map { starts[$0.lowerBound]..<starts[$0.upperBound] }
  }

  /// Meaning of one escape.
  private enum Meant {
    case byte(UInt8)
    case scalar(Unicode.Scalar)
  }

  /// The meaning at the start of the text, and how many bytes it is written with.
  private static func next(_ rest: ArraySlice<UInt8>) -> (meant: Meant, length: Int) {
    let first = rest[rest.startIndex]
    let tail = rest.dropFirst()
    switch first {
    case UInt8(ascii: "%"):
      let byte = number(tail.prefix(2), digits: 2, radix: 16).flatMap { UInt8(exactly: $0) }
      return byte.map { (.byte($0), 3) } ?? (.byte(first), 1)
    case UInt8(ascii: "\\"):
      if tail.first == UInt8(ascii: "u") { return unicode(rest) ?? (.byte(first), 1) }
      guard let next = tail.first, "/\"\\".utf8.contains(next) else { return (.byte(first), 1) }
      return (.byte(next), 2)
    case UInt8(ascii: "&"): return entity(tail) ?? (.byte(first), 1)
    default: return (.byte(first), 1)
    }
  }

  /// `\u` and four digits, or two of them for what is beyond 16 bits.
  private static func unicode(_ rest: ArraySlice<UInt8>) -> (meant: Meant, length: Int)? {
    func unit(_ text: ArraySlice<UInt8>) -> UInt32? {
      text.starts(with: "\\u".utf8) ? number(text.dropFirst(2).prefix(4), digits: 4, radix: 16) : nil
    }
    guard let high = unit(rest) else { return nil }
    if let scalar = Unicode.Scalar(high) { return (.scalar(scalar), 6) }
    guard high < 0xdc00, let low = unit(rest.dropFirst(6)), (0xdc00...0xdfff).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
    else { return nil }
    return (.scalar(scalar), 12)
  }

  private static func entity(_ tail: ArraySlice<UInt8>) -> (meant: Meant, length: Int)? {
    let name = tail.prefix(8).prefix { $0 != UInt8(ascii: ";") }
    guard tail.dropFirst(name.count).first == UInt8(ascii: ";") else { return nil }
    let length = name.count + 2
    func scalar(_ digits: ArraySlice<UInt8>, radix: Int) -> (meant: Meant, length: Int)? {
      number(digits, digits: digits.count, radix: radix).flatMap(Unicode.Scalar.init)
        .map { (.scalar($0), length) }
    }
    if name.first == UInt8(ascii: "#") {
      let isHexadecimal = name.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
      return isHexadecimal
        ? scalar(name.dropFirst(2), radix: 16) : scalar(name.dropFirst(), radix: 10)
    }
    return entities.first { $0.name.elementsEqual(name) }.map { (.byte($0.byte), length) }
  }

  private static func number(_ text: ArraySlice<UInt8>, digits: Int, radix: Int) -> UInt32? {
    guard digits > 0, text.count == digits, text.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit })
    else { return nil }
    return UInt32(String(decoding: text, as: UTF8.self), radix: radix)
  }
}

private let entities: [(name: String.UTF8View, byte: UInt8)] = [
  ("amp".utf8, UInt8(ascii: "&")), ("lt".utf8, UInt8(ascii: "<")), ("gt".utf8, UInt8(ascii: ">")),
  ("quot".utf8, UInt8(ascii: "\"")), ("apos".utf8, UInt8(ascii: "'")),
]
