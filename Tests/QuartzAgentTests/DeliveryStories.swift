// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// From probe to backend with the shipped binary: outages, lost answers and kill -9 in between.
@Suite struct DeliveryStories {
  private func quartz(_ port: UInt16, _ more: String = "deliver: {every: 1s}") -> String {
    """
    quartz:
      url: http://127.0.0.1:\(port)/v1
      api_key: \(FakeQuartz.key)
      \(more)
    """
  }

  private func check(_ port: UInt16) -> String {
    """
      - {name: Web, type: http, url: "http://127.0.0.1:\(port)/", interval: 1s, timeout: 1s, post: true}
    """
  }

  private func exported(in folder: URL) async throws -> [String] {
    let export = try await agent("spool", "export", in: folder)
    #expect(export.status == 0, "\(export.stderr)")
    return try export.stdout.split(separator: "\n").map { try JSONValue.parse($0.utf8)["id"]?.string ?? "" }
  }

  @Test func nothingIsLostAndNothingDoubledOverOutageAndKill() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try RunStories.config(check(web.port), more: quartz(port), in: folder)
          backend.setDown(true)
          let first = try AgentProcess(["run"], in: folder)
          try await first.wait(for: "three probes with the backend down") { web.accepted >= 3 }
          first.send(SIGKILL)
          _ = try await first.finish()
          #expect(backend.rows.isEmpty)
          let stored = try await exported(in: folder)
          #expect(stored.count >= 2)

          backend.setDown(false)
          backend.meet(.loseAnswer)
          let second = try AgentProcess(["run"], in: folder)
          try await second.wait(for: "the backlog at the backend") { backend.ids.isSuperset(of: stored) }
          let seen = web.accepted
          try await second.wait(for: "new probes") { web.accepted >= seen + 2 }
          second.send(SIGTERM)
          let outcome = try await second.finish()
          #expect(outcome.status == 0, "\(outcome.stderr)")
          #expect(backend.ids == Set(try await exported(in: folder)), "everything recorded has arrived")
          #expect(backend.resent > 0, "the batch of the lost answer came again, with the ids it had")
          #expect(backend.rows.map(\.id).filter(Set(stored).contains) == stored, "the backlog in its order")
        }
      }
    }
  }

  @Test func checksComeFromTheAPIAndSurviveItsAbsence() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        backend.checks = [
          FakeCheck(
            id: "11111111-1111-4111-8111-111111111111",
            members: """
              "check_type":"http","url":"http://127.0.0.1:\(web.port)/","check_interval_seconds":10,"timeout_seconds":5
              """),
          FakeCheck(id: "22222222-2222-4222-8222-222222222222", members: "\"check_type\":\"heartbeat\""),
        ]
        try await withFakeQuartz(backend) { port in
          let yaml = """
            agent: {name: test, state_dir: \(folder.path)/state}
            spool: {size: 16MiB}
            egress: {allow: ["127.0.0.1/32:\(web.port)"]}
            \(quartz(port, "checks: {pull: true}"))
            """
          try yaml.write(to: folder.appending(path: "agent.yaml"), atomically: true, encoding: .utf8)
          let first = try AgentProcess(["run"], in: folder)
          try await first.wait(for: "a probe of the API's check") { web.accepted >= 1 }
          try await first.wait(for: "the heartbeat check to be named as skipped") {
            first.stderr.contains("check skipped") && first.stderr.contains("heartbeat")
          }
          let status = try await agent("status", in: folder)
          #expect(status.stdout.contains("Shop"), "\(status.stdout)")
          first.send(SIGTERM)
          #expect(try await first.finish().status == 0)

          backend.setDown(true)
          let seen = web.accepted
          let second = try AgentProcess(["run"], in: folder)
          try await second.wait(for: "the same check from the list on disk") { web.accepted > seen }
          second.send(SIGTERM)
          #expect(try await second.finish().status == 0)
        }
      }
    }
  }
}
