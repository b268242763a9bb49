// SPDX-License-Identifier: MIT

import Basics
import FoundationEssentials
import History
import Logging
import Monitoring
import Scheduler
import Spool
import TestSupport
import Testing
@testable import Agent

/// A start without files of the history counts the store of results as the agent did that ran the checks.
@Suite struct ReplayTests {
  private let begin = FakeClock.start
  private let grid = SlotGrid(agent: "a")

  private struct NoFiles: HistoryFiles {
    let path = "windows"
    func read() async -> (reading: HistoryReading, problems: [String]) { (HistoryReading(), []) }
    func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure) {}
    func remove(_ number: Int) async throws(StateFile.Failure) {}
    func name(_ number: Int) -> String { "windows/\(number)" }
  }

  private struct Figures: Equatable {
    let time: Tally
    let counts: Tally
    /// Seconds from the first slot to the begin and to the end, and the results.
    let outages: [[Int64]]
  }

  private func check(every seconds: Int64) throws -> MonitoringCheck {
    try tcpCheck("Shop") { $0.interval = .seconds(seconds) }
  }

  private func slot(_ check: MonitoringCheck) -> Timestamp {
    grid.timeline(check, check.interval).slot(after: begin)
  }

  private func figures(_ history: HistoryStore, _ check: MonitoringCheck, from first: Timestamp) throws
    -> Figures
  {
    let now = first.advanced(by: .seconds(200))
    let window = try #require(history.checks(now: now).first).window(.week)
    let outages = try #require(history.outages(check.id, now: now)).map { outage in
      [outage.begin, outage.heldUntil].map { first.duration(to: $0).microseconds / 1_000_000 }
        + [Int64(outage.results)]
    }
    return Figures(time: window.time, counts: window.counts, outages: outages)
  }

  private func restored(_ spool: ResultSpool, _ checks: [MonitoringCheck]) async -> HistoryStore {
    await spool.flush()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return await HistoryKeeper(folder: NoFiles(), spool: spool, log: log, time: FakeClock(at: begin).time)
      .restore(grid: grid, checks: checks)
  }

  /// Records some runs, and tells what the agent's own windows say.
  private func inWorld(
    _ check: MonitoringCheck, _ runs: [(result: CheckResult, spanned: SlotRange?)],
    _ body: (Figures, ResultSpool) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let spool = try await ResultSpool.open(
        Spool.SpoolSettings(path: folder.path + "/spool", size: 16 << 20, durability: .interval))
      let history = HistoryStore()
      history.apply([check], now: begin)
      let recorder = Recorder(
        grid: grid, history: history, spool: spool, catalog: CheckCatalog(file: [check]), uploader: nil,
        resources: nil, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      for run in runs { recorder.record(run.result, of: check, spanned: run.spanned) }
      try await body(try figures(history, check, from: slot(check)), spool)
      await spool.close()
    }
  }

  private func result(_ check: MonitoringCheck, _ id: UniqueID, at slot: Timestamp, _ verdict: Verdict)
    -> CheckResult
  {
    CheckResult(
      id: id, check: check, trigger: .schedule, scheduledAt: slot, startedAt: slot, late: .zero,
      verdict: verdict)
  }

  /// An outage of three results, 30 s apart, is one of 90 s for a check that now runs more often or more seldom.
  @Test(arguments: [2, 30, 60, 300] as [Int64]) func aChangedInterval(now seconds: Int64) async throws {
    let (before, after) = (try check(every: 30), try check(every: seconds))
    #expect(before.id == after.id)
    let first = slot(before)
    let refused = Verdict(.connectRefused, phase: .connect, message: "refused")
    let runs = (0..<3).map { number in
      let at = first.advanced(by: .seconds(30 * number))
      return (
        result: result(before, UniqueID(high: 1, low: UInt64(number) + 1), at: at, refused),
        spanned: nil as SlotRange?
      )
    }
    try await inWorld(before, runs) { live, spool in
      #expect(live.time.down == 90_000_000 && live.counts.down == 3 && live.outages == [[0, 90, 3]])
      let history = await restored(spool, [after])
      let restoredFigures = try figures(history, after, from: first)
      #expect(restoredFigures == live)
      // Configured again after the start.
      let absent = await restored(spool, [])
      absent.apply([after], now: begin)
      let laterFigures = try figures(absent, after, from: first)
      #expect(laterFigures == live)
    }
  }

  /// Spanned slots are those that the scheduler counted: a clock that is set forward during a run adds none, though the end that
  /// the run's id tells is later.
  @Test func aClockSetForwardDuringARun() async throws {
    let check = try check(every: 2)
    let first = slot(check)
    let end = UInt64(first.advanced(by: .seconds(3700)).microseconds / 1000)
    let runs = (0..<2).map { number in
      let at = first.advanced(by: .seconds(4 * number))
      let spanned = SlotRange(first: at.advanced(by: .seconds(2)), count: 1, interval: .seconds(2))
      return (
        result: result(
          check, UniqueID(high: end << 16 | 7 << 12, low: 1 << 63 | UInt64(number)), at: at, .ok),
        spanned: number == 0 ? spanned : nil
      )
    }
    try await inWorld(check, runs) { live, spool in
      #expect(live.time.up == 6_000_000 && live.counts.up == 3 && live.outages == [])
      let history = await restored(spool, [check])
      let restoredFigures = try figures(history, check, from: first)
      #expect(restoredFigures == live)
    }
  }
}
