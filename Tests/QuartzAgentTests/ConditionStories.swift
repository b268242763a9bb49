// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

/// Conditions from the file to the terminal.
@Suite struct ConditionStories {
  private static let body = #"{"status":"ok","queue":{"depth":9007199254740993},"version":"12"}"#
  private static let reply =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"

  private func web() -> @Sendable (LoopbackConnection) -> Void {
    { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(Self.reply)
      connection.waitForEnd()
    }
  }

  /// Writes agent.yaml with one check and runs it.
  private func once(
    _ expect: String, more: String = "", _ arguments: String..., body: (Outcome) throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let yaml = """
          checks:
            - name: Shop
              type: http
              url: http://127.0.0.1:\(server.port)/health?key=canary
              retries: 0
              \(more)
              expect:
          \(expect.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n"))
          """
        let file = folder.appending(path: "agent.yaml")
        try yaml.write(to: file, atomically: true, encoding: .utf8)
        let process = try AgentProcess(["once", "-c", file.path] + arguments, in: folder)
        try body(try await process.finish())
      }
    }
  }

  private static let all = #"""
    status: [200]
    body: {contains: ok, not_contains: error, matches: '"version":"\d+"', not_matches: "(?i)exception"}
    header: {Content-Type: "~ json", content-length: "> 10"}
    json: {$.status: ok, "$.queue.depth": "> 9007199254740992", "$.version": "12"}
    final_url: "~ /health"
    http_version: "1.1"
    response_time: {warn: 5s, fail: 9s}
    """#

  @Test func everyConditionHolds() async throws {
    try await once(Self.all, "--explain", "--format", "table") { outcome in
      #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
      for line in [
        "● UP  Shop  http", "✓ status", "✓ body.matches", "✓ header.content-type", "✓ json.$.queue.depth",
        "expected > 9007199254740992", "✓ final_url", "✓ http_version", "✓ response_time.fail", "first byte",
      ] { #expect(outcome.stdout.contains(line), "\(line)") }
      #expect(!outcome.stdout.contains("✕") && !outcome.stdout.contains("canary"))
    }
  }

  @Test(arguments: [
    ("json: {$.status: down}", "json"), ("json: {$.none: \"!= x\"}", "json"),
    ("header: {X-None: \"!~ x\"}", "header"),
    ("body: {matches: ^ok$}", "body"), ("final_url: https://example.com/", "final_url"),
    ("http_version: \"2\"", "http_version"),
  ])
  func oneThatDoesNotHoldIsTheReason(expect: String, reason: String) async throws {
    try await once(expect) { outcome in
      #expect(outcome.status == 2)
      let result = try JSONValue.parse(outcome.stdout.dropLast().utf8)
      #expect(result["state"]?.string == "down")
      #expect(result["reason"]?.string == reason)
      #expect(result["phase"]?.string == "assertion")
      #expect(result["assertions"]?.array?.count { $0["ok"]?.bool == false } == 1)
      #expect(!outcome.stdout.contains("canary"))
    }
  }

  @Test func negateTurnsTheVerdict() async throws {
    try await once("status: [200]", more: "negate: true") { outcome in
      #expect(outcome.status == 2)
      let result = try JSONValue.parse(outcome.stdout.dropLast().utf8)
      #expect(result["reason"]?.string == "negated")
    }
    try await once("status: [500]", more: "negate: true") { outcome in
      #expect(outcome.status == 0)
      #expect(
        outcome.stdout.contains("fails, as negate says that it must (http_status: status 200, expected 500)"))
    }
  }

  @Test func aPatternThatIsNoneIsAProblemOfTheFile() async throws {
    try await once("body: {matches: 'a(b'}") { outcome in
      #expect(outcome.status == 78)
      #expect(
        outcome.stderr.contains("is no regular expression: missing closing parenthesis at byte 3"),
        "\(outcome.stderr)")
      #expect(outcome.stderr.contains("agent.yaml:"))
    }
  }
}
