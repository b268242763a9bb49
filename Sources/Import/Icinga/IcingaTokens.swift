// SPDX-License-Identifier: MIT

import Basics

/// The words of Icinga 2's language.
struct IcingaTokens {
  enum Token: Equatable {
    case word(String)
    case text(String)
    /// Seconds, where a unit stood behind it.
    case number(Double)
    case sign(String)
    case newline, end
  }

  private var rest: ArraySlice<UInt8>
  private(set) var line = 1

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  private static let signs = [
    "{{{", "&&", "||", "==", "!=", "<=", ">=", "=>", "+=", "-=", "*=", "/=", "<<", ">>", "{{", "}}",
  ].map { Array($0.utf8) }

  private static func isWord(_ byte: UInt8) -> Bool { GoPatternParser.word.contains(UInt32(byte)) }

  /// - Throws: a text without an end.
  mutating func next() throws(ImportProblem) -> Token {
    skip()
    guard let byte = rest.first else { return .end }
    if byte == 0x0a {
      rest.removeFirst()
      line += 1
      return .newline
    }
    if byte == UInt8(ascii: "\"") { return .text(try quoted()) }
    if (0x30...0x39).contains(byte) { return number() }
    if Self.isWord(byte) {
      let word = rest.prefix(while: Self.isWord)
      rest = rest.dropFirst(word.count)
      return .word(String(decoding: word, as: UTF8.self))
    }
    // A word of the language as a name.
    if byte == UInt8(ascii: "@"), let next = rest.dropFirst().first, Self.isWord(next) {
      rest.removeFirst()
      return try self.next()
    }
    if rest.starts(with: "{{{".utf8) { return .text(try heredoc()) }
    for sign in Self.signs where rest.starts(with: sign) {
      rest = rest.dropFirst(sign.count)
      return .sign(String(decoding: sign, as: UTF8.self))
    }
    rest.removeFirst()
    return .sign(String(decoding: [byte], as: UTF8.self))
  }

  /// The text up to the `}}` of a function.
  mutating func skipFunction() throws(ImportProblem) {
    var depth = 1
    while depth > 0 {
      switch try next() {
      case .sign("{{"): depth += 1
      case .sign("}}"): depth -= 1
      case .end: throw ImportProblem("line \(line): {{ has no end")
      default: break
      }
    }
  }

  private mutating func skip() {
    while let byte = rest.first {
      if byte == 0x20 || byte == 0x09 || byte == 0x0d {
        rest.removeFirst()
      } else if byte == UInt8(ascii: "#") || rest.starts(with: "//".utf8) {
        rest = rest.drop { $0 != 0x0a }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) {
          if rest.removeFirst() == 0x0a { line += 1 }
        }
        rest = rest.dropFirst(2)
      } else {
        return
      }
    }
  }

  private mutating func quoted() throws(ImportProblem) -> String {
    let start = line
    rest.removeFirst()
    var made: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: made, as: UTF8.self)
      case 0x0a: throw ImportProblem("line \(start): a text has no end")
      case UInt8(ascii: "\\"):
        let known: [UInt8: UInt8] = [0x6e: 0x0a, 0x74: 0x09, 0x72: 0x0d, 0x62: 0x08, 0x66: 0x0c]
        guard let next = rest.popFirst() else { break }
        made.append(known[next] ?? next)
      default: made.append(byte)
      }
    }
    throw ImportProblem("line \(start): a text has no end")
  }

  private mutating func heredoc() throws(ImportProblem) -> String {
    let start = line
    rest = rest.dropFirst(3)
    var made: [UInt8] = []
    while !rest.isEmpty {
      if rest.starts(with: "}}}".utf8) {
        rest = rest.dropFirst(3)
        return String(decoding: made, as: UTF8.self)
      }
      let byte = rest.removeFirst()
      if byte == 0x0a { line += 1 }
      made.append(byte)
    }
    throw ImportProblem("line \(start): {{{ has no end")
  }

  private mutating func number() -> Token {
    let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    rest = rest.dropFirst(digits.count)
    let unit = rest.prefix(while: Self.isWord)
    rest = rest.dropFirst(unit.count)
    let factors = ["": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400]  // own text
    guard let value = Double(String(decoding: digits, as: UTF8.self)),
      let factor = factors[String(decoding: unit, as: UTF8.self)]
    else { return .word(String(decoding: digits + unit, as: UTF8.self)) }
    return .number(value * factor)
  }
}
