// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// Time that passes, stands still or is somebody's to work in: at the binary, with the clocks of the machine.
@Suite struct TimeStories {
  private func web(_ name: String, _ port: UInt16, more: String = "") -> String {
    "  - {name: \(name), type: http, url: \"http://127.0.0.1:\(port)/\", interval: 1s, timeout: 1s\(more)}"
  }

  /// The document of `status --format json`, as soon as the agent answers.
  private func status(in folder: URL) async throws -> JSONValue {
    var found: JSONValue?
    try await until("an answer of the agent") {
      found = try await summary(of: folder)
      return found != nil
    }
    return try #require(found)
  }

  private func check(_ name: String, in folder: URL) async throws -> JSONValue {
    let list = try await status(in: folder)["list"]?.array ?? []
    return try #require(list.first { $0["name"]?.string == name })
  }

  /// C3: the process sleeps, as the machine might; it wakes without a burst and says what it missed.
  @Test func aStoppedProcessMissesItsSlotsWithoutABurst() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(web("Web", server.port), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        // Recorded, and not only begun: a run that is stopped half-way takes the slots it spans with it.
        try await process.wait(for: "a probe") { server.accepted >= 1 }
        try await eventually("two results", process) {
          try await check("Web", in: folder)["recent"]?.array?.count ?? 0 >= 2
        }
        try await process.pause()
        // Connections from before were taken before this request of our own.
        #expect(await statusAnswer("/", port: server.port).hasPrefix("HTTP/1.1 200"))
        let stopped = server.accepted
        // Slots of its clock, which is the machine's.
        try await Task.sleep(for: .seconds(6))
        #expect(server.accepted == stopped)
        process.send(SIGCONT)
        let resumed = Instant.now
        try await process.wait(for: "probes again") { server.accepted >= stopped + 2 }
        let elapsed = Int((Instant.now - resumed).seconds.rounded(.up))
        // One at once at most, and one a second from then on: nothing of the six is made up for.
        #expect(server.accepted <= stopped + elapsed + 2)
        let web = try await check("Web", in: folder)
        #expect((web["missed"]?.integer ?? 0) >= 4)
        // What nobody did is no data, and nobody's downtime.
        #expect(web["state"]?.string == "up")
        #expect(web["uptime"]?["24h"]?["seconds"]?["down"]?.double == 0)
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  @Test func aWindowIsShownEverywhereAndNothingInItIsDowntime() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let closed = try freePort()
        let begun = LocalTime(Timestamp.now().advanced(by: .seconds(-1800))).text
        let checks = [
          "  - {name: Down, type: tcp, host: 127.0.0.1, port: \(closed), interval: 1s, timeout: 1s, retries: 0}",
          "  - {name: Idle, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s,",
          "     maintenance: [{start: \(begun), duration: 2h, skip: true}]}",
        ].joined(separator: "\n")
        try RunStories.config(
          checks,
          more:
            "maintenance: [{name: Patch night, checks: [Down], start: \(begun), duration: 1h, repeat: daily}]",
          in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the start") { process.stderr.contains("probing 2 checks") }
        var down = try await check("Down", in: folder)
        try await eventually("two runs in the window", process) {
          down = try await check("Down", in: folder)
          return down["uptime"]?["24h"]?["counts"]?["maintenance"]?.integer ?? 0 >= 2
        }
        #expect(down["maintenance"]?["name"]?.string == "Patch night")
        #expect(down["last"]?["maintenance"]?.bool == true)
        #expect(down["last"]?["state"]?.string == "down")
        #expect(down["uptime"]?["24h"]?["uptime"]?.isNull == true)
        #expect(down["uptime"]?["24h"]?["seconds"]?["down"]?.double == 0)
        let idle = try await check("Idle", in: folder)
        #expect(idle["maintenance"]?["skip"]?.bool == true)
        #expect((idle["uptime"]?["24h"]?["seconds"]?["maintenance"]?.double ?? 0) > 0)
        #expect(server.accepted == 0, "skip means that nobody probes")
        let summary = try await status(in: folder)
        #expect(summary["checks"]?["maintenance"]?.integer == 2)
        #expect(summary["problems"]?.array?.isEmpty == true)
        let text = try await agent("status", in: folder)
        #expect(text.stdout.contains("◆ MAINT") && text.stdout.contains("maintain  ◆ "))
        let metrics = try await curl(["http://localhost/metrics"], in: folder)
        #expect(metrics.stdout.contains("quartz_check_maintenance{check=\"Down\",type=\"tcp\"} 1"))
        for (state, value) in [("maintenance", 1), ("down", 0), ("up", 0)] {
          let series = "quartz_check_state{check=\"Down\",type=\"tcp\",state=\"\(state)\"} \(value)\n"
          #expect(metrics.stdout.contains(series))
        }
        #expect(process.stderr.contains("maintenance begins") && process.stderr.contains("Patch night"))
        #expect(try await curl(["http://localhost/"], in: folder).stdout.contains("Patch night"))
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  @Test func whileACheckIsDownItIsProbedFaster() async throws {
    try await withTemporaryDirectory { folder in
      let closed = try freePort()
      try RunStories.config(
        "  - {name: Down, type: tcp, host: 127.0.0.1, port: \(closed), interval: 4s, interval_failing: 1s, "
          + "timeout: 1s, retries: 0}", in: folder)
      let process = try AgentProcess(["run"], in: folder)
      try await process.wait(for: "the start") { process.stderr.contains("probing 1 check") }
      var down = try await check("Down", in: folder)
      try await eventually("four failures", process) {
        down = try await check("Down", in: folder)
        return down["failures"]?.integer ?? 0 >= 4
      }
      let export = try await curl(
        ["http://localhost/api/v1/checks/\(down["id"]?.string ?? "")/results"], in: folder)
      let results = try JSONValue.parse(export.stdout.utf8)["data"]?.array ?? []
      let slots = results.compactMap { $0["scheduled_at"]?.string }.compactMap { Timestamp(rfc3339: $0) }
        .sorted()
      let gaps = zip(slots, slots.dropFirst()).dropFirst().map { $0.duration(to: $1) }
      // From the second failure on; a busy machine may miss a slot, and then two seconds lie between.
      #expect(gaps.filter { $0 == .seconds(1) }.count >= 1)
      #expect(gaps.allSatisfy { $0.microseconds % 1_000_000 == 0 })
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
    }
  }

  /// Slots that a long run spans are its verdict's; the store's records are enough to know them again.
  @Test func spannedSlotsSurviveKillNine() async throws {
    try await withTemporaryDirectory { folder in
      let closed = try freePort()
      // Three attempts a second and a half apart: a run takes three seconds, with two or three slots in them.
      try RunStories.config(
        "  - {name: Slow, type: tcp, host: 127.0.0.1, port: \(closed), interval: 1s, timeout: 1s, retries: 2, "
          + "retry_delay: 1500ms}", in: folder)
      let process = try AgentProcess(["run"], in: folder)
      try await process.wait(for: "the start") { process.stderr.contains("probing 1 check") }
      var slow = try await check("Slow", in: folder)
      try await eventually("six slots that were spanned", process) {
        slow = try await check("Slow", in: folder)
        return slow["spanned"]?.integer ?? 0 >= 6
      }
      process.send(SIGKILL)
      _ = try await process.finish()
      let again = try AgentProcess(["run"], in: folder)
      try await again.wait(for: "the start") { again.stderr.contains("probing 1 check") }
      let after = try await check("Slow", in: folder)
      // A record that was not yet on the disk is lost, and its slots with it: one run at most.
      #expect((after["spanned"]?.integer ?? 0) >= (slow["spanned"]?.integer ?? 0) - 3)
      let (before, restored) = (downtime(slow), downtime(after))
      #expect(restored >= before - 4, "\(before) s of downtime before, \(restored) s after")
      again.send(SIGTERM)
      #expect(try await again.finish().status == 0)
    }
  }

  private func downtime(_ check: JSONValue) -> Double {
    check["uptime"]?["24h"]?["seconds"]?["down"]?.double ?? 0
  }
}

extension TimeStories {
  @Test func aRunByHandIsInNoWindowAndMovesNoSlot() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let token = "0123456789abcdef"
        try token.write(to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        chmod(folder.appending(path: "token").path, 0o600)
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1h, timeout: 1s}",
          more: "status: {run_now_token: \"${file:token}\"}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        let socket = folder.appending(path: "state/agent.sock").path
        try await process.wait(for: "the socket") { FileManager.default.fileExists(atPath: socket) }
        let id = MonitoringCheck.derivedID(name: "Web")
        let path = "http://localhost/api/v1/checks/\(id)/run"
        let refused = try await curl(["-X", "POST", path], in: folder)
        #expect(refused.stdout.contains("UNAUTHORIZED"))
        #expect(server.accepted == 0)
        let answer = try await curl(["-X", "POST", "-H", "Authorization: Bearer \(token)", path], in: folder)
        let result = try #require(try JSONValue.parse(answer.stdout.utf8)["data"])
        #expect(result["trigger"]?.string == "manual" && result["state"]?.string == "up")
        let web = try await check("Web", in: folder)
        // At most its first run has come meanwhile, by the schedule.
        let counted = web["uptime"]?["24h"]?["counts"]?["up"]?.integer
        #expect(counted == (web["last"] == nil ? 0 : 1) && server.accepted <= 2)
        let recent = try await curl(["http://localhost/api/v1/checks/\(id)/results"], in: folder)
        #expect(recent.stdout.contains("\"trigger\":\"manual\""))
        #expect(!process.stderr.contains(token) && !answer.stdout.contains(token))
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// Whoever runs a check by hand while somebody works on its target sees that in the result.
  @Test func aRunByHandInAWindowIsMarked() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let token = "0123456789abcdef"
        try token.write(to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        chmod(folder.appending(path: "token").path, 0o600)
        let begun = LocalTime(Timestamp.now().advanced(by: .seconds(-1800))).text
        let checks = ["Worked": ", maintenance: [{start: \(begun), duration: 2h}]", "Other": ""].map {
          "  - {name: \($0), type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1h\($1)}"
        }
        try RunStories.config(
          checks.joined(separator: "\n"), more: "status: {run_now_token: \"${file:token}\"}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        let socket = folder.appending(path: "state/agent.sock").path
        try await process.wait(for: "the socket") { FileManager.default.fileExists(atPath: socket) }
        for (name, isWorkedOn) in [("Worked", true), ("Other", false)] {
          let path = "http://localhost/api/v1/checks/\(MonitoringCheck.derivedID(name: name))/run"
          let bearer = ["-X", "POST", "-H", "Authorization: Bearer \(token)", path]
          var answer = try await curl(bearer, in: folder)
          // Its first run by the schedule may be under way.
          while answer.stdout.contains("under way") { answer = try await curl(bearer, in: folder) }
          let result = try #require(try JSONValue.parse(answer.stdout.utf8)["data"], "\(answer.stdout)")
          #expect(result["trigger"]?.string == "manual")
          #expect(result["maintenance"]?.bool == (isWorkedOn ? true : nil), "\(name)")
        }
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// Asks the status socket as a stranger would.
  func curl(_ arguments: [String], in folder: URL) async throws -> Outcome {
    let socket = folder.appending(path: "state/agent.sock").path
    return try await AgentProcess(
      ["-s", "--max-time", "20", "--unix-socket", socket] + arguments, in: folder,
      program: URL(filePath: "/usr/bin/curl")
    ).finish()
  }
}
