// SPDX-License-Identifier: MIT

import Basics
import Groups
import HistorySupport
import Monitoring
import Testing
@testable import History
@testable import Status

/// The tables of the text of `status`: which columns there are, at which width, and what stands in them.
@Suite struct StatusTableTests {
  private let now = midnight + .seconds(7200)

  private func check(_ change: (inout CheckStatus) -> Void = { _ in }) throws -> CheckStatus {
    var check = try #require(makeStore(try makeCheck()).snapshot(now: now).checks.first)
    change(&check)
    return check
  }

  private func titles(_ lines: [String]) -> [String] {
    var titles = (lines.first ?? "").split(separator: " ").map(String.init)
    // Of two words.
    if let place = titles.firstIndex(of: "BY") {
      titles.replaceSubrange(place...(place + 1), with: ["BY PLACE"])
    }
    if let place = titles.firstIndex(of: "7d"), place + 1 < titles.count, titles[place + 1] == "P95" {
      titles.replaceSubrange(place...(place + 1), with: ["7d P95"])
    }
    return titles
  }

  /// Checks each column leaves, one after the other, where there is one place less than it takes.
  private func expectLeaving(
    _ all: [String], _ leaving: [(String, Int)], needed whole: Int, _ table: (Int) -> [String]
  ) {
    var (left, needed) = (all, whole)
    #expect(titles(table(needed)) == left, "\(needed)")
    for (name, width) in leaving where needed > StatusText.narrowest {
      left.removeAll { $0 == name }
      #expect(titles(table(needed - 1)) == left, "\(needed - 1)")
      needed -= width + 2
      if needed >= StatusText.narrowest { #expect(titles(table(needed)) == left, "\(needed)") }
    }
  }

  /// The 90 days leave first, then what is recent; the name, the state and the latency stay longest.
  @Test func columnsOfTheChecks() throws {
    let check = try check()
    let all = [
      "CHECK", "STATE", "LATENCY", "LAST", "24h", "7d", "30d", "90d", "COVERED", "DATA", "RECENT",
    ]
    let leaving = [
      ("90d", 8), ("RECENT", 12), ("COVERED", 7), ("7d", 8), ("DATA", 4), ("30d", 8), ("LAST", 4), ("24h", 8),
      ("LATENCY", 8),
    ]
    let needed = 5 + 10 + 8 + 4 + 4 * 8 + 7 + 4 + 12 + 10 * 2
    expectLeaving(all, leaving, needed: needed) { StatusText(width: $0).table([check], now: now) }
  }

  /// What a thin window says in brackets takes two places more, and is explained once.
  @Test func thinWindows() throws {
    let thin = try check { check in
      var window = WindowStatus(period: .week)
      (window.time.up, window.span) = (3_000_000, 1_000_000_000)
      check.windows = [window]
    }
    let lines = StatusText(width: 200).table([thin, thin], now: now)
    #expect(lines.count == 4)
    #expect(
      lines[3] == "(3s): the figure rests on that much data, less than 1% of its window")
    #expect(lines[0].contains("LAST         24h          7d         30d         90d  COVERED"))
    #expect(lines[1].contains("           –   100% (3s)           –           –"))
    #expect(try StatusText(width: 200).table([check()], now: now).count == 2)
  }

  /// Twelve of the latest runs, from 140 columns on twenty.
  @Test(arguments: [(139, 12), (140, 20), (200, 20)]) func recentRuns(width: Int, count: Int) throws {
    let check = try check { check in
      check.sparkLine = SparkLine()
      for place in 0..<40 as Range<Int> {
        check.sparkLine.append(SparkPoint(state: place < 20 ? .down : .unknown, responseTime: nil))
      }
    }
    let row = try #require(StatusText(width: width).table([check], now: now).last)
    #expect(row.hasSuffix(" " + String(repeating: "·", count: count)), "\(row)")
  }

  /// State, colour and figures of a row.
  @Test func cellsOfARow() throws {
    func row(color: Bool = false, _ change: (inout CheckStatus) -> Void) throws -> String {
      let lines = try StatusText(width: 200, color: color).table([check(change)], now: now)
      return try #require(lines.last)
    }
    let result = LastResult(
      scheduledAt: midnight, startedAt: midnight, state: .degraded, reason: .responseTime,
      responseTime: .milliseconds(1234), maintenance: false)
    let degraded = try row(color: true) { check in
      (check.state, check.last) = (.degraded, result)
      var (day, quarter) = (WindowStatus(period: .day), WindowStatus(period: .quarter))
      (day.time.up, day.span, day.enabled) = (30_000_000, 60_000_000, 90_000_000)
      (quarter.time.up, quarter.time.down) = (150_000_000, 50_000_000)
      quarter.span = 400_000_000
      check.windows = [day, quarter]
    }
    #expect(
      degraded
        == "Shop   \u{1b}[33m▲ DEGRADED\u{1b}[0m    1.23 s    2h      100%         –         –       75%    33.3%    3m",
      "\(degraded)")
    let pending = try row(color: true) { $0.nextRun = now + .seconds(12) }
    #expect(pending.hasPrefix("Shop   \u{1b}[90m◌ PENDING\u{1b}[0m     in 12s     –         –"))
    let off = try row(color: true) { $0.enabled = false }
    #expect(off.hasPrefix("Shop   – OFF              –     –         –"))
    let maintained = try row(color: true) {
      $0.maintenance = CheckMaintenance(name: "n", until: now, skip: false)
    }
    #expect(maintained.hasPrefix("Shop   ◆ MAINT"))
    for (state, code) in [(CheckState.up, "32"), (.down, "31"), (.unknown, "90")] {
      let shown = try row(color: true) { ($0.state, $0.last) = (state, result) }
      #expect(shown.hasPrefix("Shop   \u{1b}[\(code)m\(state.mark) \(state.word)\u{1b}[0m"), "\(shown)")
    }
  }

  /// The outages at hand: those that are down by a verdict that holds, and what to do, once for each reason.
  @Test func outagesAtHand() throws {
    func down(_ name: String, _ reason: Reason, _ message: String?, begin: Int?) throws -> CheckStatus {
      try check { check in
        (check.name, check.state, check.stale) = (name, .down, false)
        check.since = now + .seconds(-90)
        check.last = LastResult(
          scheduledAt: now, startedAt: now, state: .down, reason: reason, message: message, maintenance: false
        )
        check.latestOutage = []
        if let begin {
          check.latestOutage = [
            Outage(begin: midnight + .seconds(begin), end: nil, heldUntil: now, reason: reason)
          ]
        }
      }
    }
    let checks = try [
      down("a", .connectRefused, "refused", begin: 0), down("b", .connectRefused, nil, begin: nil),
      down("c", .tlsExpired, nil, begin: 7140),
    ]
    let text = StatusText(width: 200)
    #expect(
      text.outages(checks, now: now) == [
        "DOWN  SINCE                  FOR  WHY",
        "✕ a   2026-01-01 00:00:00Z    2h  connect_refused: refused",
        "✕ b   2026-01-01 01:58:30Z    1m  connect_refused", "✕ c   2026-01-01 01:58:30Z    1m  tls_expired",
        "  → connect_refused: see whether the service runs, and on which address and port",
        "  → tls_expired: renew the certificate",
      ])
    var others = [checks[0], checks[0], checks[0], checks[0]]
    others[0].stale = true
    others[1].enabled = false
    others[2].state = .degraded
    others[3].maintenance = CheckMaintenance(name: "n", until: now, skip: false)
    #expect(text.outages(others, now: now) == [] && others.map(\.isInOutage) == [false, false, false, false])
    let needed = 4 + 20 + 4 + 14 + 6
    expectLeaving(["DOWN", "SINCE", "FOR", "WHY"], [("SINCE", 20), ("WHY", 14)], needed: needed) {
      StatusText(width: $0).outages([checks[0]], now: now)
    }
  }

  /// Places of a check in a table of their own, from two on; what is of least use leaves first.
  @Test func places() throws {
    var (one, other) = (PlaceStatus("london"), PlaceStatus("paris"))
    one.isOwn = true
    other.verdict = PlaceVerdict("paris", .down, .connectRefused)
    var day = WindowStatus(period: .day)
    (day.time.up, day.time.down) = (300_000_000, 100_000_000)
    (day.span, day.enabled) = (1_000_000_000, 1_000_000_000)
    day.latency = LatencyStats(
      count: 1, mean: .zero, minimum: .zero, maximum: .zero, p50: .milliseconds(1), p90: .zero,
      p95: .milliseconds(2), p99: .zero)
    var week = day
    week.period = .week
    week.latency?.p95 = .milliseconds(3)
    other.windows = [day, week]
    let check = try check { $0.places = [one, other] }
    let lines = StatusText(width: 200).places([check])
    #expect(
      lines == [
        "BY PLACE  PLACE          STATE               24h       P50       P95    7d P95  COVERED",
        "Shop      london (here)  – –                   –         –         –         –        –",
        "          paris          ✕ DOWN              75%      1 ms      2 ms      3 ms      40%",
      ])
    let all = ["BY PLACE", "PLACE", "STATE", "24h", "P50", "P95", "7d P95", "COVERED"]
    let leaving = [("7d P95", 8), ("COVERED", 7), ("24h", 10), ("P95", 8), ("P50", 8)]
    let needed = 8 + 8 + 11 + 10 + 8 + 8 + 8 + 7 + 7 * 2
    expectLeaving(all, leaving, needed: needed) { StatusText(width: $0).places([check]) }
    var (single, off) = (check, check)
    single.places = [one]
    off.enabled = false
    #expect(StatusText(width: 200).places([single, off]) == [])
  }
}
