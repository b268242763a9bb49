// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// What a person sees in a terminal of a width, in a real one.
@Suite struct TerminalStories {
  private static let names = [
    "Shop front", "A check whose name is far too long for any terminal that somebody has at hand today",
    "日本語の名前のチェックはここにあります", "Cafe\u{301} 👩 Zürich", "Refused",
  ]

  private static func configure(_ port: UInt16, _ closed: UInt16, in folder: URL) throws {
    let checks = names.enumerated().map { index, name in
      index % 2 == 0
        ? "  - {name: \"\(name)\", type: tcp, host: 127.0.0.1, port: \(closed), interval: 1s, timeout: 1s, retries: 0, tags: [odd]}"
        : "  - {name: \"\(name)\", type: http, url: \"http://127.0.0.1:\(port)/a/path/that/is/rather/long/for/a/column\", interval: 1s, timeout: 1s, tags: [even]}"
    }
    try RunStories.config(checks.joined(separator: "\n"), in: folder)
  }

  private static let program = "'\(AgentProcess.binary.path)'"

  private func hasEnded(_ rows: [String]) -> Bool { rows.last?.hasPrefix("end ") ?? false }

  /// Each result of `once` is one row, at every width: a terminal would show a line that is too wide as two.
  @Test(arguments: [60, 80, 120, 200]) func theTableOfOnceFits(_ width: Int) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try Self.configure(server.port, try freePort(), in: folder)
        let rows = try await Tmux.with(
          "\(Self.program) once -c agent.yaml", columns: width, in: folder
        ) { try await $0.screen(when: hasEnded) }
        #expect(rows.last == "end 2")
        let table = rows.dropLast()
        #expect(table.count == Self.names.count + 1, "\(table.joined(separator: "\n"))")
        #expect(table.first?.hasPrefix("STATE") == true && table.first?.contains("LATENCY") == true)
        for (index, row) in table.dropFirst().enumerated() {
          #expect(row.hasPrefix(index % 2 == 0 ? "✕ DOWN" : "● UP"), "\(row)")
          #expect(row.columns <= width)
        }
        #expect(table.dropFirst().first?.contains("Shop front") == true)
        #expect(table.contains { $0.contains("…") })
        #expect(table.contains { $0.contains("connect_refused") } || width == 60)
      }
    }
  }

  /// `status` has one row a check and no line that the terminal breaks; piped it goes by COLUMNS.
  @Test(arguments: [60, 80, 120, 200]) func theStatusFits(_ width: Int) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try Self.configure(server.port, try freePort(), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 4 }
        let rows = try await Tmux.with(
          "\(Self.program) status -c agent.yaml", columns: width, rows: 100, in: folder
        ) { try await $0.screen(when: hasEnded) }
        #expect(rows.last == "end 0")
        let table = rows.drop { !$0.hasPrefix("CHECK") }.dropFirst().prefix {
          !$0.isEmpty && !$0.hasPrefix("(")
        }
        #expect(table.count == Self.names.count, "\(rows.joined(separator: "\n"))")
        for row in table { #expect(row.contains("DOWN") || row.contains("UP"), "\(row)") }
        let outages = rows.drop { !$0.hasPrefix("DOWN") }.dropFirst().prefix { $0.hasPrefix("✕ ") }
        #expect(outages.count == 3, "\(rows.joined(separator: "\n"))")
        let piped = try await AgentProcess(
          ["status"], in: folder, environment: ["COLUMNS": "\(width)"]
        ).finish().stdout
        for line in piped.split(separator: "\n") { #expect(line.columns <= width, "\(line)") }
        let plain = try await agent(
          "status", "--state", "down", "--tag", "tag:odd", "--sort", "name", in: folder)
        #expect(plain.stdout.contains("3 of 5 checks shown"), "\(plain.stdout)\(plain.stderr)")
        #expect(plain.stdout.split(separator: "\n").allSatisfy { $0.columns <= 120 })
        let json = try await agent("status", "--tag", "even", "--format", "json", in: folder)
        #expect(try JSONValue.parse(json.stdout.utf8)["meta"]?["total"]?.integer == 2)
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// The picture is drawn in place, says when the agent is gone, goes on when it is back, and leaves the screen as it
  /// was.
  @Test func theWatchGoesOnWhileTheAgentRestarts() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try Self.configure(server.port, try freePort(), in: folder)
        let first = try AgentProcess(["run"], in: folder)
        try await first.wait(for: "probes") { server.accepted >= 2 }
        try await Tmux.with(
          "echo before; \(Self.program) status --watch -c agent.yaml", columns: 100, rows: 30, in: folder
        ) { terminal in
          let seen = try await terminal.screen { $0.contains { $0.hasPrefix("Shop front") } }
          #expect(seen.first?.hasPrefix("test · quartz-agent") == true, "\(seen)")
          #expect(try await terminal.value(of: "cursor_flag") == "0")
          first.send(SIGTERM)
          _ = try await first.finish()
          let alone = try await terminal.screen { $0.first?.contains("no agent answers") == true }
          #expect(alone.contains { $0.hasPrefix("Shop front") }, "the last picture stays: \(alone)")
          let second = try AgentProcess(["run"], in: folder)
          _ = try await terminal.screen { $0.first?.hasPrefix("test · quartz-agent") == true }
          try await terminal.press("C-c")
          let end = try await terminal.screen(when: hasEnded)
          #expect(end == ["before", "end 0"])
          #expect(try await terminal.value(of: "cursor_flag") == "1")
          #expect(try await terminal.value(of: "alternate_on") == "0")
          second.send(SIGTERM)
          _ = try await second.finish()
        }
      }
    }
  }

  /// The last line names the keys; a filter and a text choose checks at once, and q leaves the screen as it was.
  @Test func theWatchHasKeys() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try Self.configure(server.port, try freePort(), in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 2 }
        try await Tmux.with(
          "echo before; \(Self.program) status --watch -c agent.yaml", columns: 100, rows: 30, in: folder
        ) { terminal in
          func isShop(_ row: String) -> Bool { row.hasPrefix("Shop front") }
          let seen = try await terminal.screen { $0.contains(where: isShop) && $0.count == 30 }
          #expect(seen.last == "q quit · s sort: as configured · f show: all · / find · c clear")
          try await terminal.press("s")
          _ = try await terminal.screen { $0.last?.contains("s sort: state") == true }
          for key in ["/", "z", "q"] { try await terminal.press(key) }
          _ = try await terminal.screen { $0.last == "find: zq▏" }
          try await terminal.press("Enter")
          let none = try await terminal.screen { $0.last?.contains("/ find: zq") == true }
          #expect(!none.contains(where: isShop), "\(none)")
          try await terminal.press("c")
          _ = try await terminal.screen {
            $0.contains(where: isShop) && $0.last?.contains("/ find ·") == true
          }
          try await terminal.press("q")
          #expect(try await terminal.screen(when: hasEnded) == ["before", "end 0"])
          #expect(try await terminal.value(of: "alternate_on") == "0")
        }
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// Without a terminal the pictures follow one another; SIGTERM ends it well, and without an agent it ends with 3.
  @Test func theWatchEndsAsItWasTold() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try Self.configure(server.port, try freePort(), in: folder)
        #expect(try await agent("status", "--watch", in: folder).status == 3)
        #expect(try await agent("status", "--watch", "--format", "json", in: folder).status == 64)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "probes") { server.accepted >= 2 }
        let watch = try AgentProcess(["status", "--watch"], in: folder)
        try await watch.wait(for: "two pictures") {
          watch.stdout.components(separatedBy: "test · quartz-agent").count > 2
        }
        #expect(!watch.stdout.contains("\u{1b}"))
        watch.send(SIGTERM)
        #expect(try await watch.finish().status == 0)
        let orphan = try AgentProcess(["status", "--watch"], in: folder)
        try await orphan.wait(for: "a picture") { orphan.stdout.contains("test · quartz-agent") }
        process.send(SIGTERM)
        _ = try await process.finish()
        try await orphan.wait(for: "the trouble") { orphan.stderr.contains("no agent answers") }
        orphan.send(SIGINT)
        #expect(try await orphan.finish().status == 3)
      }
    }
  }
}
