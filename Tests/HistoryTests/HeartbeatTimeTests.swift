// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Each evaluation of a heartbeat has the duration of the job's last run; in the figures a run counts once.
@Suite struct HeartbeatTimeTests {
  private func job() throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    definition.token = Redacted("0123456789abcdef0123456789abcdef")
    (definition.period, definition.grace) = (.seconds(86_400), .seconds(1800))
    (definition.interval, definition.timeout) = (.seconds(60), .seconds(1))
    return try MonitoringCheck(definition)
  }

  /// Nine evaluations of three runs, of which the second failed, and one while nothing was heard.
  private static let runs: [(CheckState, Int?)] = [
    (.up, 3000), (.up, 3000), (.up, 3000), (.down, 500), (.down, 500), (.down, nil), (.down, 500),
    (.up, 1000),
    (.up, 1000),
  ]

  private func run(_ place: Int) -> Run {
    Run(
      slot: midnight + .seconds(60 * place), state: Self.runs[place].0,
      latency: Self.runs[place].1.map { .milliseconds($0) })
  }

  @Test func aRunCountsOnce() throws {
    let check = try job()
    let store = makeStore(check, runs: Self.runs.indices.map(run))
    let now = midnight + .seconds(60 * Self.runs.count)
    let figures = try #require(store.figures(of: check.id, now: now))
    #expect(figures.latency.count == 2 && figures.latency.microseconds == 4_000_000)
    for window in figures.windows {
      let latency = try #require(window.latency)
      #expect(latency.count == 2 && latency.mean == .seconds(2), "\(window.period)")
      #expect(latency.minimum == .seconds(1) && latency.maximum == .seconds(3), "\(window.period)")
      #expect(window.counts.up == 5 && window.counts.down == 4, "\(window.period)")
    }
    let counts = store.histograms.responses.map { ($0.state, $0.times.count) }
    #expect(counts.map(\.0) == [.up, .down] && counts.map(\.1) == [2, 1])
    // It is shown all the same.
    #expect(figures.last?.responseTime == .seconds(1))
    #expect(
      figures.spark.map { $0.responseTime?.microseconds } == Self.runs.map { $0.1.map { Int64($0) * 1000 } })
  }

  /// After a restart the run of before is known: by the files, and by the store of results.
  @Test(arguments: [0, 3, 8]) func aRunCountsOnceOverARestart(saved: Int) throws {
    let check = try job()
    let before = HistoryStore()
    before.apply([check], now: midnight)
    for place in 0..<saved {
      before.record(run(place).result(of: check), interval: .seconds(60), sequence: UInt64(place + 1))
    }
    let store = HistoryStore(decoding: before.files())
    store.apply([check], now: midnight)
    for place in saved..<8 {
      store.replay(run(place).record(of: check, sequence: UInt64(place + 1)), interval: .seconds(60))
    }
    store.record(run(8).result(of: check), interval: .seconds(60), sequence: 9)
    let figures = try #require(store.figures(of: check.id, now: midnight + .seconds(600)))
    #expect(figures.latency == LatencyTotal() && store.histograms.responses.isEmpty)
    #expect(figures.window(.day).latency?.count == 2 && figures.window(.day).latency?.mean == .seconds(2))
  }

  /// Of any other check each result is a measurement of its own.
  @Test func equalTimesOfOtherChecks() throws {
    let check = try makeCheck()
    let store = makeStore(check, runs: grid(4))
    let figures = try #require(store.figures(of: check.id, now: midnight + .seconds(240)))
    #expect(figures.latency.count == 4 && figures.window(.day).latency?.count == 4)
    #expect(store.histograms.responses.map(\.times.count) == [4])
  }
}
