// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// Which checks of two files are the same.
@Suite struct ComparisonTests {
  private struct Line {
    var name: String
    var target = "https://a.example/"
    /// Nil: the file names no ids.
    var id: Int?
    var took = 10.0
  }

  private func measured(_ lines: [Line]) throws -> MeasuredChecks {
    var checks = MeasuredChecks()
    for line in lines {
      let id = line.id.map { "\"check_id\":\"id-\($0)\"," } ?? ""
      try checks.add(
        "{\(id)\"check\":\"\(line.name)\",\"target\":\"\(line.target)\",\"state\":\"up\",\"response_time_ms\":\(line.took)}"
          .utf8)
    }
    return checks
  }

  private func pairs(_ a: [Line], _ b: [Line]) throws -> (pairs: [String], onlyA: [String], onlyB: [String]) {
    let comparison = Comparison(try measured(a), try measured(b))
    let pairs = comparison.uptimes.map { pair in
      let times = [pair.a, pair.b].map { Int($0.times[.response]?.first ?? 0) }
      return "\(pair.check) \(times[0]) \(times[1])"
    }
    return (pairs, comparison.onlyA, comparison.onlyB)
  }

  /// A difference must be more than what the files do among themselves, and of few times half as much again.
  @Test(arguments: [
    (63, 64, 1.5, Comparison.Verdict.unsteady), (64, 63, 1.5001, .slower), (63, 300, -1.5001, .faster),
    (64, 64, 1, .unsteady), (64, 300, 1.0001, .slower), (300, 64, -1.0001, .faster),
  ]) func aDifferenceMustBeBeyondTheDrift(a: Int, b: Int, difference: Double, verdict: Comparison.Verdict) {
    let row = Comparison.Row(
      check: "shop", phase: .response, counts: (a, b), medians: (10, 10 + difference), p95: (20, 20),
      drift: 1,
      p: 0.001)
    #expect(row.verdict == verdict)
  }

  /// So many checks of one name and target in each file, of other ids: they are the same where each file has one.
  @Test(arguments: [0, 1, 2, 3], [0, 1, 2, 3]) func twins(a: Int, b: Int) throws {
    let first = (0..<a).map { Line(name: "shop", id: $0, took: Double(10 + $0)) }
    let second = (0..<b).map { Line(name: "shop", id: 100 + $0, took: Double(20 + $0)) }
    let found = try pairs(first, second)
    let isOne = a == 1 && b == 1
    #expect(found.pairs == (isOne ? ["shop 10 20"] : []))
    #expect(found.onlyA == Array(repeating: "shop", count: isOne ? 0 : a))
    #expect(found.onlyB == Array(repeating: "shop", count: isOne ? 0 : b))
  }

  /// An id says it, and what is left of the twins is one on each side.
  @Test func anIdIsFirst() throws {
    let found = try pairs(
      [Line(name: "shop", id: 1, took: 11), Line(name: "shop", id: 2, took: 12)],
      [Line(name: "shop", id: 2, took: 22), Line(name: "shop", id: 3, took: 23)])
    #expect(found.pairs.sorted() == ["shop 11 23", "shop 12 22"] && found.onlyA == [] && found.onlyB == [])
  }

  /// Name and target together: one of both alone is another check.
  @Test func nameAndTarget() throws {
    let found = try pairs(
      [Line(name: "a", id: 1), Line(name: "b", id: 2), Line(name: "c", target: "https://x.example/", id: 3)],
      [
        Line(name: "a", target: "https://b.example/", id: 4), Line(name: "d", id: 5),
        Line(name: "c", target: "https://x.example/", id: 6, took: 30),
      ])
    #expect(found.pairs == ["c 10 30"] && found.onlyA == ["a", "b"] && found.onlyB == ["a", "d"])
  }

  /// A file without ids, and one with them.
  @Test(arguments: [false, true], [false, true]) func withoutIds(hasA: Bool, hasB: Bool) throws {
    let found = try pairs(
      [Line(name: "a", id: hasA ? 1 : nil, took: 11), Line(name: "b", id: hasA ? 2 : nil, took: 12)],
      [Line(name: "b", id: hasB ? 8 : nil, took: 22), Line(name: "a", id: hasB ? 9 : nil, took: 21)])
    #expect(found.pairs.sorted() == ["a 11 21", "b 12 22"] && found.onlyA == [] && found.onlyB == [])
  }
}
