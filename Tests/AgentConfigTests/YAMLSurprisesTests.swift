// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import TestSupport
import Testing

/// What YAML would do behind the writer's back, and does not do here.
struct YAMLSurprisesTests {
  /// YAML 1.1 makes booleans, octal and sexagesimal numbers, floats and dates of these.
  @Test(arguments: ["no", "on", "Yes", "0123", "12:30:45", "1e3", "2026-01-04", "0x1F", ".inf", "1_000"])
  func textsAreTakenAsWritten(text: String) throws {
    let settings = try settings("agent: {name: \(text)}\n" + oneCheck)
    #expect(settings.agent.name == text)
  }

  @Test(arguments: ["no", "off", "False", "TRUE", "y", "0"])
  func onlyTrueAndFalseAreBooleans(text: String) {
    let found = problems(oneCheck + "    enabled: \(text)\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("enabled must be true or false, found \"\(text)\"") == true)
  }

  @Test(arguments: ["010", "0o10", "0x10", "1_0", "+1", "1e1", "1.0", "1:0", "ten", "'1'"])
  func integersAreDecimal(text: String) {
    let found = problems(oneCheck + "    retries: \(text)\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("retries must be a whole number") == true)
  }

  /// The marks of anchors, aliases and tags are text wherever YAML says they are.
  @Test func marksInsideTextAreText() throws {
    let check = """
      checks:
        - name: "&a *b !c"
          type: http
          url: https://shop.example/?a=1&b=2   # & * !
          method: POST
          body: |
            &anchor *alias !tag
            \tindented: with a tab
              [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
          headers: {X-Mark: 'it''s & *x', X-Plain: a &b *c !d}
          expect:
            body:
              contains:
                - >-
                  & folded
                - "a \\"quoted\\" & *"
      """
    let settings = try settings(check)
    guard case .http(let http) = settings.checks[0].kind else {
      Issue.record("not an http check")
      return
    }
    #expect(settings.checks[0].name == "&a *b !c")
    #expect(http.url.text == "https://shop.example/?a=1&b=2")
    #expect(http.body?.reveal().hasPrefix("&anchor *alias !tag\n\tindented: with a tab\n  [[[") == true)
    #expect(http.headers.map { $0.value.reveal() } == ["it's & *x", "a &b *c !d"])
    #expect(http.expect.bodyContains == ["& folded", "a \"quoted\" & *"])
  }

  /// After a block scalar the scan is back among keys.
  @Test func marksAfterBlockScalarAreFound() {
    let text = """
      checks:
        - body: |
            &text
          name: &anchor x
      """
    #expect(problems(text).map { $0.prefix { $0 != "\n" } } == ["agent.yaml:4:11: anchors are not accepted"])
  }

  /// An anchor that nobody refers to is one all the same, on whatever it stands.
  @Test(arguments: [
    "canaries: &mark [Shop front]\n", "canaries: &mark\n  - Shop front\n", "agent: &mark {name: x}\n",
  ])
  func anAnchorIsFoundOnAnything(text: String) {
    let found = problems(text + oneCheck)
    #expect(found.contains { $0.contains("anchors are not accepted") }, "\(found)")
  }

  @Test func tabsBehindValuesAreFine() throws {
    let settings = try settings("agent:\n  name: london\t# a tab\n  region: \"a b\"\n" + oneCheck)
    #expect(settings.agent.name == "london")
  }

  @Test func tabsOnBlankLinesAreFound() {
    #expect(problems("\t\n" + oneCheck) == ["agent.yaml:1:1: a tab cannot indent\n  hint: use spaces"])
  }

  /// Aliases as keys make the parser compare expanded trees: 9 levels of 9 are 387 million nodes.
  @Test func aliasBombEndsAtOnce() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let items = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(items)]\n"
    }
    text += "? *a9\n: 1\n"
    let taken = processorTime { #expect(problems(text).count == 10 + 81 + 1) }
    #expect(taken < .seconds(1))
  }

  @Test(arguments: ["[", "{a: ", "- ", "? ", "[{a: "])
  func tenThousandLevelsEndAtOnce(opener: String) {
    let taken = processorTime {
      #expect(problems("a:\n  " + String(repeating: opener, count: 10_000)).count == 1)
    }
    #expect(taken < .seconds(1))
  }

  @Test func sixteenMegabytesAreTheCap() throws {
    let filler = String(repeating: "# " + String(repeating: "x", count: 61) + "\n", count: 262_144)
    #expect(problems(filler + oneCheck) == ["agent.yaml: the file is larger than 16 MiB"])
    let room = filler.dropLast(oneCheck.utf8.count + 64)
    #expect(try settings(room + "\n" + oneCheck).checks.count == 1)
  }

  enum Hostile: String, CaseIterable {
    case equalKeys, longList, longFlowMap, escapes, indentation, oneWord, anchors, wideCharacters, openQuotes,
      colons

    var text: String {
      switch self {
      case .equalKeys: String(repeating: "a: 'x'\n", count: 37_000)
      case .longList: "x: [" + String(repeating: "a, ", count: 87_000) + "]"
      case .longFlowMap: "x: {" + String(repeating: "? a, ", count: 50_000) + "}"
      case .escapes: "x: \"" + String(repeating: "\\u00e4", count: 170_000) + "\""
      case .indentation: String(repeating: " ", count: 1_000_000) + "a"
      case .oneWord: String(repeating: "a", count: 1_000_000)
      case .anchors: "x: " + String(repeating: "&a ", count: 300_000)
      case .wideCharacters: String(repeating: "\u{e4}", count: 500_000) + ": ["
      case .openQuotes: String(repeating: "' \n", count: 300_001)
      case .colons: String(repeating: ": ", count: 500_000)
      }
    }
  }

  /// Worst cases for the parser inside the size cap. The bound is one second of CPU for 1 MiB, as built for
  /// release; a debug build gets ten.
  @Test(arguments: Hostile.allCases)
  func hostileMegabyteEndsSoon(hostile: Hostile) {
    let text = hostile.text
    let taken = processorTime { #expect(!problems(text).isEmpty) }
    #expect(taken < .seconds(10), "\(hostile)")
  }
}
