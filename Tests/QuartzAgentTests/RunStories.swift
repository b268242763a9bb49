// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// `quartz-agent run`, from start to signal.
@Suite struct RunStories {
  /// A configuration with the status socket and the state in the test's own folder.
  static func config(_ checks: String, more: String = "", in folder: URL) throws {
    let yaml = """
      agent: {name: test, state_dir: \(folder.path)/state}
      spool: {size: 16MiB}
      \(more)
      checks:
      \(checks)
      """
    try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
  }

  /// One check of a web server, every second.
  private static func check(_ port: UInt16) -> String {
    "  - {name: Web, type: http, url: \"http://127.0.0.1:\(port)/\", interval: 1s, timeout: 1s}"
  }

  static let web: @Sendable (LoopbackConnection) -> Void = { connection in
    _ = connection.read(until: "\r\n\r\n")
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aStopSignalDrainsAndExitsZero(signal: Int32) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.web) { server in
        try Self.config(Self.check(server.port), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { server.accepted >= 2 }
        process.send(signal)
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("probing 1 check"))
        #expect(outcome.stderr.contains("stopped"))
      }
    }
  }

  @Test("G7: signals that mean nothing here change nothing")
  func strangeSignals() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.web) { server in
        try Self.config(Self.check(server.port), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe") { server.accepted >= 1 }
        for _ in 0..<100 {
          for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPIPE, 34, 64] {
            process.send(number)
          }
        }
        let seen = server.accepted
        try await process.wait(for: "two more probes") { server.accepted >= seen + 2 }
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  @Test func aSecondSignalExitsAtOnce() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        // The run sits in its first retry delay for a minute, so the drain has something to wait for.
        try Self.config(
          """
            - {name: Hang, type: http, url: "http://127.0.0.1:\(server.port)/", interval: 1s, timeout: 1s,
               retries: 3, retry_delay: 60s}
          """, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe in flight") { server.accepted >= 1 }
        process.send(SIGTERM)
        try await process.wait(for: "the drain") { process.stderr.contains("stopping") }
        process.send(SIGTERM)
        // The drain, of five seconds, would end with 0.
        #expect(try await process.finish().status == 128 + SIGTERM)
      }
    }
  }

  @Test func statusShowsTheRunningAgent() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.web) { server in
        try Self.config(Self.check(server.port), in: folder)
        let none = try await agent("status", in: folder)
        #expect(none.status == 3)
        #expect(none.stderr.contains("no agent answers"))
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { server.accepted >= 2 }
        let status = try await agent("status", in: folder)
        #expect(status.status == 0, "\(status.stderr)")
        let lines = status.stdout.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        let columns = try #require(lines.first { $0.first == "CHECK" }, "\(status.stdout)")
        #expect(columns.starts(with: ["CHECK", "STATE", "LATENCY", "LAST", "24h"]), "\(status.stdout)")
        let row = try #require(lines.first { $0.first == "Web" }, "\(status.stdout)")
        #expect(row.starts(with: ["Web", "●", "UP"]), "\(status.stdout)")
        let json = try await agent("status", "--format", "json", in: folder)
        let envelope = try JSONValue.parse(json.stdout.utf8)
        #expect(envelope["success"]?.bool == true)
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  @Test func aSecondDaemonOnTheSameStateExitsSeventyFive() async throws {
    try await withTemporaryDirectory { folder in
      try Self.config("  - {name: Self, type: tcp, host: 127.0.0.1, port: 9}", in: folder)
      let first = try AgentProcess(["run"], in: folder)
      try await first.wait(for: "the start") { first.stderr.contains("probing 1 check") }
      let second = try await agent("run", in: folder)
      #expect(second.status == 75)
      #expect(second.stderr.contains("in use by another agent"))
      #expect(first.isRunning)
      first.send(SIGTERM)
      #expect(try await first.finish().status == 0)
    }
  }

  @Test func anUnusableStateDirectoryIsALoudWarningAndMemoryMode() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.web) { server in
        try Self.config(Self.check(server.port), in: folder)
        // A file where the folder should be: unusable for root as well.
        try "in the way".write(to: folder.appending(path: "state"), atomically: true, encoding: .utf8)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe all the same") { server.accepted >= 1 }
        #expect(process.stderr.contains("WARNING"))
        #expect(process.stderr.contains("memory"))
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  @Test func storedResultsSurviveKillNine() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.web) { server in
        try Self.config(Self.check(server.port), in: folder)
        let first = try AgentProcess(["run"], in: folder)
        try await first.wait(for: "three probes") { server.accepted >= 3 }
        first.send(SIGKILL)
        _ = try await first.finish()
        let before = try await stored(in: folder)
        #expect(before.count >= 2, "at most the probe in flight and the group being synced are lost")

        let second = try AgentProcess(["run"], in: folder)
        let accepted = server.accepted
        try await second.wait(for: "more probes") { server.accepted >= accepted + 2 }
        second.send(SIGTERM)
        #expect(try await second.finish().status == 0)
        let after = try await stored(in: folder)
        #expect(Array(after.prefix(before.count)) == before, "the same records, in the same order")
        #expect(after.count >= before.count + 2)
        #expect(Set(after).count == after.count)
      }
    }
  }

  /// A line for each change of state, none for the first up of a check and none for what stays as it is.
  @Test func onlyAChangeIsNews() async throws {
    let visits = Visits()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { connection in
        _ = connection.read(until: "\r\n\r\n")
        // Up, down, down and up from then on.
        let status = (2...3).contains(visits.next()) ? "503 No" : "200 OK"
        connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }) { server in
        try Self.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, retries: 0}",
          in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "five probes") { server.accepted >= 5 }
        process.send(SIGTERM)
        let outcome = try await process.finish()
        #expect(outcome.stderr.components(separatedBy: "check is down").count == 2, "\(outcome.stderr)")
        #expect(outcome.stderr.components(separatedBy: "check is up again").count == 2, "\(outcome.stderr)")
      }
    }
  }

  /// Counts from 1.
  private final class Visits: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// The ids in the store, in order.
  private func stored(in folder: URL) async throws -> [String] {
    let export = try await agent("spool", "export", in: folder)
    #expect(export.status == 0, "\(export.stderr)")
    return try export.stdout.split(separator: "\n").map { try JSONValue.parse($0.utf8)["id"]?.string ?? "" }
  }
}
