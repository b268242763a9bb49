// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Checks of Checkly: requests, assertions, groups and placeholders.
@Suite struct ChecklyTests {
  /// - Parameters:
  ///   - request: members of the request behind its URL.
  ///   - more: members of the check.
  private func read(_ request: String, _ more: String = "", groups: String = "") throws -> ReadSource {
    let check =
      "{\"name\":\"n\",\"checkType\":\"API\"\(more),\"request\":{\"url\":\"https://a.example/\"\(request)}}"
    return try ReadSource(.checkly, "{\"checks\":[\(check)]\(groups)}")
  }

  private func assertion(_ source: String, _ comparison: String, _ target: String = "", more: String = "")
    -> String
  {
    "{\"source\":\"\(source)\",\"comparison\":\"\(comparison)\",\"target\":\"\(target)\"\(more)}"
  }

  private static let times = "  response_time:\n    warn: 10s\n    fail: 20s"

  @Test(arguments: [
    (
      ",\"bodyType\":\"JSON\",\"method\":\"POST\",\"body\":\"{}\"",
      "method: POST\nbody: \"{}\"\nheaders:\n  Content-Type: application/json"
    ),
    (
      ",\"bodyType\":\"FORM\",\"method\":\"POST\",\"body\":\"a=b\"",
      "method: POST\nbody: \"a=b\"\nheaders:\n  Content-Type: application/x-www-form-urlencoded"
    ),
    (
      ",\"bodyType\":\"GRAPHQL\",\"method\":\"POST\",\"body\":\"{ a }\",\"headers\":[{\"key\":\"content-type\",\"value\":\"x\"}]",
      "method: POST\nheaders:\n  content-type: x\nbody: \"{\\\"query\\\":\\\"{ a }\\\"}\""
    ),
    (",\"bodyType\":\"RAW\",\"method\":\"POST\",\"body\":\"x\"", "method: POST\nbody: x"),
  ])
  func bodies(request: String, keys: String) throws {
    let made = try read(request)
    #expect(
      try made.keys()
        == "type: http\nurl: https://a.example/\n\(keys)\nexpect:\n\(Self.times)\n  status: [200-399]")
    #expect(made.problems == [] && made.reasons == [])
  }

  @Test func aBodyThatIsNotSentIsListed() throws {
    let made = try read(",\"bodyType\":\"NONE\",\"body\":\"x\"")
    #expect(made.reasons == ["bodyType is NONE, so Checkly does not send it"])
  }

  @Test(arguments: [
    ([("STATUS_CODE", "EQUALS", "201", "")], "  status: [201]"),
    (
      [("STATUS_CODE", "GREATER_THAN", "200", ""), ("STATUS_CODE", "NOT_EQUALS", "204", "")],
      "  status: [201-203, 205-399]"
    ),
    ([("JSON_BODY", "EQUALS", "true", "$.ok")], "  json:\n    \"$.ok\": true\n  status: [200-399]"),
    ([("JSON_BODY", "HAS_KEY", "a", "$.b")], "  json:\n    \"$.b['a']\": \"~ ^\"\n  status: [200-399]"),
    (
      [("JSON_BODY", "NOT_EQUALS", "x", "$.b")], "  json:\n    \"$.b\": \"!= \\\"x\\\"\"\n  status: [200-399]"
    ),
    ([("HEADERS", "EQUALS", "< 5", "x-a")], "  header:\n    x-a: \"~ \\\\A< 5\\\\z\"\n  status: [200-399]"),
    (
      [("TEXT_BODY", "EQUALS", "a.b", "")],
      "  body:\n    matches: [\"\\\\Aa\\\\.b\\\\z\"]\n  status: [200-399]"
    ),
    (
      [("TEXT_BODY", "NOT_EMPTY", "", "id=(\\\\d+)$")],
      "  body:\n    matches: [\"(?-m)id=(\\\\d+)\\\\z\"]\n  status: [200-399]"
    ),
  ])
  func assertions(given: [(String, String, String, String)], keys: String) throws {
    let list = given.map { assertion($0.0, $0.1, $0.2, more: ",\"property\":\"\($0.3)\"") }.joined(
      separator: ",")
    let made = try read(",\"assertions\":[\(list)]")
    #expect(try made.keys() == "type: http\nurl: https://a.example/\nexpect:\n\(Self.times)\n\(keys)")
    #expect(made.problems == [] && made.reasons == [])
  }

  @Test(arguments: [
    (
      "JSON_BODY", "EQUALS", "5", ",\"property\":\"$.list.length\"",
      "the length of a list is no condition"
    ),
    (
      "JSON_BODY", "EQUALS", "5", ",\"property\":\"$..a\"",
      "a condition is on one place of the body"
    ),
    (
      "HEADERS", "EQUALS", "5", ",\"property\":\"x\",\"regex\":\"a(.)\"",
      "what a pattern takes out of a header is not compared"
    ),
    (
      "TEXT_BODY", "EQUALS", "5", ",\"property\":\"a(.)\"",
      "what a pattern takes out of the body is not compared"
    ),
    (
      "STATUS_CODE", "EQUALS", "404", "",
      "no status meets it together with shouldFail and the others"
    ),
  ])
  func whatIsNoConditionIsListed(
    source: String, comparison: String, target: String, more: String, why: String
  ) throws {
    let made = try read(",\"assertions\":[\(assertion(source, comparison, target, more: more))]")
    #expect(Set(made.reasons) == [why] && made.problems == [])
  }

  @Test func aCheckThatShouldFailWantsTheError() throws {
    let made = try read(
      ",\"assertions\":[\(assertion("STATUS_CODE", "EQUALS", "404"))]", ",\"shouldFail\":true")
    #expect(try made.keys().hasSuffix("status: [404]") && made.reasons == [])
    #expect(try read("", ",\"shouldFail\":true").keys().hasSuffix("status: [400-599]"))
  }

  @Test func timesOfResponse() throws {
    let made = try read("", ",\"degradedResponseTime\":2000,\"maxResponseTime\":30000,\"frequency\":1")
    #expect(
      try made.keys()
        == "type: http\nurl: https://a.example/\nexpect:\n  response_time:\n    warn: 2s\n  status: [200-399]"
    )
    #expect(made.imported.checks[0]["timeout"]?.word == "30s" && made.problems == [])
    let often = try read("", ",\"frequency\":0,\"frequencyOffset\":10")
    #expect(
      often.imported.checks[0]["interval"]?.word == "10s" && often.problems == [] && often.reasons == [])
  }

  @Test func groupsAddToTheirChecks() throws {
    let group = """
      ,"groups":[{"id":7,"name":"Shop","activated":false,"tags":["g"],"doubleCheck":true,
      "apiCheckDefaults":{"url":"https://base.example","headers":[{"key":"X-A","value":"1"},{"key":"x-b","value":"2"}],
      "queryParameters":[{"key":"k","value":"a b"}],"assertions":[\(assertion("STATUS_CODE", "EQUALS", "200"))]}}]
      """
    let check = """
      {"name":"n","checkType":"API","groupId":7,"tags":["c"],
      "request":{"url":"{{GROUP_BASE_URL}}/x","headers":[{"key":"X-B","value":"3"}]}}
      """
    let made = try ReadSource(.checkly, "{\"checks\":[\(check)]\(group)}")
    #expect(
      try made.keys() == """
        type: http
        url: https://base.example/x?k=a%20b
        headers:
          X-B: "3"
          X-A: "1"
        expect:
        \(Self.times)
          status: [200]
        enabled: false
        """)
    #expect(
      made.text.contains("tags: [c, g, \"group:Shop\"]") && made.imported.checks[0]["retries"]?.word == "1")
    #expect(Set(made.reasons) == ["the check has this header already"])
    #expect(made.problems == [])
    let lost = try read("", ",\"groupId\":9")
    #expect(lost.reasons == ["the group is not in the file, so what it adds is missing"])
  }

  @Test func placeholdersBecomeVariables() throws {
    let request = """
      ,"headers":[{"key":"X-Token","value":"Bearer {{TOKEN}}"},{"key":"X-A","value":"{{ PLACE }}-${x}"}],
      "basicAuth":{"username":"{{USER}}","password":"{{{PASS}}}"}
      """
    let made = try read(
      request,
      ",\"environmentVariables\":[{\"key\":\"PLACE\",\"value\":\"eu\"},{\"key\":\"PASS\",\"value\":\"hunter2\",\"locked\":true}]"
    )
    #expect(
      try made.keys() == """
        type: http
        url: https://a.example/
        headers:
          X-Token: "Bearer ${env:TOKEN}"
          X-A: "eu-$${x}"
        auth:
          basic:
            username: "${env:USER}"
            password: "${env:PASS}"
        expect:
        \(Self.times)
          status: [200-399]
        """)
    #expect(!made.text.contains("hunter2") && made.problems == [])
    #expect(
      made.reasons == [
        "set these variables before the start: PASS, TOKEN, USER",
        "its value is a secret: set PASS before the start",
        "its value is a secret: set PASS before the start",
        "its value is a secret: set PASS before the start",
      ])
  }

  @Test func otherPlaceholdersLeaveTheCheckOut() throws {
    let made = try read(",\"headers\":[{\"key\":\"X\",\"value\":\"{{$RANDOM_NUMBER}}\"}]")
    #expect(made.names == [] && made.imported.carried == 0)
    #expect(
      made.reasonCounts == [
        "a placeholder in it is no name of a variable": 1,
        "no check was made of it": 4,
      ])
  }

  @Test func lockedValuesAreSecrets() throws {
    let made = try read(
      ",\"headers\":[{\"key\":\"X\",\"value\":\"hunter2\",\"locked\":true}],\"queryParameters\":[{\"key\":\"q\",\"value\":\"hunter3\",\"locked\":true}]"
    )
    #expect(!made.text.contains("hunter") && made.problems == [])
    #expect(made.text.contains("url: \"https://a.example/?q=${env:QUERY_Q}\""))
    #expect(made.secrets.map { $0.value.reveal() } == ["hunter2"])
  }

  @Test func checksAsCodeAreNamed() {
    let code = "import { ApiCheck } from 'checkly/constructs'\nnew ApiCheck('a', {})\n"
    #expect(
      throws: ImportProblem(
        "f: checks as code (TypeScript) are programs, and are not run here",
        hint: "import the checks as JSON, as Checkly's API lists them: GET /v1/checks and /v1/check-groups")
    ) { try ReadSource(nil, code) }
  }
}
