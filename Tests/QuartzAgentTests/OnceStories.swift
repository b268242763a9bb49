// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// `quartz-agent once` as a person or a script sees it: exit code, stdout, stderr.
@Suite struct OnceStories {
  private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

  private func web(_ text: String? = nil) -> @Sendable (LoopbackConnection) -> Void {
    let reply = text ?? answer
    return { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(reply)
    }
  }

  @Test func anUpTargetExitsZeroAndPrintsOneJSONLine() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let outcome = try await agent("once", "http://127.0.0.1:\(server.port)/", in: folder)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stderr == "")
        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.count == 1)
        let result = try JSONValue.parse(lines[0].utf8)
        #expect(result["state"]?.string == "up")
        #expect(result["reason"]?.string == "ok")
        #expect(result["status_code"]?.integer == 200)
        #expect(result["address"]?.string == "127.0.0.1:\(server.port)")
        #expect(result["trigger"]?.string == "manual")
        #expect((result["response_time_ms"]?.double ?? 0) > 0)
        #expect(result["timings"]?["connect_ms"] != nil)
        // The body was read to its end; there is no handshake: not measured, not there.
        #expect(result["timings"]?["transfer_ms"] != nil)
        #expect(result["truncated"] == nil)
        #expect(result["tls"] == nil)
        #expect(UniqueID(result["id"]?.string ?? "") != nil)
      }
    }
  }

  @Test func aRefusedTargetIsDownWithExitTwo() async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      let outcome = try await agent("once", "tcp://127.0.0.1:\(port)", in: folder)
      #expect(outcome.status == 2)
      let result = try JSONValue.parse(outcome.stdout.dropLast().utf8)
      #expect(result["state"]?.string == "down")
      #expect(result["reason"]?.string == "connect_refused")
      #expect(result["phase"]?.string == "connect")
      #expect(result["attempts"]?.array?.count == 1)
    }
  }

  @Test func whatWasNotFinishedIsNoPass() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
          let process = try AgentProcess(
            [
              "once", "--format", "junit", "http://127.0.0.1:\(server.port)/",
              "http://127.0.0.1:\(silent.port)/",
            ], in: folder)
          try await process.wait(for: "both") { server.accepted >= 1 && silent.accepted >= 1 }
          process.send(SIGINT)
          let outcome = try await process.finish()
          #expect(outcome.status == 130)
          #expect(outcome.stderr.contains("stopped: "), "\(outcome.stderr)")
          #expect(outcome.stdout.contains("tests=\"2\"") && outcome.stdout.contains("type=\"stopped\""))
        }
      }
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func whoStopsItSeesWhatWasFound(signal: Int32) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let process = try AgentProcess(
          [
            "once", "--format", "table", "--count", "1000000", "--every", "20ms",
            "http://127.0.0.1:\(server.port)/",
          ], in: folder)
        try await process.wait(for: "three rounds") { server.accepted >= 4 }
        process.send(signal)
        let outcome = try await process.finish()
        #expect(outcome.status == 130, "\(outcome.stderr)")
        #expect(outcome.stdout.components(separatedBy: "● UP").count >= 4)
        #expect(outcome.stdout.contains("P95"), "\(outcome.stdout)")
      }
    }
  }

  @Test func theTableHasAMarkAndAWordForEveryState() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let port = try freePort()
        let outcome = try await agent(
          "once", "--format", "table", "http://127.0.0.1:\(server.port)/", "tcp://127.0.0.1:\(port)",
          in: folder)
        #expect(outcome.status == 2)
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("STATE"))
        #expect(lines[1].hasPrefix("● UP"))
        #expect(lines[1].contains("200"))
        #expect(lines[2].hasPrefix("✕ DOWN"))
        #expect(lines[2].contains("connect_refused"))
        #expect(!outcome.stdout.contains("\u{1b}"), "no colour codes into a pipe")
      }
    }
  }

  @Test(arguments: ["json", "junit"])
  func documentsHoldAllResults(format: String) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")) { server in
        let outcome = try await agent(
          "once", "--format", format, "http://127.0.0.1:\(server.port)/", in: folder)
        #expect(outcome.status == 2)
        if format == "json" {
          let results = try JSONValue.parse(outcome.stdout.utf8).array ?? []
          #expect(results.count == 1)
          #expect(results.first?["reason"]?.string == "http_status")
          let assertion = results.first?["assertions"]?.array?.first
          #expect(assertion?["actual"]?.string == "503")
          #expect(assertion?["ok"]?.bool == false)
        } else {
          #expect(outcome.stdout.contains("<testsuite name=\"quartz-agent\" tests=\"1\" failures=\"1\""))
          #expect(outcome.stdout.contains("<failure type=\"http_status\""))
        }
      }
    }
  }

  @Test func explainShowsTheWaterfallAndTheAssertions() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let outcome = try await agent(
          "once", "--format", "table", "--explain", "http://127.0.0.1:\(server.port)/", in: folder)
        #expect(outcome.status == 0)
        for part in [
          "time\n", "connect", "first byte", "total", "assertions\n", "✓ status  200  expected 200-299",
        ] {
          #expect(outcome.stdout.contains(part), "\(part) in \(outcome.stdout)")
        }
      }
    }
  }

  @Test func roundsEndWithASummary() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let outcome = try await agent(
          "once", "--count", "3", "--every", "10ms", "http://127.0.0.1:\(server.port)/", in: folder)
        #expect(outcome.status == 0)
        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.count == 4)
        let summary = try JSONValue.parse((lines.last ?? "").utf8)
        #expect(summary["runs"]?.integer == 3)
        #expect(summary["successes"]?.integer == 3)
        #expect(summary["p95_ms"]?.double != nil)
      }
    }
  }

  @Test(arguments: [
    ("ftp://example.com", "ftp"), ("tcp://db", "port"), ("http://", "host"), ("dns://127.0.0.1", "name"),
  ])
  func aWrongTargetIsAUsageErrorWithWords(target: String, word: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await agent("once", target, in: folder)
      #expect(outcome.status == 64)
      #expect(outcome.stdout == "")
      #expect(outcome.stderr.contains(word), "\(outcome.stderr)")
    }
  }

  @Test func namedChecksComeFromTheConfiguration() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let yaml = """
          checks:
            - {name: Front, type: http, url: "http://127.0.0.1:\(server.port)/"}
            - {name: Back, type: tcp, host: 127.0.0.1, port: \(server.port), enabled: false}
          """
        try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
        let all = try await agent("once", in: folder)
        #expect(all.status == 0, "\(all.stderr)")
        #expect(all.stdout.split(separator: "\n").count == 1, "disabled checks are left out")
        let named = try await agent("once", "Back", in: folder)
        #expect(named.status == 0, "a named check runs although it is disabled")
        let wrong = try await agent("once", "Frnt", in: folder)
        #expect(wrong.status == 64)
        #expect(wrong.stderr.contains("did you mean \"Front\"?"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "state").path))
      }
    }
  }

  @Test func aBareHostIsToldHowTargetsLook() async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await agent("once", "example.com", in: folder)
      #expect(outcome.status == 64)
      #expect(outcome.stderr.contains("https://example.com"))
    }
  }

  /// Variables that turn other programs' requests around do nothing here.
  @Test func proxyVariablesAreIgnored() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let nobody = "http://127.0.0.1:\(try freePort())"
        let process = try AgentProcess(
          ["once", "http://127.0.0.1:\(server.port)/"], in: folder,
          environment: ["http_proxy": nobody, "HTTP_PROXY": nobody, "ALL_PROXY": nobody])
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome.stdout)")
      }
    }
  }

  /// A file that cannot be written is reported before the first round.
  @Test func anExportIsTriedFirst() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let page = "http://127.0.0.1:\(server.port)/"
        let none = try await agent("once", "--count", "3", "--export", "nodir/x.json", page, in: folder)
        #expect(none.status == 73 && none.stdout == "" && server.accepted == 0, "\(none.stderr)")
        #expect(none.stderr.contains("cannot write the results: nodir/x.json: No such file"))
        let some = try await agent("once", "--export", "x.json", page, in: folder)
        #expect(some.status == 0 && server.accepted == 1, "\(some.stderr)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.contains("x.json") } == ["x.json"])
      }
    }
  }

  /// Nobody gets the keys of what a probe sends by asking the environment for them.
  @Test func noKeysAreLogged() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let server = try await OpenSSLServer(try authority.issue("good"), ["-quiet"], in: folder)
      defer { server.stop() }
      let log = folder.appending(path: "keys").path
      let outcome = try await agent(
        "once", "https://127.0.0.1:\(server.port)/", in: folder, environment: ["SSLKEYLOGFILE": log])
      #expect(outcome.stdout.contains("\"tls_untrusted\""), "no handshake, no keys: \(outcome.stdout)")
      #expect(!FileManager.default.fileExists(atPath: log))
    }
  }

  /// A result made by hand is marked by the windows of the file, as one of the schedule is.
  @Test(arguments: [true, false]) func whatRunsInAWindowIsMarked(isNow: Bool) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: web()) { server in
        let start = LocalTime(Timestamp.now().advanced(by: .seconds(isNow ? -1800 : -10_800))).text
        let text = """
          checks: [{name: Web, type: http, url: "http://127.0.0.1:\(server.port)/"}]
          maintenance: [{name: Work, checks: [Web], start: \(start), duration: 2h}]

          """
        try Data(text.utf8).write(to: folder.appending(path: "agent.yaml"))
        let outcome = try await agent("once", "--format", "json", "Web", in: folder)
        let result = try JSONValue.parse(Array(outcome.stdout.utf8)).array?.first
        #expect(result?["state"]?.string == "up", "\(outcome.stdout)")
        #expect(result?["maintenance"]?.bool == (isNow ? true : nil), "\(outcome.stdout)")
      }
    }
  }

  @Test func withoutAConfigurationItSaysWhatToDo() async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await agent("once", in: folder)
      #expect(outcome.status == 78)
      #expect(outcome.stderr.contains("agent.yaml"))
      #expect(outcome.stderr.contains("hint: "))
    }
  }
}
