// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import History
import Monitoring
import Network
import Status
import StatusServer
import Tracing

/// One picture of everything, put together on request from what each part contributes, and the answers to what people ask.
struct AgentStatus: StatusSource {
  let parts: [any AgentPart]
  let history: HistoryStore
  let threads: ThreadWatch
  let runs: RunNowDesk
  let store: StoreDesk
  let operators: OperatorDesk
  let posts: PostDesk
  let traces: TraceDesk
  /// `nil` where alerts are off.
  let alerts: AlertDesk?
  /// `nil` where there are no other places.
  let places: PlacesPart?
  let base: AgentBase

  var now: Timestamp { base.time.wall() }

  func snapshot() async -> StatusSnapshot {
    let agent = AgentIdentity(base.settings.agent, started: base.started)
    var snapshot = StatusSnapshot(agent: agent, history: history, now: now)
    for part in parts {
      await part.contribute(to: &snapshot)
      snapshot.notices += await part.notices
    }
    return snapshot
  }

  func metrics() async -> MetricsView {
    var view = MetricsView(history)
    view.labels = base.settings.metrics.labels
    for part in parts { await part.contribute(to: &view) }
    view.process = await onThread { ProcessFigures.now() }
    return view
  }

  /// It is made once the scheduler has its checks.
  func isReady() -> Bool { threads.stuck.isEmpty }
  var unready: String { "stuck: \(threads.stuck.joined(separator: ", "))" }
  var shortcomings: [String] { parts.flatMap(\.shortcomings) }

  func runNow(_ checkID: UniqueID) async -> RunNowOutcome { await runs.run(checkID) }
  func act(_ wish: OperatorWish) async -> OperatorAnswer { await operators.take(wish) }
  func post(_ wish: PostWish) async -> OperatorAnswer { await posts.take(wish) }
  func spool(_ question: SpoolQuestion) async -> SpoolAnswer { await store.answer(question) }
  func askPlaces(_ checkID: UniqueID) async { await places?.keeper.ask(checkID) }

  func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? {
    guard let group = base.group else { return nil }
    let document = await onThread { group.document(withChecks: withChecks) }
    return { document.write(to: &$0) }
  }

  func share(of checkID: UniqueID, at instant: Timestamp) -> WindowShare? {
    history.share(of: checkID, now: instant)
  }

  func recent(_ checkID: UniqueID) -> [CheckResult]? { history.recent(checkID) }
  func outages(_ checkID: UniqueID, at instant: Timestamp) -> [Outage]? {
    history.outages(checkID, now: instant)
  }
  func traces(_ checkID: UniqueID) -> TraceView? { traces.view(of: checkID) }

  func series(
    _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
  ) -> [SeriesPoint]? {
    history.series(checkID, period, now: instant, points: points)
  }

  func periods(through period: CalendarPeriod, count: Int) async -> [UniqueID: CheckMonths] {
    let rules = alerts?.settings.rules ?? []
    // Off the pool: thousands of checks take as long as many probes do.
    return await onThread { [history, now, checks = base.catalog.checks] in
      history.periods(through: period, count: count, now: now, rules: rules, checks: checks)
    }
  }
}

extension AgentIdentity {
  init(_ agent: AgentSettings, started: Timestamp) {
    self.init(name: agent.name, region: agent.region, version: agentVersion, started: started)
  }
}
