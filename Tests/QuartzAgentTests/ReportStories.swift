// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// `quartz-agent report`, as a user calls it.
@Suite struct ReportStories {
  @Test func aReportOfARunningAgent() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s}",
          in: folder)
        let running = try AgentProcess(["run"], in: folder)
        try await running.wait(for: "two probes") { server.accepted >= 2 }

        let table = try await agent("report", in: folder)
        #expect(table.status == 0 && table.stdout.hasPrefix("test · "), "\(table.stderr)")
        #expect(table.stdout.contains("\nWeb "), "\(table.stdout)")
        let csv = try await agent("report", "--format", "csv", "--objective", "95", in: folder)
        let lines = csv.stdout.components(separatedBy: "\r\n")
        #expect(csv.status == 0 && lines.count == 3 && lines[0].hasPrefix("month,complete,check,"))
        #expect(lines[1].contains(",no,Web,") && lines[1].contains(",95,"))
        let page = try await agent("report", "--format", "html", in: folder)
        #expect(
          page.status == 0 && page.stdout.hasPrefix("<!doctype html>") && !page.stdout.contains("<script"))
        for command in ["report", "status"] {
          let none = try await agent(command, "--format", "json", "--tag", "none", in: folder)
          #expect(none.status == 64 && none.stdout == "", "\(none.stderr)")
          #expect(none.stderr.contains("no check of the running agent has the tag \"none\""))
        }

        let future = try await agent("report", "--month", "9999-01", in: folder)
        #expect(
          future.status == 0 && future.stdout.contains("\nThe month has not begun.\n"), "\(future.stderr)")
        running.send(SIGTERM)
        #expect(try await running.finish().status == 0)

        let none = try await agent("report", in: folder)
        #expect(none.status == 3 && none.stdout == "" && none.stderr.contains("no agent answers"))
      }
    }
  }

  /// A report by schedule is sent at once, as a test; one of another name is not there.
  @Test func aReportIsSent() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s}",
          more: """
            alerts:
              page_url: "https://status.example/"
              channels: [{name: ops, exec: [/bin/sh, -c, "cat >\(folder.path)/sent"]}]
              reports: [{name: monthly, channels: [ops]}]
            """,
          in: folder)
        let running = try AgentProcess(["run"], in: folder)
        try await running.wait(for: "two probes") { server.accepted >= 2 }
        let outcome = try await agent("report", "--send", "monthly", "--month", "2026-01", in: folder)
        #expect(outcome.status == 0 && outcome.stdout == "ops: delivered to /bin/sh\n", "\(outcome.stderr)")
        let sent = try JSONValue.parse([UInt8](Data(contentsOf: folder.appending(path: "sent"))))
        #expect(sent["kind"]?.string == "report" && sent["report"]?["period"]?.string == "2026-01")
        #expect(sent["link"]?.string == "https://status.example/report?month=2026-01")
        #expect(sent["report"]?["document"]?["month"]?.string == "2026-01")
        let status = try await agent("status", in: folder)
        #expect(status.stdout.contains("report    monthly, next "), "\(status.stdout)")
        let none = try await agent("report", "--send", "weekly", in: folder)
        #expect(none.status == 64 && none.stderr.contains("no report is called \"weekly\""), "\(none.stderr)")
        running.send(SIGTERM)
        #expect(try await running.finish().status == 0)
      }
    }
  }

  @Test(arguments: [
    (["--month", "2026-13"], "--month must be a year and a month, such as 2026-10, or last, found 2026-13"),
    (["--month", "October"], "--month must be a year and a month, such as 2026-10, or last, found October"),
    (["--week", "2026-44"], "--week must be a year and a week, such as 2026-W44, or last, found 2026-44"),
    (["--week", "last", "--month", "last"], "--month and --week exclude each other"),
    (["--send", "m", "--format", "csv"], "--send takes format, objective and checks from the configuration"),
    (["--objective", "100"], "--objective must be at least 50 and below 100, such as 99.9"),
  ])
  func aWrongWordIsWrongUsage(arguments: [String], words: String) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await AgentProcess(["report"] + arguments, in: folder).finish()
      #expect(
        outcome.status == 64 && outcome.stdout == "" && outcome.stderr.contains(words), "\(outcome.stderr)")
    }
  }
}
