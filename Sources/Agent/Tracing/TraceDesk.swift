// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import History
import Logging
import Monitoring
import Network
import Status
import Synchronization
import Tracing

/// Looks at the way to a target when something is wrong with it, beside the probes and after their verdicts.
///
/// A result is only put down here, on whichever thread found it; what it asks for is a pure decision (`TracePlanner`), and
/// traces are made by tasks of this desk. Nothing of them changes a result.
final class TraceDesk: Sendable {
  struct State {
    var planner: TracePlanner
    var kept = KeptTraces()
    /// Why the traces of before are not known; `nil` when they are.
    var damage: Notice?
  }

  let state: Mutex<State>
  let settings: TraceSettings
  let file: KeptFile
  let log: Logger
  let time: TimeSource
  private let tracer: any RouteTracing
  private let history: HistoryStore
  private let catalog: CheckCatalog
  private let maintenance: MaintenanceBook
  private let bell = Bell()

  static let fileName = "traces"
  /// Between two savings.
  private static let savesEvery: Duration = .seconds(60)

  init(
    _ settings: TraceSettings, disk: StateDisk, tracer: any RouteTracing, history: HistoryStore,
    catalog: CheckCatalog, maintenance: MaintenanceBook, log: Logger, time: TimeSource
  ) async {
    (self.settings, self.tracer, self.history, self.catalog) = (settings, tracer, history, catalog)
    (self.maintenance, self.log, self.time) = (maintenance, log, time)
    file = disk.file(Self.fileName, maxBytes: KeptTraces.fileLimit)
    state = Mutex(State(planner: TracePlanner(settings)))
    await restore()
  }

  convenience init(_ base: AgentBase, _ history: HistoryStore) async {
    await self.init(
      base.settings.trace, disk: base.outside.disk, tracer: await base.outside.tracer(), history: history,
      catalog: base.catalog, maintenance: base.maintenance, log: base.log, time: base.time)
  }

  /// One result, from whichever thread found it. True: a trace is made for it.
  @discardableResult
  func note(_ result: CheckResult, of check: MonitoringCheck) -> Bool {
    let now = time.instant()
    let step = state.withLock { state -> TracePlanner.Step in
      let kept = state.kept
      let step = state.planner.note(
        result, of: check, now: now, isSkipped: { maintenance.plan.skips(check.id, at: result.startedAt) },
        usual: { history.usual(check.id, now: result.startedAt) }, lastGood: { kept.lastGood($0) })
      if case .shares(let other, let cause, let begin) = step {
        state.kept.share(other, with: check.id, cause, begin: begin)
      }
      return step
    }
    if step == .nothing, !state.withLock({ $0.planner.hasWork }) { return false }
    bell.ring()
    return step != .nothing
  }

  /// Takes over other checks.
  func apply(_ checks: [MonitoringCheck]) {
    let (ids, now) = (Set(checks.map(\.id)), time.wall())
    state.withLock { state in
      state.planner.keep(ids)
      // A list that is not there yet forgets nothing.
      if !ids.isEmpty { state.kept.keep(ids, now: now) }
    }
  }

  /// Makes traces and writes them down, until the task is cancelled.
  func run() async {
    guard settings.isOn else { return }
    await withDiscardingTaskGroup { group in
      group.addTask {
        while (try? await self.time.sleep(for: Self.savesEvery)) != nil { await self.save() }
      }
      for await _ in bell.rings {
        while let job = state.withLock({ $0.planner.next(time.instant()) }) {
          group.addTask { await self.trace(job) }
        }
      }
      group.cancelAll()
    }
  }

  private func trace(_ job: TracePlanner.Job) async {
    var request = TraceRequest(host: job.host, target: job.target)
    (request.method, request.findsNames) = (job.method, settings.names)
    let trace = try? await tracer.trace(request, each: nil)
    let told = state.withLock { state -> TraceComparison? in
      let checks = state.planner.ended(job)
      guard let trace else { return nil }
      guard job.cause != .good else {
        state.kept.keep(good: trace)
        return nil
      }
      for check in checks { state.kept.keep(trace, of: check, job.cause, begin: job.begin) }
      return checks.first.flatMap { state.kept.view(of: $0, target: nil).latest?.comparison }
    }
    if let told {
      let checks = job.checks.compactMap { catalog[$0]?.name }.joined(separator: ", ")
      log.notice(
        "a path was traced",
        metadata: [
          "cause": "\(job.cause.word)", "check": "\(checks.printable(maxBytes: 200))",
          "found": "\(told.summary)",
          "target": "\(job.target)",
        ])
    }
    bell.ring()
  }

  /// Traces of the path to a check's target. `nil` where it is not configured.
  func view(of id: UniqueID) -> TraceView? {
    guard let check = catalog[id] else { return nil }
    guard TraceRule.covers(check, settings) else {
      var view = TraceView()
      view.off = offWords(check)
      return view
    }
    let target = history.recent(id)?.lazy.compactMap(TraceRule.target).first
    let usual = settings.slowFactor > 0 ? history.usual(id, now: time.wall()) : nil
    return state.withLock { state in
      var view = state.kept.view(of: id, target: target)
      view.isPending = state.planner.isPending(id)
      if settings.slowFactor > 0 { view.results = usual?.count ?? 0 }
      if let usual, usual.count >= TraceUsual.enough, settings.slowFactor > 0 {
        view.slowFrom = usual.p99 * settings.slowFactor
      }
      return view
    }
  }

  private func offWords(_ check: MonitoringCheck) -> String {
    if check.type == .heartbeat { return "a heartbeat check has no target" }
    if !check.plan.trace { return "the check says trace: false" }
    if !settings.isOn { return "trace.on_failure is false and trace.slow_factor is 0" }
    return "it is a check of the API, and trace.api_checks is false"
  }

  /// One line for a message about a check that is in trouble since then; `nil` when there is no trace of it.
  func line(of check: UniqueID, since: Timestamp) -> String? {
    state.withLock { state in
      guard let latest = state.kept.view(of: check, target: nil).latest,
        latest.begin.advanced(by: Self.before) >= since
      else { return nil }
      return latest.comparison.summary
    }
  }

  /// A rule may count an outage from a moment that lies behind the run which asked.
  private static let before: Duration = .seconds(600)

  var figures: TraceFigures { state.withLock { $0.planner.shown } }
  var notice: Notice? { state.withLock { $0.damage } }
}

extension TraceDesk: AgentPart {
  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }
  func follow(_ list: FollowedList) { apply(list.known) }
  var notices: [Notice] { [notice].compactMap(\.self) }
  func contribute(to metrics: inout MetricsView) { metrics.traces = figures }
  func finish() async { await save() }
}

// MARK: the file

extension TraceDesk {
  /// A damaged file is forgotten: ways are looked at again.
  private func restore() async {
    guard settings.isOn else { return }
    do throws(StateFile.Failure) {
      guard let bytes = try await file.read() else { return }
      if let kept = KeptTraces(bytes) { return state.withLock { $0.kept = kept } }
      log.warning("the ways to targets that worked are forgotten: \(file.name) is damaged")
      state.withLock {
        $0.damage = .warning(
          "traces", "the ways to targets that worked are forgotten: their file was damaged",
          hint:
            "they are looked at again within trace.good_every; until then failures have nothing to compare with"
        )
      }
    } catch {
      log.warning("the ways to targets that worked are not known", metadata: ["problem": "\(error)"])
    }
  }

  func save() async {
    guard let kept = state.withLock({ $0.kept.takeChanges() }) else { return }
    // Megabytes, which nobody who notes a result waits for.
    let bytes = await onThread {
      var kept = kept
      return kept.encoded()
    }
    try? await file.write(bytes)
  }
}
