// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// The answers held against one list of `expect.answers`.
struct DNSAnswerSet {
  private let records: [DNSRecord]

  init(_ records: [DNSRecord]) { self.records = records }

  /// Problem of the list. `nil` when the list holds. A pattern that exceeds its limits makes any list fail.
  func problem(_ key: String, _ conditions: [DNSAnswerCondition]) -> String? {
    switch key {
    case "any": any(conditions)
    case "all": missing(conditions)
    case "exact": missing(conditions) ?? surplus(conditions)
    default: unwanted(conditions)
    }
  }

  private func any(_ conditions: [DNSAnswerCondition]) -> String? {
    for record in records {
      for condition in conditions {
        switch condition.test(record) {
        case .match: return nil
        case .limit: return overLimit(condition)
        case .none: continue
        }
      }
    }
    return records.count == 1
      ? "the answer is not an expected one" : "none of the \(records.count) answers is an expected one"
  }

  private func missing(_ conditions: [DNSAnswerCondition]) -> String? {
    for condition in conditions {
      let outcomes = records.map(condition.test)
      if outcomes.contains(.match) { continue }
      return outcomes.contains(.limit)
        ? overLimit(condition) : "\(condition.description) is not among the answers"
    }
    return nil
  }

  private func surplus(_ conditions: [DNSAnswerCondition]) -> String? {
    let others = records.count { record in !conditions.contains { $0.test(record) == .match } }
    // What the answers say stands in the result; a message may leave this machine.
    return others == 0
      ? nil : "\(others) of \(records.count) answers \(plural("is", others, "are")) not expected"
  }

  private func unwanted(_ conditions: [DNSAnswerCondition]) -> String? {
    for record in records {
      for condition in conditions {
        switch condition.test(record) {
        case .match: return "an answer is not wanted: \(condition.description)"
        case .limit: return overLimit(condition)
        case .none: continue
        }
      }
    }
    return nil
  }

  private func overLimit(_ condition: DNSAnswerCondition) -> String {
    condition.isPattern
      ? "the pattern \(condition.description) exceeds its limits"
      : "\(condition.description) \(CPUBudget.words)"
  }
}

extension Condition {
  /// Whether a number fulfils the condition; false for a pattern and for an operand that is no number.
  func holds(for value: Double) -> Bool {
    guard let number else { return false }
    switch comparison {
    case .equal: return value == number
    case .notEqual: return value != number
    case .less: return value < number
    case .lessOrEqual: return value <= number
    case .greater: return value > number
    case .greaterOrEqual: return value >= number
    case .matches, .notMatches: return false
    }
  }
}
