// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Patterns of Gatus as regular expressions: of the whole body or value, and every sign as what it is there.
@Suite struct GatusMeaningTests {
  private typealias Outcome = GatusConditionTests.Outcome

  /// Condition, and what is asked of the body, by hand. A body is trimmed, a value of it is not.
  private static let bodies: [(condition: String, key: String, expression: String)] = [
    ("[BODY] == pat(ok)", "matches", "(?s)\\A\\s*ok\\s*\\z"),
    ("[BODY] == pat(ok*)", "matches", "(?s)\\A\\s*ok"),
    ("[BODY] == pat(*ok)", "matches", "(?s)ok\\s*\\z"), ("[BODY] == pat(*ok*)", "matches", "(?s)ok"),
    ("[BODY] == pat(*a*b*)", "matches", "(?s)a.*b"),
    ("[BODY] == pat(^a$)", "matches", "(?s)\\A\\s*\\^a\\$\\s*\\z"),
    ("[BODY] != pat(*^a*)", "not_matches", "(?s)\\^a"),
    ("[BODY] != pat(a)", "not_matches", "(?s)\\A\\s*a\\s*\\z"),
    ("[BODY] == any(a.b, c$)", "matches", "\\A\\s*(a\\.b|c\\$)\\s*\\z"),
    ("[BODY] != a+b", "not_matches", "\\A\\s*a\\+b\\s*\\z"),
  ]

  @Test(arguments: GatusMeaningTests.bodies.indices) func ofABody(_ row: Int) throws {
    let (condition, key, expression) = Self.bodies[row]
    let found = try GatusConditionTests.outcome([condition, "[CONNECTED] == true"]).expect
    let written = expression.replacing("\\", with: "\\\\")
    #expect(found == "expect:\n  status: any\n  body:\n    \(key): [\"\(written)\"]", "\(condition)")
  }

  private static let values: [(condition: String, value: String)] = [
    ("== pat(a)", "~ (?s)\\Aa\\z"), ("== pat(a*)", "~ (?s)\\Aa"), ("== pat(*a)", "~ (?s)a\\z"),
    ("== pat(^a$)", "~ (?s)\\A\\^a\\$\\z"), ("!= pat(*a$)", "!~ (?s)a\\$\\z"),
    ("== pat(a?c)", "~ (?s)\\Aa.c\\z"),
    ("== pat(v[0-9].*)", "~ (?s)\\Av[\\x{30}-\\x{39}]\\."),
    ("== pat([^a]x)", "~ (?s)\\A[^\\x{61}-\\x{61}]x\\z"),
    ("!= a|b", "!~ (?s)\\Aa\\|b\\z"), ("== any(1, 2)", "~ (?s)\\A(1|2)\\z"),
    ("!= any(a)", "!~ (?s)\\A(a)\\z"),
  ]

  @Test(arguments: GatusMeaningTests.values.indices) func ofAValue(_ row: Int) throws {
    let (condition, value) = Self.values[row]
    let found = try GatusConditionTests.outcome(["[BODY].k \(condition)", "[CONNECTED] == true"]).expect
    let written = value.replacing("\\", with: "\\\\")
    #expect(found == "expect:\n  status: any\n  json:\n    \"$.k\": \"\(written)\"", "\(condition)")
  }

  /// Every sign that a regular expression knows, as itself: at the start, in the middle and at the end.
  @Test(arguments: "\\.^$|?*+()[]{}".map(String.init)) func everySign(sign: String) throws {
    let given = "\\*?[".contains(sign) ? "\\\(sign)" : sign
    #expect(GatusPattern(given)?.expression() == "(?s)\\A\\\(sign)\\z")
    #expect(GatusPattern("a\(given)b")?.expression() == "(?s)\\Aa\\\(sign)b\\z")
    #expect(GatusPattern("*\(given)")?.expression() == "(?s)\\\(sign)\\z")
    #expect(GatusPattern("\(given)*")?.expression() == "(?s)\\A\\\(sign)")
    #expect(PatternText.escaped("a\(sign)b") == "a\\\(sign)b")
  }

  /// Lines of a body are no ends of it.
  @Test(arguments: [
    ("a", "a", true), ("a", "a\nb", false), ("b", "a\nb", false), ("a*", "a\nb", true), ("*b", "a\nb", true),
    ("a?b", "a\nb", true), ("a*c", "a\nb\nc", true), ("a*b", "a\nb\nc", false),
  ])
  func linesAreNoEnds(pattern: String, text: String, isMatch: Bool) {
    #expect(GatusPattern(pattern)?.matches(text) == isMatch)
  }

  /// The spellings of a path differ in its first name, and a path without a name has one.
  @Test(
    arguments: [
      ("a", ["$.a", "$['a']", "$[\"a\"]"]), ("a.b", ["$.a.b", "$['a'].b", "$[\"a\"].b"]),
      ("a[0].b-c", ["$.a[0]['b-c']", "$['a'][0]['b-c']", "$[\"a\"][0]['b-c']"]),
      ("a-b", ["$['a-b']", "$[\"a-b\"]"]), ("1a", ["$['1a']", "$[\"1a\"]"]),
      ("_a1", ["$._a1", "$['_a1']", "$[\"_a1\"]"]),
      ("a'b\"c\\", ["$['a\\'b\"c\\\\']", "$[\"a'b\\\"c\\\\\"]"]), ("[3]", ["$[3]"]),
      ("[0].a", ["$[0].a", "$[0]['a']", "$[0][\"a\"]"]),
    ] as [(String, [String])])
  func spellingsOfAPath(text: String, spellings: [String]) throws {
    let path = try #require(GatusPath(text))
    #expect((0..<spellings.count).compactMap { path.spelling($0) } == spellings)
    #expect(path.spelling(spellings.count) == nil && path.spelling(spellings.count + 1) == nil)
    #expect(path.text == spellings[0])
  }

  /// A path that Gatus reads otherwise is none.
  @Test(arguments: ["a..b", ".a", "a.", "a]", "a[", "a[x]", "a[-1]", "a[0]b", ""])
  func noPath(text: String) { #expect(GatusPath(text) == nil) }

  /// The agent reminds as often as the most impatient alert; channels say so only where alerts differ.
  @Test(
    arguments: [
      (["", ""], nil, 0), (["30m", ""], 1_800_000, 0), (["30m", "30m"], 1_800_000, 0),
      (["1h", "30m"], 1_800_000, 2), (["59s", "1h"], 60_000, 2), (["200h", ""], 604_800_000, 0),
    ] as [([String], Int?, Int)])
  func reminders(given: [String], remind: Int?, notes: Int) throws {
    let alerts = zip(["slack", "discord"], given).map {
      "{type: \($0)\($1.isEmpty ? "" : ", minimum-reminder-interval: \($1)")}"
    }
    let made = try ReadSource(
      .gatus,
      """
      alerting:
        slack: {webhook-url: "https://a.example/"}
        discord: {webhook-url: "https://b.example/"}
      endpoints:
      - name: a
        url: https://a.example/
        conditions: ["[STATUS] == 200"]
        alerts: [\(alerts.joined(separator: ", "))]
      """)
    #expect(made.imported.sections.remind == remind)
    let found = made.imported.sections.channels.flatMap(\.notes).map(\.why)
    #expect(found.count { $0.hasPrefix("all channels remind as often") } == notes)
  }

  /// A provider without a channel here is left out where an alert uses it; where none does, its values are listed.
  @Test func unknownProviders() throws {
    let made = try ReadSource(
      .gatus,
      """
      alerting:
        gotify: {token: t}
        zulip: {token: t}
      endpoints:
      - {name: a, url: "https://a.example/", conditions: ["[STATUS] == 200"], alerts: [{type: gotify}]}
      """)
    #expect(made.imported.leftOut.map(\.name) == ["\"alerting gotify\""])
    #expect(made.imported.leftOut.map(\.why) == ["no channel here is of this kind: gotify"])
    #expect(made.reasonCounts["no channel here is of this kind: zulip"] == 1)
  }
}
