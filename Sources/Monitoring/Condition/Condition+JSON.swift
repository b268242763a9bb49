// SPDX-License-Identifier: MIT

import Basics

/// A condition as it stands in the file.
package struct ConditionText: Hashable, Sendable, ExpressibleByStringLiteral {
  package var text: String
  /// Written without quotes, so that a number, `true`, `false` and `null` mean themselves.
  package var isPlain: Bool

  package init(_ text: String, isPlain: Bool = true) {
    self.text = text
    self.isPlain = isPlain
  }

  package init(stringLiteral text: String) { self.init(text) }
}

extension Condition {
  /// Reads a condition on a value of a JSON text, where a literal has a type: `1.5` is a number and `"1.5"` a string.
  /// Behind `!=` the operand says its type itself: `!= 1.5` is about a number, `!= "1.5"` about a string.
  package init(json given: ConditionText) {
    let condition = Condition(parsing: given.text)
    switch condition.comparison {
    case .equal:
      self.init(.equal, given.text, type: given.isPlain && Self.isWord(given.text) ? .word : .string)
    case .notEqual:
      if case .string(let text)? = try? JSONValue.parse(condition.operand.utf8) {
        self.init(.notEqual, text, type: .string)
      } else {
        self.init(.notEqual, condition.operand, type: Self.isWord(condition.operand) ? .word : .string)
      }
    default: self = condition
    }
  }

  /// A number as RFC 8259 section 6 writes it, `true`, `false` or `null`.
  package static func isWord(_ text: String) -> Bool {
    switch try? JSONValue.parse(text.utf8) {
    case .number, .bool, .null: text.utf8.allSatisfy { $0 > 0x20 }
    default: false
    }
  }

  /// Another way to write a number or a word of JSON, such as `+5`, `.5`, `007` or `True`: to some readers of YAML it is
  /// the value, to others a text.
  static func isAlmostWord(_ text: String) -> Bool {
    if isWord(text) { return false }
    let isMisspelt = ["true", "false", "null"].contains(text.lowercased())
    return isMisspelt || DecimalNumber(text) != nil
  }

  static func needsQuotes(_ text: String) -> Bool {
    isWord(text) || text.hasPrefix("\"") || text.hasPrefix(" ")
  }

  /// A wrong operator at the start of the text, with the operator that is meant. `nil` where the text has no such
  /// error.
  ///
  /// A sign that is none is taken for one with a space behind it, and without one where no literal begins like that.
  static func misspelling(of text: String) -> (sign: String, rest: String, meant: Comparison)? {
    let mark = String(text.prefix { $0 != " " })
    if mark.utf8.count < text.utf8.count, let meant = misspelt[ByteText(mark)] {
      return (mark, String(text.dropFirst(mark.count).drop { $0 == " " }), meant)
    }
    for sign in ["===", "!==", "==~", "!=~", "==", "=~", "~=", "<>", "=<", "=>"] where text.hasPrefix(sign) {
      guard let meant = misspelt[ByteText(sign)], text.utf8.count > sign.utf8.count else { continue }
      return (sign, String(text.dropFirst(sign.count).drop { $0 == " " }), meant)
    }
    return nil
  }

  /// Operators of other languages.
  private static let misspelt: [ByteText: Comparison] = [
    "=": .equal, "==": .equal, "===": .equal, "=~": .matches, "==~": .matches, "~=": .matches, "~~": .matches,
    "!": .notEqual, "!==": .notEqual, "<>": .notEqual, "=!": .notEqual, "!=~": .notMatches, "~!": .notMatches,
    "=<": .lessOrEqual, "=>": .greaterOrEqual,
  ]
}
