// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Checks

@Suite struct PatternTests {
  private func match(_ pattern: String, _ text: String) throws -> Pattern.Outcome {
    try Pattern(pattern).firstMatch(in: text)
  }

  @Test(arguments: [
    // Unanchored, and multiline whatever ends the lines.
    ("ok", "all is ok here", true), ("^second$", "first\nsecond\nthird", true),
    ("^second$", "first\r\nsecond\r\nthird", true), ("^second$", "first\rsecond", true),
    (#"\Asecond"#, "first\nsecond", false), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true),
    // Unicode: a character is one, not its bytes; classes stay ASCII.
    ("^.$", "ü", true), ("[äö]", "grün", false), ("(?i)GRÜN", "grün", true), (#"^\w+$"#, "grün", false),
    (#"^\p{L}+$"#, "grün", true), (#"\d"#, "٣", false),
    ("x", "", false), ("^$", "", true), ("^", "", true),
    (#""version":"\d+"#, #"{"version":"12"}"#, true), ("a{2}", "aa", true),
  ])
  func saysWhetherItMatches(pattern: String, text: String, expected: Bool) throws {
    #expect(try match(pattern, text).isMatch == expected)
  }

  @Test func givesPlacesInBytes() throws {
    let outcome = try match(#"(?<name>\w+)=(\d+)?(x)?"#, "über: a=12 b")
    #expect(
      outcome
        == .match(7..<11, groups: [7..<11, 7..<8, 9..<11, nil], names: ["name": 1]))
    // From the first byte of what was given, not of what it was cut from.
    let bytes = Array("zzabc".utf8)
    #expect(try Pattern("b").firstMatch(in: bytes[2...]) == .match(1..<2, groups: [1..<2], names: [:]))
    #expect(
      try Pattern("b").firstMatch(in: bytes.lazy.map { $0 }.reversed())
        == .match(1..<2, groups: [1..<2], names: [:]))
  }

  @Test func toleratesBytesThatAreNoText() throws {
    let bytes: [UInt8] = [0xff, 0xfe, 0x00] + Array("status: ok".utf8) + [0xc3, 0x28, 0xed, 0xa0, 0x80]
    #expect(try Pattern("status: (ok)").firstMatch(in: bytes).isMatch)
    #expect(try Pattern(#"^\x00status"#).firstMatch(in: bytes).isMatch == false)
    #expect(try Pattern("ok.").firstMatch(in: bytes) == Pattern.Outcome.none)
    #expect(try Pattern("[^a]").firstMatch(in: [0xff, 0xff] as [UInt8]) == Pattern.Outcome.none)
  }

  /// Exponential, quadratic, cubic; memory; recursion without end. None may take longer than its budget.
  @Test(arguments: [
    ("^(a+)+$", "a", 30, "!"), ("(a|aa)+$", "a", 40, "!"), (#"[\s\S]*zzq"#, "z", 1 << 20, "yq"),
    (#"[^"]*[^"]*zzq"#, "z", 1 << 18, "yq"), (#"(.+)\1!"#, "zy", 1 << 17, "q!"),
    ("(?:.|\n)*q", "z", 1 << 20, "q"), ("((?R)|a)*!", "a", 4096, "b!"),
  ])
  func givesUpAtItsBudget(pattern: String, unit: String, count: Int, tail: String) throws {
    let compiled = try Pattern(pattern)
    let text = String(repeating: unit, count: count) + tail
    let spent = processorTime {
      let outcome = compiled.firstMatch(in: text)
      #expect(outcome == .limit)
    }
    #expect(spent < .seconds(5))
  }

  @Test func aBombEndsInMilliseconds() throws {
    let bomb = try Pattern("^(a+)+$")
    let text = String(repeating: "a", count: 30) + "!"
    let best = (0..<5).map { _ in
      processorTime {
        #expect(bomb.firstMatch(in: text) == .limit)
      }
    }.min()
    #expect(try #require(best) < .milliseconds(100))
  }

  /// Scans that fail before they reach the next item cost no step; processor time ends them.
  @Test func aScanWithoutStepsEndsToo() throws {
    let line = String(repeating: "a", count: 59_999) + "\""
    let compiled = try Pattern(#"[^"]{60000}"#)
    let text = String(repeating: line, count: 17)
    let spent = processorTime {
      let outcome = compiled.firstMatch(in: text)
      #expect(outcome == .limit)
    }
    #expect(spent < .seconds(10))
  }

  /// What people write passes over a whole body of the default size.
  @Test(arguments: [
    ".*zzq", #"\w+@\w+\.com"#, "^.*error.*$", "(?i)error|warn|fatal", #""version":"\d+"#, "[a-z ]+9",
    #"<title>.*?</title>"#,
  ])
  func theBudgetIsEnoughForABodyOfLines(pattern: String) throws {
    var body: [UInt8] = []
    for index in 0..<(1 << 20) {
      let letter = UInt8(0x61 + index % 25)
      body.append(index % 80 == 79 ? 0x0a : index % 7 == 3 ? 0x20 : letter)
    }
    let outcome = try Pattern(pattern).firstMatch(in: body)
    #expect(outcome == Pattern.Outcome.none)
  }

  @Test func endsTheSameWayEachTime() throws {
    let compiled = try Pattern(#"(\w+\s?)+$"#)
    let outcomes = (1...40).map { count in
      (0..<3).map { _ in compiled.firstMatch(in: String(repeating: "ab ", count: count) + "!") }
    }
    for three in outcomes { #expect(Set(three).count == 1) }
    #expect(Set(outcomes.map { $0[0] }) == [.none, .limit])
  }

  @Test(arguments: [
    ("a(b", 3, "missing closing parenthesis"), ("[a", 2, "missing terminating ]"), ("a|*", 2, "quantifier"),
    ("(?<n>a)(?<n>b)", 12, "two named subpatterns"), (#"\C"#, 2, #"\C"#), ("ü(", 3, "closing parenthesis"),
    (#"\"#, 1, "end of pattern"), ("(?<=a*)b", 0, "lookbehind"),
  ])
  func saysWhatIsWrongAndWhere(pattern: String, offset: Int, words: String) throws {
    let problem = #expect(throws: Pattern.Invalid.self) { _ = try Pattern(pattern) }
    #expect(problem?.message.contains(words) == true, "\(problem?.description ?? "")")
    #expect(problem?.offset == offset, "\(problem?.description ?? "")")
    #expect(Pattern.rule.problem(pattern) == problem?.description)
  }

  /// What no byte stands for is refused of a pattern for bytes, and of no other.
  @Test func aPatternForBytesIsJudgedByItself() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.url) = ("test", "http", "https://shop.test/")
    definition.http.expect.bodyMatches = [#"\x{263a}"#, #"\xe2"#]
    _ = try MonitoringCheck(definition, patterns: Pattern.rule)
    definition.http.expect.comparesBytes = true
    let invalid = #expect(throws: InvalidCheck.self) {
      _ = try MonitoringCheck(definition, patterns: Pattern.rule)
    }
    #expect(invalid?.problems.map(\.path) == [["expect", "body", "matches", "0"]])
    #expect(invalid?.problems.first?.message.contains("no regular expression for bytes") == true)
    #expect(Pattern.rule.byteProblem("(*UTF)x") != nil && Pattern.rule.byteProblem("ü") == nil)
  }

  @Test func theRuleTakesWhatCompiles() { #expect(Pattern.rule.problem(#""version":"\d+"#) == nil) }

  @Test func onePatternServesManyThreads() async throws {
    let compiled = try Pattern(#"(\d+)-(\d+)"#)
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let text = "x \(number)-\(number + 1)"
          guard case .match(let range, _, _) = compiled.firstMatch(in: text) else { return false }
          return range == 2..<text.utf8.count
        }
      }
      for await right in group { #expect(right) }
    }
  }
}
