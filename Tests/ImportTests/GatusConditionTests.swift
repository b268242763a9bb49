// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Each form of a condition: carried as Gatus judges it, or listed.
@Suite struct GatusConditionTests {
  /// What became of an endpoint's conditions: the lines of `expect`, and the notes.
  struct Outcome: Equatable {
    var expect: String
    var notes: [String]
  }

  static func outcome(_ conditions: [String], url: String = "https://a.example/", _ more: String = "") throws
    -> Outcome
  {
    let list = conditions.map { "      - '\($0.replacing("'", with: "''"))'\n" }.joined()
    let text = "endpoints:\n  - name: a\n    url: \(url)\n\(more)    conditions:\n\(list)"
    let made = try Importer.read(.gatus, [ImportFile(name: "f", bytes: Array(text.utf8))])
    guard let check = made.checks.first else {
      return Outcome(expect: "none", notes: made.leftOut.map(\.why))
    }
    var yaml = AgentYAML(secrets: .environment)
    let lines = yaml.render(made.checks, head: []).split(separator: "\n").map(String.init)
    let others = [
      "url", "interval", "timeout", "retries", "host", "port", "server", "count", "allow_downgrade",
    ]
    let kept = lines.drop { !$0.hasPrefix("    type:") }.dropFirst().filter { line in
      !others.contains { line.hasPrefix("    \($0):") }
    }
    return Outcome(
      expect: kept.map { $0.dropFirst(4) }.joined(separator: "\n"),
      notes: check.notes.map { "\($0.change?.rawValue ?? "listed"): \($0.why)" })
  }

  private static let any = "expect:\n  status: any"
  private static let unanswered =
    "stricter: Gatus finds it up when nothing answers, for no condition asks for an answer"
  private static let absent =
    "stricter: a path that the answer does not have, or that holds no number, fails here; in Gatus it is 0 or not equal"

  private static func json(_ path: String, _ value: String) -> String {
    "\(any)\n  json:\n    \"\(path)\": \(value)"
  }

  static let forms: [(conditions: [String], expect: String, notes: [String])] = [
    (["[STATUS] == 200"], "expect:\n  status: [200]", []),
    (["200 == [STATUS]"], "expect:\n  status: [200]", []),
    (["[status] == 0xc8"], "expect:\n  status: [200]", []),
    (["[STATUS] == any(200, 204)"], "expect:\n  status: [200, 204]", []),
    (["[STATUS] != 404", "[CONNECTED] == true"], "expect:\n  status: [100-403, 405-599]", []),
    (["[STATUS] >= 200", "[STATUS] < 300"], "expect:\n  status: [200-299]", []),
    (["[STATUS] >= 200", "[STATUS] <= 399", "[STATUS] != 302"], "expect:\n  status: [200-301, 303-399]", []),
    (["[STATUS] == pat(2*)"], "expect:\n  status: [200-299]", []),
    (["[STATUS] == pat(20[0-4])"], "expect:\n  status: [200-204]", []),
    (["[STATUS] < 500"], "expect:\n  status: [100-499]", [unanswered]),
    (["[STATUS] == 200", "[STATUS] == 201"], "none", ["no status meets all its conditions"]),
    (["[CONNECTED] == true"], any, []),
    (["[CONNECTED] == false"], "\(any)\nnegate: true", []),
    (
      ["[CONNECTED] == false", "[RESPONSE_TIME] < 5"], "none", ["it is asked not to answer and how to answer"]
    ),
    (
      ["[RESPONSE_TIME] < 500", "[RESPONSE_TIME] < 2s", "[CONNECTED] == true"],
      "\(any)\n  response_time:\n    fail: 500ms", []
    ),
    (["[RESPONSE_TIME] <= 500", "[CONNECTED] == true"], "\(any)\n  response_time:\n    fail: 501ms", []),
    (
      ["[RESPONSE_TIME] > 5", "[STATUS] == 200"], "expect:\n  status: [200]",
      ["laxer: a response can only be asked to be faster than something"]
    ),
    (["[CERTIFICATE_EXPIRATION] > 48h"], "\(any)\n  certificate:\n    fail: 2d\n    warn: 2d", []),
    (
      ["[CERTIFICATE_EXPIRATION] >= 172800000", "[CERTIFICATE_EXPIRATION] > 24h"],
      "\(any)\n  certificate:\n    fail: 2d\n    warn: 2d", []
    ),
    (["[DOMAIN_EXPIRATION] > 720h"], "none", ["none of its conditions can be carried"]),
    (
      ["[IP] == 192.0.2.1", "[STATUS] == 200"], "expect:\n  status: [200]",
      ["laxer: the address is in the result, and no condition"]
    ),
    (["[BODY].a == UP"], json("$.a", "UP"), []),
    (["[BODY].a-b[0].c == UP"], json("$['a-b'][0].c", "UP"), []),
    (["[BODY][0].a == UP"], json("$[0].a", "UP"), []),
    (["[BODY].a == 1"], json("$.a", "\"~ (?s)\\\\A1\\\\z\""), []),
    (["[BODY].a == 1.5"], json("$.a", "\"~ (?s)\\\\A1\\\\.5\\\\z\""), []),
    (["[BODY].a == true"], json("$.a", "\"~ (?s)\\\\Atrue\\\\z\""), []),
    (["[BODY].a == ~ x"], json("$.a", "\"~ (?s)\\\\A~ x\\\\z\""), []),
    (["[BODY].a == any(x, y)"], json("$.a", "\"~ (?s)\\\\A(x|y)\\\\z\""), []),
    (["[BODY].a == pat(v1.*)"], json("$.a", "\"~ (?s)\\\\Av1\\\\.\""), []),
    (["[BODY].a != x", "[CONNECTED] == true"], json("$.a", "\"!~ (?s)\\\\Ax\\\\z\""), [absent]),
    (["[BODY].a > 5"], json("$.a", "\">= 6\""), []),
    (["[BODY].a < 5", "[CONNECTED] == true"], json("$.a", "\"< 5\""), [absent]),
    (["[BODY].a >= 5"], json("$.a", "\">= 5\""), []),
    (["[BODY].a <= -5"], json("$.a", "\"<= -5\""), []),
    (
      ["[BODY].a > 1", "[BODY].a < 10"],
      "\(any)\n  json:\n    \"$.a\": \">= 2\"\n    \"$['a']\": \"< 10\"", [absent]
    ),
    (["has([BODY].a) == true"], json("$.a", "\"!= null\""), []),
    (
      ["has([BODY].a) == false", "[STATUS] == 200"], "expect:\n  status: [200]",
      ["laxer: that something is absent is no condition"]
    ),
    (["len([BODY].a) > 0"], json("$.a", "\"!~ \\\\A(\\\\[\\\\]|null|)\\\\z\""), []),
    (
      ["len([BODY].a) >= 3"], json("$.a[2]", "\"~ ^\""),
      ["stricter: only the length of a list is asked for, not that of a text"]
    ),
    (
      ["len([BODY].a) == 3", "[STATUS] == 200"], "expect:\n  status: [200]",
      ["laxer: a length can only be asked to be more than something"]
    ),
    (["[BODY] == OK"], "\(any)\n  body:\n    matches: [\"\\\\A\\\\s*OK\\\\s*\\\\z\"]", []),
    (["[BODY] == pat(*ok*)"], "\(any)\n  body:\n    matches: [\"(?s)ok\"]", []),
    (
      ["[BODY] != pat(*fail*)", "[CONNECTED] == true"],
      "\(any)\n  body:\n    not_matches: [\"(?s)fail\"]", []
    ),
    (["has([BODY]) == true"], "\(any)\n  body:\n    matches: [\"\\\\S\"]", []),
    (["[BODY] > 3"], json("$", "\">= 4\""), []),
    (["[BODY].a == [BODY].b"], "none", ["none of its conditions can be carried"]),
    (["[NOTHING] == 1"], "none", ["none of its conditions can be carried"]),
  ]

  @Test(arguments: GatusConditionTests.forms.indices) func aFormIsCarriedOrListed(_ index: Int) throws {
    let form = Self.forms[index]
    #expect(
      try Self.outcome(form.conditions) == Outcome(expect: form.expect, notes: form.notes),
      "\(form.conditions)")
  }

  @Test func otherKinds() throws {
    let dns = "    dns: {query-name: example.com, query-type: MX}\n"
    #expect(
      try Self.outcome(["[DNS_RCODE] == NOERROR", "[BODY] == mx.example."], url: "192.0.2.53", dns)
        == Outcome(
          expect:
            "query:\n  name: example.com\n  type: MX\nexpect:\n  answers:\n    any: [\"~ (?i)\\\\A\\\\d+ mx\\\\.example\\\\.\\\\z\"]\n  rcode: [NOERROR]",
          notes: ["laxer: of several answers one has to be it; Gatus looks at the last one only"]))
    #expect(
      try Self.outcome(
        ["[CONNECTED] == true", "[BODY] == pat(*PONG*)"], url: "tcp://a.example:6379", "    body: PING\n")
        == Outcome(expect: "dialog: [{send: PING}, {expect: \"~ (?s)PONG\"}]", notes: []))
    #expect(
      try Self.outcome(["[CONNECTED] == true", "[RESPONSE_TIME] < 100"], url: "icmp://a.example")
        == Outcome(expect: "expect:\n  rtt:\n    fail: 100ms", notes: []))
    for scheme in ["udp", "sctp", "grpc", "ws"] {
      #expect(
        try Self.outcome(["[CONNECTED] == true"], url: "\(scheme)://a.example:1").notes
          == ["no check here speaks \(scheme)"])
    }
  }

  @Test func patternsAreGos() {
    for (pattern, text, isMatch) in [
      ("a*c", "abbc", true), ("a?c", "abc", true), ("a?c", "ac", false), ("[^a-c]x", "dx", true),
      ("[^a-c]x", "bx", false), ("a\\*", "a*", true), ("a\\*", "ab", false), ("*a*b", "xaxb", true),
      ("", "", true),
      ("[z-a]", "m", false),
    ] {
      #expect(GatusPattern(pattern)?.matches(text) == isMatch, "\(pattern) \(text)")
    }
    for pattern in ["[", "[]", "[a", "a\\", "[-a]"] { #expect(GatusPattern(pattern) == nil) }
  }

  /// A side that joins conditions is no number, which Gatus takes for 0.
  @Test func joinedConditions() throws {
    let joined = "changed: Gatus compares what is joined by && or || as 0: write two conditions"
    for condition in [
      "[STATUS] >= 200 && [STATUS] < 400", "[STATUS] >= 300 && [STATUS] <= 399",
      "[STATUS] >= 500 || [STATUS] < 300",
    ] {
      #expect(
        try Self.outcome([condition]) == Outcome(expect: Self.any, notes: [Self.unanswered, joined]),
        "\(condition)")
    }
    let both = try Self.outcome(["[STATUS] >= 200 && [STATUS] < 400", "[STATUS] < 300"])
    #expect(both.expect == "expect:\n  status: [100-299]" && both.notes.contains(joined))
    let never = try Self.outcome(["[STATUS] == 200 || [STATUS] == 404"])
    #expect(never == Outcome(expect: "none", notes: ["none of its conditions can be carried"]))
  }
}
