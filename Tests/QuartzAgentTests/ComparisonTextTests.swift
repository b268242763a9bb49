// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// A comparison of two files as people and programs read it.
@Suite struct ComparisonTextTests {
  private func lines(_ name: String, _ times: [Double], state: String = "up") -> [String] {
    times.map { "{\"check\":\"\(name)\",\"state\":\"\(state)\",\"response_time_ms\":\($0)}" }
  }

  private func measured(_ lines: [String]) throws -> MeasuredChecks {
    var checks = MeasuredChecks()
    for line in lines { try checks.add(line.utf8) }
    return checks
  }

  private func shop(_ times: [Double]) throws -> MeasuredChecks { try measured(lines("shop", times)) }

  private func text(_ a: MeasuredChecks, _ b: MeasuredChecks) -> ComparisonText {
    ComparisonText(comparison: Comparison(a, b), names: ("a.ndjson", "b.ndjson"), files: (a, b))
  }

  private func constant(_ value: Double) -> [Double] { Array(repeating: value, count: 5) }

  @Test func aTable() throws {
    let (a, b) = (try shop(constant(20)), try shop(constant(30)))
    let table = text(a, b).table(width: 120, color: false)
    #expect(
      table.hasPrefix(
        """
        A: a.ndjson, 5 results
        B: b.ndjson, 5 results

        CHECK  PHASE     N  MEDIAN A  MEDIAN B  P95 A  P95 B  B IS
        shop   response  5     20 ms     30 ms  20 ms  30 ms  slower by 10 ms (+50%), p = 0.004

        B IS: verdict of the ranks (Mann-Whitney, two-sided, Holm over 1 row
        """), "\(table)")
    #expect(table.contains("p < 0.05); nothing is claimed of fewer than 5 times, nor of a difference"))
    #expect(text(a, b).table(width: 120, color: true).contains("\u{1b}[31mslower by 10 ms"))
    let back = text(b, a).table(width: 120, color: true)
    #expect(back.contains("\u{1b}[32mfaster by 10 ms (-33.3%), p = 0.004\u{1b}[0m"))
  }

  /// Each verdict in words, with p in three places.
  @Test(
    arguments: [
      ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], "no significant difference, p = 0.690"),
      ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], "no significant difference, p = 1"),
      ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], "not judged: the files vary by 8 ms themselves"),
      ([1, 2, 3, 4], [6, 7, 8, 9, 10], "not judged: too few times"),
      ([0.2, 0.2, 0.2, 0.2, 0.2], [0.5, 0.5, 0.5, 0.5, 0.5], "slower by 300 µs (+150%), p = 0.004"),
    ] as [([Double], [Double], String)])
  func words(a: [Double], b: [Double], verdict: String) throws {
    let table = text(try shop(a), try shop(b)).table(width: 120, color: false)
    #expect(table.split(separator: "\n")[3].hasSuffix("  \(verdict)"), "\(table)")
  }

  /// Files of unequal length, what was down, and what only one has.
  @Test func whatElseIsSaid() throws {
    var first = lines("shop", constant(20)) + lines("shop", [0], state: "down")
    for number in 0..<10 { first += lines("old\(number)", [1]) }
    let second = lines("shop", constant(20) + [20]) + lines("new", [1])
    let table = text(try measured(first), try measured(second)).table(width: 120, color: false)
    let said = table.split(separator: "\n").map(String.init)
    #expect(said[0] == "A: a.ndjson, 16 results" && said[1] == "B: b.ndjson, 7 results")
    #expect(said[3].contains("  5/6  "), "\(said[3])")
    #expect(
      said.suffix(3) == [
        "shop: up 83.33% of 6 in A, 100% of 6 in B",
        "only in A: old0, old1, old2, old3, old4, old5, old6, old7 and 2 more", "only in B: new",
      ])
    let one = try measured(lines("shop", [1], state: "down"))
    #expect(
      text(one, one).table(width: 120, color: false) == """
        A: a.ndjson, 1 result
        B: b.ndjson, 1 result

        No check has times in both.
        shop: up 0% of 1 in A, 0% of 1 in B

        """)
  }

  /// Microseconds below a millisecond, three digits above.
  @Test(
    arguments: [
      (0, "0 ms"), (0.0004, "0 µs"), (0.0006, "1 µs"), (0.5, "500 µs"), (0.9994, "999 µs"), (0.9995, "1 ms"),
      (9.87, "9.87 ms"), (12.34, "12.3 ms"), (123.4, "123 ms"), (1234, "1.23 s"),
    ] as [(Double, String)])
  func times(milliseconds: Double, text: String) { #expect(ComparisonText.time(milliseconds) == text) }

  @Test(
    arguments: [
      (0, "+0%"), (0.25, "+0.25%"), (12.34, "+12.3%"), (122.4, "+122%"), (-5.678, "-5.68%"), (-0.1, "-0.1%"),
    ] as [(Double, String)])
  func shares(share: Double, text: String) { #expect(ComparisonText.percent(share) == text) }

  @Test func aDocument() throws {
    let (a, b) = (try shop(constant(20)), try shop(constant(30)))
    let json = try JSONValue.parse(text(a, b).json.utf8)
    #expect(json["a"]?["file"]?.string == "a.ndjson" && json["b"]?["file"]?.string == "b.ndjson")
    #expect(json["a"]?["results"]?.integer == 5 && json["a"]?["first"] == nil)
    let row = try #require(json["phases"]?[0])
    let figures = [
      "n_a", "n_b", "median_a_ms", "median_b_ms", "p95_a_ms", "p95_b_ms", "difference_ms",
      "difference_percent",
      "drift_ms",
    ].map { row[$0]?.double }
    #expect(figures == [5, 5, 20, 30, 20, 30, 10, 50, 0])
    #expect(row["check"]?.string == "shop" && row["phase"]?.string == "response")
    #expect(row["verdict"]?.string == "b_slower")
    #expect(abs((row["p"]?.double ?? 0) - 0.003977) < 0.00001)
    let uptimes = ["uptime_a", "uptime_b", "verdicts_a", "verdicts_b"].map {
      json["checks"]?[0]?[$0]?.double
    }
    #expect(uptimes == [100, 100, 5, 5])
    #expect(json["only_in_a"]?.array == [] && json["only_in_b"]?.array == [])
  }
}
