// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// A job that reports, as an administrator sets it up.
@Suite struct HeartbeatStories {
  private static let token = "5f4dcc3b5aa765d61d8327deb882cf99"

  /// The job's check by its name, once it has a result that satisfies.
  private func check(
    _ agent: AgentProcess, _ client: AgentClient, until isRight: @escaping @Sendable (JSONValue) -> Bool
  ) async throws -> JSONValue {
    let id = MonitoringCheck.derivedID(name: "Nightly backup")
    var found: JSONValue?
    try await eventually("the check to be so", within: .seconds(60), agent) {
      guard let text = try? await client.ask("/api/v1/checks/\(id)") else { return false }
      found = try JSONValue.parse(text.utf8)["data"]
      return found.map(isRight) ?? false
    }
    return try #require(found)
  }

  @Test(
    "a job's report is up, its failure down with its words, and a kill forgets neither; the token is nowhere")
  func aJobReports() async throws {
    try await withTemporaryDirectory { folder in
      try "\(Self.token)\n".write(to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
      chmod(folder.appending(path: "token").path, 0o600)
      try RunStories.config(
        "  - {name: Nightly backup, type: heartbeat, token: \"${file:token}\", period: 1d, grace: 30m, interval: 1s}",
        in: folder)
      let client = AgentClient(address: .unix(path: "\(folder.path)/state/agent.sock"))
      let first = try AgentProcess(["run"], in: folder)
      let waiting = try await check(first, client) { $0["last"] != nil }
      #expect(waiting["state"]?.string == "unknown" && waiting["target"]?.string == "every 1d")

      #expect(try await client.ask("/hb/\(Self.token)/start", method: "POST") == "OK\n")
      #expect(try await client.ask("/hb/\(Self.token)") == "OK\n")
      let up = try await check(first, client) { $0["state"]?.string == "up" }
      #expect(up["last"]?["response_time_ms"]?.double != nil)
      #expect(try await client.hand(Array("tape 7 is full".utf8), to: "/hb/\(Self.token)/3") == "OK\n")
      _ = try await check(first, client) { $0["last"]?["reason"]?.string == "heartbeat_failed" }

      // Answered is written: the process ends without a chance to say anything.
      first.send(SIGKILL)
      _ = try await first.finish()
      let alone = try await agent("once", in: folder)
      #expect(alone.status == 3 && alone.stdout.contains("local_fault"))

      let second = try AgentProcess(["run"], in: folder)
      let down = try await check(second, client) { $0["state"]?.string == "down" }
      #expect(down["last"]?["message"]?.string?.contains("exit code 3") == true)
      let asked = try await agent("once", "--format", "json", in: folder)
      #expect(asked.status == 2 && asked.stdout.contains("heartbeat_failed"))
      second.send(SIGTERM)
      let end = try await second.finish()
      #expect(end.status == 0)

      let printed = try await agent("validate", "--print", in: folder)
      for text in [first.stderr, end.stderr, end.stdout, alone.stdout, asked.stdout, printed.stdout] {
        #expect(!text.contains(Self.token))
      }
      let file = try String(contentsOf: folder.appending(path: "state/heartbeats.json"), encoding: .utf8)
      #expect(file.contains("tape 7 is full") && !file.contains(Self.token))
    }
  }

  /// The status that an address answers with.
  private func status(_ url: String, _ more: [String] = [], in folder: URL) async throws -> String {
    try await AgentProcess(
      ["-s", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}"] + more + [url], in: folder,
      program: URL(filePath: "/usr/bin/curl")
    ).finish().stdout
  }

  /// Jobs outside report to the public address, no more often than they may, and everything private is not there.
  @Test(.timeLimit(.minutes(2))) func aJobReportsToThePublicAddress() async throws {
    try await withTemporaryDirectory { folder in
      let port = try freePort()
      try RunStories.config(
        "  - {name: Nightly backup, type: heartbeat, token: \(Self.token), period: 1d, interval: 1s}",
        more: "status: {public: {listen: \"127.0.0.1:\(port)\", checks: [Nightly backup]}}", in: folder)
      let process = try AgentProcess(["run"], in: folder)
      let client = AgentClient(address: .unix(path: "\(folder.path)/state/agent.sock"))
      _ = try await check(process, client) { $0["last"] != nil }
      let web = "http://127.0.0.1:\(port)"
      #expect(try await status("\(web)/hb/\(Self.token)/start", in: folder) == "200")
      #expect(try await status("\(web)/hb/\(Self.token)", ["-d", "42 files"], in: folder) == "200")
      _ = try await check(process, client) { $0["state"]?.string == "up" }
      for (path, answer) in [
        ("/hb/0123456789abcdef", "404"), ("/hb/", "404"), ("/api/v1/summary", "404"), ("/metrics", "404"),
        ("/status.txt", "404"), ("/api/v1/mutes", "404"), ("/events", "404"), ("/readyz", "404"),
        ("/", "200"),
      ] {
        #expect(try await status(web + path, in: folder) == answer, "\(path)")
      }
      let order = ["-d", "{\"target\":\"all\",\"for\":\"5m\"}"]
      #expect(try await status("\(web)/api/v1/mutes", order, in: folder) == "405")
      // One line an answer, by one connection: 2 were taken before.
      let many = try await AgentProcess(
        ["-s", "-o", "/dev/null", "-w", "%{http_code}\n", "\(web)/hb/\(Self.token)?[1-60]"], in: folder,
        program: URL(filePath: "/usr/bin/curl")
      ).finish().stdout.split(separator: "\n")
      #expect(many.count { $0 == "200" } == 58 && many.suffix(2) == ["429", "429"], "\(many.count)")
      process.send(SIGTERM)
      let end = try await process.finish()
      #expect(end.status == 0 && !end.stderr.contains(Self.token))
    }
  }
}
