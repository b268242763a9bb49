// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Monitors of Checkly that send no HTTP request.
@Suite struct ChecklyMonitorsTests {
  private func read(_ kind: String, _ request: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(
      .checkly, "{\"checks\":[{\"name\":\"n\",\"checkType\":\"\(kind)\"\(more),\"request\":{\(request)}}]}")
  }

  private func assertion(_ source: String, _ comparison: String, _ target: String, _ property: String = "")
    -> String
  {
    "{\"source\":\"\(source)\",\"comparison\":\"\(comparison)\",\"target\":\"\(target)\",\"property\":\"\(property)\","
      + "\"regex\":null}"
  }

  @Test func aPortWithDataAndWhatItAnswers() throws {
    let assertions = [
      assertion("RESPONSE_DATA", "CONTAINS", "220 (ready)"), assertion("RESPONSE_TIME", "LESS_THAN", "1500"),
    ].joined(separator: ",")
    let made = try read(
      "TCP",
      "\"hostname\":\"mail.example\",\"port\":2525,\"data\":\"EHLO ${x}\\r\\n\",\"ipFamily\":\"IPv6\",\"assertions\":[\(assertions)]",
      ",\"frequency\":2,\"maxResponseTime\":4500,\"degradedResponseTime\":900")
    #expect(
      try made.keys() == """
        type: tcp
        host: mail.example
        port: 2525
        ip: "6"
        dialog: [{send: "EHLO $${x}\\\\r\\\\n"}, {expect: "~ 220 \\\\(ready\\\\)"}]
        expect:
          response_time:
            warn: 900ms
            fail: 1500ms
        """)
    #expect(["interval", "timeout"].map { made.imported.checks[0][$0]?.word } == ["2m", "5s"])
    #expect(made.reasons == [] && made.problems == [] && made.imported.listed == 0)
  }

  @Test func whatAPortDoesNotCompareIsListed() throws {
    let assertions = [
      assertion("RESPONSE_DATA", "NOT_CONTAINS", "x"), assertion("RESPONSE_TIME", "GREATER_THAN", "5"),
    ].joined(separator: ",")
    let made = try read(
      "TCP", "\"hostname\":\"a.example\",\"port\":1,\"assertions\":[\(assertions)]", ",\"shouldFail\":true")
    #expect(
      try made.keys() == """
        type: tcp
        host: a.example
        port: 1
        ip: "4"
        expect:
          response_time:
            warn: 4s
        negate: true
        """)
    #expect(
      Set(made.reasons) == ["a dialog waits for a text that comes", "only a longest time is a condition"])
    #expect(made.imported.checks[0].notes.allSatisfy { $0.change == .laxer } && made.problems == [])
  }

  @Test(
    arguments: [
      (
        "\"query\":\"a.example\",\"recordType\":\"MX\",\"nameServer\":\"192.0.2.1\",\"port\":5353,\"protocol\":\"TCP\"",
        "type: dns\nserver: \"192.0.2.1:5353\"\nquery:\n  name: a.example\n  type: MX\ntransport: tcp"
      ),
      (
        "\"query\":\"a.example\",\"recordType\":\"A\",\"nameServer\":{\"host\":\"2001:db8::1\",\"port\":53}",
        "type: dns\nserver: \"2001:db8::1\"\nquery:\n  name: a.example\n  type: A"
      ),
    ] as [(String, String)])
  func namesAndTheirServers(request: String, keys: String) throws {
    let made = try read("DNS", request)
    #expect(try made.keys() == keys + "\nexpect:\n  response_time:\n    warn: 500ms\n    fail: 1s")
    #expect(made.reasons == [] && made.problems == [] && made.imported.listed == 0)
  }

  @Test func answersOfAName() throws {
    let assertions = [
      assertion("RESPONSE_CODE", "EQUALS", "NOERROR"),
      assertion("JSON_ANSWER", "GREATER_THAN", "1", "$.Answer.length"),
      assertion("JSON_ANSWER", "EQUALS", "192.0.2.7", "$.Answer[0].data"),
      assertion("TEXT_ANSWER", "CONTAINS", "v=spf1"),
      assertion("JSON_ANSWER", "EQUALS", "1", "$.TC"),
    ].joined(separator: ",")
    let made = try read("DNS", "\"query\":\"a.example\",\"assertions\":[\(assertions)]")
    #expect(
      try made.keys() == """
        type: dns
        server: 8.8.8.8
        query:
          name: a.example
          type: A
        expect:
          rcode: [NOERROR]
          count: "> 1"
          answers:
            any: ["~ (?i)\\\\A192\\\\.0\\\\.2\\\\.7\\\\.?\\\\z", "~ v=spf1"]
          response_time:
            warn: 500ms
            fail: 1s
        """)
    #expect(
      made.reasonCounts == [
        "8.8.8.8 alone is asked; Checkly asks 1.1.1.1 next where it fails": 1,
        "one of the answers has to be it; Checkly looks at the first one": 1,
        "conditions see the data of an answer, without name, TTL and type": 1,
        "there is no such condition": 4,
      ])
    #expect(made.problems == [])
  }

  @Test func pingsAndWhatTheyLose() throws {
    let made = try read(
      "ICMP",
      "\"hostname\":\"a.example\",\"pingCount\":12,\"assertions\":[\(assertion("LATENCY", "LESS_THAN", "80", "avg"))]",
      ",\"maxPacketLossThreshold\":35,\"frequency\":1")
    #expect(
      try made.keys() == """
        type: ping
        host: a.example
        ip: "4"
        count: 12
        expect:
          loss:
            warn: 9.99%
            fail: 34.99%
          rtt:
            fail: 80ms
        """)
    #expect(made.reasons == [] && made.problems == [])
  }

  @Test func jobsReport() throws {
    let beat =
      "\"heartbeat\":{\"period\":1,\"periodUnit\":\"days\",\"grace\":90,\"graceUnit\":\"minutes\","
      + "\"pingUrl\":\"https://ping.example/5f1c9a52-0a6d-4f3e-9a51-1c2d3e4f5a6b\"}"
    let made = try ReadSource(.checkly, "[{\"name\":\"n\",\"checkType\":\"HEARTBEAT\",\(beat)}]")
    #expect(
      try made.keys()
        == "type: heartbeat\ntoken: \"${env:QUARTZ_C_TOKEN}\"\nperiod: 1d\ngrace: 90m")
    #expect(made.secrets.map { $0.value.reveal() } == ["5f1c9a52-0a6d-4f3e-9a51-1c2d3e4f5a6b"])
    #expect(made.reasons == ["the job reports to /hb/TOKEN of the agent"] && made.problems == [])
    let without = try ReadSource(
      .checkly,
      "[{\"name\":\"n\",\"checkType\":\"HEARTBEAT\",\"heartbeat\":{\"period\":1,\"periodUnit\":\"days\"}}]")
    #expect(without.names == [] && Set(without.reasons) == ["it lacks what a check of type HEARTBEAT needs"])
  }

  /// A warning comes earlier than the failure, and both earlier than the timeout, or are not written. The timeout is
  /// that of the longest time, from 5 s to 30 s, and no longer than the interval.
  @Test(
    arguments: [
      ("", [], "5s", "4s", nil),
      (",\"maxResponseTime\":4000,\"degradedResponseTime\":3999", [], "5s", "3999ms", "4s"),
      (",\"maxResponseTime\":4000,\"degradedResponseTime\":4000", [], "5s", nil, "4s"),
      (",\"maxResponseTime\":4000,\"degradedResponseTime\":4500", [], "5s", nil, "4s"),
      (",\"maxResponseTime\":4999,\"degradedResponseTime\":0", [], "5s", nil, "4999ms"),
      (",\"maxResponseTime\":5000,\"degradedResponseTime\":4999", [], "5s", "4999ms", nil),
      (",\"maxResponseTime\":5000,\"degradedResponseTime\":5000", [], "5s", nil, nil),
      (",\"maxResponseTime\":5001,\"degradedResponseTime\":5000", [], "5001ms", "5s", nil),
      (",\"maxResponseTime\":30000,\"degradedResponseTime\":29999", [], "30s", "29999ms", nil),
      (",\"maxResponseTime\":30001,\"degradedResponseTime\":30000", [], "30s", nil, nil),
      (",\"maxResponseTime\":4000,\"degradedResponseTime\":1499", ["1500"], "5s", "1499ms", "1500ms"),
      (",\"maxResponseTime\":4000,\"degradedResponseTime\":1500", ["1500"], "5s", nil, "1500ms"),
      (",\"maxResponseTime\":3000,\"degradedResponseTime\":2999", ["4000"], "5s", "2999ms", "3s"),
      (",\"maxResponseTime\":3000,\"degradedResponseTime\":0", ["1500", "900"], "5s", nil, "900ms"),
      (",\"maxResponseTime\":3000,\"degradedResponseTime\":0", ["900", "1500"], "5s", nil, "900ms"),
      (
        ",\"maxResponseTime\":20000,\"degradedResponseTime\":9999,\"frequency\":0,\"frequencyOffset\":10", [],
        "10s",
        "9999ms", nil
      ),
      (",\"maxResponseTime\":20000,\"degradedResponseTime\":10000,\"frequency\":0", [], "10s", nil, nil),
    ] as [(String, [String], String, String?, String?)])
  func slowAndTooSlow(more: String, longest: [String], timeout: String, warn: String?, fail: String?) throws {
    let assertions = longest.map { assertion("RESPONSE_TIME", "LESS_THAN", $0) }.joined(separator: ",")
    let made = try read("TCP", "\"hostname\":\"a.example\",\"port\":1,\"assertions\":[\(assertions)]", more)
    let check = try #require(made.imported.checks.first)
    #expect(check["timeout"]?.word == timeout)
    #expect(check["expect.response_time.warn"]?.word == warn)
    #expect(check["expect.response_time.fail"]?.word == fail)
    #expect(made.problems == [] && made.reasons == [])
  }

  /// Units of a job's period and grace; a period is 10 s at least, a grace 30 days at most.
  @Test(
    arguments: [
      (9, "seconds", 0, "seconds", "10s", "0ms", 0), (10, "seconds", 7, "seconds", "10s", "7s", 0),
      (2, "minutes", 3, "minutes", "2m", "3m", 0), (5, "hours", 2, "hours", "5h", "2h", 0),
      (3, "DAYS", 30, "Days", "3d", "30d", 0), (1, "days", 31, "days", "1d", "30d", 1),
    ])
  func spansOfJobs(
    period: Int, unit: String, grace: Int, graceUnit: String, keptPeriod: String, keptGrace: String,
    notes: Int
  ) throws {
    let made = try ReadSource(
      .checkly,
      "[{\"name\":\"n\",\"checkType\":\"HEARTBEAT\",\"heartbeat\":{\"period\":\(period),"
        + "\"periodUnit\":\"\(unit)\",\"grace\":\(grace),\"graceUnit\":\"\(graceUnit)\","
        + "\"pingUrl\":\"https://ping.example/5f1c9a52-0a6d-4f3e-9a51-1c2d3e4f5a6b\"}}]")
    let check = try #require(made.imported.checks.first)
    #expect(check["period"]?.word == keptPeriod && check["grace"]?.word == keptGrace)
    #expect(made.reasons.count { $0 == "it is made 30d, the most there is" } == notes)
  }
}
