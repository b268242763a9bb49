// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// The conditions of an http check but for the status and the certificate: each held against an answer.
struct HTTPConditions {
  private let expect: HTTPExpectations
  private let mask: SecretMask
  private let budget: CPUBudget

  init(_ expect: HTTPExpectations, mask: SecretMask, within budget: CPUBudget) {
    self.expect = expect
    self.mask = mask
    self.budget = budget
  }

  func judge(_ answer: HTTPAnswer) -> [JudgedCondition] {
    var judged: [JudgedCondition] = []
    if let condition = expect.finalURL { judged.append(finalURL(condition, answer)) }
    if let condition = expect.httpVersion { judged.append(version(condition, answer)) }
    judged += expect.headers.map { header($0, answer) }
    judged += BodyConditions(expect, within: budget).judge(answer)
    judged += JSONConditions(expect.json, mask: mask, within: budget).judge(answer)
    return judged
  }

  /// - Parameters:
  ///   - status: nil: no answer arrived.
  ///   - proxy: passed the request on, and may have answered it itself. `nil` for none.
  static func status(
    _ wanted: [ClosedRange<Int>], _ status: Int?, through proxy: Endpoint? = nil
  ) -> JudgedCondition {
    let holds = status.map { code in wanted.isEmpty || wanted.contains { $0.contains(code) } } ?? false
    let expected = words(for: wanted)
    let actual = status.map(String.init) ?? ""
    return JudgedCondition(
      assertion: Assertion(what: "status", expected: expected, actual: actual, ok: holds),
      reason: .httpStatus,
      words: holds ? "" : "status \(actual), expected \(expected)\(proxy?.onTheWay ?? "")")
  }

  private static func words(for wanted: [ClosedRange<Int>]) -> String {
    if wanted.isEmpty { return "any" }
    // The default, which nearly every check has.
    if wanted == usualStatus { return "200-299" }
    let ranges = wanted.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    return ranges.joined(separator: ", ")
  }

  private func finalURL(_ condition: Condition, _ answer: HTTPAnswer) -> JudgedCondition {
    let outcome = answer.url.map { condition.outcome(for: $0.text, within: budget) }
    // A query may be a secret; that there is one is none.
    let actual = answer.url.map { $0.query == nil ? mask.shown($0) : mask.shown($0) + "?…" } ?? ""
    let expected = shownURL(condition)
    // Both may look alike: what is behind the path is not shown.
    let part = actual == expected ? ": the query or fragment differs" : ""
    let words = answer.url == nil ? "no answer arrived" : "is \(actual), expected \(expected)\(part)"
    return JudgedCondition(
      assertion: assertion("final_url", expected, actual, outcome), reason: .finalURL,
      words: "final_url \(outcome?.words ?? words)")
  }

  /// A literal is shown as results show URLs.
  private func shownURL(_ condition: Condition) -> String {
    guard !condition.comparison.isPattern, let url = try? HTTPURL(condition.operand), url.query != nil else {
      return condition.description
    }
    return Condition(condition.comparison, url.display + "?…").description
  }

  private func version(_ condition: Condition, _ answer: HTTPAnswer) -> JudgedCondition {
    let outcome = answer.version.map { condition.outcome(for: $0) }
    return JudgedCondition(
      assertion: assertion("http_version", condition.description, answer.version ?? "", outcome),
      reason: .httpVersion, words: "HTTP version \(answer.version ?? "unknown"), expected \(condition)")
  }

  /// One of the values of that name must do, and with `!=` and `!~` all of them: "not that" is meant for the answer.
  private func header(_ wanted: HeaderCondition, _ answer: HTTPAnswer) -> JudgedCondition {
    let name = wanted.name.lowercased()
    // Blanks may surround a value (RFC 9110 section 5.5).
    let values = (answer.headers?.values(name) ?? []).map(\.withoutBlanks)
    let outcomes = values.map { wanted.condition.outcome(for: $0, within: budget) }
    let isNegative = [.notEqual, .notMatches].contains(wanted.condition.comparison)
    // The one that decided, and so the one to show.
    let decisive =
      (isNegative ? outcomes.firstIndex { $0 != .holds } : outcomes.firstIndex(of: .holds))
      ?? outcomes.indices.first
    let problem =
      answer.headers == nil ? "cannot be judged: no whole answer" : values.isEmpty ? "is missing" : nil
    let found = decisive.map { index in
      let value = JSONValue.string(shown(values[index], name).printable(maxBytes: 80)).text
      return "is \(value), \(outcomes[index].expectation(wanted.condition))"
    }
    let words = problem ?? found ?? "is missing"
    return JudgedCondition(
      assertion: assertion(
        "header.\(name)", wanted.condition.description, shown(values, decisive, name),
        decisive.map { outcomes[$0] }),
      reason: .header, words: "header \(name) \(words)")
  }

  private func shown(_ values: [String], _ decisive: Int?, _ name: String) -> String {
    guard let decisive else { return "" }
    let value = shown(values[decisive], name)
    return values.count == 1 ? value : "\(value) (1 of \(values.count) values)"
  }

  private func shown(_ value: String, _ name: String) -> String {
    name.hasPrefix("set-cookie") ? Redacted.mark : mask.hide(value, ofHeader: name)
  }

  private func assertion(
    _ what: String, _ expected: String, _ actual: String, _ outcome: ConditionOutcome?
  ) -> Assertion {
    Assertion(
      what: what, expected: expected, actual: outcome?.shown(actual) ?? actual, ok: outcome == .holds)
  }
}

private let usualStatus = [200...299]

extension HTTPExpectations {
  /// No pattern has to be held against anything.
  var isWithoutPatterns: Bool {
    bodyMatches.isEmpty && bodyNotMatches.isEmpty && !(finalURL?.comparison.isPattern ?? false)
      && !headers.contains { $0.condition.comparison.isPattern }
      && !json.contains { $0.condition.comparison.isPattern }
  }

  /// Nothing but the status, and perhaps the certificate, is judged.
  var isAboutStatusAlone: Bool {
    !needsBody && headers.isEmpty && finalURL == nil && httpVersion == nil
  }
}
