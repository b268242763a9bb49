// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// A changed configuration while the agent runs.
@Suite struct ReloadStories {
  private func check(_ name: String, _ port: UInt16) -> String {
    "  - {name: \(name), type: http, url: \"http://127.0.0.1:\(port)/\", interval: 1s, timeout: 1s}"
  }

  @Test func aHangUpTakesOverNewChecksAndABrokenFileChangesNothing() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { first in
        try await withLoopbackServer(script: RunStories.web) { second in
          let status = "status: {listen: \"127.0.0.1:\(try freePort())\"}"
          try RunStories.config(check("One", first.port), more: status, in: folder)
          let process = try AgentProcess(["run"], in: folder)
          try await process.wait(for: "the first check") { first.accepted >= 1 }
          let both = check("One", first.port) + "\n" + check("Two", second.port)
          try RunStories.config(both, more: status, in: folder)
          process.send(SIGHUP)
          try await process.wait(for: "the second check") { second.accepted >= 1 }

          try RunStories.config(
            both.replacingOccurrences(of: "interval", with: "intervall"), more: status, in: folder)
          process.send(SIGHUP)
          try await process.wait(for: "the complaint") {
            process.stderr.contains("the last valid one stays active")
          }
          let seen = second.accepted
          try await process.wait(for: "both going on") { second.accepted > seen }

          // Whoever asks is told, and finds the agent although its file is wrong now.
          let told = try await agent("status", in: folder)
          #expect(told.status == 0, "\(told.stderr)")
          #expect(
            told.stderr == """
              warning: agent.yaml has problems; a running agent keeps the last valid one. See quartz-agent validate

              """)
          #expect(told.stdout.contains("the configuration on disk was refused"), "\(told.stdout)")
          try RunStories.config(both, more: status, in: folder)
          process.send(SIGHUP)
          try await process.wait(for: "the file to be taken") {
            process.stderr.components(separatedBy: "configuration reloaded").count > 2
          }
          let again = try await agent("status", in: folder)
          #expect(!again.stdout.contains("was refused") && again.stderr.isEmpty, "\(again.stdout)")
          process.send(SIGTERM)
          #expect(try await process.finish().status == 0)
        }
      }
    }
  }

  /// A renamed check that says what it was keeps its results; the log line of the reload names what came, went and changed.
  @Test func aRenamedCheckKeepsItsHistory() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let status = "status: {listen: \"127.0.0.1:\(try freePort())\"}"
        let three = ["One", "Two", "Three"].map { check($0, server.port) }.joined(separator: "\n")
        try RunStories.config(three, more: status, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "three checks") { server.accepted >= 6 }
        let before = try await agent("status", "--format", "json", in: folder)
        let renamed =
          check("First", server.port).replacing("{name: First,", with: "{name: First, was: One,") + "\n"
          + check("Two", server.port).replacing("timeout: 1s", with: "timeout: 900ms") + "\n"
          + check("Four", server.port).replacing("interval: 1s", with: "interval: 60s")
        try RunStories.config(renamed, more: status, in: folder)
        process.send(SIGHUP)
        try await process.wait(for: "the reload") { process.stderr.contains("configuration reloaded") }
        let line = try #require(
          process.stderr.split(separator: "\n").first { $0.contains("configuration reloaded") })
        for fact in ["added=Four", "removed=Three", "changed=Two", "renamed=\"One -> First\""] {
          #expect(line.contains(fact), "\(line)")
        }
        let after = try await agent("status", "--format", "json", in: folder)
        let old = try #require(try Self.check("One", in: before.stdout))
        let new = try #require(try Self.check("First", in: after.stdout))
        #expect(old["id"] == new["id"])
        let (had, has) = (old["recent"]?.array?.count ?? 0, new["recent"]?.array?.count ?? 0)
        #expect(had >= 1 && has >= had, "\(had) results, then \(has)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  private static func check(_ name: String, in text: String) throws -> JSONValue? {
    try JSONValue.parse(text.utf8)["data"]?["list"]?.array?.first { $0["name"]?.string == name }
  }

  /// A directory that is empty for a moment takes no checks away; an ordered reload does.
  @Test(.timeLimit(.minutes(2))) func anEmptiedIncludeWaitsUntilItIsOrdered() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        let parts = folder.appending(path: "conf.d")
        try FileManager.default.createDirectory(at: parts, withIntermediateDirectories: true)
        for name in ["One", "Two", "Three"] {
          try "checks:\n\(check(name, web.port))\n".write(
            to: parts.appending(path: "\(name).yaml"), atomically: true, encoding: .utf8)
        }
        try RunStories.config(check("Main", web.port), more: "include: conf.d/*.yaml", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the start") { process.stderr.contains("probing 4 checks") }
        try FileManager.default.moveItem(at: parts, to: folder.appending(path: "away"))
        try await process.wait(for: "the doubt") {
          process.stderr.contains("most entries of a list disappeared at once")
        }
        let told = try await agent("status", in: folder)
        #expect(
          told.stdout.contains("conf.d/*.yaml: 3 of 3 files disappeared at once; the previous list is\n"),
          "\(told.stdout)")
        #expect(told.stdout.contains("Three") && !process.stderr.contains("configuration reloaded"))
        process.send(SIGHUP)
        try await process.wait(for: "the reload") { process.stderr.contains("configuration reloaded") }
        let after = try await agent("status", in: folder)
        #expect(
          !after.stdout.contains("Three") && !after.stdout.contains("disappeared at once"), "\(after.stdout)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// As Kubernetes does it: the file is a link into a directory that is swapped as a whole.
  @Test func aSwappedLinkIsAChangeAndAPartlyWrittenFileIsNone() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { first in
        try await withLoopbackServer(script: RunStories.web) { second in
          let files = FileManager.default
          for (name, text) in [
            ("v1", check("One", first.port)),
            ("v2", check("One", first.port) + "\n" + check("Two", second.port)),
          ] {
            let version = folder.appending(path: name)
            try files.createDirectory(at: version, withIntermediateDirectories: true)
            try RunStories.config(text, in: version)
          }
          try files.createSymbolicLink(atPath: folder.appending(path: "data").path, withDestinationPath: "v1")
          try files.createSymbolicLink(
            atPath: folder.appending(path: "agent.yaml").path, withDestinationPath: "data/agent.yaml")
          let process = try AgentProcess(["run"], in: folder)
          try await process.wait(for: "the first check") { first.accepted >= 1 }
          try files.createSymbolicLink(atPath: folder.appending(path: "next").path, withDestinationPath: "v2")
          #expect(rename(folder.appending(path: "next").path, folder.appending(path: "data").path) == 0)
          try await process.wait(for: "the second check") { second.accepted >= 1 }

          // The same text once more is no change; half a text is one, and is refused.
          try RunStories.config(check("One", first.port), in: folder.appending(path: "v1"))
          try "checks:\n  - {name: On".write(
            to: folder.appending(path: "v2/agent.yaml"), atomically: false, encoding: .utf8)
          try await process.wait(for: "the complaint") {
            process.stderr.contains("the last valid one stays active")
          }
          let seen = second.accepted
          try await process.wait(for: "both going on") { second.accepted > seen }
          process.send(SIGTERM)
          #expect(try await process.finish().status == 0)
        }
      }
    }
  }

  @Test func aStormOfHangUpsDoesNotSwallowTheStop() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try RunStories.config(check("One", web.port), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the first probe") { web.accepted >= 1 }
        for _ in 0..<1000 { process.send(SIGHUP) }
        process.send(SIGTERM)
        #expect(try await process.finish(within: .seconds(20)).status == 0)
      }
    }
  }

  /// While its canary fails too, nobody knows whether it is the check's target that is down.
  @Test func aReloadTakesOverTheCanaries() async throws {
    let plan = "interval: 1s, timeout: 1s, retries: 0"
    // A target on the loopback needs no uplink, and no canary excuses it; a name server may ask beyond it.
    let checks = """
        - {name: Shop, type: dns, server: "127.0.0.1:1", query: {name: a.example}, \(plan)}
        - {name: Router, type: tcp, host: 127.0.0.1, port: 1, \(plan)}
      """
    try await withTemporaryDirectory { folder in
      try RunStories.config(checks, more: "canaries: [Router]", in: folder)
      let process = try AgentProcess(["run"], in: folder)
      func told(_ words: String) -> Bool {
        process.stderr.split(separator: "\n").contains { $0.contains(words) && $0.contains("check=Shop") }
      }
      try await process.wait(for: "a check without a verdict") { told("check is unknown") }
      #expect(!told("check is down"))
      try RunStories.config(checks, in: folder)
      process.send(SIGHUP)
      try await process.wait(for: "the verdict") { told("check is down") }
      #expect(!process.stderr.contains("take effect at the next start"))
      try RunStories.config(checks, more: "canaries: [Router]", in: folder)
      let before = process.stderr.components(separatedBy: "check is unknown").count
      process.send(SIGHUP)
      try await process.wait(for: "no verdict again") {
        process.stderr.components(separatedBy: "check is unknown").count > before
      }
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
    }
  }
}
