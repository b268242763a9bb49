// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The values that rules compare: ranks, ends of certificates, and the edges of both.
@Suite struct RuleValueTests {
  /// Squares, so that no two neighbours are equally far apart, in an order that is not theirs.
  private func values(_ count: Int) -> [Duration] {
    (0..<count).map { place in
      let number = (place * 7919) % count + 1
      return .microseconds(number * number)
    }
  }

  private func memory(_ values: [Duration]) throws -> CheckMemory {
    let check = try makeCheck("Shop")
    var memory = CheckMemory()
    for (second, value) in values.enumerated() {
      memory.add(result(check, .up, at: Int64(second), took: value), keepsTimes: true)
    }
    return memory
  }

  /// The nearest rank: the least value that so many percent of the values do not exceed.
  @Test(arguments: [10, 11, 19, 20, 21, 99, 100, 101, 720], [1, 5, 50, 75, 90, 95, 99, 100])
  func aPercentileIsTheNearestRank(count: Int, percentile: Int) throws {
    let all = values(count)
    let rank = try #require((1...count).first { $0 * 100 >= percentile * count })
    let found = try memory(all).responseTime(percentile, within: .seconds(3600), at: after(Int64(count)))
    #expect(found == .microseconds(rank * rank))
  }

  /// By hand: of 20 values the 19th is p95, of 21 the 20th, of 10 the 10th.
  @Test(arguments: [(10, 95, 10), (20, 95, 19), (21, 95, 20), (100, 99, 99), (101, 99, 100), (20, 50, 10)])
  func ranksByHand(count: Int, percentile: Int, rank: Int) throws {
    let found = try memory(values(count)).responseTime(percentile, within: .seconds(3600), at: after(1000))
    #expect(found == .microseconds(rank * rank))
  }

  /// The results of a heartbeat have the time of the job's last run: ten of one run are one value, and not enough.
  @Test func aRunOfAJobIsOneValue() throws {
    let check = try makeCheck("Shop")
    var memory = CheckMemory()
    func add(_ second: Int64, _ state: CheckState, _ took: Duration?) {
      var result = result(check, state, at: second, took: took)
      result.type = .heartbeat
      memory.add(result, keepsTimes: true)
    }
    func found(_ second: Int64) -> [Duration?] {
      [nil, 95].map { memory.responseTime($0, within: .seconds(3600), at: after(second)) }
    }
    for second in 0..<20 { add(Int64(second), .up, .seconds(9)) }
    #expect(found(20) == [.seconds(9), nil])
    for run in 1...8 { add(20 + Int64(run), .up, .seconds(run)) }
    #expect(found(29) == [.seconds(8), nil], "nine runs")
    // Not heard in time, and then the time of the run before.
    add(30, .down, nil)
    add(31, .up, .seconds(8))
    #expect(found(32) == [.seconds(8), nil], "still nine")
    add(33, .up, .seconds(2))
    #expect(found(34) == [.seconds(2), .seconds(9)])
  }

  /// The window is open at its old end; of more than 720 the newest 720 count; fewer than ten say nothing.
  @Test func whichValuesCount() throws {
    let rising = (1...1500).map { Duration.microseconds($0) }
    let memory = try memory(rising)
    func least(_ window: Int64, at second: Int64) -> Duration? {
      memory.responseTime(1, within: .seconds(window), at: after(second))
    }
    // Value n came at second n - 1.
    #expect(least(100, at: 1499) == .microseconds(1401))
    #expect(least(10, at: 1499) == .microseconds(1491) && least(9, at: 1499) == nil)
    #expect(least(10_000, at: 1499) == .microseconds(788), "the eighth of the newest 720")
    #expect(memory.responseTime(nil, within: .seconds(1), at: after(1499)) == .microseconds(1500))
  }

  /// A bound is exceeded by more than it, not by itself.
  @Test(arguments: [(19 * 19, false), (19 * 19 - 1, true), (20 * 20, false), (18 * 18, true)])
  func aBoundIsExceeded(above: Int, isExceeded: Bool) throws {
    let shop = try makeCheck("Shop")
    let kind = AlertRule.Kind.responseTime(
      above: .microseconds(above), percentile: 95, window: .seconds(3600))
    var watch = RuleWatch([AlertRule("r", kind, severity: .high)])
    _ = watch.apply([shop], now: monday)
    var last: [TroubleEvent] = []
    for (second, value) in values(20).enumerated() {
      last = watch.note(result(shop, .up, at: Int64(second), took: value))
    }
    let key = Trouble.Key(rule: "r", check: shop.id)
    #expect((watch.open[key] != nil) == isExceeded, "\(last)")
  }

  private static let day: Int64 = 86_400

  /// Ends of the leaf and of the path in days, and the one that counts.
  private static let ends: [(leaf: Int64?, path: Int64?, counts: Int64?)] = [
    (90, nil, nil), (5, nil, 5), (90, 5, 5), (90, 90, nil), (5, 3, 3), (20, 0, 0), (nil, 5, 5),
    (nil, nil, nil),
    (6, 90, nil),
  ]

  /// An intermediate that ends before the leaf is what ends; the path says it where there is one.
  @Test(arguments: RuleValueTests.ends.indices) func whatEndsFirst(_ row: Int) throws {
    let (leaf, path, counts) = Self.ends[row]
    let shop = try makeCheck("Shop")
    let days = [21, 7, 1].map { Duration.seconds($0 * Self.day) }
    var watch = RuleWatch([AlertRule("r", .certificateExpiry(before: days), severity: .low)])
    _ = watch.apply([shop], now: monday)
    var found = result(shop, .up, at: 0)
    func end(_ days: Int64?) -> Timestamp? { days.map { after($0 * Self.day + 60) } }
    found.facts.tls = TLSFacts(verified: true, notAfter: end(leaf), pathNotAfter: end(path))
    let events = watch.note(found)
    guard case .holds(let trouble)? = events.first else {
      #expect(counts == nil && events.isEmpty)
      return
    }
    let expected = try #require(end(counts))
    #expect(trouble.text?.hasSuffix(", at \(expected.rfc3339Seconds)") == true, "\(trouble.text ?? "")")
  }

  /// Seconds to the end: the steps at 21, 7 and 1 days include their edges, and at the end it is critical.
  @Test(
    arguments: [
      (21 * 86_400 + 1, nil, nil), (21 * 86_400, 1, .low), (7 * 86_400 + 1, 1, .low),
      (7 * 86_400, 2, .medium),
      (86_401, 2, .medium), (86_400, 3, .high), (1, 3, .high), (0, 4, .critical), (-1, 4, .critical),
    ] as [(Int64, Int?, AlertSeverity?)])
  func steps(left: Int64, level: Int?, severity: AlertSeverity?) throws {
    let shop = try makeCheck("Shop")
    let days = [21, 7, 1].map { Duration.seconds($0 * Self.day) }
    var watch = RuleWatch([AlertRule("r", .certificateExpiry(before: days), severity: .low)])
    _ = watch.apply([shop], now: monday)
    var found = result(shop, .up, at: 0)
    found.facts.tls = TLSFacts(verified: true, notAfter: after(left))
    var told: Trouble?
    if case .holds(let trouble)? = watch.note(found).first { told = trouble }
    #expect(told?.level == level && told?.severity == severity)
  }
}
