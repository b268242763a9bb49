// SPDX-License-Identifier: MIT

import Basics

/// Condition on a value: a literal, or an operator with its operand.
///
/// `ok` (equal), `~ regex`, `!~ regex`, `!= x`, `< n`, `<= n`, `> n`, `>= n`. The operator is followed by a space, so
/// that a literal may begin with the same character; a literal that begins with an operator and a space cannot be
/// written and is matched with a pattern.
package struct Condition: Hashable, Sendable, CustomStringConvertible {
  package enum Comparison: String, CaseIterable, Hashable, Sendable {
    case equal = ""
    case matches = "~"
    case notMatches = "!~"
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    package var isPattern: Bool { self == .matches || self == .notMatches }
    /// Whether the operand has to be a number.
    package var isNumeric: Bool {
      switch self {
      case .less, .lessOrEqual, .greater, .greaterOrEqual: true
      default: false
      }
    }
  }

  /// Type of the operand of `=` and `!=`.
  package enum OperandType: Hashable, Sendable {
    /// Characters, as of a header.
    case text
    /// A string of a JSON text.
    case string
    /// A number, `true`, `false` or `null` of a JSON text.
    case word
  }

  package let comparison: Comparison
  /// The text behind the operator, or the whole literal.
  package let operand: String
  package let type: OperandType

  package init(_ comparison: Comparison, _ operand: String, type: OperandType = .text) {
    self.comparison = comparison
    self.operand = operand
    self.type = type
  }

  /// Reads the form of the file. Nothing is judged: a pattern may be none, a number no number.
  package init(parsing text: String) {
    let mark = text.prefix { $0 != " " }
    let comparison = Comparison(word: mark) ?? .equal
    guard comparison != .equal, mark.endIndex < text.endIndex else {
      self.init(.equal, text)
      return
    }
    self.init(comparison, String(text[mark.endIndex...].drop { $0 == " " }))
  }

  /// The operand as a number (decimal, no `inf`, no `nan`, no hexadecimal); nil when it is none.
  package var number: Double? { Self.number(operand) }

  package static func number(_ text: some StringProtocol) -> Double? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else {
      return nil
    }
    guard let value = Double(String(text)), value.isFinite else { return nil }
    return value
  }

  /// As written in the file; a string that reads like another JSON value stands in quotes.
  package var description: String {
    let operand =
      type == .string && Self.needsQuotes(self.operand) ? JSONValue.string(self.operand).text : self.operand
    return comparison == .equal ? operand : "\(comparison.rawValue) \(operand)"
  }
}
