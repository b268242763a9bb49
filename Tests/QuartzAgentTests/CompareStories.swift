// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import TestSupport
import Testing

@testable import QuartzAgent

/// `quartz-agent compare` with the shipped binary.
@Suite struct CompareStories {
  /// Results of one check whose times lie round a middle.
  private func results(
    _ check: String, id: String? = nil, _ count: Int, response: Double, dns: Double, state: String = "up"
  ) -> String {
    (0..<count).map { number in
      let spread = Double(number % 10) / 10
      let own = id.map { "\"check_id\":\"\($0)\"," } ?? ""
      return
        "{\(own)\"check\":\"\(check)\",\"target\":\"https://\(check)/\",\"state\":\"\(state)\",\"started_at\":\"2026-01-04T02:00:00.000Z\",\"response_time_ms\":\(response + spread),\"timings\":{\"dns_ms\":\(dns + spread),\"total_ms\":1}}\n"
    }.joined()
  }

  private func compare(_ a: String, _ b: String, _ more: String...) async throws -> Outcome {
    try await withTemporaryDirectory { folder in
      try Data(a.utf8).write(to: folder.appending(path: "a.ndjson"))
      try Data(b.utf8).write(to: folder.appending(path: "b.ndjson"))
      return try await AgentProcess(["compare", "a.ndjson", "b.ndjson"] + more, in: folder).finish()
    }
  }

  /// What is slower is said with how much and how sure; what is not, is not.
  @Test func aDifferenceIsSaidWhereThereIsOne() async throws {
    let outcome = try await compare(
      results("shop", 30, response: 20, dns: 2), results("shop", 30, response: 45, dns: 2))
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let lines = outcome.stdout.split(separator: "\n").map(String.init)
    let response = try #require(lines.first { $0.hasPrefix("shop") && $0.contains("response") })
    #expect(response.contains("slower by 25 ms (+123%), p < 0.001"), "\(response)")
    let dns = try #require(lines.first { $0.hasPrefix("shop") && $0.contains("dns") })
    #expect(dns.contains("no significant difference, p = 1"), "\(dns)")
    #expect(lines[0].hasPrefix("A: a.ndjson, 30 results, 2026-01-04T02:00:00"))
  }

  /// A verdict is whole at any width, with three significant digits.
  @Test func aVerdictIsNeverCut() async throws {
    try await withTemporaryDirectory { folder in
      let name = "a check with a name that takes a whole line of a small terminal"
      try Data(results(name, 30, response: 20, dns: 0.2).utf8).write(to: folder.appending(path: "a"))
      try Data(results(name, 30, response: 22.34, dns: 2.2).utf8).write(to: folder.appending(path: "b"))
      for width in ["60", "80", "120"] {
        let outcome = try await agent("compare", "a", "b", in: folder, environment: ["COLUMNS": width])
        #expect(outcome.stdout.contains("slower by 2.34 ms (+11.5%), p < 0.001\n"), "\(outcome.stdout)")
        #expect(outcome.stdout.contains("slower by 2 ms (+333%), p < 0.001\n"), "\(outcome.stdout)")
      }
    }
  }

  /// A median that moves within one file by more than between the two is no difference of the two.
  @Test func aFileThatDriftsIsNotJudged() async throws {
    let calm = results("shop", 30, response: 20, dns: 2)
    let busy = results("shop", 15, response: 20, dns: 2) + results("shop", 15, response: 60, dns: 2)
    for (a, b, status) in [(calm, busy, 3), (busy, calm, 0)] as [(String, String, Int32)] {
      let outcome = try await compare(a, b, "--fail-slower", "1%")
      let response = outcome.stdout.split(separator: "\n").first { $0.contains("response") }
      #expect(
        response?.contains("not judged: the files vary by 4") == true, "\(outcome.stdout)")
      // What may be slower, and cannot be judged, does not pass.
      #expect(outcome.status == status, "\(outcome.stderr)")
      #expect(
        outcome.stderr.hasPrefix(
          status == 0 ? "" : "quartz-agent: error: --fail-slower was not judged: shop: the files vary by 4"))
    }
  }

  /// Runs of the same thing on a machine that others use: its times hang together, and jump for a while. Of twenty such
  /// comparisons one at most claims a difference, whatever the starts; a real one is found all the same.
  @Test(arguments: [30, 100, 300]) func aBusyMachineIsNoDifference(count: Int) throws {
    var claims: [Int] = []
    let first = UInt64.random(in: 0...(.max / 2))
    print("busy machines from the seed \(first) on")
    for seed in first..<first + 4 {
      var machine = BusyMachine(seed: seed)
      let claimed = try (0..<20).count { _ in
        let (a, b) = (try machine.results(count, more: 0), try machine.results(count, more: 0))
        return Comparison(a, b).rows.contains { $0.verdict == .slower || $0.verdict == .faster }
      }
      claims.append(claimed)
      let (a, b) = (try machine.results(count, more: 0), try machine.results(count, more: 8))
      #expect(Comparison(a, b).rows.first?.verdict == .slower, "\(seed)")
    }
    #expect(claims.allSatisfy { $0 <= 1 }, "\(first): \(claims)")
  }

  /// The exit code follows the response time of the whole, B against A.
  @Test(arguments: [("10%", 22.0, 0), ("9.7%", 22.0, 1), ("9", 22.0, 1), ("10%", 18.0, 0), ("0", 20.0, 0)])
  func failSlowerDecides(limit: String, response: Double, status: Int32) async throws {
    let outcome = try await compare(
      results("shop", 30, response: 20, dns: 2), results("shop", 30, response: response, dns: 9),
      "--fail-slower", limit)
    #expect(outcome.status == status, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stderr == (status == 1 ? "quartz-agent: error: slower in B: shop\n" : ""))
    #expect(outcome.stdout.contains("MEDIAN A"))
  }

  /// Files of unequal length, on both sides of the least that is judged: a difference that is beyond doubt, by the ranks alone.
  @Test(arguments: [(4, 5, false), (5, 4, false), (5, 5, true), (5, 30, true), (300, 5, true)])
  func unequalFilesAreJudgedFromFiveTimesOn(a: Int, b: Int, isJudged: Bool) async throws {
    let outcome = try await compare(
      results("shop", a, response: 20, dns: 2), results("shop", b, response: 90, dns: 2),
      "--fail-slower", "10%", "--format", "json")
    let phases = try JSONValue.parse(outcome.stdout.utf8)["phases"]?.array ?? []
    let row = try #require(phases.first { $0["phase"]?.string == "response" })
    #expect(row["n_a"]?.integer == Int64(a) && row["n_b"]?.integer == Int64(b))
    #expect(row["verdict"]?.string == (isJudged ? "b_slower" : "too_few"), "\(outcome.stdout)")
    #expect(outcome.status == (isJudged ? 1 : 3))
    let words = "--fail-slower was not judged: shop: 4 times of the 5 that are needed\n"
    #expect(outcome.stderr.contains(words) == !isJudged, "\(outcome.stderr)")
  }

  /// A check that has no time in one of the files passes no gate; without one it is compared as far as it goes.
  @Test func aGateNeedsTimesInBoth() async throws {
    let down = String(
      repeating: #"{"check":"shop","target":"t","state":"down","started_at":"2027-01-15T08:00:00.000Z"}"#
        + "\n",
      count: 9)
    let up = String(
      repeating: #"{"check":"shop","target":"t","state":"up","response_time_ms":20}"# + "\n", count: 9)
    let gate = try await compare(up, down, "--fail-slower", "10%")
    #expect(gate.status == 3)
    #expect(gate.stderr.contains("not judged: shop: B has no response time of it\n"), "\(gate.stderr)")
    #expect(try await compare(up, down).status == 0)
  }

  /// Two files of different checks are data to be looked at, and no success.
  @Test func nothingInCommonIsSaid() async throws {
    let outcome = try await compare(
      results("shop", 9, response: 1, dns: 1) + results("mail", 9, response: 1, dns: 1),
      results("bank", 9, response: 1, dns: 1))
    #expect(outcome.status == 65 && outcome.stdout.isEmpty)
    #expect(
      outcome.stderr.hasPrefix(
        "quartz-agent: error: no check is in both files: a.ndjson has \"mail\" and 1 more, b.ndjson has \"bank\"\n"
      ),
      "\(outcome.stderr)")
  }

  /// Nothing is claimed of four, however far apart they are; downtime is shown beside.
  @Test func fewTimesAreNotJudged() async throws {
    let outcome = try await compare(
      results("shop", 4, response: 20, dns: 2),
      results("shop", 30, response: 900, dns: 2) + results("shop", 10, response: 1, dns: 1, state: "down"))
    #expect(outcome.stdout.contains("not judged: too few times"))
    #expect(outcome.stdout.contains("shop: up 100% of 4 in A, 75% of 40 in B"), "\(outcome.stdout)")
  }

  /// Checks are the same by id, else by name and target; what only one has is named.
  @Test func checksAreMatchedByIDOrName() async throws {
    let (one, two) = ("0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d", "1b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d")
    let outcome = try await compare(
      results("shop", id: one, 9, response: 1, dns: 1) + results("old", id: two, 9, response: 1, dns: 1)
        + results("mail", 9, response: 1, dns: 1),
      results("renamed", id: one, 9, response: 1, dns: 1)
        + results("mail", id: two + "0", 9, response: 1, dns: 1)
        + results("new", 9, response: 1, dns: 1), "--format", "json")
    let json = try JSONValue.parse(outcome.stdout.utf8)
    #expect(Set((json["checks"]?.array ?? []).compactMap { $0["check"]?.string }) == ["shop", "mail"])
    #expect(json["only_in_a"]?.array?.compactMap(\.string) == ["old"])
    #expect(json["only_in_b"]?.array?.compactMap(\.string) == ["new"])
    #expect(json["phases"]?[0]?["verdict"]?.string == "no_difference_shown")
  }

  @Test(arguments: [
    (
      "{\"state\":\"up\",\"check\":\"a\",\"response_time_ms\":1e999}\n",
      "a.ndjson:1: has a \"response_time_ms\" that is no time"
    ),
    ("\n\n{\"state\":\"up\"", "a.ndjson:3: is no JSON"), ("[1]\n", "a.ndjson:1: is no result"),
    ("{\"state\":\"fine\",\"check\":\"a\"}\n", "a.ndjson:1: is no result: its \"state\""),
    ("{\"state\":\"up\",\"check\":\"a\",\"response_time_ms\":-1}", "that is no time"),
    ("\u{0}\u{0}\n", "a.ndjson:1: is no JSON"),
    (String(repeating: "[", count: 100_000) + "\n", "a.ndjson:1: is no JSON"),
    (String(repeating: "x", count: 1 << 20 + 2), "a.ndjson:1: is longer than 1 MiB"),
    ("", "a.ndjson has no result"),
  ])
  func whatIsNoResultIsSaidWithItsPlace(text: String, words: String) async throws {
    let outcome = try await compare(text, results("shop", 5, response: 1, dns: 1))
    #expect(outcome.status == 65 && outcome.stdout == "")
    #expect(outcome.stderr.contains(words), "\(outcome.stderr.prefix(500))")
  }

  @Test func aFileThatCannotBeReadIsSaid() async throws {
    try await withTemporaryDirectory { folder in
      let missing = try await agent("compare", "none", "none", in: folder)
      #expect(missing.status == 66 && missing.stderr.contains("none: No such file"))
      let directory = try await agent("compare", ".", ".", in: folder)
      #expect(directory.status == 66 && directory.stderr.contains("Is a directory"))
      #expect(try await agent("compare", "-", "-", in: folder).status == 64)
    }
  }

  /// What `once` prints is what `compare` reads, in both of its JSON formats.
  @Test(arguments: ["ndjson", "json"]) func itReadsWhatOncePrints(format: String) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { _ in }) { server in
        let once = try await agent(
          "once", "tcp://127.0.0.1:\(server.port)", "--count", "6", "--every", "10ms", "--format", format,
          in: folder)
        try Data(once.stdout.utf8).write(to: folder.appending(path: "a"))
        let outcome = try await agent("compare", "a", "a", in: folder)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(
          outcome.stdout.contains("no significant difference") && outcome.stdout.contains("6 results"))
      }
    }
  }
}

/// Response times of one target, seen from a machine whose load comes and goes.
private struct BusyMachine {
  private var chance: SeededGenerator
  /// Milliseconds on top, from neighbours.
  private var load = 0.0

  init(seed: UInt64) { chance = SeededGenerator(seed: seed) }

  mutating func results(_ count: Int, more: Double) throws -> MeasuredChecks {
    var checks = MeasuredChecks()
    for _ in 0..<count {
      // Once in five probes another program begins or ends something.
      if Double.random(in: 0..<1, using: &chance) < 0.2 {
        load = Double.random(in: 0..<1, using: &chance) < 0.5 ? 0 : Double.random(in: 0.2..<2, using: &chance)
      }
      let time = (1 + load + Double.random(in: 0..<0.4, using: &chance)) + more
      try checks.add(
        Array("{\"check\":\"a\",\"state\":\"up\",\"response_time_ms\":\(time)}".utf8))
    }
    return checks
  }
}
