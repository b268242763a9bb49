// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// Every condition of an http check held against answers: what holds, what does not, and what nobody can tell.
@Suite struct HTTPJudgeTests {
  // MARK: header

  private static let twice = [
    ("X-Cache", "HIT"), ("content-length", " 42\t"), ("x-cache", "MISS"), ("X-Empty", ""),
  ]

  @Test(arguments: [
    ("X-Cache", "HIT", true), ("x-CACHE", "MISS", true), ("x-cache", "hit", false),
    ("x-cache", "HIT, MISS", false),
    ("x-cache", "~ ^M", true), ("x-cache", "~ ^X", false),
    // "Not that" is meant for all of them.
    ("x-cache", "!= MISS", false), ("x-cache", "!= STALE", true), ("x-cache", "!~ MISS", false),
    ("x-cache", "!~ ^X", true),
    ("content-length", "42", true), ("content-length", "< 43", true), ("content-length", ">= 42.0", true),
    ("content-length", "> 42", false), ("x-cache", "> 1", false), ("x-empty", "~ ^$", true),
    ("x-empty", "< 1", false),
    // What is missing never passes.
    ("x-none", "x", false), ("x-none", "!= x", false), ("x-none", "~ .", false), ("x-none", "!~ x", false),
    ("x-none", "< 1", false), ("x-none", ">= 0", false),
  ])
  func headers(name: String, condition: String, holds: Bool) throws {
    let judge = try Answer(headers: Self.twice).judged { $0.expect.headers = [(name, condition)] }
    #expect(judge.verdict.reason == (holds ? .ok : .header))
    let assertion = try #require(judge.assertion("header.\(name.lowercased())"))
    #expect(assertion.ok == holds)
    #expect(assertion.expected == condition)
    #expect((assertion.actual == "") == (name == "x-none" || condition == "~ ^$"))
  }

  @Test func headersAreShownWithTheValueThatDecided() throws {
    let judge = try Answer(headers: Self.twice + [("Set-Cookie", "session=canary")]).judged {
      $0.expect.headers = [("x-cache", "~ M"), ("content-length", "~ x"), ("set-cookie", "~ nothing")]
    }
    #expect(judge.assertion("header.x-cache")?.actual == "MISS (1 of 2 values)")
    #expect(judge.assertion("header.content-length")?.actual == "42")
    #expect(judge.assertion("header.set-cookie")?.actual == "<redacted>")
    #expect(judge.verdict.message == "header content-length is \"42\", expected ~ x, and 1 more condition")
  }

  @Test(arguments: [
    ("x-none", "x", "header x-none is missing"),
    ("x-cache", "> 1", #"header x-cache is "HIT", expected > 1: is no number"#),
    ("x-cache", "x", #"header x-cache is "HIT", expected x"#),
  ])
  func headersSayWhy(name: String, condition: String, words: String) throws {
    let judge = try Answer(headers: [("x-cache", "HIT")]).judged { $0.expect.headers = [(name, condition)] }
    #expect(judge.verdict == Verdict(.header, phase: .assertion, message: words))
  }

  // MARK: json

  private static let document = #"""
    {"status":"ok","n":5,"big":9007199254740993,"f":1.50,"digits":"99.5","yes":true,"nil":null,
     "list":[1,{"a":"b"}],"none":[],"deep":{"x":{"y":-1e3}},"text":"one\ntwo"}
    """#

  @Test(arguments: [
    ("$.status", "ok", true), ("$.status", "OK", false), ("$.status", "~ ^o", true),
    ("$.status", "!~ ^o", false),
    ("$.status", "!= ok", false), ("$.status", "!= down", true), ("$.status", "< 5", false),
    ("$.n", "5", true), ("$.n", "5.0", true), ("$.n", "0.5e1", true), ("$.n", "6", false),
    ("$.n", "five", false),
    ("$.n", "!= 5.0", false), ("$.n", "< 5.000000000000000000001", true), ("$.n", "<= 5", true),
    ("$.n", "> 5", false),
    ("$.n", "~ ^5$", true),
    // A double cannot tell these apart.
    ("$.big", "9007199254740993", true), ("$.big", "9007199254740992", false),
    ("$.big", "> 9007199254740992", true),
    ("$.big", "!= 9007199254740992", true), ("$.f", "1.5", true), ("$.f", "~ ^1\\.50$", true),
    ("$.digits", "99.5", false), ("$.digits", #"!= "99.5""#, false), ("$.digits", "!= 99.5", true),
    ("$.digits", "< 100", true),
    ("$.digits", "> 100", false),
    ("$.yes", "true", true), ("$.yes", "false", false), ("$.yes", "1", false), ("$.yes", "> 0", false),
    ("$.nil", "null", true), ("$.nil", "!= null", false), ("$.nil", "< 1", false), ("$.nil", "0", false),
    ("$.list", #"[1, {"a": "b"}]"#, true), ("$.list", "[1]", false), ("$.list", "!= null", true),
    ("$.list", #"~ "a":"b""#, true), ("$.list", "> 1", false), ("$.none", "[]", true),
    ("$.none", "!= []", false),
    ("$.list[-1].a", "b", true), ("$.list[0]", "1", true), ("$.deep.x.y", "-1000", true),
    ("$.deep.x.y", "< 0", true),
    ("$.text", "~ ^two$", true),
    // What is missing never passes.
    ("$.no", "x", false), ("$.no", "!= x", false), ("$.no", "!~ x", false), ("$.no", "null", false),
    ("$.no", "!= null", false), ("$.no", "< 1", false), ("$.list[9]", "!= 1", false),
    ("$.status.x", "!= 1", false),
  ])
  func json(path: String, condition: String, holds: Bool) throws {
    let judge = try Answer.json(Self.document).judged { $0.expect.json = [(path, ConditionText(condition))] }
    #expect(judge.verdict.reason == (holds ? .ok : .json), "\(judge.assertions)")
    #expect(judge.assertion("json.\(path)")?.ok == holds)
    #expect(judge.assertion("json.\(path)")?.expected == condition)
  }

  @Test(arguments: [
    ("$.status", "down", #"json $.status is "ok", expected "down""#, "\"ok\""),
    ("$.status", "< 1", #"json $.status is "ok", expected < 1: is no number"#, "\"ok\" (is no number)"),
    ("$.n", "6", "json $.n is 5, expected 6", "5"),
    ("$.no", "!= x", "json $.no leads nowhere", ""),
    ("$.list", "x", #"json $.list is [1,{"a":"b"}], expected "x""#, #"[1,{"a":"b"}]"#),
  ])
  func jsonSaysWhy(path: String, condition: String, words: String, actual: String) throws {
    let judge = try Answer.json(Self.document).judged { $0.expect.json = [(path, ConditionText(condition))] }
    #expect(judge.verdict == Verdict(.json, phase: .assertion, message: words))
    #expect(judge.assertion("json.\(path)")?.actual == actual)
  }

  @Test(arguments: [
    ("", "no JSON: unexpected end at byte 0"), ("<html>", "no JSON: unexpected character at byte 0"),
    (#"{"a":1"#, "no JSON: expected a comma or } at byte 6"),
    (#"{"a":1,"a":2}"#, "a name stands there twice"),
    (String(repeating: "[", count: 70), "no JSON: nested deeper than 64 at byte 64"),
  ])
  func aBodyThatIsNoJSONFailsAllOfThem(body: String, actual: String) throws {
    let judge = try Answer.json(body).judged { $0.expect.json = [("$.a", "!= 7"), ("$.a", "1")] }
    #expect(judge.verdict.reason == .json)
    #expect(judge.assertions.filter { $0.what == "json.$.a" }.map(\.actual) == [actual, actual])
    #expect(judge.assertions.allSatisfy { $0.ok == ($0.what == "status") })
  }

  // MARK: final_url, http_version

  @Test(arguments: [
    ("https://shop.test/path?key=canary", true), ("https://shop.test/path", false), ("~ ^https://shop", true),
    ("~ canary$", true), ("!~ canary", false), ("!= https://other.test/", true),
  ])
  func finalURL(condition: String, holds: Bool) throws {
    let judge = try Answer().judged { $0.expect.finalURL = condition }
    #expect(judge.verdict.reason == (holds ? .ok : .finalURL))
    let assertion = try #require(judge.assertion("final_url"))
    #expect(assertion.ok == holds)
    // The query is judged and never shown.
    #expect(assertion.actual == "https://shop.test/path?…")
    if !condition.contains("~") { #expect(!assertion.expected.contains("canary")) }
    if !condition.contains("~") { #expect(judge.verdict.message?.contains("canary") != true) }
  }

  @Test(arguments: [("1.1", true), ("2", false), ("!= 1.0", true), (">= 1.1", true), ("~ ^2", false)])
  func httpVersion(condition: String, holds: Bool) throws {
    let judge = try Answer().judged { $0.expect.httpVersion = condition }
    #expect(judge.verdict.reason == (holds ? .ok : .httpVersion))
    #expect(
      judge.assertion("http_version")
        == Assertion(what: "http_version", expected: condition, actual: "1.1", ok: holds))
    if !holds { #expect(judge.verdict.message == "HTTP version 1.1, expected \(condition)") }
  }

  // MARK: all together

  private static func all(_ definition: inout CheckDefinition) {
    definition.expect.status = ["200"]
    definition.expect.finalURL = "!= x"
    definition.expect.httpVersion = "!= 9"
    definition.expect.headers = [("x", "!= y")]
    definition.http.expect.bodyContains = ["a"]
    definition.http.expect.bodyNotContains = ["zzz"]
    definition.http.expect.bodyMatches = ["a|b"]
    definition.http.expect.bodyNotMatches = ["z+"]
    definition.expect.json = [("$", "!= 1")]
    definition.expect.certificate = Thresholds(warn: .seconds(86_400), fail: .zero)
  }

  private static let keys = [
    "status", "final_url", "http_version", "header.x", "body.contains", "body.not_contains", "body.matches",
    "body.not_matches", "json.$", "certificate.warn", "certificate.fail",
  ]

  @Test func noAnswerFailsEverything() throws {
    let judge = try Answer(status: nil).judged(Self.all)
    #expect(judge.verdict.reason == .connectRefused)
    #expect(judge.assertions.map(\.what) == Self.keys)
    #expect(judge.assertions.allSatisfy { !$0.ok && $0.actual.isEmpty })
    #expect(judge.excerpt == nil)
  }

  @Test func halfAnAnswerFailsWhatNeedsTheWhole() throws {
    let judge = try Answer(headers: [("x", "z")], body: #"["a"]"#, failedIn: .transfer).judged(Self.all)
    #expect(judge.verdict.reason == .transferTimeout)
    #expect(
      judge.assertions.filter(\.ok).map(\.what) == [
        "status", "final_url", "http_version", "header.x", "body.contains",
      ])
    #expect(judge.assertion("body.not_contains")?.actual == "not found in the first 5 bytes")
    #expect(judge.assertion("body.matches")?.actual == "not judged in the first 5 bytes")
    #expect(judge.assertion("json.$")?.actual == "not judged: only 5 bytes of the body arrived")
    // Headers that may have gone on are no headers.
    let early = try Answer(headers: [("x", "z")], failedIn: .firstByte).judged(Self.all)
    #expect(early.assertion("header.x")?.ok == false)
  }

  /// As that of a challenge nobody can answer: unread is not empty.
  @Test func aBodyThatWasNotReadHasNothingAbsent() throws {
    let judge = try Answer(status: 401, isBodyRead: false).judged {
      $0.expect.status = ["401"]
      $0.http.expect.bodyNotContains = ["zzz"]
      $0.http.expect.bodyNotMatches = ["z+"]
    }
    #expect(judge.verdict.reason == .body)
    #expect(judge.assertions.map(\.ok) == [true, false, false])
    #expect(judge.assertion("body.not_contains")?.actual == "not found in the first 0 bytes")
  }

  @Test func everyFailureIsReportedAndTheFirstNamed() throws {
    let judge = try Answer(status: 500, version: "2", body: "zzz").judged(Self.all)
    #expect(judge.verdict.reason == .httpStatus)
    #expect(judge.verdict.message == "status 500, expected 200, and 6 more conditions")
    #expect(judge.assertions.map(\.what) == Self.keys)
    #expect(judge.assertions.filter(\.ok).map(\.what) == ["final_url", "http_version"])
  }

  // MARK: patterns

  @Test func aPatternThatGivesUpFailsEitherWay() throws {
    let bomb = String(repeating: "a", count: 30) + "!"
    for isWanted in [true, false] {
      let judge = try Answer(body: bomb).judged {
        if isWanted {
          $0.http.expect.bodyMatches = ["^(a+)+$"]
        } else {
          $0.http.expect.bodyNotMatches = ["^(a+)+$"]
        }
      }
      let key = isWanted ? "body.matches" : "body.not_matches"
      #expect(judge.verdict == Verdict(.body, phase: .assertion, message: "\(key) \(Pattern.limitWords)"))
      #expect(judge.assertion(key)?.ok == false)
      #expect(judge.assertion(key)?.actual == Pattern.limitWords)
    }
    for condition in ["~ ^(a+)+$", "!~ ^(a+)+$"] {
      let judge = try Answer(headers: [("x", bomb)], body: "\"\(bomb)\"").judged {
        $0.expect.headers = [("x", condition)]
        $0.expect.json = [("$", ConditionText(condition))]
      }
      #expect(
        judge.verdict.message
          == "header x is \"\(bomb)\", expected \(condition): \(Pattern.limitWords), and 1 more condition")
      #expect(judge.assertions.filter(\.ok).map(\.what) == ["status"])
    }
  }

  @Test(arguments: [
    ("ok", true), ("^second line$", true), ("^first", false), ("\\Asecond", false), ("(?i)SECOND", true),
  ])
  func bodiesAreSearchedLineByLine(pattern: String, matches: Bool) throws {
    let bytes = [0xff] + Array("first ok\r\nsecond line\r\n".utf8) + [0xc3]
    let judge = try Answer(bytes: bytes).judged { $0.http.expect.bodyMatches = [pattern] }
    #expect(judge.verdict.reason == (matches ? .ok : .body))
    if !matches { #expect(judge.verdict.message == "body does not match \"\(pattern)\"") }
    let opposite = try Answer(bytes: bytes).judged { $0.http.expect.bodyNotMatches = [pattern] }
    #expect(opposite.verdict.reason == (matches ? .body : .ok))
    if matches { #expect(opposite.verdict.message == "body matches \"\(pattern)\"") }
  }

  // MARK: secrets

  @Test func whatTheTargetRepeatsOfOurSecretsIsHidden() throws {
    let body = #"{"echo":"canary-1 Y2FuYXJ5LTI= a%2Fcanary%203","key":"canary-4"}"#
    let judge = try Answer(status: 500, headers: [("X-Echo", "canary-1")], body: body).judged {
      $0.url = "https://shop.test/path?canary-4"
      $0.headers = [
        ("X-Key", Redacted("canary-1")), ("X-Other", Redacted("canary-2")),
        ("X-Third", Redacted("a/canary 3")),
      ]
      $0.expect.headers = [("x-echo", "~ .")]
      $0.expect.json = [("$.echo", "~ canary-1"), ("$.key", "canary-5")]
    }
    #expect(judge.excerpt == #"{"echo":"<redacted> <redacted> <redacted>","key":"<redacted>"}"#)
    let shown = judge.assertions.map(\.actual)
    #expect(shown == ["500", "<redacted>", #""<redacted> <redacted> <redacted>""#, #""<redacted>""#])
    // It was judged as it came.
    #expect(judge.assertion("json.$.echo")?.ok == true)
  }

  @Test func theExcerptIsOneShortLine() throws {
    let body = "line\r\n\u{1b}[31m" + String(repeating: "x", count: 5000)
    let judge = try Answer(status: 404, body: body).judged { $0.http.expect.bodyContains = ["y"] }
    let excerpt = try #require(judge.excerpt)
    #expect(excerpt.utf8.count <= 1024)
    #expect(excerpt.hasPrefix("line\\u{d}\\u{a}\\u{1b}[31mxxx") && excerpt.hasSuffix("…"))
    #expect(try Answer(body: "y").judged { $0.http.expect.bodyContains = ["y"] }.excerpt == nil)
  }
}
