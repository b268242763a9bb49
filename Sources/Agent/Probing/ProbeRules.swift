// SPDX-License-Identifier: MIT

import Basics
import Checks
import Import
import Monitoring

/// A module's rules for an answer besides its check, compiled once.
struct ProbeRules: Sendable {
  private struct Records: Sendable {
    var refused: [Pattern] = []
    var refusedOfAll: [Pattern] = []
    var wantedOfAll: [Pattern] = []
    var wantedOfAny: [Pattern] = []
  }

  private struct Header: Sendable {
    var name: String
    var pattern: Pattern
    var isRefused: Bool
    var mayLack: Bool
  }

  private typealias Section = any KeyPath<AnswerSections, [String]> & Sendable

  private var sections: [(name: String, path: Section, rules: Records)] = []
  private var headers: [Header] = []
  /// Bytes of a body that are read.
  let bodyLimit: Int?

  /// Nothing but what the check asks.
  var isEmpty: Bool { sections.isEmpty && headers.isEmpty && bodyLimit == nil }
  /// Patterns are to be held against something: nothing for a thread that others wait for.
  var hasPatterns: Bool { !sections.isEmpty || !headers.isEmpty }

  static let none = ProbeRules()

  private init() { bodyLimit = nil }

  /// - Throws: which pattern is none.
  init(_ rules: BlackboxRules) throws(Pattern.Invalid) {
    bodyLimit = rules.bodyLimit
    for (name, path, given) in Self.parts(rules) where !given.isEmpty {
      var made = Records()
      made.refused = try Self.compiled(given.refused)
      made.refusedOfAll = try Self.compiled(given.refusedOfAll)
      made.wantedOfAll = try Self.compiled(given.wantedOfAll)
      made.wantedOfAny = try Self.compiled(given.wantedOfAny)
      sections.append((name, path, made))
    }
    for header in rules.headers {
      headers.append(
        Header(
          name: header.name.lowercased(), pattern: try Pattern(header.pattern), isRefused: header.isRefused,
          mayLack: header.mayLack))
    }
  }

  private static func parts(_ rules: BlackboxRules) -> [(String, Section, BlackboxRules.Records)] {
    [
      ("answer", \.answer, rules.answer), ("authority", \.authority, rules.authority),
      ("additional", \.additional, rules.additional),
    ]
  }

  private static func compiled(_ texts: [String]) throws(Pattern.Invalid) -> [Pattern] {
    var patterns: [Pattern] = []
    for text in texts { patterns.append(try Pattern(text)) }
    return patterns
  }

  /// A result that all of it holds for is left as it is.
  func judge(_ result: inout CheckResult) {
    guard result.state == .up || result.state == .degraded else { return }
    if let bodyLimit, result.truncated || (result.account?.bodyBytes ?? 0) > bodyLimit {
      return result.fail(.bodyTooLarge, "the body is larger than \(bodyLimit) bytes")
    }
    for header in headers {
      if let words = problem(header, result.account?.headers ?? []) { return result.fail(.header, words) }
    }
    for (name, path, rules) in sections {
      let lines = result.account?.sections?[keyPath: path] ?? []
      if let words = problem(rules, lines) { return result.fail(.dnsAnswer, "\(name): \(words)") }
    }
  }

  private func problem(_ rule: Header, _ headers: [AnswerHeader]) -> String? {
    let values = headers.filter { $0.name.lowercased() == rule.name }.map(\.value)
    guard !values.isEmpty else { return rule.mayLack ? nil : "there is no header \(rule.name)" }
    let outcomes = values.map { rule.pattern.firstMatch(in: $0) }
    if outcomes.contains(.limit) { return Pattern.limitWords }
    let matches = outcomes.contains(where: \.isMatch)
    guard matches == rule.isRefused else { return nil }
    return rule.isRefused ? "the header \(rule.name) matches" : "the header \(rule.name) does not match"
  }

  /// Records that are looked at: more than any honest answer has.
  private static let most = 1000

  private func problem(_ rules: Records, _ lines: [String]) -> String? {
    let wantsOne = !rules.wantedOfAll.isEmpty || !rules.wantedOfAny.isEmpty
    if lines.isEmpty, wantsOne { return "there are no records" }
    guard lines.count <= Self.most else { return "there are more than \(Self.most) records" }
    var (hasAny, haveAll) = (false, true)
    for line in lines {
      guard let refused = matches(rules.refused, line), let all = matches(rules.refusedOfAll, line),
        let wanted = matches(rules.wantedOfAll, line), let any = matches(rules.wantedOfAny, line)
      else { return Pattern.limitWords }
      if refused.contains(true) { return "a record matches what must not be there" }
      if wanted.contains(false) { return "a record does not match" }
      if all.contains(false) { haveAll = false }
      if any.contains(true) { hasAny = true }
    }
    // As the exporter has it, whatever the key is called: where not all match, it fails.
    if !rules.refusedOfAll.isEmpty, !haveAll { return "not all records match" }
    if !rules.wantedOfAny.isEmpty, !hasAny { return "no record matches" }
    return nil
  }

  /// `nil` where a pattern gave up.
  private func matches(_ patterns: [Pattern], _ line: String) -> [Bool]? {
    var found: [Bool] = []
    for pattern in patterns {
      let outcome = pattern.firstMatch(in: line)
      if outcome == .limit { return nil }
      found.append(outcome.isMatch)
    }
    return found
  }
}

extension CheckResult {
  fileprivate mutating func fail(_ reason: Reason, _ words: String) {
    (status, state, self.reason, phase) = (.failure, .down, reason, .assertion)
    message = words.printable(maxBytes: 256)
  }
}
