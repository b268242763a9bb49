// SPDX-License-Identifier: MIT

import Agent
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
import Tracing

/// One life of an agent: the parts of the daemon, on a machine of the simulator's.
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
  let spool: ResultSpool
  let driver: StoreDriver
  /// Nil: it is still restoring what it knows.
  private(set) var parts: AgentParts?
  private var config: AgentSetup
  fileprivate let world: World
  /// What its answers under way may hold.
  let room: AnswerRoom
  let given = GivenAnswers()
  /// Somebody told it to stop.
  private let (stops, stop) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  var history: HistoryStore? { parts?.history }
  var member: GroupRunner? { parts?.member }

  init(_ config: AgentSetup, _ life: Life, _ world: World, nonce: UInt64) {
    (self.config, self.life, self.world) = (config, life, world)
    room = AnswerRoom(life)
    driver = StoreDriver(config.spool, life: life, nonce: nonce)
    spool = driver.spool
  }

  /// Its life is over: what holds one another lets go.
  func dispose() {
    driver.dispose()
    parts?.leaveList()
    // A dead process' clock runs on and on: what waited to leave has waited long enough.
    member?.lookAtClock()
    parts = nil
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
    self.config = config
    parts?.reload(settings)
  }

  private func live() async {
    let log = Logger(label: "agent") { _ in SwiftLogNoOpLogHandler() }
    let given = settings
    let made = try? await AgentParts(
      given, outside, started: life.time.wall(), log: log)
    guard let made, life.isAlive else { return }
    parts = made
    world.witness.restored(self)
    // It may have been told meanwhile.
    if settings.checks != given.checks || settings.maintenance != given.maintenance { made.reload(settings) }
    made.begin()
    let stopped = await made.run { for await _ in stops { break } }
    guard life.isAlive else { return }
    await made.finish(until: stopped + .seconds(5))
    await spool.close()
    if life.isAlive { world.witness.stopped(self) }
  }

  private var settings: Settings {
    var settings = Settings()
    settings.agent.name = config.name
    (settings.checks, settings.maintenance) = (config.checks, config.windows)
    (settings.quartz, settings.alerts, settings.group) = (config.quartz, config.alerts, world.room?.settings)
    settings.limits.inFlight = 64
    // The ways to targets are not simulated.
    (settings.trace.onFailure, settings.trace.slowFactor) = (false, 0)
    return settings
  }

  private var outside: Outside {
    let (life, world) = (life, world)
    let disk = StateDisk(folder: "/simulated", time: life.time) { file in
      LifeFile(name: String(file.path.dropFirst("/simulated/".count)), life: life)
    }
    return Outside(
      time: life.time, disk: disk, history: LifeHistory(life: life), spool: spool,
      wakes: LifeWakeSource(life),
      probes: ScriptedProbing(
        ScriptedProbe(targets: world.targets, life: life, room: room, given: given), life),
      tracer: { NoTracer() },
      sender: LifePager(pager: world.pager, life: life) { world.witness.acknowledged($0) },
      call: { _, _ in .failed("there is no such switch") },
      exchange: { _, _ in LifeExchange(backend: world.backend, way: world.way, life: life) },
      stores: world.room.map { room in
        GroupStores(
          members: LifeGroupStore(room, name: config.name, life), incidents: LifeIncidents(room, life),
          states: LifeIncidents(room, life))
      },
      discover: { _ throws(CancellationError) in .failed("nothing is discovered") },
      pace: config.alertPace, looks: .seconds(60), slots: LifeWitness(agent: self),
      further: [ArrangedPart(agent: self)])
  }
}

/// What its slots come to, while it lives.
///
/// No lock: the simulator has one thread.
private struct LifeWitness: SlotWitness, @unchecked Sendable {
  unowned let agent: SimulatedAgent

  private func tell(_ body: (any AgentWitness) -> Void) {
    if agent.life.isAlive { body(agent.world.witness) }
  }

  func began(_ due: DueCheck) { agent.world.witness.began(due, agent) }
  func abandoned(_ due: DueCheck) { agent.world.witness.abandoned(due, agent) }

  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64?, spanned: SlotRange?) {
    tell { $0.found(result, check, sequence ?? 0, spanned: spanned) }
  }

  func skipped(_ due: DueCheck) { tell { $0.skipped(due) } }
  func note(_ event: ScheduleEvent) { tell { $0.missed(event) } }
}

/// Which checks the agent runs, for those that look on.
///
/// No lock: the simulator has one thread.
private struct ArrangedPart: AgentPart, @unchecked Sendable {
  unowned let agent: SimulatedAgent

  func follow(_ list: FollowedList) {
    if agent.life.isAlive, agent.world.room != nil { agent.world.witness.arranged(list.here, agent) }
  }
}

/// The one probe in the place of the engine's, with the runner's canaries and parents around it.
private struct ScriptedProbing: Probing {
  let executor: EventLoop? = nil
  let heartbeats: HeartbeatDesk
  let threads: [WatchedThread] = []
  let waits: [QueueWait] = []
  let judging = JudgingFigures()
  let budget: EgressBudget
  private var runner: CheckRunner
  private let canaries: CanaryWatch
  private let parents: ParentWatch
  private let time: TimeSource

  init(_ probe: ScriptedProbe, _ life: Life) {
    let time = life.time
    self.time = time
    heartbeats = HeartbeatDesk(time: time)
    budget = EgressBudget(EgressBudget.Limits(destinations: 500), time: time)
    let plain = CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time)
    canaries = CanaryWatch(time: time) { try await plain.succeedsNow($0) }
    parents = ParentWatch(time: time) { try await plain.succeedsNow($0) }
    var runner = plain
    (runner.canaries, runner.parents) = (canaries, parents)
    self.runner = runner
  }

  func run(
    _ check: MonitoringCheck, slot: ProbeSlot, _ plan: MaintenancePlan
  ) async throws(CancellationError) -> CheckResult {
    var result = try await runner.run(check, slot: slot)
    plan.stamp(&result, endedAt: time.wall())
    return result
  }

  func runNow(
    _ check: MonitoringCheck, _ plan: MaintenancePlan, isAsked: Bool
  ) async throws(CancellationError) -> CheckResult {
    try await run(check, slot: ProbeSlot(scheduledAt: time.wall(), trigger: .manual), plan)
  }

  func follow(_ catalog: CheckCatalog, isDown: @escaping @Sendable (UniqueID) -> Bool) {
    canaries.replace(catalog.canaries)
    parents.replace(catalog.dependencies)
    parents.follow(isDown)
  }
}

/// Nothing is traced.
private struct NoTracer: RouteTracing {
  func trace(
    _ request: TraceRequest, each: (@Sendable (RouteTrace) -> Void)?
  ) async throws(CancellationError) -> RouteTrace { throw CancellationError() }
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
