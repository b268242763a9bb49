// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Patterns of Go, each of a whole text, by the syntax of RE2.
@Suite struct GoPatternTests {
  private func groups(_ pattern: String, _ text: String) -> [String?]? {
    var budget = GoPattern.Budget()
    return GoPattern(pattern)?.match(text, &budget)?.map { $0.map { String($0) } }
  }

  @Test(
    arguments: [
      ("a.c", ["abc", "a\rc"], ["a\nc", "ac", "abcd"]), ("(?s)a.c", ["a\nc"], ["ac"]),
      ("(?s:.)b.", ["\nbc"], ["\nb\n"]),
      ("(?i)aB", ["ab", "AB"], ["a"]), ("(?i:a)b", ["Ab", "ab"], ["AB"]), ("(?i)a(?-i)b", ["Ab"], ["AB"]),
      ("(?i)(a)b", ["AB"], []), ("((?i)a)b", ["Ab"], ["AB"]), ("a|bc", ["a", "bc"], ["ac", "abc", ""]),
      ("a||b", ["", "a", "b"], ["ab"]),
      ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaa"], ["a"]),
      ("a{1,2}", ["a", "aa"], ["", "aaa"]),
      ("a{0}", [""], ["a"]), ("a{,2}", ["a{,2}"], ["aa"]), ("a{", ["a{"], ["a"]), ("a{x}", ["a{x}"], []),
      ("a*", ["", "aa"], ["b"]),
      ("a+", ["a", "aa"], [""]), ("a?", ["", "a"], ["aa"]), ("a+?b", ["aab"], ["b"]),
      ("(?U)a+", ["aa"], [""]),
      ("\\d\\D", ["0a", "9 "], ["00", "aa"]), ("\\w\\W", ["_-", "Z ", "a."], ["a_", "--"]),
      ("\\s", [" ", "\t", "\n", "\u{c}", "\r"], ["\u{b}", "\u{a0}"]), ("\\S", ["a", "\u{b}"], [" ", "\r"]),
      ("\\Qa.b\\E+", ["a.b", "a.bb"], ["axb", "a.ba.b"]), ("\\Qa\\b", ["a\\b"], []), ("\\Q\\E", [""], ["Q"]),
      ("^a$", ["a"], ["a\n", "\na"]), ("(?m)^a$\\nb", ["a\nb"], []), ("^a$\\nb", [], ["a\nb"]),
      ("\\Aa\\z", ["a"], ["a\n"]),
      ("a\\n(?m:^)b", ["a\nb"], []), ("a\\b.b", ["a b", "a-b"], ["aab"]), ("a\\Bb", ["ab"], []),
      ("a\\bb", [], ["ab"]),
      ("\\b\\B", [], [""]), ("\\x41\\x{1F600}\\101\\0", ["A😀A\0"], []),
      ("\\n\\t\\r\\f\\v\\a", ["\n\t\r\u{c}\u{b}\u{7}"], []),
      ("\\.\\-\\_\\/\\[", [".-_/["], []), ("[a-c]+", ["abc"], ["d", ""]), ("[^a-c]", ["d", "\n"], ["b"]),
      ("[]a]", ["]", "a"], ["b"]),
      ("[a\\]]", ["]"], ["\\"]), ("[\\d_]", ["5", "_"], ["a"]), ("[[:digit:]]", ["5"], ["a", ":"]),
      ("(?i)[a-c]", ["B"], ["d"]),
      ("(?:(?:a*)*)*b", ["aaab", "b"], ["a"]), ("é?", ["é", ""], ["e"]), ("", [""], ["a"]),
      ("()", [""], ["a"]),
    ] as [(String, [String], [String])])
  func wholeTexts(pattern: String, matches: [String], others: [String]) {
    #expect(GoPattern(pattern) != nil, "\(pattern)")
    for text in matches { #expect(groups(pattern, text) != nil, "\(pattern) of \(text.debugDescription)") }
    for text in others { #expect(groups(pattern, text) == nil, "\(pattern) of \(text.debugDescription)") }
  }

  @Test(arguments: [
    "a{1001}", "a{2,1}", "a{1,1001}", "a**", "a+*", "a?+", "a*??", "a{2}{3}", "a{2}*", "*a", "+", "?", "(a",
    "a)", "[a", "[^", "(?P<n>a)(?P<n>b)",
    "(?P>n)", "(?P<>a)", "(?P<a-b>c)", "(?x)a", "(?i", "(?-i-m)a", "\\1", "\\8", "\\pL", "\\q", "\\x4",
    "\\x{110000}", "\\x{", "\\",
    "\\é",
  ])
  func noPattern(pattern: String) { #expect(GoPattern(pattern) == nil) }

  @Test func limits() {
    #expect(GoPattern("a{1000}") != nil && GoPattern("a{0,1000}") != nil)
    let groups = String(repeating: "(a)", count: 99)
    #expect(GoPattern(groups) != nil && GoPattern(groups + "(a)") == nil)
    func nested(_ count: Int) -> String {
      String(repeating: "(?:", count: count) + String(repeating: ")", count: count)
    }
    #expect(GoPattern(nested(62)) != nil && GoPattern(nested(63)) == nil)
  }

  /// What groups hold: the first way that matches is preferred, as many as may be, or as few.
  @Test(
    arguments: [
      ("(a)(b)?", "a", ["a", "a", nil]), ("(a)(b)?", "ab", ["ab", "a", "b"]),
      ("(a+)(a*)", "aaa", ["aaa", "aaa", ""]),
      ("(a+?)(a*)", "aaa", ["aaa", "a", "aa"]), ("(a*?)(a*)", "aa", ["aa", "", "aa"]),
      ("(?U)(a+)(a*)", "aaa", ["aaa", "a", "aa"]),
      ("(?U)(a+?)(a*)", "aaa", ["aaa", "aaa", ""]), ("(a?)(a?)", "a", ["a", "a", ""]),
      ("(a??)(a?)", "a", ["a", "", "a"]),
      ("(a{1,2})(a*)", "aaa", ["aaa", "aa", "a"]), ("(a{1,2}?)(a*)", "aaa", ["aaa", "a", "aa"]),
      ("(?:a|(b))c", "ac", ["ac", nil]),
      ("(a|ab)(b?)", "ab", ["ab", "a", "b"]), ("(ab|a)(b?)", "ab", ["ab", "ab", ""]),
      ("((a)b)c", "abc", ["abc", "ab", "a"]),
      ("(?P<x>a)(?<y>b)", "ab", ["ab", "a", "b"]), ("ab", "ab", ["ab"]),
    ] as [(String, String, [String?])])
  func whatGroupsHold(pattern: String, text: String, held: [String?]) {
    #expect(groups(pattern, text) == held)
  }

  @Test(
    arguments: [
      ("$1-$2-$3", "a-b-"), ("${1}x", "ax"), ("$1x", ""), ("$n-${n}", "b-b"), ("$0", "ab"), ("$$1", "$1"),
      ("$", "$"), ("${", "${"),
      ("${1", "${1"), ("${}", "${}"), ("a$-b", "a$-b"), ("$other", ""), ("$1$1", "aa"), ("", ""),
      ("é$1é", "é"),
    ])
  func templates(template: String, made: String) throws {
    // Behind a number letters are of the name.
    let pattern = try #require(GoPattern("(a)(?P<n>b)"))
    var budget = GoPattern.Budget()
    let found = try #require(pattern.match("ab", &budget))
    #expect(pattern.expand(template, found) == made)
  }

  @Test func everything() {
    func held(_ text: String) -> [String?]? {
      var budget = GoPattern.Budget()
      return GoPattern.everything.match(text, &budget)?.map { $0.map { String($0) } }
    }
    #expect(held("ab") == ["ab", "ab"] && held("") == ["", ""] && held("a\nb") == nil)
  }

  /// Spans as Prometheus writes them: days, weeks and years where they are whole, else hours, minutes and so on together.
  @Test(arguments: [
    (0, "0s"), (1, "1ms"), (1500, "1s500ms"), (90_000, "1m30s"), (3_600_000, "1h"), (5_405_007, "1h30m5s7ms"),
    (86_400_000, "1d"), (90_000_000, "25h"), (604_800_000, "1w"), (1_209_600_000, "2w"),
    (31_536_000_000, "1y"),
    (2_592_000_000, "30d"),
  ])
  func spansOfScrapes(milliseconds: Int, text: String) {
    var pace = ScrapePace()
    #expect(pace.labels.map(\.value) == ["1m", "10s"])
    pace.interval = milliseconds
    #expect(pace.labels.map(\.value) == [text, "10s"])
    (pace.interval, pace.timeout) = (1000, milliseconds)
    #expect(
      pace.labels.map { "\($0.name)=\($0.value)" } == [
        "__scrape_interval__=1s", "__scrape_timeout__=\(text)",
      ])
  }

  /// An empty label is none, and labels are the same in any order.
  @Test func labelsOfTargets() {
    var labels = TargetLabels([("a", "1"), ("b", ""), ("c", "3"), ("a", "2")])
    #expect(labels.all.map(\.name) == ["a", "c"] && labels["a"] == "2" && labels["b"] == nil)
    #expect(labels == TargetLabels([("c", "3"), ("a", "2")]) && labels != TargetLabels([("a", "2")]))
    #expect(
      labels != TargetLabels([("a", "2"), ("c", "4")]) && labels != TargetLabels([("a", "2"), ("d", "3")]))
    labels["a"] = ""
    labels["c"] = nil
    labels["x"] = ""
    #expect(labels.all.isEmpty)
  }
}
