// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// The rest of the conditions of Gatus: what each placeholder can ask, of which kind of endpoint, and what holds unanswered.
@Suite struct GatusRulesTests {
  private typealias Row = (conditions: [String], url: String, expect: String, notes: [String])

  private static let any = "expect:\n  status: any"
  private static let unanswered =
    "stricter: Gatus finds it up when nothing answers, for no condition asks for an answer"
  private static let absent =
    "stricter: a path that the answer does not have, or that holds no number, fails here; in Gatus it is 0 or not equal"
  private static let up = "[CONNECTED] == true"

  private static func json(_ lines: String...) -> String {
    "\(any)\n  json:\n" + lines.map { "    \($0)" }.joined(separator: "\n")
  }

  private func check(_ rows: [Row], _ more: String = "") throws {
    for row in rows {
      let found = try GatusConditionTests.outcome(row.conditions, url: row.url, more)
      #expect(
        found == GatusConditionTests.Outcome(expect: row.expect, notes: row.notes),
        "\(row.conditions) of \(row.url): \(found)")
    }
  }

  private static let page = "https://a.example/"

  /// The status of an endpoint that is none of http is 0, and so is what a condition of it is compared with.
  @Test func statuses() throws {
    let none = "laxer: only http checks have a status"
    let port = "tcp://a.example:1"
    try check([
      (["[STATUS] == 0", Self.up], port, "", []), (["[STATUS] < 1", Self.up], port, "", []),
      (["[STATUS] != 200", Self.up], port, "", []), (["[STATUS] == 200", Self.up], port, "", [none]),
      (["[STATUS] > 0", Self.up], port, "", [none]), (["[STATUS] < x", Self.up], port, "", [none]),
      (["[STATUS] == 0", Self.up], Self.page, "none", ["no status meets all its conditions"]),
      (["[STATUS] >= 100"], Self.page, Self.any, []),
      (["[STATUS] > 100"], Self.page, "expect:\n  status: [101-599]", []),
      (["[STATUS] >= 599"], Self.page, "expect:\n  status: [599]", []),
      (["[STATUS] == any(100, 599)"], Self.page, "expect:\n  status: [100, 599]", []),
      (["[STATUS] != any(101, 599)", Self.up], Self.page, "expect:\n  status: [100, 102-598]", []),
      (["[STATUS] > x", Self.up], Self.page, Self.any, ["laxer: it is compared with no number"]),
    ])
  }

  /// A time has to be shorter than something, which is at least a millisecond and at most the timeout.
  @Test func times() throws {
    func fail(_ span: String) -> String { "\(Self.any)\n  response_time:\n    fail: \(span)" }
    try check([
      (["[RESPONSE_TIME] < 1", Self.up], Self.page, fail("1ms"), []),
      (["[RESPONSE_TIME] <= 0", Self.up], Self.page, fail("1ms"), []),
      (["[RESPONSE_TIME] < 0", Self.up], Self.page, Self.any, ["laxer: no response is as fast"]),
      (["[RESPONSE_TIME] <= -1", Self.up], Self.page, Self.any, ["laxer: no response is as fast"]),
      (["[RESPONSE_TIME] < 9999", Self.up], Self.page, fail("9999ms"), []),
      (["[RESPONSE_TIME] < 10001", Self.up], Self.page, fail("10s"), []),
      (["[RESPONSE_TIME] < 2s", "[RESPONSE_TIME] < 500", Self.up], Self.page, fail("500ms"), []),
      (
        ["[RESPONSE_TIME] == 5", Self.up], Self.page, Self.any,
        ["laxer: a response can only be asked to be faster than something"]
      ),
      (
        ["[RESPONSE_TIME] < x", Self.up], Self.page, Self.any,
        ["laxer: a response can only be asked to be faster than something"]
      ),
    ])
    try check(
      [(["[RESPONSE_TIME] < 60000", Self.up], Self.page, fail("5s"), [Self.shortened])], "    interval: 5s\n")
    try check(
      [(["[RESPONSE_TIME] < 60000", Self.up], Self.page, fail("3s"), [])], "    client: {timeout: 3s}\n")
  }

  private static let shortened =
    "stricter: 10s is made 5s: a timeout is at most the interval, and at most 60s"

  @Test func certificates() throws {
    func last(_ span: String) -> String { "expect:\n  certificate:\n    warn: \(span)\n    fail: \(span)" }
    func page(_ span: String) -> String {
      "\(Self.any)\n  certificate:\n    fail: \(span)\n    warn: \(span)"
    }
    let none = "laxer: the address has no certificate"
    let longer = "laxer: a certificate can only be asked to last longer than something"
    try check([
      (["[CERTIFICATE_EXPIRATION] > 24h", "[CERTIFICATE_EXPIRATION] > 48h"], Self.page, page("2d"), []),
      (
        ["[CERTIFICATE_EXPIRATION] >= 1h"], "tls://a.example:443",
        last("1h"), []
      ),
      (["[CERTIFICATE_EXPIRATION] > 1h"], "starttls://a.example:25", "starttls: smtp\n\(last("1h"))", []),
      (["[CERTIFICATE_EXPIRATION] > 1h", Self.up], "http://a.example/", Self.any, [none]),
      (["[CERTIFICATE_EXPIRATION] > 1h", Self.up], "tcp://a.example:443", "", [none]),
      (["[CERTIFICATE_EXPIRATION] < 1h", Self.up], Self.page, Self.any, [longer]),
      (["[CERTIFICATE_EXPIRATION] == 1h", Self.up], Self.page, Self.any, [longer]),
      (["[CERTIFICATE_EXPIRATION] > -1", Self.up], Self.page, Self.any, [longer]),
      (["[CERTIFICATE_EXPIRATION] > x", Self.up], Self.page, Self.any, [longer]),
    ])
  }

  /// Each placeholder has endpoints of its own, and functions are of bodies alone.
  @Test func placeholdersOfOtherKinds() throws {
    let length = "laxer: only a body has a length, or is there or not"
    try check([
      (["len([STATUS]) > 0", Self.up], Self.page, Self.any, [length]),
      (["has([IP]) == true", Self.up], "tcp://192.0.2.1:1", "", [length]),
      (
        ["[CONNECTED] == 1", "[STATUS] == 200"], Self.page, "expect:\n  status: [200]",
        ["laxer: it can only be true or false"]
      ),
      (["[CONNECTED] != false"], Self.page, Self.any, []),
      (["[CONNECTED] != true"], Self.page, "\(Self.any)\nnegate: true", []),
      (
        ["[DNS_RCODE] == NOERROR", Self.up], Self.page, Self.any,
        ["laxer: only dns checks have a response code"]
      ),
      (
        ["[DOMAIN_EXPIRATION] > 1h", Self.up], Self.page, Self.any,
        ["laxer: registries are not asked when a domain ends"]
      ),
      (["[CONTEXT].a == 1", Self.up], Self.page, Self.any, ["laxer: only steps of a suite have a context"]),
      (["[IP] == 192.0.2.1", Self.up], "tcp://192.0.2.1:1", "", []),
      (["[IP] == 192.0.2.1", Self.up], "http://192.0.2.1/", Self.any, []),
      (["[IP] == 192.0.2.1", Self.up], "http://192.0.2.1:8080/a:b", Self.any, []),
      (
        ["[IP] != 192.0.2.1", Self.up], "tcp://192.0.2.1:1", "",
        ["laxer: the address is in the result, and no condition"]
      ),
      (
        ["[BODY] == x", Self.up], "icmp://a.example", "",
        ["laxer: only http, tcp and dns checks have a body to judge"]
      ),
    ])
  }

  /// Unanswered, numbers of Gatus are 0 and texts are empty; one condition that then fails is enough.
  @Test func whatHoldsUnanswered() throws {
    let rows: [(conditions: [String], isTold: Bool)] = [
      (["[STATUS] != 404"], true), (["[STATUS] == 200"], false), (["[CERTIFICATE_EXPIRATION] >= 0"], true),
      (["[CERTIFICATE_EXPIRATION] > 0"], false), (["[RESPONSE_TIME] < 5"], true),
      (["[RESPONSE_TIME] <= 5"], true),
      (["[CONNECTED] == true"], false), (["[CONNECTED] == false"], false), (["has([BODY]) == false"], true),
      (["has([BODY]) == true"], false), (["[BODY] != x"], true), (["[BODY] == x"], false),
      (["[BODY].a < 5"], true), (["[BODY].a > 5"], false), (["[BODY].a > -1"], true),
      (["[BODY].a >= 0"], true), (["[BODY].a >= 1"], false), (["[BODY].a <= -1"], false),
      (["[STATUS] < 500", "[RESPONSE_TIME] < 5"], true), (["[STATUS] < 500", "[STATUS] == 200"], false),
      (["[STATUS] == 200", "[STATUS] < 500"], false), (["[STATUS] < 500", "[CONTEXT] == 1"], false),
      (["[CONTEXT] == 1", "[STATUS] < 500"], false), ([], false),
    ]
    for row in rows {
      let notes = try GatusConditionTests.outcome(row.conditions).notes
      #expect(notes.contains(Self.unanswered) == row.isTold, "\(row.conditions) \(notes)")
    }
    let dns = "    dns: {query-name: a.example}\n"
    for (condition, isTold) in [("!= NXDOMAIN", true), ("== NOERROR", false)] {
      let notes = try GatusConditionTests.outcome(["[DNS_RCODE] \(condition)"], url: "192.0.2.53", dns).notes
      #expect(notes.contains(Self.unanswered) == isTold, "\(condition)")
    }
    #expect(
      try GatusConditionTests.outcome(["[IP] == 192.0.2.1"], url: "tcp://192.0.2.1:1").notes == [
        Self.unanswered
      ])
  }

  @Test func bodiesAsAWhole() throws {
    func body(_ key: String, _ pattern: String) -> String {
      "\(Self.any)\n  body:\n    \(key): [\"\(pattern)\"]"
    }
    let list = "(?s)\\\\A(?!\\\\[\\\\s*\\\\]\\\\z)."
    let length = "laxer: the length of a body is no condition"
    try check([
      (["has([BODY]) == false", Self.up], Self.page, body("not_matches", "\\\\S"), []),
      (["has([BODY]) != true", Self.up], Self.page, body("not_matches", "\\\\S"), []),
      (["has([BODY]) == 1", Self.up], Self.page, Self.any, ["laxer: it can only be true or false"]),
      (["len([BODY]) > 0"], Self.page, body("matches", list), []),
      (["len([BODY]) >= 1"], Self.page, body("matches", list), []),
      (["len([BODY]) != 0", Self.up], Self.page, body("matches", list), []),
      (["len([BODY]) > 1", Self.up], Self.page, Self.any, [length]),
      (["len([BODY]) >= 0", Self.up], Self.page, Self.any, [length]),
      (["len([BODY]) != 1", Self.up], Self.page, Self.any, [length]),
      (["len([BODY]) < 1", Self.up], Self.page, Self.any, [length]),
      (["len([BODY]) > x", Self.up], Self.page, Self.any, [length]),
      (["[BODY] == pat(*)"], Self.page, Self.any, []),
      (["[BODY] != pat(*)", Self.up], Self.page, Self.any, ["laxer: in Gatus it holds for no answer"]),
      (["[BODY] == pat([)", Self.up], Self.page, Self.any, ["laxer: in Gatus it holds for no answer"]),
      (["[BODY] != pat([)", Self.up], Self.page, Self.any, []),
    ])
  }

  @Test func partsOfABody() throws {
    let none = "laxer: in Gatus it holds for no answer"
    let length = "laxer: a length can only be asked to be more than something"
    let list = "stricter: only the length of a list is asked for, not that of a text"
    let filled = "\"$.a\": \"!~ \\\\A(\\\\[\\\\]|null|)\\\\z\""
    try check([
      (["[BODY].a == pat(*)"], Self.page, Self.any, []),
      (["[BODY].a != pat(*)", Self.up], Self.page, Self.any, [none]),
      (["[BODY].a == pat([)", Self.up], Self.page, Self.any, [none]),
      (["has([BODY].a) == 1", Self.up], Self.page, Self.any, ["laxer: it can only be true or false"]),
      (["has([BODY].a) != false"], Self.page, Self.json("\"$.a\": \"!= null\""), []),
      (["len([BODY].a) >= 1"], Self.page, Self.json(filled), []),
      (["len([BODY].a) != 0", Self.up], Self.page, Self.json(filled), []),
      (["len([BODY].a) > 1"], Self.page, Self.json("\"$.a[1]\": \"~ ^\""), [list]),
      (["len([BODY].a) >= 2"], Self.page, Self.json("\"$.a[1]\": \"~ ^\""), [list]),
      (["len([BODY].a) >= 0", Self.up], Self.page, Self.any, ["listed: in Gatus it holds for every answer"]),
      (["len([BODY].a) > -1", Self.up], Self.page, Self.any, ["listed: in Gatus it holds for every answer"]),
      (["len([BODY].a) != 2", Self.up], Self.page, Self.any, [length]),
      (["len([BODY].a) < 2", Self.up], Self.page, Self.any, [length]),
      (["[BODY].a == [1 2]", Self.up], Self.page, Self.any, ["laxer: lists are compared as Go prints them"]),
      (["[BODY].a == []"], Self.page, Self.json("\"$.a\": \"[]\""), []),
      (["[BODY].a != null", Self.up], Self.page, Self.any, ["listed: in Gatus it holds for every answer"]),
      (["[BODY].a == null"], Self.page, Self.json("\"$.a\": \"null\""), []),
      (["[BODY].a == 0x10"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\A16\\\\z\""), []),
      (["[BODY].a == false"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\Afalse\\\\z\""), []),
      (["[BODY].a == !x"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\A!x\\\\z\""), []),
      (["[BODY].a == =x"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\A=x\\\\z\""), []),
      (["[BODY].a == <x"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\A<x\\\\z\""), []),
      (["[BODY].a == >x"], Self.page, Self.json("\"$.a\": \"~ (?s)\\\\A>x\\\\z\""), []),
      (["[BODY]..a == x", Self.up], Self.page, Self.any, ["laxer: the path is none that can be written"]),
      (["[BODY].a > x", Self.up], Self.page, Self.any, ["laxer: it is compared with no number"]),
    ])
  }

  /// Gatus compares whole numbers: 0.5 is 0 and -0.5 is 0, too. What 0 fulfils, an absent value fulfils.
  @Test(
    arguments: [
      ("<", 1, "< 1", true), ("<", 0, "<= -1", false), ("<", -3, "<= -4", false), ("<=", -1, "<= -1", false),
      ("<=", 0, "< 1", true), ("<=", 3, "< 4", true), (">", -1, "> -1", true), (">", 0, ">= 1", false),
      (">", 3, ">= 4", false), (">=", 1, ">= 1", false), (">=", 0, "> -1", true), (">=", -2, "> -3", true),
    ] as [(String, Int, String, Bool)])
  func wholeNumbers(sign: String, number: Int, value: String, isTold: Bool) throws {
    try check([
      (
        ["[BODY].a \(sign) \(number)", Self.up], Self.page, Self.json("\"$.a\": \"\(value)\""),
        isTold ? [Self.absent] : []
      )
    ])
  }

  /// A path has three spellings, each with one condition.
  @Test func fourConditionsOfAPath() throws {
    let four = ["[BODY].a > 1", "[BODY].a > 2", "[BODY].a > 3", "[BODY].a > 4", "[BODY].b > 5"]
    let lines = [
      "\"$.a\": \">= 2\"", "\"$['a']\": \">= 3\"", "\"$[\\\"a\\\"]\": \">= 4\"", "\"$.b\": \">= 6\"",
    ]
    try check([
      (
        four, Self.page, "\(Self.any)\n  json:\n" + lines.map { "    \($0)" }.joined(separator: "\n"),
        ["laxer: the path has as many conditions as can be written"]
      )
    ])
  }
}
