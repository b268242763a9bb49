// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Daily checks, as a user sees them in the first minute and after a restart. There are twelve, of which each has its first
/// run at its own moment of the first 30 s: the soonest is waited for.
@Suite struct FirstRunStories {
  private func daily(_ name: String, _ port: UInt16) -> [String] {
    (0..<12).map {
      "  - {name: \(name) \($0), type: http, url: \"http://127.0.0.1:\(port)/\(name)/\($0)\", interval: 24h, timeout: 5s}"
    }
  }

  /// Counts what it is asked, by the path.
  private final class Site: Sendable {
    private let seen = Mutex<[String: Int]>([:])

    var counts: [String: Int] { seen.withLock { $0 } }

    func asked(_ name: String) -> Int { counts.count { $0.key.hasPrefix("/\(name)/") } }

    @Sendable func serve(_ connection: LoopbackConnection) {
      let head = connection.read(until: "\r\n\r\n")
      let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      seen.withLock { $0[path, default: 0] += 1 }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
  }

  /// Every check of the summary by its name, once it is as it is to be.
  private func list(
    _ what: String, _ agent: AgentProcess, _ isSo: ([String: JSONValue]) -> Bool
  ) async throws -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    try await eventually(what, agent) {
      let list = try await summary(of: agent.folder)?["list"]?.array ?? []
      found = Dictionary(list.map { ($0["name"]?.string ?? "", $0) }, uniquingKeysWith: { one, _ in one })
      return isSo(found)
    }
    return found
  }

  /// Those of a name that have a result.
  private func results(_ name: String, _ list: [String: JSONValue]) -> [String] {
    list.filter { $0.key.hasPrefix("\(name) ") && $0.value["last"] != nil }.keys.sorted()
  }

  @Test(
    "a daily check has its first verdict within 30 s, is pending until then, and a restart does not repeat it"
  )
  func firstVerdict() async throws {
    try await withTemporaryDirectory { folder in
      let site = Site()
      try await withLoopbackServer(script: site.serve) { server in
        try RunStories.config(daily("Daily", server.port).joined(separator: "\n"), in: folder)
        let begun = Timestamp.now()
        let first = try AgentProcess(["run"], in: folder)
        try await first.wait(for: "the start") { first.stderr.contains("probing 12 checks") }
        let before = try await list("all of them", first) { $0.count == 12 }
        for (name, check) in before {
          let announced = try #require(
            (check["last"]?["scheduled_at"] ?? check["next_run"])?.string.flatMap { Timestamp(rfc3339: $0) })
          #expect(begun.duration(to: announced) <= .seconds(31), "\(name)")
          // Unless the run had come before the look.
          guard check["last"] == nil else { continue }
          #expect(check["pending"]?.bool == true && check["state"]?.string == "unknown", "\(name)")
        }
        let after = try await list("a first result", first) { !results("Daily", $0).isEmpty }
        let done = try #require(results("Daily", after).first)
        let last = try #require(after[done]?["last"])
        if before[done]?["last"] == nil {
          #expect(before[done]?["next_run"]?.string == last["scheduled_at"]?.string, "as announced")
        }
        #expect(last["state"]?.string == "up")
        #expect(after[done]?["pending"] == nil)
        #expect(after[done]?["uptime"]?["90d"]?["uptime"]?.double == 100)
        #expect(try #require(after[done]?["uptime"]?["90d"]?["data"]?.double) < 0.1)
        first.send(SIGTERM)
        #expect(try await first.finish().status == 0)
        let once = site.counts
        #expect(once.values.allSatisfy { $0 == 1 }, "\(once)")

        // Others are added; what has a result waits for its slot.
        let lines = daily("Daily", server.port) + daily("Added", server.port)
        try RunStories.config(lines.joined(separator: "\n"), in: folder)
        let second = try AgentProcess(["run"], in: folder)
        let both = try await list("an added check's first result", second) { !results("Added", $0).isEmpty }
        #expect(site.asked("Added") >= 1)
        #expect(both[done]?["last"]?["scheduled_at"]?.string == last["scheduled_at"]?.string)
        let text = try await agent("status", in: folder).stdout
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
          words.contains("): the figure rests on that much data, less than 1% of its window"), "\(text)")
        second.send(SIGTERM)
        #expect(try await second.finish().status == 0)
        #expect(site.counts.values.allSatisfy { $0 == 1 }, "\(once), then \(site.counts)")
      }
    }
  }
}
