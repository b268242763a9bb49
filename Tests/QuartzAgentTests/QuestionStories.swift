// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

/// What commands ask a running agent for, word by word: the agent here answers everything with one document.
@Suite struct QuestionStories {
  private final class Asked: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ head: String) {
      let line = head.components(separatedBy: "\r\n")[0]
      lines.withLock { $0.append(line.replacing(" HTTP/1.1", with: "")) }
    }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private func withAnswer(
    _ document: String, _ body: (_ place: String, _ folder: URL, _ asked: Asked) async throws -> Void
  ) async throws {
    let asked = Asked()
    let answer =
      "HTTP/1.1 200 OK\r\nServer: quartz-agent\r\nContent-Type: application/json\r\nConnection: close\r\n"
      + "Content-Length: \(document.utf8.count)\r\n\r\n\(document)"
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { connection in
        asked.add(connection.read(until: "\r\n\r\n"))
        connection.write(answer)
      }) { try await body("127.0.0.1:\($0.port)", folder, asked) }
    }
  }

  /// A tag is read as `mute` reads it: also without `tag:` in front.
  @Test func whatAReportAsksFor() async throws {
    let rows: [([String], String)] = [
      (["--format", "csv", "--tag", "web"], ".csv?tag=web"),
      (["--format", "html", "--tag", "tag:web"], ".html?tag=tag%3Aweb&tag=web"),
      (["--format", "json", "--tag", "a&b c", "--tag", "x"], "?tag=a%26b%20c&tag=x"),
      (["--format", "json", "--month", "2026-10", "--objective", "95"], "?month=2026-10&objective=95.0"),
      (["--format", "csv", "--week", "last", "--tag", "x"], ".csv?tag=x&week=last"),
      (["--format", "json"], ""),
    ]
    try await withAnswer("{}\n") { place, folder, asked in
      for (arguments, words) in rows {
        let outcome = try await AgentProcess(["report", "--socket", place] + arguments, in: folder).finish()
        #expect(outcome.status == 0 && outcome.stdout == "{}\n", "\(outcome.stderr)")
        // Each tag is looked for first.
        let questions = asked.take()
        #expect(questions.last == "GET /api/v1/report\(words)")
        #expect(questions.dropLast().allSatisfy { $0.hasPrefix("GET /api/v1/checks?limit=1&tag=") })
        #expect(questions.count == 1 + arguments.count { $0 == "--tag" })
      }
    }
  }

  /// Places are compared over a day where nothing else is said.
  @Test func overWhichTimePlacesAreCompared() async throws {
    func place(_ name: String, _ day: Int, _ week: Int) -> String {
      let windows = [("24h", day), ("7d", week)].map { period, time in
        "\"\(period)\":{\"response_time\":{\"count\":9,\"p50_ms\":\(time),\"p95_ms\":\(time),\"p99_ms\":\(time)}}"
      }
      return "{\"place\":\"\(name)\",\"uptime\":{\(windows.joined(separator: ","))}}"
    }
    let document =
      "{\"data\":[{\"name\":\"Shop\",\"places\":[\(place("london", 20, 40)),\(place("paris", 30, 30))]}]}\n"
    try await withAnswer(document) { address, folder, asked in
      for (more, period, fastest) in [
        ([], "24h", "london"), (["--period", "24h"], "24h", "london"), (["--period", "7d"], "7d", "paris"),
      ] {
        let outcome = try await AgentProcess(
          ["compare", "--by-place", "--socket", address] + more, in: folder
        ).finish()
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(
          outcome.stdout.contains("\nSuccesses of the last \(period) at each place;"), "\(outcome.stdout)")
        let line = outcome.stdout.split(separator: "\n").first { $0.contains("fastest") }
        #expect(line?.contains(fastest) == true, "\(outcome.stdout)")
        #expect(asked.take() == ["GET /api/v1/checks?limit=1000&offset=0"])
      }
    }
  }

  /// One result arrives and one is refused: not all have arrived, and the exit code says so.
  @Test func aRefusalAmongOthers() async throws {
    let backend = FakeQuartz()
    let refused = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    backend.setKnownChecks { $0 != refused }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        try await withFakeQuartz(backend) { port in
          let page = "type: http, url: \"http://127.0.0.1:\(web.port)/\", interval: 1h, timeout: 1s"
          try RunStories.config(
            "  - {name: Web, \(page)}\n  - {name: Gone, id: \(refused), \(page)}",
            more:
              "quartz: {url: \"http://127.0.0.1:\(port)/v1\", api_key: \(FakeQuartz.key), deliver: {every: 1s}}",
            in: folder)
          let outcome = try await agent("once", "--post", in: folder)
          #expect(outcome.status == 3, "\(outcome.stderr)")
          #expect(outcome.stderr.contains("1 result delivered to "), "\(outcome.stderr)")
          #expect(outcome.stderr.contains("Gone: refused by the receiver (23503)"), "\(outcome.stderr)")
          let whole = try await agent("once", "--post", "Web", in: folder)
          #expect(whole.status == 0 && !whole.stderr.contains("refused"), "\(whole.stderr)")
        }
      }
    }
  }
}
