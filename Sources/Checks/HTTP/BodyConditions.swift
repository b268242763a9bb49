// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The literals and patterns of `expect.body`.
struct BodyConditions {
  private let expect: HTTPExpectations
  private let budget: CPUBudget

  init(_ expect: HTTPExpectations, within budget: CPUBudget) {
    self.expect = expect
    self.budget = budget
  }

  func judge(_ answer: HTTPAnswer) -> [JudgedCondition] {
    expect.bodyContains.map { literal("body.contains", $0, wanted: true, answer) }
      + expect.bodyNotContains.map { literal("body.not_contains", $0, wanted: false, answer) }
      + expect.bodyMatches.map { pattern("body.matches", $0, wanted: true, answer) }
      + expect.bodyNotMatches.map { pattern("body.not_matches", $0, wanted: false, answer) }
  }

  private func literal(_ what: String, _ text: String, wanted: Bool, _ answer: HTTPAnswer) -> JudgedCondition
  {
    guard budget.allowsMore() else { return unjudged(what, text) }
    let isThere = answer.status != nil && contains(answer.text.bytes, answer.text.form(of: text))
    if !wanted, !isThere, answer.isWhole, answer.text.mayHide(text) { return unread(what, text, answer) }
    // What is in the part that came is in the whole; what is not may still come.
    let holds = wanted ? isThere : !isThere && answer.isWhole
    return JudgedCondition(
      assertion: Assertion(
        what: what, expected: text, actual: isThere ? "found" : absence("found", answer), ok: holds),
      reason: .body, words: "body \(wanted ? "does not contain" : "contains") \"\(text)\"")
  }

  /// On the whole body only: a pattern may look ahead, behind and for the end.
  private func pattern(_ what: String, _ text: String, wanted: Bool, _ answer: HTTPAnswer) -> JudgedCondition
  {
    let form = String(decoding: answer.text.form(of: text), as: UTF8.self)
    guard answer.isWhole, let pattern = try? Pattern(form, bytes: answer.text.isForBytes) else {
      let actual = answer.status == nil ? "" : absence("judged", answer)
      return JudgedCondition(
        assertion: Assertion(what: what, expected: text, actual: actual, ok: false), reason: .body,
        words: "\(what) \"\(text)\" could not be judged")
    }
    guard budget.allowsMore() else { return unjudged(what, text) }
    let found = outcome(pattern, answer.text)
    if !wanted, found == Pattern.Outcome.none, answer.text.mayHide(pattern: text) {
      return unread(what, text, answer)
    }
    guard let outcome = found else {
      return JudgedCondition(
        assertion: Assertion(what: what, expected: text, actual: "not judged", ok: false), reason: .body,
        words: "\(what) \"\(text)\" could not be judged: the body is no UTF-8")
    }
    if outcome == .limit {
      return JudgedCondition(
        assertion: Assertion(what: what, expected: text, actual: Pattern.limitWords, ok: false),
        reason: .body,
        words: "\(what) \(Pattern.limitWords)")
    }
    return JudgedCondition(
      assertion: Assertion(
        what: what, expected: text, actual: outcome.isMatch ? "found" : "not found",
        ok: outcome.isMatch == wanted),
      reason: .body, words: "body \(wanted ? "does not match" : "matches") \"\(text)\"")
  }

  /// A body that is no text is looked through as characters, then as bytes. `nil` where the pattern cannot be held
  /// against bytes.
  private func outcome(_ pattern: Pattern, _ text: BodyText) -> Pattern.Outcome? {
    let outcome = pattern.firstMatch(in: text.bytes, within: budget)
    guard outcome == Pattern.Outcome.none, !text.isText, !text.isForBytes else { return outcome }
    return pattern.forBytes?.firstMatch(in: text.bytes, within: budget)
  }

  /// A text that is not found in bytes of an unknown charset may be there all the same.
  private func unread(_ what: String, _ text: String, _ answer: HTTPAnswer) -> JudgedCondition {
    JudgedCondition(
      assertion: Assertion(what: what, expected: text, actual: "not judged", ok: false), reason: .body,
      words: "\(what) \"\(text)\" \(answer.text.hidingWords)")
  }

  private func unjudged(_ what: String, _ text: String) -> JudgedCondition {
    JudgedCondition(
      assertion: Assertion(what: what, expected: text, actual: CPUBudget.words, ok: false), reason: .body,
      words: "\(what) \"\(text)\" \(CPUBudget.words)")
  }

  private func absence(_ word: String, _ answer: HTTPAnswer) -> String {
    if answer.status == nil { return "" }
    return answer.isWhole ? "not \(word)" : "not \(word) in the first \(answer.size) bytes"
  }
}

/// Whether `needle` is somewhere in `bytes`. An empty one is everywhere.
func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
  firstPlace(of: needle, in: bytes) != nil
}
