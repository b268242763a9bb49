// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Outcome of judging a value by a condition. Everything but `holds` fails the check.
enum ConditionOutcome: Hashable, Sendable {
  case holds, fails
  /// The condition compares numbers, and the value is none.
  case noNumber
  /// The pattern's budget was spent first.
  case limit

  init(_ holds: Bool) { self = holds ? .holds : .fails }

  /// Words where "is not as expected" says too little.
  var words: String? {
    switch self {
    case .holds, .fails: nil
    case .noNumber: "is no number"
    case .limit: Pattern.limitWords
    }
  }

  /// The part of a message behind the value: the expected value, and why this is not it.
  func expectation(_ condition: Condition) -> String {
    // A string is in quotes as JSON has it, so that it is not taken for a number or a word.
    let wanted =
      condition.type == .string && condition.comparison == .equal
      ? JSONValue.string(condition.operand).text : condition.description
    return words.map { "expected \(wanted): \($0)" } ?? "expected \(wanted)"
  }

  /// The value as an assertion shows it.
  func shown(_ value: String) -> String { words.map { "\(value.printable(maxBytes: 120)) (\($0))" } ?? value }
}

extension Condition {
  /// Text is compared in Unicode's normal form, numbers as exact decimals.
  func outcome(for text: String, within budget: CPUBudget? = nil) -> ConditionOutcome {
    switch comparison {
    case .equal: return ConditionOutcome(isSameText(text, operand))
    case .notEqual: return ConditionOutcome(!isSameText(text, operand))
    case .matches, .notMatches: return patternOutcome(for: text, budget)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return numberOutcome(for: text)
    }
  }

  /// A value of a JSON text. A literal equals a value of its own type only: a string of the same characters, a number of
  /// the same value, true, false, null; one that is no word also an array or object with the same content. A pattern is
  /// held against a string's characters and against everything else as compact JSON; to `<` and its like a string of
  /// digits counts as a number.
  func outcome(for value: JSONValue, within budget: CPUBudget? = nil) -> ConditionOutcome {
    switch comparison {
    case .equal: return ConditionOutcome(isSame(as: value))
    case .notEqual: return ConditionOutcome(!isSame(as: value))
    case .matches, .notMatches: return patternOutcome(for: value.string ?? value.text, budget)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      switch value {
      case .number(let text), .string(let text): return numberOutcome(for: text)
      default: return .noNumber
      }
    }
  }

  private func isSame(as value: JSONValue) -> Bool {
    let isWord = type == .word
    switch value {
    case .string(let text): return !isWord && isSameText(text, operand)
    case .number(let digits): return isWord && DecimalNumber(digits) == DecimalNumber(operand)
    case .bool(let value): return isWord && operand == (value ? "true" : "false")
    case .null: return isWord && operand == "null"
    case .array, .object:
      guard !isWord, let wanted = try? JSONValue.parse(operand.utf8) else { return false }
      return wanted.isSame(as: value)
    }
  }

  private func patternOutcome(for text: String, _ budget: CPUBudget?) -> ConditionOutcome {
    guard let pattern = try? Pattern(String(decoding: normalForm(operand), as: UTF8.self)) else {
      return .fails
    }
    switch pattern.firstMatch(in: normalForm(text), time: budget?.left ?? PatternBudget.time) {
    case .match: return ConditionOutcome(comparison == .matches)
    case .none: return ConditionOutcome(comparison == .notMatches)
    case .limit: return .limit
    }
  }

  private func numberOutcome(for text: String) -> ConditionOutcome {
    guard let value = DecimalNumber(text), let limit = DecimalNumber(operand) else { return .noNumber }
    switch comparison {
    case .less: return ConditionOutcome(value < limit)
    case .lessOrEqual: return ConditionOutcome(value <= limit)
    case .greater: return ConditionOutcome(value > limit)
    default: return ConditionOutcome(value >= limit)
    }
  }
}

/// Whether two texts read alike. `String`'s own comparison says the same, and takes the square of the time where a
/// stranger puts thousands of marks on one letter.
func isSameText(_ text: String, _ other: String) -> Bool {
  text.utf8.elementsEqual(other.utf8) || normalForm(text) == normalForm(other)
}
