// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// A daily check, as a user sees it in the first minute and after a restart.
@Suite struct FirstRunStories {
  private func daily(_ name: String, _ port: UInt16) -> String {
    "  - {name: \(name), type: http, url: \"http://127.0.0.1:\(port)/\", interval: 24h, timeout: 5s}"
  }

  /// Every check of the summary by its name.
  private func list(in folder: URL) async throws -> [String: JSONValue] {
    let status = try await agent("status", "--format", "json", in: folder)
    let list = try JSONValue.parse(status.stdout.utf8)["data"]?["list"]?.array ?? []
    return Dictionary(list.map { ($0["name"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test(
    "a daily check has its first verdict within 30 s, is pending until then, and a restart does not repeat it"
  )
  func firstVerdict() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(daily("Daily", server.port), in: folder)
        let begun = Timestamp.now()
        let first = try AgentProcess(["run"], in: folder)
        try await first.wait(for: "the start") { first.stderr.contains("probing 1 check") }
        var before: [String: JSONValue] = [:]
        while before["Daily"] == nil { before = try await list(in: folder) }
        try await first.wait(for: "the first run", within: .seconds(60)) { server.accepted == 1 }
        var after = try await list(in: folder)
        while after["Daily"]?["last"] == nil { after = try await list(in: folder) }
        let last = try #require(after["Daily"]?["last"])
        let instant = try #require(last["scheduled_at"]?.string)
        let slot = try #require(Timestamp(rfc3339: instant))
        #expect(begun.duration(to: slot) <= .seconds(31) && last["state"]?.string == "up")
        #expect(after["Daily"]?["pending"] == nil)
        // Unless the run had come before we looked: it is the one that was announced.
        if before["Daily"]?["last"] == nil {
          #expect(before["Daily"]?["pending"]?.bool == true && before["Daily"]?["state"]?.string == "unknown")
          #expect(before["Daily"]?["next_run"]?.string == last["scheduled_at"]?.string)
        }
        #expect(after["Daily"]?["uptime"]?["90d"]?["uptime"]?.double == 100)
        #expect(try #require(after["Daily"]?["uptime"]?["90d"]?["data"]?.double) < 0.1)
        first.send(SIGTERM)
        #expect(try await first.finish().status == 0)

        // Another one is added; the one with a result waits for its slot.
        try RunStories.config(
          daily("Daily", server.port) + "\n" + daily("Added", server.port), in: folder)
        let second = try AgentProcess(["run"], in: folder)
        try await second.wait(for: "the added check's first run", within: .seconds(60)) {
          server.accepted == 2
        }
        var both = try await list(in: folder)
        while both["Added"]?["last"] == nil { both = try await list(in: folder) }
        #expect(both["Daily"]?["last"]?["scheduled_at"]?.string == slot.rfc3339)
        let text = try await agent("status", in: folder).stdout
        #expect(text.contains("(") && text.contains("less than 1%"))
        second.send(SIGTERM)
        #expect(try await second.finish().status == 0)
        #expect(server.accepted == 2)
      }
    }
  }
}
