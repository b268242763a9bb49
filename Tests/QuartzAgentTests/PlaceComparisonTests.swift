// SPDX-License-Identifier: MIT

import Basics
import Synchronization
import Testing

@testable import QuartzAgent

/// `compare --by-place`: what the running agent has added up, for one window.
@Suite struct PlaceComparisonTests {
  /// A place's windows: the last day, and a week that says otherwise.
  private static func place(_ name: String, day: [Double]?, week: [Double]? = nil) -> String {
    let windows = [("24h", day), ("7d", week)].compactMap { period, figures in
      figures.map {
        "\"\(period)\":{\"response_time\":{\"count\":\(Int($0[0])),\"p50_ms\":\($0[1]),\"p95_ms\":\($0[2]),\"p99_ms\":\($0[3])}}"
      }
    }
    return "{\"place\":\"\(name)\",\"uptime\":{\(windows.joined(separator: ","))}}"
  }

  private static let checks = [
    check(
      "Shop",
      [
        place("london", day: [1440, 20, 31, 44], week: [10_080, 41, 60, 80]),
        place("new york", day: [1439, 95.2, 140, 200], week: [10_001, 40, 52, 61]),
        place("paris", day: [3, 20.1, 20.2, 20.3], week: [10_080, 40.4, 52, 61]),
        // No success in the window.
        place("tokyo", day: nil, week: nil),
      ]),
    // Seen from one place alone: nothing to compare with.
    check("Mail", [place("london", day: [5, 1, 1, 1]), place("paris", day: nil)]),
    check("Fast", [place("london", day: [7, 0, 0, 0]), place("paris", day: [7, 0.4, 0.5, 0.6])]),
  ]

  private static func check(_ name: String, _ places: [String]) -> String {
    "{\"name\":\"\(name)\",\"places\":[\(places.joined(separator: ","))]}"
  }

  private func comparison(_ period: String = "24h", only: String? = nil) throws -> PlaceComparison {
    PlaceComparison(try Self.checks.map { try JSONValue.parse($0.utf8) }, period: period, only: only)
  }

  @Test func eachPlaceIsHeldAgainstTheFastest() throws {
    #expect(
      try comparison().table(width: 100, color: false) == """
        CHECK  PLACE        N        P50        P95        P99  AGAINST THE FASTEST
        Shop   london    1440      20 ms      31 ms      44 ms  fastest
        Shop   new york  1439    95.2 ms     140 ms     200 ms  +75.2 ms (+376%)
        Shop   paris        3    20.1 ms    20.2 ms    20.3 ms  +100 µs (+0.5%)
        Fast   london       7       0 ms       0 ms       0 ms  fastest
        Fast   paris        7     400 µs     500 µs     600 µs  –

        Successes of the last 24h at each place; quantiles of sketches, within 2 % (24h, 7d) or 5 % (30d, 90d).

        """)
  }

  /// The window is the one that is named, and the fastest is that window's.
  @Test func aNamedWindowHasItsOwnFigures() throws {
    let week = try comparison("7d", only: "Shop")
    #expect(week.rows.map(\.place) == ["london", "new york", "paris"])
    #expect(week.rows.map { $0.p50.milliseconds } == [41, 40, 40.4])
    #expect(week.rows.map(\.isFastest) == [false, true, false])
    #expect(week.rows.map { $0.more.map { ($0 * 1000).rounded() / 1000 } } == [2.5, 0, 1])
    let json = try JSONValue.parse(week.json.utf8)
    #expect(json["period"]?.string == "7d")
    #expect(json["places"]?.array?.map { $0["n"]?.integer } == [10_080, 10_001, 10_080])
    #expect(week.table(width: 100, color: false).contains("Successes of the last 7d at each place"))
  }

  @Test(arguments: [("90d", nil), ("24h", "Mail"), ("24h", "Nobody")] as [(String, String?)])
  func whereNothingCanBeComparedThereIsNoRow(period: String, only: String?) throws {
    #expect(try comparison(period, only: only).rows.isEmpty)
  }

  /// How much slower a place is stays whole at any width; other columns go.
  @Test(arguments: [60, 80, 100]) func theDifferenceIsNeverCut(width: Int) throws {
    let lines = try comparison(only: "Shop").table(width: width, color: false).split(separator: "\n")
    #expect(lines[2].hasSuffix("  +75.2 ms (+376%)"), "\(lines)")
    #expect(lines[0...3].allSatisfy { $0.columns <= width }, "\(lines)")
  }

  /// However many checks there are, each is looked at.
  @Test func aComparisonReadsAllPages() async throws {
    let asked = Mutex<[String]>([])
    let checks = try await PlaceComparison.pages { path in
      asked.withLock { $0.append(path) }
      let count = path.hasSuffix("offset=2000") ? 10 : 1000
      let rows = (0..<count).map { "{\"name\":\"\($0)\",\"places\":[\($0 == 9 ? "{}" : "")]}" }
      return "{\"data\":[\(rows.joined(separator: ","))]}"
    }
    #expect(asked.withLock { $0.count } == 3 && checks.count == 3)
  }
}
