// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// What `compare` takes of a file, what it claims of two, and what it says of the places of a group.
@Suite struct CompareRulesTests {
  private func measured(_ lines: String...) throws -> MeasuredChecks {
    var checks = MeasuredChecks()
    for line in lines { try checks.add(line.utf8) }
    return checks
  }

  /// So many results of one check, with these response times.
  private func times(_ values: [Double], name: String = "shop", more: String = "") throws -> MeasuredChecks {
    var checks = MeasuredChecks()
    for value in values {
      try checks.add("{\"check\":\"\(name)\",\"state\":\"up\",\"response_time_ms\":\(value)\(more)}".utf8)
    }
    return checks
  }

  /// Results without a verdict, and those of a window, are results and no more; a summary is none.
  @Test func whatCounts() throws {
    func line(_ state: String, _ time: String, _ more: String = "") -> String {
      #"{"check":"a","target":"t","state":"\#(state)","started_at":"2026-01-04T02:00:0\#(time).000Z"\#(more)}"#
    }
    let took = #","response_time_ms":7"#
    let checks = try measured(
      line("up", "3", took), line("degraded", "1", took), line("down", "4", took), line("unknown", "9", took),
      line("up", "0", took + #","maintenance":true"#), line("up", "5", took + #","maintenance":false"#),
      #"{"summary":"a","runs":3}"#, #"{"rounds":3}"#, #"{"count":3}"#)
    #expect(checks.results == 6 && checks.checks.count == 1)
    let check = try #require(checks.checks.values.first)
    #expect((check.up, check.down) == (3, 1) && check.uptime == 75)
    #expect(check.times == [.response: [7, 7, 7]])
    #expect(checks.first?.rfc3339 == "2026-01-04T02:00:00.000Z")
    #expect(checks.last?.rfc3339 == "2026-01-04T02:00:09.000Z")
    #expect(MeasuredChecks.Check(name: "a", target: "t").uptime == nil)
  }

  /// Each phase has its own member; the whole response is not among the timings.
  @Test func phasesOfAResult() throws {
    let checks = try measured(
      #"{"check":"a","state":"up","response_time_ms":1,"timings":{"dns_ms":2,"connect_ms":3,"starttls_ms":4,"#
        + #""tls_ms":5,"first_byte_ms":6,"transfer_ms":7,"response_time_ms":9,"total_ms":8}}"#)
    let times = try #require(checks.checks.values.first).times
    #expect(
      times == [
        .response: [1], .dns: [2], .connect: [3], .starttls: [4], .tls: [5], .firstByte: [6], .transfer: [7],
      ])
    #expect(
      ComparedPhase.allCases.map(\.words)
        == ["response", "dns", "connect", "starttls", "tls", "first byte", "transfer"])
  }

  /// A time is of 0 to an hour; none is one that is not there.
  @Test(
    arguments: [
      ("0", nil), ("3600000", nil), ("null", nil), ("3600000.5", true), ("-0.001", true), ("\"7\"", true),
    ] as [(String, Bool?)])
  func boundsOfATime(value: String, isWrong: Bool?) {
    for (line, name) in [
      ("{\"check\":\"a\",\"state\":\"up\",\"response_time_ms\":\(value)}", "response_time_ms"),
      ("{\"check\":\"a\",\"state\":\"up\",\"timings\":{\"tls_ms\":\(value)}}", "tls_ms"),
    ] {
      let words = isWrong == true ? "has a \"\(name)\" that is no time from 0 to an hour" : nil
      #expect(problem(of: line) == words)
    }
  }

  private func problem(of line: String) -> String? {
    var checks = MeasuredChecks()
    do throws(CompareProblem) { try checks.add(line.utf8) } catch { return error.message }
    return nil
  }

  @Test func whatIsNoResult() {
    #expect(problem(of: "[]") == "is no result, which would be a JSON object")
    #expect(
      problem(of: #"{"check":"a"}"#)
        == "is no result: its \"state\" is missing, or none of up, degraded, down and unknown")
    #expect(
      problem(of: #"{"state":"up"}"#) == "is no result: it has neither \"check\" nor \"check_id\"")
    #expect(problem(of: #"{"state":"up","check_id":"x"}"#) == nil)
    // One that says its state is a result, whatever else is in it.
    #expect(problem(of: #"{"state":"up","summary":"a"}"#)?.contains("neither") == true)
  }

  /// By chance less than once in twenty, beyond the drift, and not where the medians are the same.
  @Test(
    arguments: [
      (nil, 5, .tooFew), (0.05, 5, .noDifference), (0.0499, 5, .slower), (0.0499, -5, .faster),
      (0.0001, 0, .noDifference), (1, -5, .noDifference),
    ] as [(Double?, Double, Comparison.Verdict)])
  func verdicts(p: Double?, difference: Double, verdict: Comparison.Verdict) {
    let row = Comparison.Row(
      check: "shop", phase: .response, counts: (64, 64), medians: (20, 20 + difference), p95: (30, 30),
      drift: 1, p: p)
    #expect(row.verdict == verdict && row.difference == difference && row.share == difference * 5)
    let none = Comparison.Row(
      check: "shop", phase: .dns, counts: (64, 64), medians: (0, 1), p95: (1, 1), drift: 0, p: p)
    #expect(none.share == nil)
  }

  /// By nearest rank, as `once --count` gives them for the same results.
  @Test func quantiles() throws {
    let values: [Double] = [1, 2, 3, 4]
    #expect([0, 0.5, 0.95, 1].map { values.nearestRank($0) } == [1, 2, 4, 4])
    #expect([7].nearestRank(0.5) == 7 && [1, 2, 30].nearestRank(0.5) == 2)
    #expect([Double]().nearestRank(0.5) == nil)
    // In two groups: the mean of the two in the middle would be a time that none took.
    let a = try times(Array(repeating: 27.4, count: 10) + Array(repeating: 81.9, count: 10))
    let row = try #require(Comparison(a, a).rows.first)
    #expect(row.medians.a == 27.4 && row.medians.b == 27.4 && row.p95.a == 81.9)
  }

  /// The medians of eight pieces of each file, in the order they were measured; of fewer values each is a piece.
  @Test func theDrift() throws {
    let calm = try times(Array(repeating: 7, count: 16))
    #expect(Comparison(try times((0..<16).map(Double.init)), calm).rows.map(\.drift) == [14])
    #expect(Comparison(calm, try times([1, 9, 2, 3, 4])).rows.map(\.drift) == [8])
    #expect(Comparison(try times([1, 2, 1, 2, 1, 2]), try times([5, 8, 5, 8, 5])).rows.map(\.drift) == [4])
  }

  /// The whole response, slower in the second file by that share or more: the bound belongs to it.
  @Test func slowerBy() throws {
    let a = try times(Array(repeating: 20, count: 10), more: #","timings":{"dns_ms":1}"#)
    let b = try times(Array(repeating: 22, count: 10), more: #","timings":{"dns_ms":9}"#)
    let comparison = Comparison(a, b)
    #expect(comparison.rows.map(\.verdict) == [.slower, .slower])
    #expect([0, 10, 10.001].map { comparison.slower(by: $0) } == [["shop"], ["shop"], []])
    #expect(Comparison(b, a).slower(by: 0) == [])
    let zero = try times(Array(repeating: 0, count: 10))
    #expect(Comparison(zero, a).slower(by: 10_000) == ["shop"], "more than any share of nothing")
    #expect(Comparison(a, b, only: "mail").uptimes.isEmpty && Comparison(a, b, only: "shop").rows.count == 2)
  }

  /// Lines in pieces of any size, counted from 1; of one that is too long as much is kept as shows it.
  @Test func linesInPieces() throws {
    var lines = LineSplitter()
    var seen: [String] = []
    let note: LineSplitter.Take = { number, line in
      seen.append("\(number) \(String(decoding: line, as: UTF8.self))")
    }
    for piece in ["ab", "\n\ncd", "e\nf"] { try lines.add(Array(piece.utf8)[...], note) }
    #expect(seen == ["1 ab", "2 ", "3 cde"])
    try lines.end(note)
    #expect(seen.last == "4 f")
    var long = LineSplitter()
    var counts: [Int] = []
    let count: LineSplitter.Take = { _, line in counts.append(line.count) }
    for _ in 0..<3 { try long.add([UInt8](repeating: 0x61, count: 1 << 19)[...], count) }
    try long.add(Array("\nb\n".utf8)[...], count)
    #expect(counts == [MeasuredChecks.maxLine + 1, 1])
  }

  /// Both JSON formats of `once`, with the line ends of any system.
  @Test func aFile() async throws {
    let row = #"{"check":"a","state":"up","response_time_ms":1}"#
    try await withTemporaryDirectory { folder in
      let path = folder.appending(path: "a").path
      for text in ["[\n  \(row),\n  \(row)\n]\n", "\(row)\r\n\r\n\(row)\r\n", "\n\(row)\n  \n\(row)"] {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(try ResultFile(path: path).read().results == 2)
      }
      try Data("\(row)\n\n{}\n".utf8).write(to: URL(filePath: path))
      let problem = #expect(throws: CompareProblem.self) { try ResultFile(path: path).read() }
      #expect(problem?.message.hasPrefix("\(path):3: is no result") == true)
    }
    #expect(ResultFile(path: "-").name == "standard input" && ResultFile(path: "a").name == "a")
  }

  /// `--by-place` looks at the last day, unless another window is named; the program says which.
  @Test(
    arguments: [
      ([], "24h", "20 ms"), (["--period", "24h"], "24h", "20 ms"), (["--period", "7d"], "7d", "40 ms"),
      (["--period", "30d"], "30d", "60 ms"), (["--period", "90d"], "90d", "80 ms"),
    ] as [([String], String, String)])
  func theWindowOfPlaces(options: [String], period: String, fastest: String) async throws {
    func place(_ name: String, _ factor: Int) -> String {
      let windows = [("24h", 20), ("7d", 40), ("30d", 60), ("90d", 80)].map { period, p50 in
        #""\#(period)":{"response_time":{"count":9,"p50_ms":\#(p50 * factor),"p95_ms":900,"p99_ms":990}}"#
      }
      return #"{"place":"\#(name)","uptime":{\#(windows.joined(separator: ","))}}"#
    }
    let body = #"{"data":[{"name":"Shop","places":[\#(place("london", 1)),\#(place("paris", 2))]}]}"#
    let script: @Sendable (LoopbackConnection) -> Void = { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(
        "HTTP/1.1 200 OK\r\nServer: quartz-agent\r\nContent-Length: \(body.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(body)")
    }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: script) { server in
        let outcome = try await AgentProcess(
          ["compare", "--by-place", "--socket", "127.0.0.1:\(server.port)"] + options, in: folder
        ).finish()
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.count == 4, "\(outcome.stdout)")
        #expect(lines[1].hasSuffix("fastest") && lines[1].contains("  \(fastest)  "), "\(lines[1])")
        #expect(
          lines[3] == """
            Successes of the last \(period) at each place; quantiles of sketches, within 2 % (24h, 7d) or 5 % \
            (30d, 90d).
            """)
      }
    }
  }
}
