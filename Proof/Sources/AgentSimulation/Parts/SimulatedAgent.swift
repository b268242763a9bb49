// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Alerts
import Basics
import Groups
import History
import Logging
import Monitoring
import Network
import QuartzAPI
import Scheduler
import Spool
import Status
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
    let directory: Directory
    let seed: UInt64
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
  /// Orders by hand, as it has them.
  var orders: HandBook? { parts?.orders }
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
    parts?.letGo()
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

  /// Gives an order by hand. No answer comes where the process dies first.
  func act(_ wish: OperatorWish, _ answered: @escaping @Sendable (OperatorAnswer) -> Void) {
    guard let parts, life.isAlive else { return }
    Task.detached { [self] in
      let answer = await OwnThread.$worksInPlace.withValue(true) { await parts.act(wish) }
      if life.isAlive { answered(answer) }
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
    var settings = config.settings
    settings.group = world.room?.settings
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
      tracer: { ScriptedTracer(life: life, seed: world.seed) },
      sender: LifePager(pager: world.pager, life: life) { world.witness.acknowledged($0) },
      call: { _, _ in .failed("there is no such switch") },
      exchange: { _ in LifeExchange(backend: world.backend, way: world.way, life: life) },
      stores: world.room.map { room in
        GroupStores(
          members: LifeGroupStore(room, name: config.name, life), incidents: LifeIncidents(room, life),
          states: LifeIncidents(room, life))
      },
      discover: { source throws(CancellationError) in try await world.directory.answer(to: life) },
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
    if agent.life.isAlive { agent.world.witness.arranged(list.here, agent) }
  }
}
