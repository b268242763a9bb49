// SPDX-License-Identifier: MIT

/// A singular query of RFC 9535: one place in a document, or none. `$.status`, `$['a b'][0]`, `$.list[-1]`.
package struct JSONPath: Hashable, Sendable, CustomStringConvertible {
  package enum Segment: Hashable, Sendable {
    case name(String)
    /// Negative counts from the end.
    case index(Int)
  }

  package let segments: [Segment]
  /// As written.
  package let description: String

  /// Why a text is no path.
  package struct Invalid: Error, Hashable, Sendable {
    package let message: String

    package init(message: String) { self.message = message }
  }

  package init(_ text: String) throws(Invalid) {
    var parser = Parser(rest: text.unicodeScalars[...])
    segments = try parser.query()
    description = text
  }

  /// The value at this place; nil when the document has none. `null` is a value.
  package func value(in document: JSONValue) -> JSONValue? {
    var value = document
    for segment in segments {
      switch (segment, value) {
      case (.name(let name), .object(let members)):
        guard let member = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        value = member.value
      case (.index(let index), .array(let items)):
        let position = index < 0 ? items.count + index : index  // bounded: an index is within 2^53 either way
        guard items.indices.contains(position) else { return nil }
        value = items[position]
      default: return nil
      }
    }
    return value
  }
}

extension JSONPath {
  fileprivate struct Parser {
    var rest: Substring.UnicodeScalarView

    mutating func query() throws(Invalid) -> [Segment] {
      guard rest.popFirst() == "$" else { throw Invalid(message: "must start with $") }
      var segments: [Segment] = []
      while let next = rest.popFirst() {
        switch next {
        case ".": segments.append(.name(try shorthand()))
        case "[": segments.append(try bracket())
        default:
          throw Invalid(message: "has a character after \(segments.count) segments that starts no segment")
        }
      }
      return segments
    }

    /// `member-name-shorthand`, RFC 9535 section 2.5.1.1.
    private mutating func shorthand() throws(Invalid) -> String {
      var name = String.UnicodeScalarView()
      while let next = rest.first, isNameCharacter(next), !(name.isEmpty && isDigit(next)) {
        name.append(next)
        rest.removeFirst()
      }
      guard !name.isEmpty else {
        if rest.first == "." || rest.first == "*" || rest.first == "[" {
          throw Invalid(message: "must lead to one place: no wildcard, no .. and no filter")
        }
        throw Invalid(message: "has no name after a dot; write names with other characters as ['name']")
      }
      return String(name)
    }

    private mutating func bracket() throws(Invalid) -> Segment {
      let segment: Segment
      switch rest.first {
      case "'", "\"": segment = .name(try quoted())
      case let first? where isDigit(first) || first == "-": segment = .index(try index())
      default: throw Invalid(message: "must lead to one place: a bracket holds a quoted name or one index")
      }
      guard rest.popFirst() == "]" else { throw Invalid(message: "has a bracket that is not closed") }
      return segment
    }

    private mutating func index() throws(Invalid) -> Int {
      let digits = rest.prefix { isDigit($0) || $0 == "-" }
      rest = rest[digits.endIndex...]
      // No leading zeros and no -0; within what a double holds exactly (section 2.1).
      guard let value = Int(String(digits)), String(value) == String(digits), value.magnitude <= 1 << 53
      else {
        throw Invalid(message: "has an index that is no whole number")
      }
      return value
    }

    private mutating func quoted() throws(Invalid) -> String {
      guard let quote = rest.popFirst() else { throw Invalid(message: "ends too early") }
      var name = String.UnicodeScalarView()
      while let next = rest.popFirst() {
        if next == quote { return String(name) }
        if next.value < 0x20 { break }
        name.append(next == "\\" ? try escaped(quote) : next)
      }
      throw Invalid(message: "has a quoted name that is not closed")
    }

    private mutating func escaped(_ quote: Unicode.Scalar) throws(Invalid) -> Unicode.Scalar {
      guard let next = rest.popFirst() else { throw Invalid(message: "ends in a backslash") }
      switch next {
      case "b": return "\u{08}"
      case "f": return "\u{0c}"
      case "n": return "\n"
      case "r": return "\r"
      case "t": return "\t"
      case "/", "\\": return next
      case quote: return quote
      case "u": return try unicode()
      default: throw Invalid(message: "has an unknown escape in a quoted name")
      }
    }

    private mutating func unicode() throws(Invalid) -> Unicode.Scalar {
      let high = try unit()
      guard (0xd800...0xdbff).contains(high) else {
        guard let scalar = Unicode.Scalar(high) else { throw Invalid(message: "has half a surrogate pair") }
        return scalar
      }
      guard rest.popFirst() == "\\", rest.popFirst() == "u" else {
        throw Invalid(message: "has half a surrogate pair")
      }
      let low = try unit()
      guard (0xdc00...0xdfff).contains(low),
        // bounded: the two halves of a surrogate pair
        let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
      else { throw Invalid(message: "has half a surrogate pair") }
      return scalar
    }

    private mutating func unit() throws(Invalid) -> UInt32 {
      let digits = rest.prefix(4)
      guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
        let value = UInt32(String(digits), radix: 16)
      else { throw Invalid(message: "has \\u without four hexadecimal digits") }
      rest = rest[digits.endIndex...]
      return value
    }
  }
}

private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

private func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
  isDigit(scalar) || scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    || scalar.value >= 0x80
}
