// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import Monitoring
import Scheduler

/// A machine of a group with its agent, over all lives of that; what the agent does is judged here where it concerns
/// nobody else.
///
/// No lock: the simulator has one thread.
final class GroupSeat: AgentWitness, @unchecked Sendable {
  let index: Int
  let name: String
  let setup: AgentSetup
  let machine: Machine
  let room: GroupRoom
  let way = BackendWay()
  let pager: Pager
  unowned let simulation: GroupSimulation
  var life: Life
  var agent: SimulatedAgent?
  var lives = 0
  /// It was told to end.
  var isLeaving = false
  /// Since its start, or since it went on.
  var since: Instant
  /// What it is in the book of disturbances while it does nothing.
  var absence: Int?
  var ledger = Ledger()
  private var slots = SlotRules(isShared: true)
  private var alerts = AlertRules(isShared: true)
  private var causes = CauseRules()

  init(_ index: Int, _ simulation: GroupSimulation) {
    let scenario = simulation.scenario, seat = scenario.seats[index], clock = simulation.clock
    (self.index, self.simulation, name) = (index, simulation, seat.name)
    setup = scenario.setup(seat)
    machine = Machine(clock, wall: scenario.start.advanced(by: seat.skew))
    let home = UniqueID(high: scenario.seed, low: UInt64(index) + 1)
    machine.files["group-home"] = Array(home.description.utf8)
    room = GroupRoom(
      settings: scenario.settings(seat), store: simulation.store, way: StoreWay())
    pager = Pager(clock, seed: scenario.seed &+ UInt64(index) &* 0x9e37)
    life = Life(machine, number: 0)
    since = clock.now
    pager.observe = { [unowned self] message in
      self.simulation.hold(self.alerts.arrived(message, now: clock.now))
      self.simulation.told(message, by: self)
    }
  }

  private var clock: WorldClock { simulation.clock }
  private var hold: (Violation.Found?) -> Void { { self.simulation.hold($0) } }
  var isUp: Bool { life.isAlive && agent != nil }
  /// It starts probes.
  var isRunning: Bool { isUp && !life.isPaused && !isLeaving }

  func begin() {
    lives += 1
    isLeaving = false
    since = clock.now
    room.way.proof = nil
    life = Life(machine, number: lives)
    let world = SimulatedAgent.World(
      targets: simulation.targets, backend: simulation.backend, way: way, pager: pager,
      directory: Directory(clock, seed: simulation.scenario.seed), seed: simulation.scenario.seed,
      witness: self, room: room)
    let nonce = UInt64(lives) &* 0x9e37_79b9 ^ simulation.scenario.seed ^ UInt64(index) << 40
    let agent = SimulatedAgent(setup, life, world, nonce: nonce)
    self.agent = agent
    ledger.restart(found: agent.driver.found(after: ledger.recordedThrough))
    agent.driver.recorded = { [unowned self] in ledger.record(through: $0) }
    slots = SlotRules(isShared: true)
    agent.start()
    clock.settle()
  }

  func end() {
    life.kill()
    agent?.driver.died()
    // Whoever waited to leave the group has waited long enough by a clock that runs away.
    agent?.member?.lookAtClock()
    clock.settle()
    if !life.hasEnded { hold((.ends, "a task of \(name) goes on although its process is dead")) }
    agent?.dispose()
    agent = nil
    alerts.died(now: clock.now)
  }

  func resumed() {
    since = clock.now
    slots.resumed(now: clock.now)
    life.resume()
    clock.settle()
  }

  /// Whether anything of it grows, or is forgotten.
  func sweep() {
    guard let agent, isRunning else { return }
    hold(slots.sweep(now: clock.now))
    machine.store.tidy()
    hold(GrowthRules.judge(life, agent, machine, setup, mostTasks: 3 * setup.checks.count + 80))
  }

  // MARK: What is seen

  func restored(_ agent: SimulatedAgent) {}

  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent) {
    guard agent.life.isAlive else { return }
    slots.apply(checks, now: clock.now)
    causes.apply(checks, setup, now: clock.now)
    alerts.keep(Set(checks.map(\.id)), wall: machine.reading.wall)
  }

  func began(_ due: DueCheck, _ agent: SimulatedAgent) {
    guard agent.life.isAlive else { return }
    let wall = machine.reading.wall
    let label = due.scheduledAt.duration(to: wall) - due.late
    if abs(label.microseconds) > 1_000_000 {
      hold((.time, "\(due.check.name) begins slot \(due.scheduledAt) at \(wall), \(due.late) late"))
    }
    hold(slots.began(due, now: clock.now))
    simulation.began(due, by: self)
  }

  func abandoned(_ due: DueCheck, _ agent: SimulatedAgent) { slots.abandoned(due) }

  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64, spanned: SlotRange?) {
    if let agent { hold(causes.judge(result, agent.given)) }
    if ledger[result.id] != nil { hold((.twice, "two results of \(check.name) have one id")) }
    ledger.add(
      Ledger.Entry(
        id: result.id, check: check.id, slot: result.scheduledAt, startedAt: result.startedAt,
        state: result.state, isMaintenance: result.maintenance, pace: check.interval, spanned: spanned,
        sequence: sequence))
    hold(slots.ended(check, result.state, spanned: spanned, now: clock.now))
    alerts.found(result, check, wall: machine.reading.wall, now: clock.now)
    simulation.found(result, check, spanned, by: self)
  }

  func skipped(_ due: DueCheck) {
    alerts.skipped(due.check.id, wall: machine.reading.wall)
    hold(slots.skipped(due, now: clock.now))
  }

  func missed(_ event: ScheduleEvent) {
    guard case .missed(let check, let range, let cause) = event else { return }
    simulation.missed(check, range, cause, by: self)
    hold(slots.missed(check, range, now: clock.now))
  }

  func acknowledged(_ message: AlertMessage) { alerts.acknowledge(message, now: clock.now) }

  func stopped(_ agent: SimulatedAgent) {
    guard agent === self.agent else { return }
    clock.after(.zero) { [unowned self] in if agent === self.agent { simulation.stopped(self) } }
  }
}
