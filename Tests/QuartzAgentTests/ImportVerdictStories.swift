// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// Conditions of Gatus, imported and run against a server: the verdict is the one that Gatus has.
@Suite struct ImportVerdictStories {
  private static let json = """
    {"n": 5, "s": "abc", "t": true, "z": null, "f": 1.5, "q": "5", "list": [1, 2, 3], "empty": [], \
    "o": {"a-b": "x y"}, "text": "> 5", "e": "", "neg": -3, "w": "null"}
    """
  private static let plain = " OK [ready]\n"

  private static let ofJSON: [(condition: String, isUp: Bool)] = [
    ("[BODY].n == 5", true),
    ("[BODY].q == 5", true),
    ("[BODY].n == 05", true),
    ("[BODY].n == 6", false),
    ("[BODY].n != 6", true),
    ("[BODY].n != 5", false),
    ("[BODY].n > 4", true),
    ("[BODY].n > 5", false),
    ("[BODY].n >= 5", true),
    ("[BODY].n < 5", false),
    ("[BODY].n <= 5", true),
    ("[BODY].q < 6", true),
    ("[BODY].f < 2", true),
    ("[BODY].f > 1", false),
    ("[BODY].f >= 1", true),
    ("[BODY].f == 1.5", true),
    ("[BODY].neg > -4", true),
    ("[BODY].neg < 0", true),
    ("[BODY].neg > -3", false),
    ("[BODY].s == abc", true),
    ("[BODY].s == ab", false),
    ("[BODY].s == ABC", false),
    ("[BODY].s == pat(a*)", true),
    ("[BODY].s == pat(b*)", false),
    ("[BODY].s == pat(*b*)", true),
    ("[BODY].s == pat(a?c)", true),
    ("[BODY].s == pat([a-c]*)", true),
    ("[BODY].s == pat([^a]*)", false),
    ("[BODY].s != pat(a*)", false),
    ("[BODY].s == any(x, abc)", true),
    ("[BODY].s == any(x, y)", false),
    ("[BODY].s != any(x, y)", true),
    ("[BODY].t == true", true),
    ("[BODY].t == false", false),
    ("[BODY].z == null", false),
    ("has([BODY].z) == true", false),
    ("has([BODY].n) == true", true),
    ("has([BODY].nope) == true", false),
    ("has([BODY].n) != false", true),
    ("len([BODY].list) > 0", true),
    ("len([BODY].empty) > 0", false),
    ("len([BODY].list) >= 3", true),
    ("len([BODY].list) > 3", false),
    ("len([BODY].e) > 0", false),
    ("len([BODY].z) > 0", false),
    ("[BODY].list[1] == 2", true),
    ("[BODY].list[5] == 2", false),
    ("[BODY].o.a-b == x y", true),
    ("[BODY].text == > 5", true),
    ("[BODY].empty == []", true),
    ("[BODY].nope == x", false),
    ("[BODY].nope > 1", false),
    ("[BODY].w == null", true), ("[BODY].nope != null", true),
  ]

  private static let ofText: [(condition: String, isUp: Bool)] = [
    ("[BODY] == OK [ready]", true),
    ("[BODY] == OK", false),
    ("[BODY] != OK", true),
    ("[BODY] == pat(*OK*)", true),
    ("[BODY] == pat(OK*)", true),
    ("[BODY] == pat(*ready])", true),
    ("[BODY] == pat(ready*)", false),
    ("[BODY] != pat(*FAIL*)", true),
    ("[BODY] != pat(*OK*)", false),
    ("has([BODY]) == true", true),
    ("has([BODY]) == false", false),
    ("len([BODY]) > 0", true),
    ("[BODY] == any(OK [ready], x)", true),
    ("[BODY] == any(OK, x)", false),
  ]

  private static let several: [(conditions: [String], isUp: Bool)] = [
    (["[STATUS] >= 200", "[STATUS] < 300", "[STATUS] != 201"], true), (["[STATUS] == pat(3*)"], false),
    (["[BODY].n > 1", "[BODY].n < 9", "[BODY].n != 7"], true), (["[BODY].n > 1", "[BODY].n < 3"], false),
  ]

  private static let server: @Sendable (LoopbackConnection) -> Void = { connection in
    let body = connection.read(until: "\r\n\r\n").hasPrefix("GET /json") ? json : plain
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    connection.waitForEnd()
  }

  private struct Row {
    var path = "json"
    var conditions: [String]
    var isUp: Bool
  }

  @Test func verdictsAreGatus() async throws {
    let rows =
      Self.ofJSON.map { Row(conditions: ["[STATUS] == 200", $0.condition], isUp: $0.isUp) }
      + Self.ofText.map { Row(path: "text", conditions: ["[STATUS] == 200", $0.condition], isUp: $0.isUp) }
      + Self.several.map { Row(conditions: $0.conditions, isUp: $0.isUp) }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.server) { server in
        let endpoints = rows.enumerated().map { number, row in
          let list = row.conditions.map { "'\($0)'" }.joined(separator: ", ")
          return
            "  - {name: 'n\(number)', url: 'http://127.0.0.1:\(server.port)/\(row.path)', conditions: [\(list)]}\n"
        }
        try ("endpoints:\n" + endpoints.joined()).write(
          to: folder.appending(path: "gatus.yaml"), atomically: true, encoding: .utf8)
        let made = try await AgentProcess(["import", "gatus", "gatus.yaml", "-o", "agent.yaml"], in: folder)
          .finish()
        #expect(made.stderr.contains(" 1 listed with the reason"), "\(made.stderr)")
        let run = try await AgentProcess(["once", "-c", "agent.yaml", "--format", "ndjson"], in: folder)
          .finish()
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.count == rows.count, "\(run.stderr)")
        for (number, row) in rows.enumerated() {
          let line = lines.first { $0.contains("\"check\":\"n\(number)\",") } ?? ""
          #expect(line.contains("\"state\":\"\(row.isUp ? "up" : "down")\""), "\(row.conditions): \(line)")
        }
      }
    }
  }
}
