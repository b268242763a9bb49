// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Spool
import TestSupport
import Testing

/// `quartz-agent once --post`: with an agent, without one, and with nobody who takes anything.
@Suite struct PostStories {
  private func config(
    _ web: UInt16, api: UInt16, more: String = "", checks: String = "", in folder: URL
  ) throws {
    try RunStories.config(
      """
        - {name: Web, type: http, url: "http://127.0.0.1:\(web)/", interval: 1h, timeout: 1s, post: true}
        - {name: Local, type: http, url: "http://127.0.0.1:\(web)/", interval: 1h, timeout: 1s}
      \(checks)
      """,
      more: """
        quartz:
          url: http://127.0.0.1:\(api)/v1
          api_key: \(FakeQuartz.key)
          deliver: {every: 1s}
        \(more)
        """, in: folder)
  }

  private func ids(_ outcome: Outcome) throws -> [String] {
    try outcome.stdout.split(separator: "\n").map { try JSONValue.parse($0.utf8)["id"]?.string ?? "" }
  }

  @Test func withoutAnAgentItPostsDirectlyAndLeavesNothingBehind() async throws {
    let backend = FakeQuartz()
    backend.meet(.hangUp)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, api: port, in: folder)
          let outcome = try await agent("once", "--post", "Web", in: folder)
          #expect(outcome.status == 0, "\(outcome.stderr)")
          #expect(backend.rows.map(\.id) == (try ids(outcome)))
          #expect(outcome.stderr.contains("1 result delivered to http://127.0.0.1:\(port)/v1"))
          #expect(!FileManager.default.fileExists(atPath: folder.path + "/state"))
        }
      }
    }
  }

  @Test func aRefusalNamesTheCheckAndIsNoSuccess() async throws {
    let backend = FakeQuartz()
    backend.setKnownChecks { _ in false }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, api: port, in: folder)
          let outcome = try await agent("once", "--post", in: folder)
          #expect(outcome.status == 3, "\(outcome.stderr)")
          #expect(outcome.stderr.contains("Web: refused by the receiver"), "\(outcome.stderr)")
          #expect(outcome.stderr.contains("Local: refused by the receiver"), "\(outcome.stderr)")
          #expect(try ids(outcome).count == 2, "the results themselves are printed all the same")
        }
      }
    }
  }

  @Test func withNobodyThereItSaysSoAfterThreeTries() async throws {
    let closed = try freePort()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try config(web.port, api: closed, in: folder)
        let outcome = try await agent("once", "--post", "Web", in: folder)
        #expect(outcome.status == 3, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("1 result not delivered"), "\(outcome.stderr)")
      }
    }
  }

  /// The receiver takes the connection and says nothing: who has waited long enough gets out with one signal.
  @Test func itCanBeStoppedWhileItDelivers() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
        try await withLoopbackServer(script: RunStories.web) { web in
          try config(web.port, api: silent.port, in: folder)
          let process = try AgentProcess(["once", "--post", "Web"], in: folder)
          try await process.wait(for: "the delivery") { silent.accepted >= 1 }
          process.send(SIGINT)
          #expect(try await process.finish().status == SIGINT)
        }
      }
    }
  }

  @Test func theRunningAgentTakesThemIntoItsStore() async throws {
    let backend = FakeQuartz()
    backend.setDown(true)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          try config(web.port, api: port, in: folder)
          let daemon = try AgentProcess(["run"], in: folder)
          try await daemon.wait(for: "the agent to be asked") {
            FileManager.default.fileExists(atPath: folder.path + "/state/agent.sock")
          }
          let outcome = try await agent("once", "--post", in: folder)
          #expect(outcome.status == 3, "Local is nobody's: \(outcome.stderr)")
          #expect(outcome.stderr.contains("1 result handed to the running agent"), "\(outcome.stderr)")
          #expect(outcome.stderr.contains("Local: the running agent does not deliver this check"))
          let made = try ids(outcome)
          backend.setDown(false)
          try await daemon.wait(for: "the result at the backend", within: .seconds(60)) {
            !backend.ids.isDisjoint(with: made)
          }
          daemon.send(SIGTERM)
          #expect(try await daemon.finish().status == 0)
          let row = try #require(backend.rows.first { made.contains($0.id) })
          #expect(row.columns["trigger"]?.string == "manual")
        }
      }
    }
  }

  /// What this machine could not find out says nothing of the target, and does not leave it.
  @Test func anUnknownResultIsNotDelivered() async throws {
    let backend = FakeQuartz()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          let denied =
            "  - {name: Denied, type: tcp, host: 127.0.0.9, port: 9, interval: 1h, timeout: 1s, post: true}"
          try config(
            web.port, api: port, more: "egress: {deny: [127.0.0.9]}", checks: denied, in: folder)
          let outcome = try await agent("once", "--post", "Web", "Denied", in: folder)
          #expect(outcome.status == 3, "\(outcome.stderr)")
          #expect(outcome.stdout.contains("\"policy_denied\""), "\(outcome.stdout)")
          #expect(outcome.stderr.contains("1 result unknown: not delivered"), "\(outcome.stderr)")
          #expect(outcome.stderr.contains("1 result delivered"), "\(outcome.stderr)")
          #expect(backend.rows.count == 1)
        }
      }
    }
  }

  /// Of another process's word only the result itself counts: by whom it was made and in which window it fell is for
  /// the agent to say.
  @Test func whatIsHandedOverIsByHandAndInItsWindow() async throws {
    let backend = FakeQuartz()
    backend.setDown(true)
    try await withTemporaryDirectory { folder in
      try await withFakeQuartz(backend) { port in
        let begun = LocalTime(Timestamp.now().advanced(by: .seconds(-1800))).text
        try config(
          try freePort(), api: port,
          more: "maintenance: [{name: Work, checks: [Web], start: \(begun), duration: 2h}]", in: folder)
        let daemon = try AgentProcess(["run"], in: folder)
        try await daemon.wait(for: "the agent to be asked") {
          FileManager.default.fileExists(atPath: folder.path + "/state/agent.sock")
        }
        let made = Timestamp.now()
        let record = DeliveryRecord(
          id: UniqueID(high: 0x0190_0000_0000_7000, low: 1 << 63 | 7),
          checkID: MonitoringCheck.derivedID(name: "Web"), agent: "stranger", scheduledAt: made,
          startedAt: made, trigger: .schedule, status: .success, state: .up, reason: .ok, phase: nil,
          statusCode: 200, responseTime: .milliseconds(7), timings: Timings(total: .milliseconds(7)),
          certificateNotAfter: nil, message: nil, flags: [])
        try Data(RecordBundle.encode([record])).write(to: folder.appending(path: "bundle"))
        let answer = try await TimeStories().curl(
          ["--data-binary", "@bundle", "http://localhost/api/v1/spool/submit"], in: folder)
        #expect(answer.stdout.contains("\"taken\":1"), "\(answer.stdout)")
        let stored = try await exported(record.id, in: folder)
        #expect(stored["agent"]?.string == "test" && stored["trigger"]?.string == "manual")
        #expect(stored["maintenance"]?.bool == true && stored["post"]?.bool == true)
        daemon.send(SIGTERM)
        #expect(try await daemon.finish().status == 0)
      }
    }
  }

  /// The result of that id, once it is in the store.
  private func exported(_ id: UniqueID, in folder: URL) async throws -> JSONValue {
    var line: Substring?
    try await until("\(id) in the store") {
      let lines = try await agent("spool", "export", in: folder).stdout.split(separator: "\n")
      line = lines.first { $0.contains(id.description) }
      return line != nil
    }
    return try JSONValue.parse(try #require(line).utf8)
  }

  @Test func whatCannotBePostedIsAnErrorBeforeAnythingRuns() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        let bare = try await agent("once", "--post", "http://127.0.0.1:\(web.port)/", in: folder)
        #expect(bare.status == 78 && bare.stderr.contains("--post needs a configuration"), "\(bare.stderr)")
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web.port)/\"}", in: folder)
        let nowhere = try await agent("once", "--post", in: folder)
        #expect(nowhere.status == 78 && nowhere.stderr.contains("delivers nothing"), "\(nowhere.stderr)")
        #expect(web.accepted == 0)
      }
    }
  }
}
