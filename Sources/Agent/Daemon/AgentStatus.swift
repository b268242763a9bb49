// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Checks
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusServer
import Tracing

/// One picture of everything, put together on request from what each room says of itself.
struct AgentStatus: StatusSource {
  let history: HistoryStore
  let spool: ResultSpool
  let scheduler: CheckScheduler
  let link: QuartzLink?
  let apps: AppDesk
  let catalog: CheckCatalog
  /// Probes in flight at most.
  let limit: Int
  let egress: EgressBudget
  let maintenance: MaintenanceBook
  let desk: RunNowDesk
  let refusedFile: RefusedFile
  let starts: StartWatch
  let disk: StateDisk
  /// The agent's name.
  let agent: String
  let threads: ThreadWatch
  let engine: ProbeEngine
  /// Tags that become labels of the metrics.
  let labels: [String]
  let operators: OperatorDesk
  /// `nil` where alerts are off.
  let alerts: AlertDesk?
  let traces: TraceDesk
  /// `nil` where the agent is in no group.
  let group: GroupDesk?
  let once: GroupOnce
  /// `nil` where there are no other places.
  let places: PlacesParts?
  let lifeSigns: LifeSigns
  let discovery: DiscoveryKeeper
  /// `nil` where `/probe` is off.
  let probes: ProbeDesk?
  let time: TimeSource

  var now: Timestamp { time.wall() }

  func snapshot() async -> StatusSnapshot {
    var snapshot = history.snapshot(now: now)
    snapshot.mark(maintenance.plan)
    snapshot.mark(nextRuns: scheduler.runs(of: snapshot.pending))
    let store = spool.status()
    snapshot.spool = SpoolView(store)
    let diskNotice = disk.notice(store: store.trouble)
    // One disk, one problem.
    if store.trouble?.place == .stateDirectory { snapshot.spool?.problem = diskNotice }
    let ofFiles = snapshot.spool?.problem == diskNotice ? nil : diskNotice
    snapshot.scheduler = SchedulerView(scheduler.status(), limit: limit)
    if let uploader = link?.uploader {
      let status = await uploader.status()
      snapshot.spool?.parked = status.parked
      snapshot.delivery = DeliveryView(status, backlog: snapshot.spool?.depth ?? 0, skipped: skipped())
    }
    snapshot.load.note(engine.bench.figures)
    let waits = waits()
    snapshot.load.waits = QueueNotices.views(of: waits, at: time.instant())
    snapshot.notices = [threads.notice, ofFiles, history.damage].compactMap(\.self) + refusedFile.notices
    snapshot.notices += [history.goneNotice(now: now)].compactMap(\.self)
    snapshot.notices += QueueNotices.notices(of: waits, at: time.instant(), wall: now) + starts.notices
    snapshot.notices += await link?.notices() ?? []
    snapshot.notices += apps.notices
    if let group {
      snapshot.group = group.figures
      snapshot.notices += group.notices
    }
    snapshot.notices += [egress.notice, pingNotice].compactMap(\.self)
    snapshot.notices += lifeSigns.notices + discovery.notices + [traces.notice].compactMap(\.self)
    snapshot.mark(catalog.dependencies)
    places?.mark(&snapshot)
    snapshot.notices += (places?.notices ?? []) + (once.incidents?.notices ?? [])
    let orders = operators.current
    snapshot.mutes = orders.mutes.map(OrderView.init)
    snapshot.byHand = orders.windows.map(OrderView.init)
    snapshot.alerts = alerts?.view(now: snapshot.now)
    snapshot.markHandled(muted: muted(by: orders))
    return snapshot
  }

  private func muted(by orders: HandBook) -> [UniqueID: Timestamp] {
    guard !orders.mutes.isEmpty else { return [:] }
    let now = now
    let ends = catalog.checks.compactMap { check in
      orders.mutedUntil(check, at: now).map { (check.id, $0) }
    }
    return Dictionary(ends, uniquingKeysWith: max)
  }

  /// Asked at each picture, for the permission comes and goes with a sysctl.
  private var pingNotice: Notice? {
    guard catalog.checks.contains(where: { $0.enabled && $0.sendsEchoes }) else { return nil }
    return pingWay().notice
  }

  func runNow(_ checkID: UniqueID) async -> RunNowOutcome { await desk.run(checkID) }

  func act(_ wish: OperatorWish) async -> OperatorAnswer { await operators.take(wish) }

  func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? {
    guard let group else { return nil }
    let document = await onThread { group.document(withChecks: withChecks) }
    return { document.write(to: &$0) }
  }

  func share(of checkID: UniqueID, at instant: Timestamp) -> WindowShare? {
    history.share(of: checkID, now: instant)
  }

  func askPlaces(_ checkID: UniqueID) async { await places?.keeper.ask(checkID) }

  func recent(_ checkID: UniqueID) -> [CheckResult]? { history.recent(checkID) }

  func outages(_ checkID: UniqueID) -> [Outage]? { history.outages(checkID, now: now) }

  func traces(_ checkID: UniqueID) -> TraceView? { traces.view(of: checkID) }

  func series(_ checkID: UniqueID, _ period: UptimePeriod, points: Int) -> [SeriesPoint]? {
    history.series(checkID, period, now: now, points: points)
  }

  func metrics() async -> MetricsView {
    var view = history.metrics()
    view.labels = labels
    view.gone = history.gone
    view.unwritten = disk.trouble?.files.count ?? 0
    view.reloads = refusedFile.figures
    view.probes = probes?.figures
    view.traces = traces.figures
    view.process = await onThread { ProcessFigures.now() }
    return view
  }

  /// It is made once the scheduler has its checks.
  func isReady() -> Bool { threads.stuck.isEmpty }

  var unready: String { "stuck: \(threads.stuck.joined(separator: ", "))" }

  var shortcomings: [String] {
    let disk = [disk.notice(store: spool.status().trouble)].compactMap(\.self).map {
      "\($0.place.text): \($0.what)"
    }
    return disk + QueueNotices.lines(of: waits(), at: time.instant()).map { "held: \($0)" }
  }

  /// Tasks that wait for a budget of the process now.
  private func waits() -> [QueueWait] { engine.waits + scheduler.status().waits }

  /// The file's checks that the API does not know.
  private func skipped() -> [Notice] {
    catalog.checks.filter { $0.enabled && !catalog.isPosted($0) }.map {
      .warning(.check($0.name), "its id is not in the API's list, and post is not set")
    }
  }
}

extension SpoolView {
  init(_ status: SpoolStatus) {
    self.init()
    depth = status.depth
    oldest = status.oldest
    usedBytes = Int64(status.bytesUsed)
    capacityBytes = Int64(status.bytesReserved)
    durable = status.isDurable
    dropped = Int(clamping: status.dropped)
    quarantined = status.quarantined
    hoursCovered = status.hoursCovered
    gaps = status.gaps.count
    lostInGaps = Int(clamping: status.gaps.reduce(0) { $0 + min($1.lost, 1 << 40) })
    if var notice = status.trouble {
      notice.what = "results are kept in memory only: \(notice.what)"
      problem = notice
    } else {
      problem = status.notes.first
    }
  }
}

extension LoadView {
  fileprivate mutating func note(_ figures: JudgingFigures) {
    judged = figures.judged
    overBudget = figures.overBudget
    longestJudgement = figures.longest
    judging = figures.waiting
  }
}

extension SchedulerView {
  init(_ status: ScheduleStatus, limit: Int) {
    self.init()
    latenessP50 = status.lateP50
    latenessP99 = status.lateP99
    latenessMax = status.lateMax
    missed = status.missed
    missedBy = status.missedBy.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }.map {
      MissedSlots(cause: $0.0, count: $0.1)
    }
    spanned = status.spanned
    inFlight = status.inFlight
    self.limit = limit
  }
}

extension DeliveryView {
  init(_ status: DeliveryStatus, backlog: Int, skipped: [Notice]) {
    self.init(target: "\(status.dialect)")
    delivered = status.tally.delivered
    duplicates = status.tally.duplicates
    self.backlog = backlog
    lastSuccess = status.tally.lastSuccess
    lastError = status.tally.trouble
    lastError?.since = status.tally.troubleSince ?? .epoch
    if let until = status.heldUntil { lastError?.what += "; next try at \(until.rfc3339)" }
    requestsUsed = status.usage.hour
    requestsAllowed = status.usage.perHour
    self.skipped = skipped
  }
}

extension EgressBudget {
  fileprivate var notice: Notice? {
    let status = status
    return status.lastRefusal.map { refusal in
      .critical(
        "egress", "checks of the API were refused \(status.refused) times: \(refusal)",
        hint: "find out whether these checks scan through this agent; else raise limits.destinations")
    }
  }
}

extension PingWay {
  /// For an agent with checks that ping; `nil` while they can, which by raw sockets they can as well.
  var notice: Notice? {
    switch self {
    case .unprivileged, .raw: nil
    case .closed(let why): .critical("ping", "ping checks cannot run", hint: why)
    }
  }
}
