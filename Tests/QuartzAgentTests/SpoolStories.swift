// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// `quartz-agent spool` on a running agent and on a stopped one.
@Suite struct SpoolStories {
  private func config(_ web: UInt16, _ quartz: UInt16? = nil, more: String = "", in folder: URL) throws {
    let delivery = quartz.map {
      """
      quartz:
        url: http://127.0.0.1:\($0)/v1
        api_key: \(FakeQuartz.key)
        deliver: {every: 1s}
      """
    }
    try RunStories.config(
      "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web)/\", interval: 1s, timeout: 1s, post: true}",
      more: more + "\n" + (delivery ?? ""), in: folder)
  }

  private func ids(_ ndjson: String) throws -> [String] {
    try ndjson.split(separator: "\n").map { try JSONValue.parse($0.utf8)["id"]?.string ?? "" }
  }

  @Test func everyCommandAnswersWhileTheAgentRunsAndAfterIt() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try config(web.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "four probes") { web.accepted >= 4 }
        let list = try await agent("spool", "ls", in: folder)
        #expect(list.status == 0 && list.stdout.contains("stored"), "\(list.stderr)")
        let named = try await agent("spool", "ls", "--state-dir", folder.path + "/state", in: folder)
        #expect(named.status == 0 && named.stdout.contains("stored"), "\(named.stderr)")
        let running = try ids(try await agent("spool", "export", in: folder).stdout)
        #expect(running.count >= 2 && Set(running).count == running.count)
        let check = try await agent("spool", "check", in: folder)
        #expect(check.status == 0 && check.stdout.hasPrefix("sound"), "\(check.stdout)\(check.stderr)")
        let none = try await agent("spool", "quarantine", "resubmit", in: folder)
        #expect(none.status == 0 && none.stdout == "the quarantine is empty\n", "\(none.stderr)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
        let stopped = try ids(try await agent("spool", "export", in: folder).stdout)
        #expect(Array(stopped.prefix(running.count)) == running)
        let after = try await agent("spool", "check", in: folder)
        #expect(after.status == 0 && after.stdout.hasPrefix("sound"), "\(after.stdout)")
      }
    }
  }

  /// Somebody gave the cursor a second name: the log, `status` and `doctor` say so.
  @Test func aCursorWithTwoNamesIsTold() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try config(web.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe") { web.accepted >= 2 }
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
        #expect(link(folder.path + "/state/spool/cursor", folder.path + "/other") == 0)
        let doctor = try await agent("doctor", in: folder)
        #expect(doctor.stdout.contains("spool/cursor has 2 names (hard links)"), "\(doctor.stdout)")
        let next = try AgentProcess(["run"], in: folder)
        let seen = web.accepted
        try await next.wait(for: "a probe") { web.accepted > seen }
        #expect(next.stderr.contains("spool/cursor has 2 names (hard links)"), "\(next.stderr)")
        let status = try await agent("status", in: folder)
        #expect(status.stdout.contains("spool/cursor has 2 names (hard links)"), "\(status.stdout)")
        next.send(SIGTERM)
        #expect(try await next.finish().status == 0)
        let healed = try await agent("doctor", in: folder)
        #expect(!healed.stdout.contains("hard links"), "\(healed.stdout)")
      }
    }
  }

  @Test func whatTheReceiverRefusedIsSentAgainWhenItsFaultIsMended() async throws {
    let backend = FakeQuartz()
    backend.setKnownChecks { _ in false }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, port, in: folder)
          let process = try AgentProcess(["run"], in: folder)
          var refused: [String] = []
          try await until("a result in the quarantine") {
            let list = try await agent("spool", "quarantine", "ls", in: folder)
            refused = try ids(list.stdout)
            return list.stdout.contains("\"code\":\"23503\"")
          }
          #expect(backend.rows.isEmpty)
          backend.setKnownChecks { _ in true }
          let again = try await agent("spool", "quarantine", "resubmit", in: folder)
          #expect(again.status == 0 && again.stdout.contains("will be sent again"), "\(again.stderr)")
          try await process.wait(for: "the refused results") { backend.ids.isSuperset(of: refused) }
          process.send(SIGTERM)
          #expect(try await process.finish().status == 0)
          let left = try await agent("spool", "quarantine", in: folder)
          #expect(left.status == 0 && left.stdout.isEmpty, "\(left.stdout)")
          #expect(backend.rows.count == backend.ids.count)
        }
      }
    }
  }

  /// What was delivered waits no more, whether the agent runs or has stopped.
  @Test func whatWaitsIsExportedWithoutWhatWasDelivered() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, port, in: folder)
          let first = try AgentProcess(["run"], in: folder)
          try await first.wait(for: "two deliveries") { backend.rows.count >= 2 }
          first.send(SIGTERM)
          #expect(try await first.finish().status == 0)
          backend.setDown(true)
          let delivered = backend.ids
          let second = try AgentProcess(["run"], in: folder)
          let seen = web.accepted
          try await second.wait(for: "probes that nobody takes") { web.accepted >= seen + 3 }
          let running = try ids(try await agent("spool", "export", "--waiting", in: folder).stdout)
          #expect(!running.isEmpty && delivered.isDisjoint(with: running))
          second.send(SIGTERM)
          #expect(try await second.finish().status == 0)
          let all = try ids(try await agent("spool", "export", in: folder).stdout)
          let waiting = try ids(try await agent("spool", "export", "--waiting", in: folder).stdout)
          #expect(waiting == all.filter { !delivered.contains($0) })
          #expect(Array(waiting.prefix(running.count)) == running && delivered.isSubset(of: all))
        }
      }
    }
  }

  @Test func aFlippedBitIsFoundByCheckAndCountedByTheNextStart() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try config(web.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "four probes") { web.accepted >= 4 }
        process.send(SIGTERM)
        _ = try await process.finish()
        let spool = folder.appending(path: "state/spool")
        let names = try FileManager.default.contentsOfDirectory(atPath: spool.path).sorted()
        let segment = try #require(names.first { $0.hasPrefix("results-0") })
        let file = try FileHandle(forUpdating: spool.appending(path: segment))
        try file.seek(toOffset: 120)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 120)
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
        let check = try await agent("spool", "check", in: folder)
        #expect(check.status == 1 && check.stdout.hasPrefix("DAMAGED"), "\(check.stdout)")
        let again = try AgentProcess(["run"], in: folder)
        let seen = web.accepted
        try await again.wait(for: "a probe") { web.accepted > seen }
        let list = try await agent("spool", "ls", in: folder)
        #expect(list.stdout.contains("1 result, damaged"), "\(list.stdout)")
        try await again.wait(for: "the log to say so") { again.stderr.contains("the store was damaged") }
        again.send(SIGTERM)
        #expect(try await again.finish().status == 0)
      }
    }
  }

  @Test("K5: a state directory that goes is told, loudly, and the commands still answer")
  func theStateDirectoryGoes() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try config(web.port, more: "status: {listen: \"127.0.0.1:\(try freePort())\"}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { web.accepted >= 2 }
        let state = folder.appending(path: "state")
        try FileManager.default.moveItem(at: state, to: folder.appending(path: "gone"))
        try await process.wait(for: "the log to say so", within: .seconds(60)) {
          process.stderr.contains("results are kept in memory only")
        }
        let list = try await agent("spool", "ls", in: folder)
        #expect(
          list.status == 0 && list.stdout.lowercased().contains("memory"), "\(list.stdout)\(list.stderr)")
        let export = try await agent("spool", "export", in: folder)
        #expect(export.status == 0, "\(export.stderr)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// K1, with the shipped binary: killed again and again, and at the end everything it had stored has arrived, once.
  @Test func killNineAgainAndAgainLosesNothing() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, port, in: folder)
          var stored: Set<String> = []
          for _ in 0..<5 {
            let seen = web.accepted
            let process = try AgentProcess(["run"], in: folder)
            try await process.wait(for: "two probes") { web.accepted >= seen + 2 }
            process.send(SIGKILL)
            _ = try await process.finish()
            stored.formUnion(try ids(try await agent("spool", "export", in: folder).stdout))
          }
          #expect(stored.count >= 5)
          let last = try AgentProcess(["run"], in: folder)
          // Everything may have arrived before; a signal before the handlers are there would just end it.
          try await last.wait(for: "the start") { last.stderr.contains("probing 1 check") }
          try await last.wait(for: "everything at the backend") { backend.ids.isSuperset(of: stored) }
          last.send(SIGTERM)
          let outcome = try await last.finish()
          #expect(outcome.status == 0, "\(outcome.status) \(outcome.stderr)")
          #expect(backend.rows.count == backend.ids.count, "no row twice")
        }
      }
    }
  }
}
