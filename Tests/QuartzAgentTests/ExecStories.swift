// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Programs of channels, started by the shipped binary.
@Suite struct ExecStories {
  private func config(_ web: UInt16, _ script: String, in folder: URL) throws {
    try Data("#!/bin/sh\ncd '\(folder.path)'\n\(script)\n".utf8).write(to: folder.appending(path: "page"))
    chmod(folder.path + "/page", 0o755)
    try RunStories.config(
      "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web)/\", interval: 1s, timeout: 1s, retries: 0}",
      more: """
        alerts:
          group_wait: 1s
          channels: [{name: ops, exec: [\(folder.path)/page], timeout: 60s}]
        """, in: folder)
  }

  private func pids(in folder: URL) -> [pid_t] {
    let text = (try? String(contentsOf: folder.appending(path: "pids"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { pid_t($0) }
  }

  private func left(_ pids: [pid_t]) -> [pid_t] { pids.filter { access("/proc/\($0)", F_OK) == 0 } }

  /// A program that hears no signal and went into the background twice: the stop is orderly, and nothing of it lives.
  @Test(.timeLimit(.minutes(2))) func aStopEndsAProgramUnderWay() async throws {
    let world = AlertWorld()
    world.isBroken.store(true, ordering: .relaxed)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { world.serve($0) }) { web in
        try config(
          web.port,
          """
          trap '' TERM
          (env -i /usr/bin/setsid /bin/sh -c 'echo $$ >> pids; while :; do sleep 300; done' &)
          echo $$ >> pids
          while :; do sleep 300; done
          """, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the program") { pids(in: folder).count == 2 }
        process.send(SIGTERM)
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(left(pids(in: folder)) == [])
      }
    }
  }

  /// `alert test` and the agent leave nothing behind of a program that made a daemon of itself, and no zombie either.
  @Test(.timeLimit(.minutes(2))) func daemonsEndWithTheProgram() async throws {
    let world = AlertWorld()
    world.isBroken.store(true, ordering: .relaxed)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { world.serve($0) }) { web in
        try config(
          web.port,
          """
          (setsid sh -c 'echo $$ >> pids; exec sleep 300' > /dev/null 2>&1 &)
          (setsid sh -c 'echo $$ >> pids; exit' > /dev/null 2>&1 &)
          before=$(cat count 2>/dev/null || echo 0)
          echo $((before + 2)) > count
          while [ $(cat pids 2>/dev/null | wc -l) -lt $(cat count) ]; do sleep 0.02; done
          """, in: folder)
        let test = try await agent("alert", "test", in: folder)
        #expect(test.status == 0, "\(test.stdout)\(test.stderr)")
        #expect(pids(in: folder).count == 2 && left(pids(in: folder)) == [])
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the message") { process.stderr.contains("notified channel=") }
        #expect(pids(in: folder).count == 4 && left(pids(in: folder)) == [])
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// Who has waited long enough for `alert test` leaves nothing of the program behind.
  @Test(.timeLimit(.minutes(1))) func aTestThatIsStopped() async throws {
    try await sideBySide([SIGINT, SIGTERM]) { try await stopsATest($0) }
  }

  private func stopsATest(_ signal: Int32) async throws {
    try await withTemporaryDirectory { folder in
      try config(
        9,
        "(setsid sh -c 'echo $$ >> pids; exec sleep 300' &)\ntrap '' TERM INT\necho $$ >> pids\nwhile :; do sleep 1; done",
        in: folder)
      let process = try AgentProcess(["alert", "test"], in: folder)
      try await process.wait(for: "the program") { pids(in: folder).count == 2 }
      process.send(signal)
      let outcome = try await process.finish()
      #expect(outcome.status == 130 && outcome.stdout.contains("stopped meanwhile"), "\(outcome.stdout)")
      #expect(left(pids(in: folder)) == [])
    }
  }
}
