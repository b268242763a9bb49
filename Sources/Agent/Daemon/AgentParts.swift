// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import Groups
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusServer

/// The rooms, wired: built once, in one place, each given what it needs and nothing more.
struct AgentParts: Sendable {
  let catalog: CheckCatalog
  let history: HistoryStore
  let keeper: HistoryKeeper
  let spool: ResultSpool
  let recorder: Recorder
  let maintenance: MaintenanceBook
  let scheduler: CheckScheduler
  let link: QuartzLink?
  private let servers: StatusServers
  let operators: OperatorDesk
  let alerts: AlertDesk?
  /// `nil` where the agent is in no group.
  let group: GroupDesk?
  /// `nil` where there are no other places.
  let places: PlacesParts?
  private let once: GroupOnce
  /// `nil` where `/probe` is off.
  let probes: ProbeDesk?
  private let apps: AppDesk
  private let heartbeats: HeartbeatKeeper
  let supervisor: Supervisor?
  private let status: AgentStatus
  private let engineThreads: [WatchedThread]
  let refusedFile: RefusedFile
  private let settings: Settings
  private let starts: StartWatch
  private let disk: StateDisk
  private let log: Logger
  private let time: TimeSource

  init(
    _ settings: Settings, engine: ProbeEngine, spool: ResultSpool, disk: StateDisk, starts: StartWatch,
    started: Timestamp, threads: ThreadWatch, log: Logger
  ) async throws {
    let supervisor = Supervisor(environment: processEnvironment())
    (self.supervisor, self.settings, self.spool, self.starts) = (supervisor, settings, spool, starts)
    self.disk = disk
    (self.log, refusedFile, engineThreads) = (log, RefusedFile(started: started), engine.threads)
    let (time, catalog) = (engine.time, CheckCatalog(settings))
    let maintenance = MaintenanceBook(file: settings.maintenance, agent: settings.agent.name)
    let reporter = AgentReporter(spool: spool, started: started)
    let group = await GroupDesk.make(settings, engine, disk, log)
    let apps = Self.apps(settings, group, catalog, maintenance, log, time)
    let grid = SlotGrid(agent: settings.agent.name, group: group?.grid)
    let link = try Self.link(settings, engine, spool, starts, disk, reporter, group, catalog, apps) {
      Self.take($0, maintenance, catalog, log)
    }
    await link?.puller?.restore()  // before the history, which drops what it does not know
    let keeper = HistoryKeeper(on: disk, starts, spool: spool, log: log, time: time)
    let history = await keeper.restore(
      agent: AgentIdentity(settings.agent, started: started), grid: grid, checks: catalog.checks)
    let alerts = await Self.alertDesk(settings, engine, history, catalog, disk, log)
    apps.follow(alerts)
    let traces = await engine.traceDesk(settings, history, catalog, maintenance, disk, log)
    let operators = await OperatorDesk(
      restoring: disk, catalog, maintenance, alerts: alerts, log: log, time: time)
    let recorder = Recorder(
      grid: grid, stamp: group?.stamping, history: history, spool: spool,
      catalog: catalog, uploader: link?.uploader, resources: link?.resources, alerts: alerts, traces: traces,
      log: log)
    let once = GroupOnce(group, alerts, link?.resources, engine, catalog, log)
    let places = PlacesParts(settings, engine, history, maintenance)
    let results = ResultDesk(recorder: recorder, quorum: places?.desk)
    let scheduler = try Self.scheduler(
      settings, engine, results, maintenance, group, pulse: Self.pulse(supervisor, catalog, threads))
    reporter.follow { scheduler.status().lateP99 }
    let heartbeats = await Self.heartbeats(engine, disk, log)
    let probes = await Self.probes(settings, engine, log)
    let followers = ListFollowers(
      engine: engine, recorder: recorder, reporter: reporter, link: link, maintenance: maintenance,
      history: history, alerts: alerts, catalog: catalog, scheduler: scheduler, group: group,
      places: places)
    catalog.observe { followers.take($0) }
    let status = AgentStatus(
      history: history, spool: spool, scheduler: scheduler, link: link, apps: apps, catalog: catalog,
      limit: inFlightLimit(settings.limits.inFlight), egress: engine.budget, maintenance: maintenance,
      desk: RunNowDesk(
        engine: engine, scheduler: scheduler, catalog: catalog, maintenance: maintenance, recorder: recorder),
      refusedFile: refusedFile, starts: starts, disk: disk, agent: settings.agent.name, threads: threads,
      engine: engine, labels: settings.metrics.labels, operators: operators, alerts: alerts,
      traces: traces, group: group, once: once, places: places,
      lifeSigns: Self.lifeSigns(settings, engine, threads, log),
      discovery: DiscoveryKeeper(settings, engine, disk, log: log), probes: probes, time: time)
    alerts?.follow(Self.around(operators, maintenance, status, traces, once))
    servers = StatusServers(settings, status, heartbeats, log)
    (self.operators, self.alerts, self.keeper, self.probes) = (operators, alerts, keeper, probes)
    (self.group, self.places, self.once, self.catalog, self.time) = (group, places, once, catalog, time)
    (self.history, self.heartbeats, self.maintenance, self.apps) = (history, heartbeats, maintenance, apps)
    (self.recorder, self.scheduler, self.link, self.status) = (recorder, scheduler, link, status)
  }

  /// `nil` where `/probe` is off. An agent whose modules cannot be read probes all the same.
  private static func probes(_ settings: Settings, _ engine: ProbeEngine, _ log: Logger) async -> ProbeDesk? {
    guard let probe = settings.probe else { return nil }
    // Beside the schedule, which has its own limit, and within what the descriptors allow.
    let limit = max(8, inFlightLimit(settings.limits.inFlight) / 4)
    let desk = ProbeDesk(probe, engine: engine, limit: limit, log: log)
    _ = await onThread { desk.read() }
    return desk
  }

  private static func lifeSigns(
    _ settings: Settings, _ engine: ProbeEngine, _ threads: ThreadWatch, _ log: Logger
  ) -> LifeSigns {
    LifeSigns(
      settings.lifeSigns, sender: ChannelSender(engine, settings.egress), log: log, time: engine.time
    ) { threads.stuck.isEmpty }
  }

  private static func heartbeats(
    _ engine: ProbeEngine, _ disk: StateDisk, _ log: Logger
  ) async -> HeartbeatKeeper {
    let keeper = HeartbeatKeeper(desk: engine.heartbeats, disk: disk, log: log, time: engine.time)
    await keeper.restore()
    return keeper
  }

  private static func pulse(
    _ supervisor: Supervisor?, _ catalog: CheckCatalog, _ threads: ThreadWatch
  ) -> SchedulerOptions.Pulse? {
    supervisor?.pulse {
      catalog.checks.count { $0.enabled }
    } isWell: {
      threads.stuck.isEmpty
    }
  }

  private static func scheduler(
    _ settings: Settings, _ engine: ProbeEngine, _ results: ResultDesk, _ maintenance: MaintenanceBook,
    _ group: GroupDesk?, pulse: SchedulerOptions.Pulse?
  ) throws -> CheckScheduler {
    let limits = InFlightLimits(
      total: inFlightLimit(settings.limits.inFlight), perHost: settings.limits.inFlightPerHost)
    var options = SchedulerOptions(
      agent: settings.agent.name, limits: limits, pulse: pulse, executor: engine.loop,
      hostKey: { $0.kind.loadedHost })
    options.group = group?.grid
    return CheckScheduler(options, source: try TimerWakeSource(time: engine.time, on: engine.loop)) { due in
      let plan = maintenance.plan
      group?.runner.lookAtClock()
      if plan.skips(due.check.id, at: due.scheduledAt) {
        return RunOutcome(.unknown, hasResult: false) { _ in results.recorder.skipped(due) }
      }
      let slot = ProbeSlot(scheduledAt: due.scheduledAt, trigger: .schedule, late: due.late)
      // A probe cancelled by the drain says nothing about its target: no result.
      guard let result = try? await engine.run(due.check, slot: slot, plan) else {
        return RunOutcome(.unknown, hasResult: false)
      }
      if result.isHeldBack { return RunOutcome(missed: .budget) }
      return RunOutcome(.init(result.state)) { results.take(result, of: due.check, spanned: $0) }
    } events: { event in
      results.recorder.note(event)
    }
  }

  /// Those that probes depend on.
  var threads: [WatchedThread] {
    engineThreads + [
      WatchedThread("scheduler", limit: ThreadWatch.limit) { [scheduler] in scheduler.overdue },
      WatchedThread("store", limit: ThreadWatch.storeLimit) { [spool] in spool.turnAge() },
    ]
  }

  /// Tasks that run beside the scheduler until it is cancelled.
  var services: [@Sendable () async -> Void] {
    var services: [@Sendable () async -> Void] = [{ await keeper.run(history) }]
    services.append { await heartbeats.run() }
    services.append { await settleStart() }
    services.append { await settleMemory() }
    services.append { await ClockWatch(history, log: log, time: time).run() }
    services.append { await StoreWatch(spool, log: log, time: time).run() }
    services.append {
      await DiskWatch(disk, store: { [spool] in spool.status().trouble }, log: log, time: time).run()
    }
    services.append {
      await NoticeWatch(log: log, time: time) { [history] now in
        [history.goneNotice(now: now)].compactMap(\.self)
      }.run()
    }
    services.append { await MaintenanceWatch(log: log, time: time) { maintenance.plan }.run() }
    services.append { await HourlyLog(log: log, time: time) { await status.snapshot() }.run() }
    if let uploader = link?.uploader {
      services.append { await uploader.run() }
      services.append {
        await apps.asks.run(perform: { await status.runNow($0) }, hurry: { uploader.hurry() })
      }
    }
    if let puller = link?.puller { services.append { await puller.run() } }
    if let resources = link?.resources { services.append { await resources.run() } }
    if let link { services.append { await ConnectionWatch(link, log: log, time: time).run() } }
    if let group { services.append { await group.run(catalog, link?.puller) } }
    services += places?.services ?? []
    services += once.services
    services.append { await operators.run() }
    services.append { await status.lifeSigns.run() }
    services.append { await status.discovery.run() }
    services.append { await status.traces.run() }
    if let alerts {
      services.append { await alerts.run() }
      services.append { await alerts.deliver() }
    }
    return services + servers.services
  }

  /// Marks the inputs as sound after a minute: a later death is not put down to them.
  private func settleStart() async {
    guard (try? await time.sleep(for: .seconds(60))) != nil else { return }
    await onThread { starts.settle() }
  }

  /// The first probes have run, and with them what runs once.
  private func settleMemory() async {
    guard (try? await time.sleep(for: .seconds(10))) != nil else { return }
    await onThread {
      releaseFreeMemory()
      releaseCodePages()
    }
  }

  func announce() {
    let count = catalog.checks.count { $0.enabled }
    var metadata: Logger.Metadata = ["version": "\(agentVersion)", "agent": "\(settings.agent.name)"]
    if let group { metadata["shared_in_group"] = "\(group.grid.name)" }
    if let hours = expectedCoverage { metadata["outage_covered"] = "\(hours) h" }
    log.notice("probing \(counted(count, "check"))", metadata: metadata)
    let limit = inFlightLimit(settings.limits.inFlight)
    if limit < min(settings.limits.inFlight ?? 100, count) {
      log.tell(
        .warning(
          "descriptors", "the descriptor limit holds back probes", hint: "raise LimitNOFILE or ulimit -n"),
        ["descriptors": "\(descriptorLimit())", "at_once": "\(limit)"])
    }
    if catalog.checks.contains(where: \.sendsEchoes) {
      switch pingWay() {
      case .unprivileged: break
      case .raw: log.notice("\(PingWay.raw.words)")
      case .closed(let problem): log.error("ping checks cannot run: \(problem)")
      }
    }
  }

  /// Hours of outage the store bridges at the configured rate; nil without delivery or on a store in memory.
  private var expectedCoverage: Int? {
    guard link?.uploader != nil, spool.status().isDurable else { return nil }
    let enabled = catalog.checks.filter(\.enabled)
    let perHour = enabled.reduce(0.0) { $0 + 3600 / $1.interval.seconds }
    return perHour > 0 ? Int(Double(settings.spool.size) / (perHour * Self.typicalRecord)) : nil
  }

  /// Bytes of a stored result with its framing, a failing one's message included; status shows the measured mean.
  private static let typicalRecord = 300.0

  var discovery: DiscoveryKeeper { status.discovery }

  /// After the last probe: everything on disk, then one more upload round with the time that is left.
  func finish(until deadline: Instant) async {
    await places?.desk.drain()
    await heartbeats.save()
    await status.traces.save()
    await keeper.save(history)
    await link?.uploader?.flush(within: max(.seconds(1), time.instant().duration(to: deadline)))
  }
}

extension CheckKind {
  /// Host and port that a probe loads, for the limit per host.
  var loadedHost: String {
    switch self {
    case .http(let http): http.url.endpoint.description
    case .tcp(let tcp): Endpoint(host: tcp.host, port: tcp.port).description
    case .tls(let tls): Endpoint(host: tls.host, port: tls.port).description
    case .dns(let dns): dns.server?.description ?? "system resolver"
    case .ping(let ping): ping.host
    // It loads nothing.
    case .heartbeat: "heartbeat"
    }
  }
}

extension AgentIdentity {
  fileprivate init(_ agent: AgentSettings, started: Timestamp) {
    self.init(name: agent.name, region: agent.region, version: agentVersion, started: started)
  }
}
