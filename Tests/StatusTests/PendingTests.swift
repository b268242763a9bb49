// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// What is shown before there is a result, and of a figure that rests on little.
@Suite struct PendingTests {
  /// Three daily checks: one never ran, one has run 50 s ago, one is off.
  private func sample(nextRun: Duration? = .seconds(12)) throws -> StatusSnapshot {
    let new = try makeCheck("New", interval: .seconds(86_400))
    let seen = try makeCheck("Seen", interval: .seconds(86_400))
    let off = try makeCheck("Off", interval: .seconds(86_400), enabled: false)
    let store = HistoryStore()
    store.apply([new, seen, off], now: midnight)
    store.record(
      Run(slot: midnight + .seconds(10)).result(of: seen), interval: .seconds(86_400))
    var snapshot = store.snapshot(now: midnight + .seconds(60))
    #expect(snapshot.pending == [new.id])
    snapshot.mark(nextRuns: nextRun.map { [new.id: snapshot.now + $0, seen.id: midnight] } ?? [:])
    return snapshot
  }

  private func document(_ snapshot: StatusSnapshot) throws -> JSONValue {
    let bytes = StatusJSON.success(now: snapshot.now) { snapshot.writeSummary(full: true, to: &$0) }
    return try #require(try JSONValue.parse(bytes)["data"])
  }

  @Test func aCheckWithoutAResultIsPendingInEveryForm() throws {
    let snapshot = try sample()
    #expect(snapshot.summary.pending == 1 && snapshot.summary.unknown == 1)
    let text = StatusText(width: 100).render(snapshot)
    #expect(text.contains("1 up, 0 degraded, 0 down, 1 unknown (1 pending)"))
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("New") })
    #expect(row.contains("◌ PENDING     in 12s"))
    let data = try document(snapshot)
    #expect(data["checks"]?["pending"]?.integer == 1)
    let new = try #require(data["list"]?[0])
    // The states are a closed set: pending is said beside them.
    #expect(new["state"]?.string == "unknown" && new["pending"]?.bool == true)
    #expect(new["next_run"]?.string == (midnight + .seconds(72)).rfc3339)
    for other in 1...2 {
      #expect(data["list"]?[other]?["pending"] == nil && data["list"]?[other]?["next_run"] == nil)
    }
  }

  @Test(
    arguments: [(30, "in 30s"), (1, "in 1s"), (0, "now"), (-5, "now"), (7200, "in 2h"), (nil, "–")]
      as [(Int?, String)])
  func theTimeOfTheFirstRunInWords(_ seconds: Int?, _ words: String) throws {
    let snapshot = try sample(nextRun: seconds.map { .seconds($0) })
    let row = try #require(
      StatusText(width: 100).render(snapshot).split(separator: "\n").first { $0.hasPrefix("New") })
    #expect(row.contains("PENDING" + String(repeating: " ", count: 1)) && row.contains(words))
  }

  /// 50 s after the first verdict uptime and coverage are 100 %; that this is of 50 s stands beside them.
  @Test func aFigureThatRestsOnLittleSaysSo() throws {
    let snapshot = try sample()
    let window = try #require(snapshot.checks[1].windows.last)
    #expect(window.uptime == 100 && window.data.judged == 50_000_000)
    #expect(window.data.isThin && window.data.percent < 0.001)
    let text = StatusText(width: 120).render(snapshot)
    #expect(text.contains("· uptime 24h 100% (50s of data)"))
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("Seen") })
    #expect(row.components(of: "100% (50s)") == 4)
    #expect(text.contains("(50s): the figure rests on that much data, less than 1% of its window"))
    let shown = try #require(try document(snapshot)["list"]?[1]?["uptime"]?["90d"])
    #expect(shown["uptime"]?.double == 100 && shown["seconds"]?["up"]?.double == 50)
    let data = try #require(shown["data"]?.double)
    let span = try #require(shown["span_s"]?.double)
    #expect(abs(data - 5000 / span) < 1e-9 && span > 88 * 86_400)
  }

  /// At one percent the figure stands for itself again.
  @Test func aFigureThatRestsOnEnoughStandsAlone() throws {
    var share = DataShare(judged: 863_999_999, span: 86_400_000_000)
    #expect(share.isThin && StatusFormat.remark(share) == " (14m of data)")
    share.judged += 1
    #expect(!share.isThin && StatusFormat.remark(share) == "" && share.percent == 1)
    #expect(DataShare(judged: 0, span: 5).percent == 0 && !DataShare(judged: 0, span: 5).isThin)
    #expect(DataShare().percent == 0)
    #expect(DataShare(judged: 9, span: 5).percent == 100)
  }

  /// Nothing of it is wider than the terminal, at 80 columns three windows are left.
  @Test(arguments: [40, 60, 80, 100, 120]) func thinFiguresFitTheTerminal(_ width: Int) throws {
    var snapshot = try sample()
    for index in snapshot.checks[1].windows.indices {
      // The widest there is.
      snapshot.checks[1].windows[index].time.up = 21 * 3_600_000_000
      snapshot.checks[1].windows[index].time.down = 1
      snapshot.checks[1].windows[index].span = 90 * 86_400_000_000
    }
    let lines = StatusText(width: width).render(snapshot).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("CHECK") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("delivery") })
    #expect(lines[start..<end].allSatisfy { $0.unicodeScalars.count <= width })
    let row = try #require(lines.first { $0.hasPrefix("Seen") })
    #expect(String(row).components(of: "99% (21h)") >= (width >= 80 ? 3 : width >= 60 ? 1 : 0))
  }
}

extension StringProtocol {
  /// How often the text occurs.
  fileprivate func components(of text: String) -> Int {
    var count = 0
    var rest = Substring(self)
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
