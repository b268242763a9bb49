// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// A reload names the sections that it applied; what needs a restart is said for as long as it is so.
@Suite struct ReloadSectionStories {
  private func write(_ port: UInt16, listen: UInt16, wait: Int, places: Int?, checks: Int, in folder: URL)
    throws
  {
    let list = (1...checks).map {
      "  - {name: Web \($0), type: http, url: \"http://127.0.0.1:\(port)/\", interval: 1s, timeout: 1s}"
    }
    let limits = places.map { "limits: {in_flight: \($0)}\ntrace: {at_once: 3}" } ?? ""
    let more = """
      status: {listen: "127.0.0.1:\(listen)"}
      alerts:
        group_wait: \(wait)s
        channels: [{name: ops, webhook: "http://127.0.0.1:\(port)/hook"}]
      \(limits)
      """
    try RunStories.config(list.joined(separator: "\n"), more: more, in: folder)
  }

  /// The log lines of reloads, each from its message on.
  private func lines(_ process: AgentProcess, _ message: String) -> [String] {
    process.stderr.split(separator: "\n").filter { $0.contains(message) }.map(String.init)
  }

  @Test(.timeLimit(.minutes(2))) func whatIsAppliedAndWhatWaits() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let listen = try freePort()
        try write(server.port, listen: listen, wait: 1, places: nil, checks: 1, in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "a probe") { server.accepted >= 1 }
        func reload(_ wait: Int, _ places: Int?, _ checks: Int) async throws -> String {
          let count = lines(process, "configuration reloaded").count
          try write(server.port, listen: listen, wait: wait, places: places, checks: checks, in: folder)
          process.send(SIGHUP)
          try await process.wait(for: "the reload") {
            lines(process, "configuration reloaded").count > count
          }
          return lines(process, "configuration reloaded").last ?? ""
        }
        func surfaces() async throws -> [String] {
          let json = try await agent("status", "--format", "json", in: folder).stdout
          let page = try await TimeStories().curl(["http://127.0.0.1:\(listen)/"], in: folder).stdout
          return [try await agent("status", in: folder).stdout, json, page].map { text in
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          }
        }
        let words = "changed settings take effect at the next start: limits, trace"
        // More checks, another wait, and two sections that no reload applies.
        #expect(try await reload(2, 50, 2).contains(#"applied="checks, alerts""#))
        let waits = "changed settings take effect at the next start"
        // It is said after the reload.
        try await process.wait(for: "the warning") { !lines(process, waits).isEmpty }
        let warnings = lines(process, waits)
        #expect(warnings.count == 1 && warnings[0].contains(#"sections="limits, trace""#), "\(warnings)")
        for text in try await surfaces() { #expect(text.contains(words), "\(text)") }
        // It is still so after a reload that changes nothing else.
        #expect(try await reload(3, 50, 2).contains("applied=alerts"))
        for text in try await surfaces() { #expect(text.contains(words)) }
        // Changed back, it waits for nothing.
        #expect(try await reload(3, nil, 2).contains("applied=none"))
        for text in try await surfaces() { #expect(!text.contains(waits)) }
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }
}
