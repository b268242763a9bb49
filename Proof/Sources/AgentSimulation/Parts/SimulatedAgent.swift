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

/// One life of an agent: the rooms wired as `AgentParts` wires them, on a machine of the simulator's.
///
/// No lock: the simulator has one thread.
final class SimulatedAgent: @unchecked Sendable {
  /// What is around it.
  struct World {
    let targets: Targets
    let backend: Backend
    let way: BackendWay
    let pager: Pager
    let witness: any AgentWitness
    /// Where its group meets, and the way there; nil: it is in no group.
    var room: GroupRoom?
  }

  let life: Life
  let catalog: CheckCatalog
  let maintenance: MaintenanceBook
  let spool: ResultSpool
  let driver: StoreDriver
  /// Nil: it is on its own.
  let group: GroupDesk?
  /// Nil: every incident is this agent's alone.
  private let incidents: IncidentDesk?
  private(set) var history: HistoryStore?
  private(set) var scheduler: CheckScheduler?
  private let config: AgentSetup
  private let world: World
  private let log: Logger
  /// What its answers under way may hold.
  let room: AnswerRoom
  let given = GivenAnswers()
  /// Somebody told it to stop.
  private let (stops, stop) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  init(_ config: AgentSetup, _ life: Life, _ world: World, nonce: UInt64) {
    (self.config, self.life, self.world) = (config, life, world)
    room = AnswerRoom(life)
    let log = Logger(label: "agent") { _ in SwiftLogNoOpLogHandler() }
    self.log = log
    catalog = CheckCatalog(file: config.checks)
    maintenance = MaintenanceBook(file: config.windows)
    let group = world.room.map { Self.desk($0, config, life, log) }
    self.group = group
    incidents = world.room.flatMap { [catalog] room in
      group.map {
        IncidentDesk(
          $0, store: LifeIncidents(room, life), catalog: catalog, ttl: room.settings.ttl, log: log,
          time: life.time)
      }
    }
    driver = StoreDriver(config.spool, life: life, nonce: nonce)
    spool = driver.open(config.spool)
  }

  private static func desk(_ room: GroupRoom, _ config: AgentSetup, _ life: Life, _ log: Logger) -> GroupDesk
  {
    var settings = Settings()
    settings.agent.name = config.name
    let memory = GroupMemoryFile(
      LifeFile(name: GroupMemoryFile.fileName, life: life), path: GroupMemoryFile.fileName, room.settings,
      name: config.name, log: log, time: life.time)
    return GroupDesk(
      room.settings, settings, home: .init(id: room.home, isOld: life.number > 0), memory: memory,
      recalling: memory.judge(life.machine.files[GroupMemoryFile.fileName]),
      store: LifeGroupStore(room, name: config.name, life),
      log: log,
      time: life.time)
  }

  /// Its life is over: what holds one another lets go.
  func dispose() {
    driver.dispose()
    (history, scheduler) = (nil, nil)
    catalog.observe { _ in }
    // A dead process' clock runs on and on: what waited to leave has waited long enough.
    group?.runner.lookAtClock()
  }

  /// SIGTERM.
  func terminate() { stop.yield() }

  func start() {
    life.task = Task.detached { [self] in
      await OwnThread.$worksInPlace.withValue(true) { await live() }
      life.hasEnded = true
    }
  }

  /// The configuration's checks and windows have changed.
  func reload(_ config: AgentSetup) {
    maintenance.replace(file: config.windows)
    catalog.replace(file: config.checks)
  }

  private func live() async {
    let time = life.time
    let keeper = HistoryKeeper(folder: LifeHistory(life: life), spool: spool, log: log, time: time)
    let history = await keeper.restore(
      agent: AgentIdentity(name: config.name, region: nil, version: "0", started: time.wall()),
      grid: grid, checks: catalog.checks)
    guard life.isAlive else { return }
    let alerts = await alertDesk(history)
    let uploader = uploader()
    let recorder = Recorder(
      grid: grid, stamp: group?.stamping, history: history, spool: spool, catalog: catalog,
      uploader: uploader, resources: nil, alerts: alerts, log: log)
    let scheduler = scheduler(recorder)
    (self.history, self.scheduler) = (history, scheduler)
    world.witness.restored(self)
    var around = AlertDesk.Surroundings()
    around.share = incidents
    around.maintenanceUntil = { [maintenance] in maintenance.plan.ends($0, at: $1) }
    alerts.follow(around)
    catalog.observe { [self] in follow($0, recorder, history, alerts, scheduler) }
    await withDiscardingTaskGroup { tasks in
      tasks.addTask { await scheduler.run() }
      tasks.addTask { await keeper.run(history) }
      tasks.addTask { [log] in await ClockWatch(history, log: log, time: time).run() }
      tasks.addTask { await uploader.run() }
      if let group { tasks.addTask { [catalog] in await group.run(catalog, nil) } }
      if let incidents { tasks.addTask { await incidents.run() } }
      tasks.addTask { await alerts.run() }
      tasks.addTask { await alerts.deliver() }
      for await _ in stops { break }
      tasks.cancelAll()
    }
    guard life.isAlive else { return }
    await keeper.save(history)
    await uploader.flush(within: .seconds(5))
    await spool.close()
    if life.isAlive { world.witness.stopped(self) }
  }

  private var grid: SlotGrid { SlotGrid(agent: config.name, group: group?.grid) }

  /// As `ListFollowers` does.
  private func follow(
    _ checks: [MonitoringCheck], _ recorder: Recorder, _ history: HistoryStore, _ alerts: AlertDesk,
    _ scheduler: CheckScheduler
  ) {
    guard life.isAlive else { return }
    let arrangement = group?.arrange(checks) ?? GroupDesk.Arrangement(here: checks)
    let here = arrangement.here
    let known = group?.runner.isPlaced ?? true ? here : checks
    recorder.keep(known)
    maintenance.replace(checks: checks)
    history.apply(known, now: life.time.wall())
    alerts.apply(known, names: group?.names)
    if group != nil { world.witness.arranged(here, self) }
    scheduler.apply(
      here, recalling: history.lastStates.mapValues { RunOutcome.Finding($0) }, taking: arrangement.taken,
      orphaned: arrangement.orphaned)
  }

  private func alertDesk(_ history: HistoryStore) async -> AlertDesk {
    var settings = AgentSettings()
    settings.name = config.name
    let witness = world.witness
    let desk = await AlertDesk(
      config.alerts, agent: settings, history: history, catalog: catalog,
      sender: LifePager(pager: world.pager, life: life) { witness.acknowledged($0) },
      file: LifeFile(name: AlertDesk.fileName, life: life), pace: config.alertPace, log: log, time: life.time)
    return desk
  }

  private func uploader() -> Uploader {
    let gate = RateGate(time: SteadyTime(life.time), file: LifeFile(name: "requests-quartz", life: life))
    let wire = Wire(exchange: LifeExchange(backend: world.backend, way: world.way, life: life), gate: gate)
    let transport = QuartzTransport(
      config.quartz, keys: KeyRing(config.quartz.apiKey),
      agent: Sender(name: config.name, region: nil, version: "0"), over: wire)
    var settings = DeliveryMachine.Settings()
    settings.batch = config.quartz.deliver.batch
    settings.every = config.quartz.deliver.every
    settings.heartbeat = .seconds(60)
    settings.carriesMaintenance = true
    let route = Uploader.Route(
      transport, gate: gate, memory: LifeFile(name: "delivery.json", life: life), receiver: "backend")
    return Uploader(queue: spool, route: route, settings: settings)
  }

  private func scheduler(_ recorder: Recorder) -> CheckScheduler {
    let probe = ScriptedProbe(targets: world.targets, life: life, room: room, given: given)
    let runner = CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: life.time)
    var options = SchedulerOptions(
      agent: config.name, limits: InFlightLimits(total: 64), hostKey: { $0.target })
    options.group = group?.grid
    let (witness, time, maintenance) = (world.witness, life.time, maintenance)
    return CheckScheduler(options, source: LifeWakeSource(life)) { [self] due in
      let plan = maintenance.plan
      group?.runner.lookAtClock()
      if plan.skips(due.check.id, at: due.scheduledAt) {
        return RunOutcome(.unknown, hasResult: false) { _ in
          guard self.life.isAlive else { return }
          recorder.skipped(due)
          witness.skipped(due)
        }
      }
      witness.began(due, self)
      let slot = ProbeSlot(scheduledAt: due.scheduledAt, trigger: .schedule, late: due.late)
      guard var result = try? await runner.run(due.check, slot: slot), self.life.isAlive else {
        witness.abandoned(due, self)
        return RunOutcome(.unknown, hasResult: false)
      }
      if result.isHeldBack {
        witness.abandoned(due, self)
        return RunOutcome(missed: .budget)
      }
      plan.stamp(&result, endedAt: time.wall())
      let stamped = result
      return RunOutcome(.init(result.state)) { spanned in
        guard self.life.isAlive else { return }
        let sequence = recorder.record(stamped, of: due.check, spanned: spanned)
        witness.found(stamped, due.check, sequence, spanned: spanned)
      }
    } events: { [self] event in
      guard self.life.isAlive else { return }
      recorder.note(event)
      witness.missed(event)
    }
  }
}

/// What an agent is configured with.
struct AgentSetup {
  var name: String
  var checks: [MonitoringCheck]
  var windows: [MaintenanceWindow]
  var spool: Spool.SpoolSettings
  var quartz: QuartzSettings
  var alerts: AlertSettings
  var alertPace: Duration
}

/// Who watches what an agent does, from outside of it.
protocol AgentWitness: AnyObject, Sendable {
  /// The history is there, and the schedule not begun.
  func restored(_ agent: SimulatedAgent)
  /// A member of a group runs other checks than before.
  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent)
  func began(_ due: DueCheck, _ agent: SimulatedAgent)
  /// A run came to no result because it was cancelled.
  func abandoned(_ due: DueCheck, _ agent: SimulatedAgent)
  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64, spanned: SlotRange?)
  func skipped(_ due: DueCheck)
  func missed(_ event: ScheduleEvent)
  func acknowledged(_ message: AlertMessage)
  /// It came to its end as it was told.
  func stopped(_ agent: SimulatedAgent)
}

extension AgentWitness {
  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent) {}
}
