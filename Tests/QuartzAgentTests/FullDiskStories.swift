// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing

/// The shipped program on a disk that fills up: a file system of its own, in a namespace that outlives its processes.
@Suite(.enabled(if: geteuid() == 0, "mounts a small disk, which needs root"), .timeLimit(.minutes(3)))
struct FullDiskStories {
  /// A folder whose `state` is a disk of 24 MiB.
  private final class SmallDisk {
    let folder: URL
    private let keeper: AgentProcess

    init(_ folder: URL) async throws {
      self.folder = folder
      try FileManager.default.createDirectory(
        at: folder.appending(path: "state"), withIntermediateDirectories: true)
      keeper = try AgentProcess(
        [
          "-m", "/bin/sh", "-ec",
          "mount -t tmpfs -o size=24m,mode=0700 small \"$0\" && echo mounted && exec sleep 600",
          folder.appending(path: "state").path,
        ], in: folder, environment: Self.environment, program: URL(filePath: "/usr/bin/unshare"))
      try await keeper.wait(for: "the small disk") { keeper.stdout.contains("mounted") }
    }

    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    func run(_ line: String) throws -> AgentProcess {
      try AgentProcess(
        [
          "-t", "\(keeper.identifier)", "-m", "/bin/sh", "-ec", "cd \"$0\"; \(line)", folder.path,
          AgentProcess.binary.path,
        ], in: folder, environment: Self.environment, program: URL(filePath: "/usr/bin/nsenter"))
    }

    func ask(_ line: String) async throws -> Outcome { try await run(line).finish() }

    /// Whatever room is left, to the last byte.
    func fill() async throws {
      _ = try await ask("dd if=/dev/zero of=state/filler bs=4k 2>/dev/null || true")
    }

    func makeRoom() async throws { #expect(try await ask("rm state/filler").status == 0) }

    deinit { keeper.send(SIGKILL) }
  }

  private static let token = "5f4dcc3b5aa765d61d8327deb882cf99"

  private func curl(_ disk: SmallDisk, _ path: String) async throws -> Outcome {
    try await disk.ask(
      "curl -s --max-time 10 -w ' %{http_code}' --unix-socket state/agent.sock 'http://localhost\(path)'")
  }

  private func json(_ disk: SmallDisk, _ path: String) async throws -> String {
    try await disk.ask("curl -s --max-time 10 --unix-socket state/agent.sock 'http://localhost\(path)'")
      .stdout
  }

  @Test func whatIsPromisedIsOnTheDiskOrSaysThatItIsNot() async throws {
    try await withTemporaryDirectory { folder in
      let world = AlertWorld()
      world.isBroken.store(true, ordering: .relaxed)
      try await withLoopbackServer(script: { world.serve($0) }) { server in
        try RunStories.config(
          """
            - {name: Backup, type: heartbeat, token: \(Self.token), period: 1d, interval: 1s}
            - {name: Web, type: http, url: "http://127.0.0.1:\(server.port)/", interval: 1s, timeout: 1s, retries: 0}
          """,
          more: """
            alerts:
              group_wait: 1s
              channels: [{name: ops, webhook: "http://127.0.0.1:\(server.port)/hook"}]
            """, in: folder)
        let disk = try await SmallDisk(folder)
        let first = try disk.run("exec \"$1\" run")
        try await first.wait(for: "an incident") {
          !world.kinds.isEmpty && first.stderr.contains("status page: ")
        }
        #expect(try await curl(disk, "/hb/\(Self.token)/start").stdout == "OK 200")
        #expect(try await curl(disk, "/readyz").stdout == "ready\n 200")

        try await disk.fill()
        let refused = try await curl(disk, "/hb/\(Self.token)")
        #expect(refused.stdout.hasSuffix(" 503") && refused.stdout.contains("could not be saved"))
        let mute = try await disk.ask("\"$1\" mute Web 1h")
        #expect(
          mute.status == 0 && mute.stdout.contains("would be lost on restart"), "\(mute.stdout)\(mute.stderr)"
        )
        let list = try JSONValue.parse(Array(try await json(disk, "/api/v1/incidents").utf8))
        let incident = try #require(list["data"]?.array?.first?["id"]?.string)
        let acked = try await disk.ask("\"$1\" ack \(incident) --by Ada")
        #expect(
          acked.status == 0 && acked.stdout.contains("would be lost on restart"),
          "\(acked.stdout)\(acked.stderr)")
        // Three files, and one problem.
        let status = try await disk.ask("\"$1\" status || true")
        #expect(status.stdout.components(separatedBy: "cannot be written").count == 2, "\(status.stdout)")
        #expect(status.stdout.contains("alerts.json, by-hand.json, heartbeats.json"), "\(status.stdout)")
        let ready = try await curl(disk, "/readyz").stdout
        #expect(ready.hasPrefix("ready\nstate_dir: ") && ready.hasSuffix(" 200"), "\(ready)")
        // The store of results is on that disk too, and makes no second one.
        var both = ""
        try await eventually("the store of results is named", first) {
          // Words may be on two lines.
          both = try await disk.ask("\"$1\" status || true").stdout.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
          return both.contains("store of results")
        }
        #expect(both.components(separatedBy: "cannot be written").count == 2, "\(both)")
        #expect(both.contains("heartbeats.json and the store of results cannot be written"), "\(both)")
        #expect(both.components(separatedBy: "kept in memory only").count == 2, "\(both)")
        let summary = try JSONValue.parse(Array(try await json(disk, "/api/v1/summary").utf8))
        let problems = (summary["data"]?["problems"]?.array ?? []).compactMap { $0["what"]?.string }
        #expect(
          problems.count { $0.contains("cannot be written") || $0.contains("in memory") } == 1, "\(problems)")
        let metrics = try await curl(disk, "/metrics").stdout
        #expect(metrics.contains("\nquartz_state_files_unwritten 3"))

        // A kill now forgets what was not promised, and nothing else.
        first.send(SIGKILL)
        _ = try await first.finish()
        let second = try disk.run("exec \"$1\" run")
        try await second.wait(for: "the second life") { second.stderr.contains("status page: ") }
        let unfinished = try await disk.ask("cat state/heartbeats.json").stdout
        #expect(unfinished.contains("\"started\""), "\(unfinished)")
        #expect(try await json(disk, "/api/v1/mutes").contains("\"Web\"") == false)

        #expect(try await curl(disk, "/hb/\(Self.token)").stdout.hasSuffix(" 503"))
        #expect(try await disk.ask("\"$1\" mute Web 1h").status == 0)
        try await second.wait(for: "the trouble in the log") {
          second.stderr.contains("state files cannot be written")
        }
        try await disk.makeRoom()
        try await second.wait(for: "the room to be seen", within: .seconds(90)) {
          second.stderr.contains("all state files are written again")
        }
        #expect(try await disk.ask("\"$1\" status || true").stdout.contains("cannot be written") == false)
        second.send(SIGKILL)
        _ = try await second.finish()

        let third = try disk.run("exec \"$1\" run")
        try await third.wait(for: "the third life") { third.stderr.contains("status page: ") }
        #expect(try await json(disk, "/api/v1/mutes").contains("\"Web\""))
        let kept = try await disk.ask("cat state/heartbeats.json").stdout
        #expect(!kept.contains("\"started\"") && kept.contains("\"last\""), "\(kept)")
        #expect(try await curl(disk, "/hb/\(Self.token)").stdout == "OK 200")
        third.send(SIGTERM)
        #expect(try await third.finish().status == 0)
        for life in [first, second, third] { #expect(!life.stderr.contains(Self.token)) }
      }
    }
  }
}
