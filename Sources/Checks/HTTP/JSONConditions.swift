// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The paths of `expect.json`.
struct JSONConditions {
  private let conditions: [JSONCondition]
  private let mask: SecretMask
  private let budget: CPUBudget

  init(_ conditions: [JSONCondition], mask: SecretMask, within budget: CPUBudget) {
    self.conditions = conditions
    self.mask = mask
    self.budget = budget
  }

  func judge(_ answer: HTTPAnswer) -> [JudgedCondition] {
    guard !conditions.isEmpty else { return [] }
    guard answer.isWhole else {
      let cut = answer.status == nil ? "" : "not judged: only \(answer.size) bytes of the body arrived"
      return conditions.map { unjudged($0, actual: cut, words: "could not be judged: no whole body") }
    }
    guard budget.allowsMore() else {
      return conditions.map { unjudged($0, actual: CPUBudget.words, words: CPUBudget.words) }
    }
    do throws(JSONError) {
      let findings = try JSONSearch.find(conditions.map(\.path), in: answer.text.bytes) {
        budget.allowsMore()
      }
      return zip(conditions, findings).map(judge)
    } catch {
      if budget.isSpent {
        return conditions.map { unjudged($0, actual: CPUBudget.words, words: CPUBudget.words) }
      }
      return conditions.map {
        unjudged($0, actual: "no JSON: \(error)", words: "could not be judged: the body is no JSON")
      }
    }
  }

  private func judge(_ condition: JSONCondition, _ finding: JSONSearch.Finding) -> JudgedCondition {
    switch finding {
    case .missing: return unjudged(condition, actual: "", words: "leads nowhere")
    case .ambiguous:
      return unjudged(
        condition, actual: "a name stands there twice", words: "is ambiguous: a name stands there twice")
    case .tooLarge:
      let words = "more than \(JSONSearch.largestValue / 1024) KiB"
      return unjudged(condition, actual: words, words: "leads to \(words)")
    case .value(let value):
      let outcome = condition.condition.outcome(for: value, within: budget)
      let shown = mask.hide(value.text).printable(maxBytes: 80)
      return JudgedCondition(
        assertion: Assertion(
          what: "json.\(condition.path)", expected: condition.condition.description,
          actual: outcome.shown(mask.hide(value.text)), ok: outcome == .holds),
        reason: .json,
        words: "json \(condition.path) is \(shown), \(outcome.expectation(condition.condition))")
    }
  }

  private func unjudged(_ condition: JSONCondition, actual: String, words: String) -> JudgedCondition {
    JudgedCondition(
      assertion: Assertion(
        what: "json.\(condition.path)", expected: condition.condition.description, actual: actual, ok: false),
      reason: .json, words: "json \(condition.path) \(words)")
  }
}
