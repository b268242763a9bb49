// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Conditions held against answers, without a server.
@Suite struct DNSJudgeTests {
  private static let pair = [Wire.record(1, [192, 0, 2, 1]), Wire.record(1, [192, 0, 2, 2], ttl: 60)]
  private static let mail = [
    Wire.record(15, [0, 10] + Wire.name("MX1.x.example")),
    Wire.record(15, [0, 20] + Wire.name("mx2.x.example")),
  ]

  struct Case: Sendable {
    var what: String
    var type = "A"
    var answers: [[UInt8]] = DNSJudgeTests.pair
    var flags: UInt16 = 0x8180
    /// The last assertion.
    var actual: String?
    var reason: Reason = .ok
    var words: String?
    var change: @Sendable (inout CheckDefinition) -> Void
  }

  static let cases: [Case] = [
    Case(what: "any: one of them") { $0.expect.answersAny = ["192.0.2.9", "192.0.2.2"] },
    Case(
      what: "any: none of them", actual: "192.0.2.1, 192.0.2.2", reason: .dnsAnswer,
      words: "x.example A: none of the 2 answers is an expected one"
    ) { $0.expect.answersAny = ["192.0.2.9"] },
    Case(what: "any: a pattern") { $0.expect.answersAny = ["~ ^192\\.0\\.2\\.[2-9]$"] },
    Case(
      what: "any: nothing there", answers: [], actual: "", reason: .dnsNoData,
      words: "x.example has no A record"
    ) {
      $0.expect.answersAny = ["~ ."]
    },
    Case(what: "all: in another order") { $0.expect.answersAll = ["192.0.2.2", "192.0.2.1"] },
    Case(what: "all: more may be there") { $0.expect.answersAll = ["192.0.2.2"] },
    Case(what: "all: one is missing", reason: .dnsAnswer, words: "192.0.2.3 is not among the answers") {
      $0.expect.answersAll = ["192.0.2.1", "192.0.2.3"]
    },
    Case(what: "exact: in another order") { $0.expect.answersExact = ["192.0.2.2", "192.0.2.1"] },
    Case(
      what: "exact: one too many", reason: .dnsAnswer, words: "1 of 2 answers is not expected"
    ) {
      $0.expect.answersExact = ["192.0.2.1"]
    },
    Case(what: "exact: one is missing", reason: .dnsAnswer, words: "192.0.2.3 is not among the answers") {
      $0.expect.answersExact = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    },
    Case(what: "exact: nothing there", answers: [], reason: .dnsNoData) {
      $0.expect.answersExact = ["192.0.2.1"]
    },
    Case(
      what: "exact: the strings of a text in one piece, case aside", type: "TXT",
      answers: [Wire.record(16, [7] + Array("v=SPF1 ".utf8) + [4] + Array("-ALL".utf8))]
    ) { $0.expect.answersExact = ["V=spf1 -all"] },
    Case(
      what: "exact: a pattern sees the strings of a text in one piece, as they are", type: "TXT",
      answers: [Wire.record(16, [7] + Array("v=SPF1 ".utf8) + [4] + Array("-ALL".utf8))]
    ) { $0.expect.answersExact = ["~ ^v=SPF1 -ALL$"] },
    Case(
      what: "exact: a record of another class is no answer", type: "TXT",
      answers: [Wire.record(16, [1, 0x61]), Wire.record(16, [1, 0x62], class: 3)]
    ) {
      $0.expect.answersExact = ["a"]
    },
    Case(what: "none: not there") { $0.expect.answersNone = ["192.0.2.9", "~ ^10\\."] },
    Case(what: "none: there", reason: .dnsAnswer, words: "an answer is not wanted: ~ ") {
      $0.expect.answersNone = ["~ \\.2$"]
    },
    Case(what: "none: nothing there", answers: []) { $0.expect.answersNone = ["192.0.2.1"] },
    Case(what: "names: case and the final dot aside", type: "MX", answers: mail) {
      $0.expect.answersExact = ["20 MX2.x.example", "10 mx1.X.example."]
    },
    Case(what: "names: a pattern sees what is printed", type: "MX", answers: mail) {
      $0.expect.answersAll = ["~ MX1\\.x\\.example\\.$", "~ (?i)MX2"]
    },
    Case(
      what: "text: with quotes", type: "TXT", answers: [Wire.record(16, [3] + Array("a b".utf8) + [1, 0x63])]
    ) {
      $0.expect.answersAny = ["\"a b\" \"c\""]
    },
    Case(what: "text: as one", type: "TXT", answers: [Wire.record(16, [3] + Array("a b".utf8) + [1, 0x63])]) {
      $0.expect.answersExact = ["a bc"]
    },
    Case(
      what: "text: a pattern sees the content", type: "TXT",
      answers: [Wire.record(16, [3] + Array("v=1".utf8))]
    ) {
      $0.expect.answersAll = ["~ ^v=1$"]
    },
    Case(what: "text: escapes", type: "TXT", answers: [Wire.record(16, [3, 0x61, 0x07, 0x22])]) {
      $0.expect.answersAny = ["\"a\\007\\\"\""]
    },
    Case(
      what: "a pattern beyond its limits fails", type: "TXT",
      answers: [Wire.record(16, [121] + [UInt8](repeating: 0x61, count: 120) + [0x21])], reason: .dnsAnswer,
      words: "exceeds its limits"
    ) { $0.expect.answersNone = ["~ ^(a+)+$"] },
    Case(what: "count holds", actual: "2") { $0.expect.count = "2" },
    Case(what: "count as a range", actual: "2") { $0.expect.count = ">= 2" },
    Case(what: "count fails", actual: "2", reason: .dnsAnswer, words: "x.example A: 2 answers, expected > 2")
    {
      $0.expect.count = "> 2"
    },
    Case(what: "count of none", answers: [], actual: "0") { $0.expect.count = "0" },
    Case(what: "count of none is none", answers: [], actual: "0", reason: .dnsNoData) {
      $0.expect.count = "1"
    },
    Case(what: "ttl holds", actual: "300, 60") { $0.expect.ttl = ">= 60" },
    Case(
      what: "ttl fails", actual: "300, 60", reason: .dnsAnswer,
      words: "the time to live is 60 s, expected > 60"
    ) {
      $0.expect.ttl = "> 60"
    },
    Case(what: "ttl of nothing", answers: [], actual: "", reason: .dnsNoData) { $0.expect.ttl = ">= 0" },
    Case(what: "authoritative as wanted", flags: 0x8580, actual: "true") {
      $0.dns.expect.authoritative = true
    },
    Case(
      what: "authoritative and not wanted", flags: 0x8580, reason: .dnsAnswer,
      words: "the answer is authoritative"
    ) {
      $0.dns.expect.authoritative = false
    },
    Case(
      what: "not authoritative", actual: "false", reason: .dnsAnswer, words: "the answer is not authoritative"
    ) {
      $0.dns.expect.authoritative = true
    },
    Case(what: "authentic", flags: 0x81a0, actual: "authentic (AD)") { $0.dns.dnssec = true },
    Case(
      what: "not authentic", actual: "not authentic", reason: .dnsAnswer, words: "not marked authentic (AD)"
    ) {
      $0.dns.dnssec = true
    },
    Case(what: "any code of several", answers: [], flags: 0x8183) {
      $0.expect.rcodes = ["noerror", "NXDOMAIN"]
    },
    Case(what: "no more answers than none", answers: [], flags: 0x8183) {
      ($0.expect.rcodes, $0.expect.count) = (["NXDOMAIN"], "0")
    },
    Case(what: "a code outweighs the answers", answers: [], flags: 0x8183, reason: .dnsNXDomain) {
      ($0.expect.answersAny, $0.expect.count) = (["192.0.2.1"], "2")
    },
    Case(what: "servfail", answers: [], flags: 0x8182, reason: .dnsServfail) { _ in },
    Case(what: "refused", answers: [], flags: 0x8185, reason: .dnsRefused) { _ in },
    Case(
      what: "an unexpected success", reason: .dnsRcode,
      words: "the server answered NOERROR, expected NXDOMAIN or REFUSED"
    ) { $0.expect.rcodes = ["NXDOMAIN", "REFUSED"] },
  ]

  @Test(arguments: cases.indices) func judges(index: Int) throws {
    let one = Self.cases[index]
    let (judge, message) = try prepare(one.type, one.answers, one.flags, one.change)
    let (verdict, assertions) = judge.judge(message)
    #expect(verdict.reason == one.reason, "\(one.what): \(verdict)")
    if let words = one.words { #expect(verdict.message?.contains(words) == true, "\(one.what): \(verdict)") }
    if let actual = one.actual { #expect(assertions.last?.actual == actual, "\(one.what)") }
    #expect(assertions.allSatisfy(\.ok) == (one.reason == .ok), "\(one.what)")
    // Without an answer the same conditions stand there, and none of them holds.
    let missing = judge.unanswered()
    #expect(
      missing.map(\.what) == assertions.map(\.what) && missing.map(\.expected) == assertions.map(\.expected))
    #expect(missing.allSatisfy { !$0.ok && $0.actual.isEmpty })
  }

  @Test func allConditionsAreJudgedAlways() throws {
    let (judge, message) = try prepare("A", Self.pair, 0x8180) { definition in
      definition.expect.answersAny = ["192.0.2.9"]
      definition.expect.answersAll = ["192.0.2.1"]
      definition.expect.answersExact = ["192.0.2.9"]
      definition.expect.answersNone = ["192.0.2.1"]
      (definition.expect.count, definition.expect.ttl) = ("2", "< 10")
      (definition.dns.expect.authoritative, definition.dns.dnssec) = (true, true)
    }
    let assertions = judge.judge(message).assertions
    #expect(
      assertions.map(\.what) == [
        "rcode", "answers.any", "answers.all", "answers.exact", "answers.none", "count", "ttl",
        "authoritative",
        "dnssec",
      ])
    #expect(assertions.map(\.ok) == [true, false, true, false, false, true, false, false, false])
  }

  /// Only what lies on the way from the name to its end is an answer.
  @Test func aliasesAreFollowedAndStraysAreNot() throws {
    let answers = [
      Wire.a(10, 0, 0, 1, name: Wire.name("stray.example")), Wire.cname("two.example"),
      Wire.cname("three.example", name: Wire.name("TWO.example")),
      Wire.a(192, 0, 2, 1, name: Wire.name("three.example")),
      Wire.record(46, [0, 1, 5, 3] + [UInt8](repeating: 0, count: 15), name: Wire.name("three.example")),
    ]
    let (judge, message) = try prepare("A", answers, 0x8180) { definition in
      (definition.expect.answersExact, definition.expect.count) = (["192.0.2.1"], "1")
    }
    #expect(judge.judge(message).verdict == .ok)
    #expect(AliasPath(of: message, for: judge.question).names.count == 2)
  }

  /// A text record is characters: however they are composed, escaped and cut into strings.
  @Test(arguments: [
    ("für alle", "f\u{fc}r alle", true), ("für alle", "fu\u{308}r alle", true),
    ("fu\u{308}r alle", "f\u{fc}r alle", true),
    ("~ ^für", "fu\u{308}r alle", true), ("~ f.r", "f\u{fc}r alle", true),
    ("fur alle", "f\u{fc}r alle", false),
    ("\"f\\195\\188r\"", "f\u{fc}r", true), ("漢字", "漢字", true), ("FÜR", "f\u{fc}r", true),
  ])
  func textRecordsAreCharacters(wanted: String, content: String, holds: Bool) throws {
    let bytes = Array(content.utf8)
    // In one string, and cut in the middle of a character.
    for cut in [bytes.count, 2] {
      let strings = [bytes.prefix(cut), bytes.dropFirst(cut)].filter { !$0.isEmpty }
      let record = Wire.record(16, strings.flatMap { [UInt8($0.count)] + Array($0) })
      let (judge, message) = try prepare("TXT", [record], 0x8180) { $0.expect.answersAny = [wanted] }
      if wanted.hasPrefix("\""), strings.count > 1 { continue }
      #expect((judge.judge(message).verdict == .ok) == holds, "\(message.answers.map(\.data))")
    }
  }

  /// Bytes that are no characters are compared as results print them.
  @Test func bytesOfATextRecordKeepTheirEscape() throws {
    let record = Wire.record(16, [3, 0x66, 0xfc, 0x72])
    for (wanted, holds) in [("\"f\\252r\"", true), ("f\\252r", true), ("für", false)] {
      let (judge, message) = try prepare("TXT", [record], 0x8180) { $0.expect.answersAny = [wanted] }
      #expect((judge.judge(message).verdict == .ok) == holds, "\(wanted)")
    }
  }

  @Test func theServersOwnWordsAreInTheMessage() throws {
    let option: [UInt8] = [0, 15, 0, 9, 0, 7] + Array("ran out".utf8)
    let wire = Wire("x.example", .a).with { wire in
      wire.flags = 0x8182
      wire.additional = [Wire.record(41, option, name: [0])]
    }
    let message = try DNSMessage(wire.bytes)
    #expect(message.extendedErrors.map(\.description) == ["signature expired: ran out"])
    let (judge, _) = try prepare("A", [], 0x8182) { _ in }
    #expect(
      judge.judge(message).verdict.message
        == "the server answered SERVFAIL, expected NOERROR; it says: signature expired")
  }

  /// A filtering resolver answers, with an address that is none: the condition says what was found, and why.
  @Test func theServersOwnWordsAreBesideAWrongAnswer() throws {
    let wire = Wire("x.example", .a).with { wire in
      wire.flags = 0x8180
      wire.answers = [Wire.a(0, 0, 0, 0)]
      wire.additional = [Wire.record(41, [0, 15, 0, 2, 0, 17], name: [0])]
    }
    let (judge, _) = try prepare("A", [], 0x8180) { $0.expect.answersAny = ["192.0.2.1"] }
    let verdict = judge.judge(try DNSMessage(wire.bytes)).verdict
    #expect(verdict.reason == .dnsAnswer)
    #expect(verdict.message?.hasPrefix("x.example A: ") == true, "\(verdict.message ?? "")")
    #expect(verdict.message?.hasSuffix("; it says: filtered") == true)
  }

  @Test func aPatternForNumbersNeverHolds() {
    #expect(!Condition(.matches, "1").holds(for: 1))
    #expect(!Condition(.equal, "one").holds(for: 1))
    #expect(Condition(.notEqual, "2").holds(for: 1))
    #expect(Condition(.lessOrEqual, "1").holds(for: 1))
    #expect(Condition(.less, "1.5").holds(for: 1))
  }

  private func prepare(
    _ type: String, _ answers: [[UInt8]], _ flags: UInt16, _ change: (inout CheckDefinition) -> Void
  ) throws -> (DNSJudge, DNSMessage) {
    let check = try makeCheck("dns") { definition in
      (definition.queryName, definition.queryType) = ("x.example", type)
      change(&definition)
    }
    guard case .dns(let settings) = check.kind else { throw SetUpFailed(line: "dns") }
    let question = try #require(DNSQuestion(settings))
    let wire = Wire("x.example", question.type).with { ($0.flags, $0.answers) = (flags, answers) }
    return (DNSJudge(settings: settings, question: question), try DNSMessage(wire.bytes))
  }
}
