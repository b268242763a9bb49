// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// The cases that other agents test their conditions with, in our words: we pass what is right there, and do the
/// opposite where it is a defect.
@Suite struct PeerConditionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let holds: Bool
    let answer: @Sendable () -> Answer
    let change: @Sendable (inout CheckDefinition) -> Void

    init(
      _ name: String, holds: Bool, _ answer: @escaping @Sendable @autoclosure () -> Answer,
      _ change: @escaping @Sendable (inout CheckDefinition) -> Void
    ) {
      (testDescription, self.holds, self.answer, self.change) = (name, holds, answer, change)
    }
  }

  /// blackbox_exporter: a probe fails if a pattern matches, or if it does not.
  static let blackbox: [Case] = [
    Case(
      "fail_if_body_matches, it does", holds: false,
      Answer(body: "Bad news: could not connect to database server")
    ) {
      $0.http.expect.bodyNotMatches = ["could not connect to database"]
    },
    Case("fail_if_body_matches, it does not", holds: true, Answer(body: "Download the latest version here")) {
      $0.http.expect.bodyNotMatches = ["could not connect to database"]
    },
    Case("fail_if_body_matches, the second of two", holds: false, Answer(body: "internal error")) {
      $0.http.expect.bodyNotMatches = ["could not connect to database", "internal error"]
    },
    Case("fail_if_body_matches, none of two", holds: true, Answer(body: "hello world")) {
      $0.http.expect.bodyNotMatches = ["could not connect to database", "internal error"]
    },
    Case("fail_if_body_not_matches, it does not", holds: false, Answer(body: "no match here")) {
      $0.http.expect.bodyMatches = ["Download the latest version here"]
    },
    Case("fail_if_body_not_matches, it does", holds: true, Answer(body: "Download the latest version here")) {
      $0.http.expect.bodyMatches = ["Download the latest version here"]
    },
    Case("fail_if_body_not_matches, one of two", holds: false, Answer(body: "internal error")) {
      $0.http.expect.bodyMatches = ["Download the latest version here", "Copyright 2015"]
    },
    Case(
      "fail_if_body_not_matches, both", holds: true,
      Answer(body: "Copyright 2015. Download the latest version here")
    ) {
      $0.http.expect.bodyMatches = ["Download the latest version here", "Copyright 2015"]
    },
    Case(
      "fail_if_header_matches, it does", holds: false, Answer(headers: [("Content-Type", "text/javascript")])
    ) {
      $0.expect.headers = [("Content-Type", "!~ text/javascript")]
    },
    Case(
      "fail_if_header_matches, it does not", holds: true,
      Answer(headers: [("Content-Type", "application/octet-stream")])
    ) {
      $0.expect.headers = [("Content-Type", "!~ text/javascript")]
    },
    Case("fail_if_header_matches, missing", holds: false, Answer()) {
      $0.expect.headers = [("Content-Type", "!~ text/javascript")]
    },
    Case("fail_if_header_matches, the empty value", holds: false, Answer(headers: [("Content-Type", "")])) {
      $0.expect.headers = [("Content-Type", "!~ ^$")]
    },
    Case(
      "fail_if_header_matches, one of several values", holds: false,
      Answer(headers: [
        ("Set-Cookie", "foo=bar; Domain=.example.com"), ("Set-Cookie", "zz=4; expires=Mon, 01-Jan-1990"),
      ])
    ) { $0.expect.headers = [("Set-Cookie", "!~ domain=\\.example\\.com|Domain=\\.example\\.com")] },
    Case(
      "fail_if_header_matches, none of several values", holds: true,
      Answer(headers: [("Set-Cookie", "zz=4"), ("Set-Cookie", "aa=5")])
    ) { $0.expect.headers = [("Set-Cookie", "!~ Domain=\\.example\\.com")] },
    Case(
      "fail_if_header_not_matches, it does not", holds: false,
      Answer(headers: [("Content-Type", "text/html")])
    ) {
      $0.expect.headers = [("Content-Type", "~ text/javascript")]
    },
    Case("fail_if_header_not_matches, missing", holds: false, Answer()) {
      $0.expect.headers = [("Content-Type", "~ text/javascript")]
    },
    Case(
      "fail_if_header_not_matches, one of several values", holds: true,
      Answer(headers: [("Set-Cookie", "foo=bar; Domain=.example.com"), ("Set-Cookie", "zz=4")])
    ) { $0.expect.headers = [("Set-Cookie", "~ Domain=\\.example\\.com")] },
    Case("valid_http_versions", holds: false, Answer(version: "1.1")) { $0.expect.httpVersion = "2" },
    Case("valid_status_codes, 300 by default", holds: false, Answer(status: 300)) { _ in },
    Case("valid_status_codes, 299 by default", holds: true, Answer(status: 299)) { _ in },
    Case("a body that is no JSON fails its expression", holds: false, Answer(body: "hello")) {
      $0.expect.json = [("$.foo.bar", "baz")]
    },
    Case("an expression of the body", holds: true, Answer.json(#"{"foo": {"bar": "baz"}}"#)) {
      $0.expect.json = [("$.foo.bar", "baz")]
    },
  ]

  /// Gatus: `[BODY].path op value`. Where what is missing or no number counts as 0 there, it fails here.
  static let gatus: [Case] = [
    Case("[BODY].status == UP", holds: true, Answer.json(#"{"status":"UP"}"#)) {
      $0.expect.json = [("$.status", "UP")]
    },
    Case("[BODY].data.id == 1", holds: true, Answer.json(#"{"data":{"id":1}}"#)) {
      $0.expect.json = [("$.data.id", "1")]
    },
    Case("[BODY][0].id == 1", holds: true, Answer.json(#"[{"id": 1}, {"id": 2}]"#)) {
      $0.expect.json = [("$[0].id", "1")]
    },
    Case("[BODY].data[1].name == jim", holds: true, Answer.json(#"{"data":[{},{"name":"jim"}]}"#)) {
      $0.expect.json = [("$.data[1].name", "jim")]
    },
    Case("an id as text", holds: true, Answer.json(#"{"data":{"id":"1"}}"#)) {
      $0.expect.json = [("$.data.id", ConditionText("1", isPlain: false))]
    },
    Case("a number with letters", holds: true, Answer.json(#"{"id":"1b"}"#)) {
      $0.expect.json = [("$.id", "1b")]
    },
    Case("a number beyond 64 bits", holds: true, Answer.json(#"{"id":18446744073709551617}"#)) {
      $0.expect.json = [("$.id", "> 18446744073709551616")]
    },
    Case("null", holds: true, Answer.json(#"{"data":null}"#)) { $0.expect.json = [("$.data", "null")] },
    Case("a boolean", holds: true, Answer.json(#"{"val":true}"#)) { $0.expect.json = [("$.val", "true")] },
    Case("an empty list", holds: true, Answer.json("[]")) { $0.expect.json = [("$", "[]")] },
    Case("1.9 < 2, cut to 1 there", holds: true, Answer.json(#"{"n":1.9}"#)) {
      $0.expect.json = [("$.n", "< 2")]
    },
    Case("1.9 > 1, false there", holds: true, Answer.json(#"{"n":1.9}"#)) {
      $0.expect.json = [("$.n", "> 1")]
    },
    Case("a missing path is no 0", holds: false, Answer.json("{}")) {
      $0.expect.json = [("$.errors", "< 5")]
    },
    Case("an error page is no 0", holds: false, Answer(body: "<h1>502</h1>")) {
      $0.expect.json = [("$.errors", "< 5")]
    },
    Case("text is no 0", holds: false, Answer.json(#"{"errors":"many"}"#)) {
      $0.expect.json = [("$.errors", "< 5")]
    },
    Case("hexadecimal is no number", holds: false, Answer.json(#"{"n":"0x10"}"#)) {
      $0.expect.json = [("$.n", "16")]
    },
    Case("010 is no octal", holds: false, Answer.json(#"{"n":8}"#)) {
      $0.expect.json = [("$.n", ConditionText("010", isPlain: false))]
    },
    Case("a literal with == in it", holds: true, Answer.json(#"{"expr":"a == b"}"#)) {
      $0.expect.json = [("$.expr", "a == b")]
    },
    Case("[BODY] == pat(*yes*)", holds: true, Answer(body: "say yes!")) {
      $0.http.expect.bodyMatches = ["yes"]
    },
    Case("pat keeps its slashes", holds: false, Answer(body: "ab")) { $0.http.expect.bodyMatches = ["a/b"] },
    Case("refused, with a time condition only", holds: false, Answer(status: nil)) {
      $0.expect.status = []
      $0.responseTime = Thresholds(fail: .milliseconds(500))
    },
  ]

  /// Uptime Kuma: keywords, inverted keywords, json-query with an expected value.
  static let uptimeKuma: [Case] = [
    Case("keyword", holds: true, Answer(body: "all systems go")) {
      $0.http.expect.bodyContains = ["systems"]
    },
    Case("keyword, other case", holds: false, Answer(body: "all Systems go")) {
      $0.http.expect.bodyContains = ["systems"]
    },
    Case("inverted keyword", holds: false, Answer(body: "error: 1")) {
      $0.http.expect.bodyNotContains = ["error"]
    },
    Case("inverted keyword on an empty body", holds: true, Answer(body: "")) {
      $0.http.expect.bodyNotContains = ["error"]
    },
    Case("json-query ==", holds: true, Answer.json(#"{"a":{"b":"c"}}"#)) {
      $0.expect.json = [("$.a.b", "c")]
    },
    Case("json-query !=", holds: false, Answer.json(#"{"a":"c"}"#)) { $0.expect.json = [("$.a", "!= c")] },
    Case("json-query >=", holds: true, Answer.json(#"{"n":10}"#)) { $0.expect.json = [("$.n", ">= 10")] },
    Case("json-query contains", holds: true, Answer.json(#"{"s":"release-42"}"#)) {
      $0.expect.json = [("$.s", "~ release")]
    },
    Case("json-query on what is missing", holds: false, Answer.json("{}")) {
      $0.expect.json = [("$.a", "!= c")]
    },
  ]

  @Test(arguments: blackbox + gatus + uptimeKuma) func agrees(example: Case) throws {
    let judge = try example.answer().judged(example.change)
    #expect(judge.verdict.isSuccess == example.holds, "\(judge.verdict) \(judge.assertions)")
  }
}
