// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Sites of Upptime at their edges, by the rules of upptime/uptime-monitor.
@Suite struct UpptimeRulesTests {
  private func read(_ members: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(.upptime, "owner: a\nsites:\n  - {name: s, \(members)}\n\(more)")
  }

  private func check(_ members: String) throws -> ImportedCheck {
    try #require(try read(members).imported.checks.first)
  }

  private static let url = "url: \"https://a.example/\""

  /// A time, and the one from which on a site is degraded; a ping has five seconds of its own.
  @Test(
    arguments: [
      (url, "1m", nil), ("\(url), requestTimeout: 20", "20s", nil), ("\(url), requestTimeout: 0", "1s", nil),
      ("\(url), requestTimeout: 61", "1m", nil), ("\(url), requestTimeout: 200000", "1m", nil),
      ("\(url), maxResponseTime: 1500", "1m", "1500ms"), ("\(url), maxResponseTime: 0", "1m", nil),
      ("\(url), requestTimeout: 2, maxResponseTime: 1999", "2s", "1999ms"),
      ("\(url), requestTimeout: 2, maxResponseTime: 2000", "2s", nil),
      ("url: a.example, check: tcp-ping, requestTimeout: 20", "5s", nil),
      ("url: a.example, check: tcp-ping, maxResponseTime: 100", "5s", "100ms"),
      ("url: a.example, check: ssl, requestTimeout: 20", "1m", nil),
      ("url: a.example, check: ssl, maxResponseTime: 100", "1m", nil),
    ] as [(String, String, String?)])
  func times(members: String, timeout: String, warn: String?) throws {
    let check = try check(members)
    #expect(check["timeout"]?.word == timeout && check["expect.response_time.warn"]?.word == warn)
    #expect(
      check["retries"]?.word == "2" && check["retry_delay"]?.word == "2s" && check["interval"]?.word == "5m")
  }

  @Test(
    arguments: [
      ("", "80", "4"), (", port: 53", "53", "4"), (", ipv6: true", "80", "6"), (", ipv6: false", "80", "4"),
      (", ipv6: perhaps", "80", "4"),
    ])
  func pings(more: String, port: String, family: String) throws {
    let check = try check("url: a.example, check: tcp-ping\(more)")
    #expect(check["type"]?.word == "tcp" && check["port"]?.word == port && check["ip"]?.word == family)
  }

  @Test(arguments: [
    ("check: http", "it has no url"),
    ("url: a.example, check: tcp-ping, port: $PORT", "its port is no number that is known before the start"),
    ("url: a.example, check: ws", "no check here is of this kind: ws"),
    ("url: \"https://a.example/$DYNAMIC_X\"", "a placeholder in it is no name of a variable"),
  ])
  func noCheck(members: String, why: String) throws {
    let made = try read(members)
    #expect(
      made.names == [] && made.imported.leftOut.map(\.why) == [why]
        && made.imported.leftOut[0].name == "\"s\"")
  }

  /// Which switch turns off which part of verifying, and what becomes of the others.
  @Test(
    arguments: [
      ("", nil, []), ("__dangerous__insecure: true", "false", []), ("__dangerous__insecure: false", nil, []),
      (
        "__dangerous__disable_verify_peer: true", "false",
        ["laxer: __dangerous__disable_verify_peer: the certificate's name is not verified either"]
      ),
      ("__dangerous__disable_verify_peer: true, __dangerous__disable_verify_host: true", "false", []),
      ("__dangerous__insecure: true, __dangerous__disable_verify_peer: true", "false", []),
      (
        "__dangerous__disable_verify_host: true", nil,
        ["stricter: f:3: sites[0].__dangerous__disable_verify_host: a certificate is verified as a whole"]
      ),
      ("__dangerous__disable_verify_host: false", nil, []),
    ] as [(String, String?, [String])])
  func verifying(members: String, verify: String?, lines: [String]) throws {
    let made = try read("\(Self.url)\(members.isEmpty ? "" : ", ")\(members)")
    let check = try #require(made.imported.checks.first)
    #expect(check["tls.verify"]?.word == verify && check.notes.map(\.line) == lines)
  }

  private func words(_ value: AgentValue?) -> [String?] {
    if case .list(let items)? = value { items.map(\.word) } else { [] }
  }

  @Test func statusesHeadersAndBodies() throws {
    #expect(words(try check(Self.url)["expect.status"]) == ["200-208", "226", "300-308"])
    #expect(
      words(try check("\(Self.url), expectedStatusCodes: [200, 404]")["expect.status"]) == ["200", "404"])
    let odd = try check("\(Self.url), expectedStatusCodes: [200, 2xx]")
    #expect(words(odd["expect.status"]) == ["200"])
    #expect(odd.notes.isEmpty == false && odd["max_redirects"]?.word == "3")
    let made = try read(
      "\(Self.url), method: put, body: x, headers: [\"X-A: b: c\", \"x-a: d\", \"none\", \"Authorization: Bearer s\"]"
    )
    #expect(
      try made.keys() == """
        type: http
        url: https://a.example/
        method: PUT
        max_redirects: 3
        headers:
          X-A: "b: c"
          Authorization: "${env:QUARTZ_C_AUTHORIZATION}"
          Content-Type: application/x-www-form-urlencoded
        body: x
        expect:
          status: [200-208, 226, 300-308]
        retry_delay: 2s
        """)
    #expect(made.reasonCounts["a header is sent once here"] == 1)
  }

  /// What of a site and of the file has no place here.
  @Test func reasons() throws {
    let made = try read(
      "\(Self.url), type: local, icon: i, slug: s, assignees: [x], verbose: true, ipv6: true, port: 1, connectTimeout: 5, "
        + "maxRetries: 3, odd: y",
      """
      assignees: [a]
      notifications: [b]
      status-website: {name: x}
      i18n: {up: y}
      workflowSchedule: {graphs: z}
      commitMessages: {a: b}
      runner: r
      delay: 5
      """)
    #expect(
      made.reasonCounts == [
        "it is shown on Upptime's page only": 4, "no other check reads it": 2,
        "connecting has the time of the whole request": 1,
        "a run is tried three times, as Upptime tries what is not up": 1, Ledger.unknownKey: 1,
        "write alerts.channels, see docs/alerts.md": 2,
        "the agent has a page of its own, see docs/status.md": 2,
        "it is about Upptime's other jobs on GitHub": 3, "each check has a schedule of its own": 1,
        "it is about Upptime and its repository": 1,
      ])
    #expect(
      made.imported.checks[0].notes.map { $0.change?.rawValue }.compactMap(\.self) == ["laxer", "changed"])
  }
}
