// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Agent
@testable import Import

/// The rules of a module for headers, records and the length of a body, each with both of its sides.
@Suite struct ProbeRuleTableTests {
  private func result(_ change: (inout ProbeAccount) -> Void = { _ in }) throws -> CheckResult {
    var result = CheckResult(
      id: UniqueID(high: 5, low: 1), check: try tcpCheck("Shop"), trigger: .manual,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, verdict: .ok)
    var account = ProbeAccount()
    change(&account)
    result.account = account
    return result
  }

  /// The message of what does not hold; `nil`: all of it holds, and the result is as it was.
  private func problem(
    _ reason: Reason, _ rules: BlackboxRules, _ change: (inout ProbeAccount) -> Void = { _ in }
  ) throws -> String? {
    var judged = try result(change)
    let before = judged
    try ProbeRules(rules).judge(&judged)
    guard judged.state == .down else {
      #expect(judged == before)
      return nil
    }
    #expect(judged.reason == reason && judged.status == .failure && judged.phase == .assertion)
    return judged.message
  }

  /// A header is named in any case, each of its values counts, and one that is not there is wanted unless it may lack.
  @Test func headers() throws {
    let rows: [(isRefused: Bool, mayLack: Bool, values: [String], words: String?)] = [
      (false, false, ["abc"], nil), (false, false, ["xyz"], "the header x-mode does not match"),
      (false, false, ["xyz", "abc"], nil), (false, false, [], "there is no header x-mode"),
      (false, true, [], nil), (false, true, ["xyz"], "the header x-mode does not match"),
      (true, false, ["abc"], "the header x-mode matches"), (true, false, ["xyz"], nil),
      (true, false, ["xyz", "abc"], "the header x-mode matches"),
      (true, false, [], "there is no header x-mode"), (true, true, [], nil),
      (true, true, ["abc"], "the header x-mode matches"),
    ]
    for row in rows {
      var rules = BlackboxRules()
      rules.headers = [
        .init(name: "X-Mode", pattern: "^a", isRefused: row.isRefused, mayLack: row.mayLack)
      ]
      let words = try problem(.header, rules) { account in
        account.headers = [AnswerHeader(name: "Server", value: "abc")]
        account.headers += row.values.map { AnswerHeader(name: "x-MODE", value: $0) }
      }
      #expect(words == row.words, "\(row)")
    }
  }

  /// The second of two rules is asked when the first one holds.
  @Test func secondHeader() throws {
    var rules = BlackboxRules()
    rules.headers = [
      .init(name: "a", pattern: "1", isRefused: false, mayLack: false),
      .init(name: "b", pattern: "2", isRefused: false, mayLack: false),
    ]
    func words(_ first: String, _ second: String) throws -> String? {
      try problem(.header, rules) {
        $0.headers = [AnswerHeader(name: "a", value: first), AnswerHeader(name: "b", value: second)]
      }
    }
    #expect(try words("1", "2") == nil && words("1", "1") == "the header b does not match")
    #expect(try words("2", "1") == "the header a does not match")
  }

  private func records(_ change: (inout BlackboxRules.Records) -> Void) -> BlackboxRules {
    var rules = BlackboxRules()
    change(&rules.answer)
    return rules
  }

  /// What the exporter asks of the records of a section, key by key, for none, one and several of them.
  @Test func recordsOfASection() throws {
    let refused = records { $0.refused = ["^a", "^b"] }
    let refusedOfAll = records { $0.refusedOfAll = ["^a"] }
    let wantedOfAll = records { $0.wantedOfAll = ["^a", "1$"] }
    let wantedOfAny = records { $0.wantedOfAny = ["^b", "^a"] }
    let rows: [(BlackboxRules, [String], String?)] = [
      (refused, [], nil), (refused, ["c1"], nil),
      (refused, ["c1", "b1"], "a record matches what must not be there"),
      (refused, ["a1"], "a record matches what must not be there"),
      (refusedOfAll, [], nil), (refusedOfAll, ["a1", "a2"], nil),
      (refusedOfAll, ["a1", "c1"], "not all records match"), (refusedOfAll, ["c1"], "not all records match"),
      (wantedOfAll, [], "there are no records"), (wantedOfAll, ["a1", "aa1"], nil),
      (wantedOfAll, ["a1", "a2"], "a record does not match"),
      (wantedOfAll, ["c1", "a1"], "a record does not match"),
      (wantedOfAny, [], "there are no records"), (wantedOfAny, ["c1", "a1"], nil),
      (wantedOfAny, ["b1", "c1"], nil), (wantedOfAny, ["c1", "d1"], "no record matches"),
    ]
    for (number, (rules, lines, words)) in rows.enumerated() {
      let found = try problem(.dnsAnswer, rules) { account in
        account.sections = AnswerSections()
        account.sections?.answer = lines
      }
      #expect(found == words.map { "answer: \($0)" }, "row \(number)")
    }
    #expect(
      try problem(.dnsAnswer, wantedOfAny) == "answer: there are no records", "there is no answer at all")
  }

  /// Each section by its own name, and in their order.
  @Test func sections() throws {
    func fill(_ account: inout ProbeAccount) {
      var sections = AnswerSections()
      (sections.answer, sections.authority, sections.additional) = (["a"], ["b"], ["c"])
      account.sections = sections
    }
    var rules = BlackboxRules()
    rules.additional.refused = ["c"]
    #expect(
      try problem(.dnsAnswer, rules, fill) == "additional: a record matches what must not be there")
    rules.authority.wantedOfAny = ["c"]
    #expect(try problem(.dnsAnswer, rules, fill) == "authority: no record matches")
    rules.answer.wantedOfAll = ["b"]
    #expect(try problem(.dnsAnswer, rules, fill) == "answer: a record does not match")
    (rules.answer.wantedOfAll, rules.authority.wantedOfAny, rules.additional.refused) = (
      ["a"], ["b"], ["a", "b"]
    )
    #expect(try problem(.dnsAnswer, rules, fill) == nil)
  }

  /// A thousand records are looked at, and one more is none that an honest answer has.
  @Test func manyRecords() throws {
    let rules = records { $0.refused = ["^b"] }
    func words(_ count: Int) throws -> String? {
      try problem(.dnsAnswer, rules) { account in
        account.sections = AnswerSections()
        account.sections?.answer = Array(repeating: "a", count: count)
      }
    }
    #expect(try words(1000) == nil && words(1001) == "answer: there are more than 1000 records")
  }

  /// A body of just the limit is fine; the headers are judged after it, and the records after them.
  @Test func lengthOfABody() throws {
    var rules = BlackboxRules()
    rules.bodyLimit = 10
    func words(_ bytes: Int?) throws -> String? { try problem(.bodyTooLarge, rules) { $0.bodyBytes = bytes } }
    #expect(try words(10) == nil && words(nil) == nil && words(11) == "the body is larger than 10 bytes")
    rules.headers = [.init(name: "a", pattern: "1", isRefused: false, mayLack: false)]
    rules.answer.wantedOfAny = ["a"]
    #expect(try words(11) == "the body is larger than 10 bytes")
    #expect(try problem(.header, rules) == "there is no header a")
  }

  /// Which rules there are at all, and whether patterns are among them.
  @Test func kindsOfRules() throws {
    func facts(_ change: (inout BlackboxRules) -> Void) throws -> [Bool] {
      var rules = BlackboxRules()
      change(&rules)
      let made = try ProbeRules(rules)
      return [made.isEmpty, made.hasPatterns]
    }
    #expect(try facts { _ in } == [true, false] && ProbeRules.none.isEmpty)
    #expect(try facts { $0.bodyLimit = 1 } == [false, false])
    #expect(try facts { $0.authority.refused = ["a"] } == [false, true])
    #expect(
      try facts { $0.headers = [.init(name: "a", pattern: "a", isRefused: true, mayLack: true)] }
        == [false, true])
    for change in [
      { $0.answer.refused = ["("] }, { $0.authority.refusedOfAll = ["("] },
      { $0.additional.wantedOfAll = ["("] },
      { $0.answer.wantedOfAny = ["("] },
      { $0.headers = [.init(name: "a", pattern: "(", isRefused: true, mayLack: true)] },
    ] as [(inout BlackboxRules) -> Void] {
      #expect(throws: (any Error).self) { try facts(change) }
    }
  }
}
