// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// What is asked of name servers and ports by the endpoints of Gatus.
@Suite struct GatusAnswerTests {
  private static let up = "[CONNECTED] == true"

  private func dns(_ conditions: [String], _ type: String) throws -> (expect: String, notes: [String]) {
    let found = try GatusConditionTests.outcome(
      conditions, url: "192.0.2.53",
      "    dns: {query-name: a.example\(type.isEmpty ? "" : ", query-type: \(type)")}\n")
    let lines = found.expect.split(separator: "\n").filter { !$0.hasPrefix("  rcode:") }.dropFirst(3)
    return (lines.joined(separator: "\n"), found.notes)
  }

  private static let laxer = "laxer: of several answers one has to be it; Gatus looks at the last one only"
  private static let stricter = "stricter: no answer may be it; Gatus looks at the last one only"

  /// Answers as the agent writes them: those of MX have their preference in front.
  @Test(
    arguments: [
      ("A", ["[BODY] == 192.0.2.1"], "expect:\n  answers:\n    any: [\"192.0.2.1\"]", [laxer]),
      (
        "", ["[BODY] == any(192.0.2.1, 192.0.2.2)"],
        "expect:\n  answers:\n    any: [\"192.0.2.1\", \"192.0.2.2\"]", [laxer]
      ),
      ("A", ["[BODY] != 192.0.2.1", up], "expect:\n  answers:\n    none: [\"192.0.2.1\"]", [stricter]),
      (
        "A", ["[BODY] != any(192.0.2.1, 192.0.2.2)", up],
        "expect:\n  answers:\n    none: [\"192.0.2.1\", \"192.0.2.2\"]", [stricter]
      ),
      ("A", ["[BODY] == pat(192.*)"], "expect:\n  answers:\n    any: [\"~ (?s)\\\\A192\\\\.\"]", [laxer]),
      (
        "MX", ["[BODY] == pat(mx?.a.example.)"],
        "expect:\n  answers:\n    any: [\"~ (?s)\\\\A\\\\d+ mx.\\\\.a\\\\.example\\\\.\\\\z\"]", [laxer]
      ),
      (
        "MX", ["[BODY] != mx.a.example.", up],
        "expect:\n  answers:\n    none: [\"~ (?i)\\\\A\\\\d+ mx\\\\.a\\\\.example\\\\.\\\\z\"]", [stricter]
      ),
      ("A", ["[BODY] == pat(*)"], "expect:", []), ("A", ["[BODY] != pat([)", up], "expect:", []),
      ("A", ["[BODY] != pat(*)", up], "expect:", ["laxer: in Gatus it holds for no answer"]),
      ("A", ["[BODY] == pat([)", up], "expect:", ["laxer: in Gatus it holds for no answer"]),
      ("A", ["[BODY].a == x", up], "expect:", ["laxer: answers are equal or not"]),
      ("A", ["[BODY] < 5", up], "expect:", ["laxer: answers are equal or not"]),
      ("A", ["len([BODY]) == 5", up], "expect:", ["laxer: answers are equal or not"]),
      (
        "SRV", ["[BODY] == a.example.:5060", up], "expect:",
        ["laxer: the host and port of a service are no text"]
      ),
      (
        "A", ["[BODY] == 192.0.2.1", "[BODY] == 192.0.2.2"], "expect:\n  answers:\n    any: [\"192.0.2.1\"]",
        [laxer, "laxer: answers have one such condition"]
      ),
    ] as [(String, [String], String, [String])])
  func answers(type: String, conditions: [String], expect: String, notes: [String]) throws {
    let found = try dns(conditions, type)
    // The order of the notes is that of the books and of the check.
    #expect(found.expect == expect && found.notes.sorted() == notes.sorted(), "\(conditions) \(found)")
  }

  /// Response codes that meet every condition; where none does, there is no check.
  @Test func responseCodes() throws {
    func codes(_ conditions: String...) throws -> String {
      let dns = "    dns: {query-name: a.example}\n"
      let found = try GatusConditionTests.outcome(conditions, url: "192.0.2.53", dns)
      guard found.expect != "none" else { return found.notes.joined() }
      return found.expect.split(separator: "\n").last.map { String($0.dropFirst(9)) } ?? ""
    }
    #expect(try codes("[DNS_RCODE] == NOERROR") == "[NOERROR]")
    #expect(try codes("[DNS_RCODE] == any(NXDOMAIN, NOERROR)") == "[NOERROR, NXDOMAIN]")
    #expect(
      try codes("[DNS_RCODE] != SERVFAIL", "[DNS_RCODE] == pat(S*)")
        == "no response code meets all its conditions")
    #expect(try codes("[DNS_RCODE] == noerror") == "no response code meets all its conditions")
    #expect(
      try codes("[DNS_RCODE] == pat(N*R)", "[DNS_RCODE] != NOERROR")
        == "no response code meets all its conditions")
  }

  /// Of a port's answer the start is compared, after something was sent and once.
  @Test func answersOfAPort() throws {
    let sent = "    body: PING\n"
    let start = "laxer: of a service's answer only the start can be compared: pat(text*) or pat(*text*)"
    let once = "laxer: nothing is read before something was sent, and only once"
    let rows: [(conditions: [String], more: String, expect: String, notes: [String])] = [
      (["[BODY] == pat(PONG*)"], sent, "dialog: [{send: PING}, {expect: \"~ (?s)\\\\A\\\\s*PONG\"}]", []),
      (["[BODY] == pat(*PONG)", Self.up], sent, "dialog: [{send: PING}]", [start]),
      (["[BODY] == PONG", Self.up], sent, "dialog: [{send: PING}]", [start]),
      (["[BODY] != pat(PONG*)", Self.up], sent, "dialog: [{send: PING}]", [start]),
      (["[BODY].a == pat(PONG*)", Self.up], sent, "dialog: [{send: PING}]", [start]),
      (["len([BODY]) == pat(PONG*)", Self.up], sent, "dialog: [{send: PING}]", [start]),
      (["[BODY] == pat(PONG*)", Self.up], "", "", [once]),
      (
        ["[BODY] == pat(A*)", "[BODY] == pat(*B*)"], sent,
        "dialog: [{send: PING}, {expect: \"~ (?s)\\\\A\\\\s*A\"}]", [once]
      ),
    ]
    for row in rows {
      let found = try GatusConditionTests.outcome(row.conditions, url: "tcp://a.example:1", row.more)
      #expect(
        found == GatusConditionTests.Outcome(expect: row.expect, notes: row.notes),
        "\(row.conditions) \(found)")
    }
  }

  /// Without a condition that can be carried there is no check; without any there is one.
  @Test func noConditionAtAll() throws {
    #expect(
      try GatusConditionTests.outcome(["[NOTHING] == 1", "[CONTEXT].a == 1"]).notes == [
        "none of its conditions can be carried"
      ])
    let made = try ReadSource(.gatus, "endpoints:\n- {name: a, url: \"https://a.example/\"}\n")
    #expect(made.names == ["a"] && made.reasons == [])
  }
}
