// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Somebody is told, once, by the shipped binary.
@Suite struct AlertStories {
  private func config(_ port: UInt16, in folder: URL) throws {
    let alerts = """
      alerts:
        group_wait: 1s
        channels: [{name: ops, webhook: "http://127.0.0.1:\(port)/hook/canary-secret"}]
      """
    let checks = ["Gateway", "One", "Two", "Three"].map { name in
      "  - {name: \(name), type: http, url: \"http://127.0.0.1:\(port)/\(name)\", interval: 1s, timeout: 1s, retries: 0}"
    }
    try RunStories.config(checks.joined(separator: "\n"), more: alerts, in: folder)
  }

  /// Four checks of one host fail and come back: two messages, one incident; no secret is anywhere.
  @Test(.timeLimit(.minutes(2))) func oneIncidentIsTwoMessages() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try config(server.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 4 }
        world.isBroken.store(true, ordering: .relaxed)
        try await process.wait(for: "the message") { !world.messages.isEmpty }
        let status = try await agent("status", in: folder).stdout
        #expect(status.contains("INCIDENT") && status.contains("ops"), "\(status)")
        let listed = try await agent("incidents", in: folder).stdout
        #expect(listed.contains("4 members") && listed.contains("active"), "\(listed)")
        world.isBroken.store(false, ordering: .relaxed)
        try await process.wait(for: "the end") { world.messages.count >= 2 }
        process.send(SIGTERM)
        let outcome = try await process.finish()
        #expect(world.kinds == ["opened", "recovered"])
        #expect(Set(world.messages.compactMap { $0["incident"]?.string }).count == 1)
        #expect(world.messages[0]["member_count"]?.integer == 4)
        #expect(!outcome.stderr.contains("canary-secret"))
      }
    }
  }

  /// Killed between sending and noting it, the agent tells it once more with the same ids, and never not at all.
  @Test(.timeLimit(.minutes(2))) func killedInBetween() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try config(server.port, in: folder)
        world.isBroken.store(true, ordering: .relaxed)
        world.answer.store(0, ordering: .relaxed)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the message whose answer is lost") { !world.messages.isEmpty }
        process.send(SIGKILL)
        _ = try await process.finish()
        world.answer.store(200, ordering: .relaxed)
        let before = world.messages.count
        let again = try AgentProcess(["run"], in: folder)
        try await again.wait(for: "the message again") { world.messages.count > before }
        try await again.wait(for: "that it is noted") { again.stderr.contains("notified channel=") }
        again.send(SIGTERM)
        #expect(try await again.finish().status == 0)
        #expect(Set(world.kinds) == ["opened"])
        // The gateway may be found down a moment after those behind it: then the incident has another title, and that is
        // another notification.
        let told = Dictionary(grouping: world.messages) {
          "\($0["title"]?.string ?? "") \($0["member_count"]?.integer ?? 0)"
        }
        for (title, messages) in told {
          #expect(Set(messages.compactMap { $0["id"]?.string }).count == 1, "\(title)")
        }
        #expect(told.count <= 3, "\(told.keys)")
      }
    }
  }

  /// A receiver that is away from the begin to the end, over a restart: one message of what was.
  @Test(.timeLimit(.minutes(2))) func aReceiverThatIsAway() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try config(server.port, in: folder)
        world.isBroken.store(true, ordering: .relaxed)
        world.answer.store(503, ordering: .relaxed)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a refusal") { process.stderr.contains("it is retried") }
        world.isBroken.store(false, ordering: .relaxed)
        try await process.wait(for: "the recovery of all four") {
          process.stderr.components(separatedBy: "check is up").count > 4
        }
        process.send(SIGTERM)
        _ = try await process.finish()
        let refused = world.messages.count
        world.answer.store(200, ordering: .relaxed)
        let again = try AgentProcess(["run"], in: folder)
        try await again.wait(for: "what it missed") { world.messages.count >= refused + 1 }
        again.send(SIGTERM)
        _ = try await again.finish()
        #expect(Array(world.kinds.dropFirst(refused)) == ["recovered"], "it may have been taken: resolved")
      }
    }
  }

  /// Muted for a while by hand: nobody is told, it says who and why, and it survives a restart.
  @Test(.timeLimit(.minutes(2))) func mutedByHand() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try config(server.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 4 }
        let wrong = try await agent("mute", "Gatway", "5m", in: folder)
        #expect(
          wrong.status == 3 && wrong.stderr.contains("no check is called \"Gatway\""), "\(wrong.stderr)")
        let muted = try await agent("mute", "all", "5m", "--why", "deploy", "--by", "ann", in: folder)
        #expect(muted.status == 0 && muted.stdout.contains("all is muted until"), "\(muted.stderr)")
        process.send(SIGTERM)
        _ = try await process.finish()
        world.isBroken.store(true, ordering: .relaxed)
        let again = try AgentProcess(["run"], in: folder)
        try await again.wait(for: "the outage") { again.stderr.contains("check is down") }
        let down = again.stderr
        #expect(down.contains("check is down"))
        let listed = try await agent("maintenance", "list", in: folder)
        #expect(listed.stdout.contains("muted") && listed.stdout.contains("by ann"), "\(listed.stdout)")
        let seen = server.accepted
        try await again.wait(for: "more probes") { server.accepted >= seen + 12 }
        #expect(world.messages.isEmpty)
        let ended = try await agent("unmute", "all", in: folder)
        #expect(ended.status == 0, "\(ended.stderr)")
        try await again.wait(for: "the message") { !world.messages.isEmpty }
        again.send(SIGTERM)
        _ = try await again.finish()
      }
    }
  }

  /// A window opened around a deployment: what fails in it is nobody's downtime.
  @Test(.timeLimit(.minutes(2))) func aDeployment() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try config(server.port, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 4 }
        #expect(
          try await agent("maintenance", "start", "all", "5m", "--why", "deploy", in: folder).status == 0)
        world.isBroken.store(true, ordering: .relaxed)
        let seen = server.accepted
        try await process.wait(for: "probes in the window") { server.accepted >= seen + 12 }
        world.isBroken.store(false, ordering: .relaxed)
        let after = server.accepted
        try await process.wait(for: "probes after it") { server.accepted >= after + 8 }
        #expect(try await agent("maintenance", "end", "all", in: folder).status == 0)
        let status = try await agent("status", in: folder).stdout
        #expect(world.messages.isEmpty && status.contains("uptime 24h 100%"), "\(status)")
        process.send(SIGTERM)
        _ = try await process.finish()
        let book = try String(contentsOf: folder.appending(path: "state/by-hand.json"), encoding: .utf8)
        #expect(book.contains("maintenance start") && book.contains("maintenance end"))
      }
    }
  }

  /// A dead man's switch hears of the agent while it probes; one that says no is told once, without its secret.
  @Test(.timeLimit(.minutes(2))) func theWatcherIsWatched() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        let web = "http://127.0.0.1:\(server.port)"
        let check = "  - {name: Web, type: http, url: \"\(web)/\", interval: 1s, timeout: 1s, retries: 0}"
        let more = "heartbeat: [{url: \"\(web)/ping/canary-secret\", every: 10s}]"
        try RunStories.config(check, more: more, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a heartbeat") { world.pings.load(ordering: .relaxed) >= 1 }
        world.isBroken.store(true, ordering: .relaxed)
        try await process.wait(for: "a word about it") { process.stderr.contains("a heartbeat is not taken") }
        let status = try await agent("status", in: folder).stdout
        #expect(status.contains("not taken: 127.0.0.1:\(server.port) answered 503"), "\(status)")
        world.isBroken.store(false, ordering: .relaxed)
        try await process.wait(for: "that it is well") { process.stderr.contains("are taken again") }
        process.send(SIGTERM)
        #expect(try await !process.finish().stderr.contains("canary-secret"))
      }
    }
  }
}
