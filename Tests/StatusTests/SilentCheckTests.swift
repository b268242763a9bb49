// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// What is said of results that stopped coming, and of those that cannot have come yet.
@Suite struct SilentCheckTests {
  private let started = midnight + .seconds(3 * 3600)

  /// Checks whose last result is from before this start, the second's an hour later than the first's.
  private func snapshot(_ checks: [MonitoringCheck], after: Duration) -> StatusSnapshot {
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    for (number, check) in checks.enumerated() {
      store.record(
        Run(slot: midnight + .seconds(3600 * number)).result(of: check), interval: check.interval)
    }
    return snapshot(of: store, now: started + after)
  }

  /// Of an agent that has just begun.
  private func snapshot(of store: HistoryStore, now: Timestamp) -> StatusSnapshot {
    StatusSnapshot(
      agent: AgentIdentity(name: "test-1", region: nil, version: "0", started: started), history: store,
      now: now)
  }

  private func said(_ snapshot: StatusSnapshot) -> [String] {
    snapshot.problems.map { "\($0.what); \($0.hint ?? "")" }
  }

  /// A slot is at most an interval away: until then the start is the cause, and after it something else is.
  @Test(
    arguments: [
      (0, "Shop has had no result for 3h: the agent was not running; its next run is due within 1m"),
      (41, "Shop has had no result for 3h: the agent was not running; its next run is due within 19s"),
      (60, "Shop has had no result for 3h: the agent was not running; its next run is due within 0s"),
      (
        61,
        "Shop has had no result for 3h; the agent cannot keep up or the machine was asleep: see the schedule line"
      ),
    ])
  func afterAStart(_ seconds: Int, _ words: String) throws {
    let snapshot = snapshot([try makeCheck()], after: .seconds(seconds))
    #expect(said(snapshot) == [words])
    #expect(snapshot.problemsBesideStates == snapshot.problems)
  }

  @Test func severalAreOneLine() throws {
    let checks = [
      try makeCheck("Shop"), try makeCheck("Mail"), try makeCheck("Backup", interval: .seconds(300)),
    ]
    #expect(
      said(snapshot(checks, after: .seconds(10))) == [
        "3 checks have had no result for up to 3h: the agent was not running; their next runs are due within 4m"
      ])
    // The slots of two are over, and the third's is not; none is said twice.
    #expect(
      said(snapshot(checks, after: .seconds(100))) == [
        "Backup has had no result for 1h: the agent was not running; its next run is due within 3m",
        "Shop has had no result for 3h; the agent cannot keep up or the machine was asleep: see the schedule line",
        "Mail has had no result for 2h; the agent cannot keep up or the machine was asleep: see the schedule line",
      ])
  }

  /// A job that may still report is no problem, one that did not is: both are `heartbeat_missed`.
  @Test(
    arguments: [(true, []), (false, ["Shop is down for 0s: heartbeat_missed, words"])] as [(Bool, [String])])
  func aJobThatMayStillReport(isUnknown: Bool, problems: [String]) throws {
    let check = try makeCheck()
    let store = HistoryStore()
    store.apply([check], now: midnight)
    let result = CheckResult(
      id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: midnight,
      startedAt: midnight,
      late: .zero,
      verdict: Verdict(.heartbeatMissed, phase: .answer, message: "words", isUnknown: isUnknown))
    store.record(result, interval: check.interval)
    #expect(store.snapshot(now: midnight + .milliseconds(1)).problems.map(\.what) == problems)
  }

  /// Beside the problems of checks it is not plain which channel has which.
  @Test func aChannelIsNamedWithItsProblem() throws {
    var snapshot = HistoryStore().snapshot(now: midnight)
    snapshot.checks = []
    var alerts = AlertsView()
    alerts.channels = [
      .init(name: "ops", target: "hooks.example"), .init(name: "mail", target: "mail.example"),
    ]
    alerts.channels[1].problem = .warning("x", "connection refused", hint: "try it")
    snapshot.alerts = alerts
    let found = snapshot.problems.filter { $0.what.contains("refused") }
    #expect(
      found.map(\.what) == ["notifications by mail: connection refused"] && found.map(\.hint) == ["try it"])
  }

  /// With a result of this start the agent has no such excuse.
  @Test func aResultSinceTheStart() throws {
    let check = try makeCheck()
    let store = HistoryStore()
    store.apply([check], now: midnight)
    store.record(Run(slot: started).result(of: check), interval: check.interval)
    #expect(snapshot(of: store, now: started + .seconds(60)).problems == [])
    #expect(
      said(store.snapshot(now: started + .seconds(600))) == [
        "Shop has had no result for 10m; the agent cannot keep up or the machine was asleep: see the schedule line"
      ])
  }
}
