// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Scheduler
import Status

/// One seed: a machine with an agent on it, its targets, its receivers, and the troubles of all of them.
///
/// No lock: the simulator has one thread.
final class Simulation: AgentWitness, @unchecked Sendable {
  let scenario: Scenario
  let clock = WorldClock()
  let machine: Machine
  let targets: Targets
  let backend: Backend
  let way = BackendWay()
  let pager: Pager
  let diary: Diary
  var setup: AgentSetup
  var ledger = Ledger()
  var slots: SlotRules
  var alerts = AlertRules()
  var causes = CauseRules()
  var orders = OrderRules()
  var tells = TellRules()
  var resources = ResourceRules()
  /// Of the backend's list of checks, and of the source of targets; nil: there is none.
  var lists: ListRules<RemoteList.Listed>?
  var discovered: ListRules<String>?
  let directory: Directory
  /// Every process has known what the one before had told of resources.
  var areResourcesKnown = true
  /// The list in force.
  var inForce: [MonitoringCheck] = []
  var ordering: Dice
  /// Since then nothing has kept messages from people, the list or the status of resources from their way, or a source of
  /// targets from answering; later than now while something does.
  var free = (
    people: Instant(nanoseconds: 0), backend: Instant(nanoseconds: 0), list: Instant(nanoseconds: 0),
    source: Instant(nanoseconds: 0)
  )
  var life: Life
  var agent: SimulatedAgent?
  var lives = 0
  var violation: Violation?
  /// The wall clock was set: how long something took by it says nothing.
  var clockWasSet = false
  var figures = Figures()
  var trouble: Dice
  var crowding: Dice
  /// Probes have no room before then, or are just finding it again.
  var crowdedUntil = Instant(nanoseconds: 0)
  var isEnding = false
  /// When the process last went on after a standstill.
  var resumed = Instant(nanoseconds: 0)
  /// The store may not have what it took before then: its disk failed, and it tries again each minute.
  var diskFailsUntil = Instant(nanoseconds: 0)
  /// So it was when the last life ended.
  var diskHadFailed = false
  /// State files are not written in it, and up to a minute after.
  var filesFail = Instant(nanoseconds: 0)...Instant(nanoseconds: 0)

  struct Figures {
    var runs = 0, missed = 0, crashes = 0, stops = 0, pauses = 0, requests = 0, messages = 0, incidents = 0
    var orders = 0, edits = 0
    var mostSleepers = 0, mostBytes = 0, mostEvents = 0
  }

  init(_ scenario: Scenario, diary: Diary) {
    (self.scenario, self.diary, setup) = (scenario, diary, scenario.setup)
    Chance.begin(scenario.seed &* 0x9e37_79b9_7f4a_7c15 | 1)
    machine = Machine(clock, wall: scenario.start)
    targets = Targets(clock, seed: scenario.seed, meanWell: scenario.meanWell)
    backend = Backend(clock, seed: scenario.seed)
    pager = Pager(clock, seed: scenario.seed)
    slots = SlotRules()
    trouble = Dice(scenario.seed, "trouble")
    crowding = Dice(scenario.seed, "crowding")
    ordering = Dice(scenario.seed, "orders")
    directory = Directory(clock, seed: scenario.seed)
    life = Life(machine, number: 0)
    prepareLists()
  }

  private func prepareLists() {
    targets.havePeers = scenario.setup.traces
    if scenario.edits != nil { backend.list = RemoteList(seed: scenario.seed) }
    lists = backend.list.map {
      ListRules(.list, $0.listed, every: scenario.setup.quartz.checks.every, now: clock.now)
    }
    if scenario.discovery != nil {
      discovered = ListRules(
        .discovered, directory.targets, every: DiscoverySource.usual, now: clock.now)
    }
  }

  var wall: Timestamp { machine.reading.wall }
  var elapsed: Duration { Instant(nanoseconds: 1_000_000_000_000).duration(to: clock.now) }

  /// Lives through the span and the quiet after it. Nil: every rule held.
  func run() -> Violation? {
    backend.observe = { [unowned self] id, row in arrived(id, row) }
    backend.overrun = { [unowned self] in hold((.budget, $0)) }
    pager.observe = { [unowned self] message in
      diary.write(self, .told(message.kind.rawValue, message.title))
      hold(alerts.arrived(message, now: clock.now))
      told(message)
    }
    begin()
    plan()
    let end = clock.now + scenario.span
    live(until: end)
    if violation == nil { heal() }
    live(until: end + Scenario.quietEnd)
    if violation == nil { judgeEnd() }
    finish()
    return violation
  }

  private func live(until end: Instant) {
    while violation == nil, clock.advance(until: end) {
      if clock.isStuck { hold((.growth, "tasks go on and on at one instant")) }
    }
  }

  /// The first rule that does not hold ends it.
  func hold(_ found: Violation.Found?) {
    guard let found, violation == nil else { return }
    violation = Violation(rule: found.rule, words: found.words, at: wall)
    diary.write(self, .violation(found.words))
  }

  // MARK: Lives

  func begin() {
    lives += 1
    life = Life(machine, number: lives)
    diary.write(self, .start(lives))
    let world = SimulatedAgent.World(
      targets: targets, backend: backend, way: way, pager: pager, directory: directory, seed: scenario.seed,
      witness: self)
    let agent = SimulatedAgent(setup, life, world, nonce: UInt64(lives) &* 0x9e37_79b9 ^ scenario.seed)
    self.agent = agent
    ledger.restart(found: agent.driver.found(after: ledger.recordedThrough))
    agent.driver.recorded = { [unowned self] in ledger.record(through: $0) }
    slots = SlotRules()
    slots.apply(setup.checks, now: clock.now)
    hinder(.zero)
    tells.restarted(wall: wall)
    resources.restarted()
    life.atFuse = { [unowned self] in crash(cuts: trouble.chance(2)) }
    agent.start()
    clock.settle()
  }

  /// The process is killed, or the power cut; it starts again after a while.
  func crash(cuts: Bool) {
    figures.crashes += 1
    diary.write(self, cuts ? .cut : .kill)
    end()
    if cuts { machine.store.cut(using: &trouble) } else { machine.store.kill() }
    clock.after(trouble.time(.milliseconds(500) ... .seconds(trouble.chance(4) ? 3000 : 40))) {
      [unowned self] in begin()
    }
  }

  private func end() {
    life.kill()
    agent?.driver.died()
    clock.settle()
    if !life.hasEnded { hold((.ends, "a task of life \(life.number) goes on although its process is dead")) }
    figures.mostSleepers = max(figures.mostSleepers, life.sleeping)
    agent?.dispose()
    agent = nil
    diskHadFailed = clock.now < diskFailsUntil
    let isUnwritten = filesFail.contains(clock.now)
    alerts.died(now: clock.now, unwrittenSince: isUnwritten ? filesFail.lowerBound : nil)
    orders.died()
    if isUnwritten { tells.forgot() }
    areResourcesKnown = areResourcesKnown && !isUnwritten
  }

  private func finish() {
    figures.requests = backend.requests
    figures.messages = alerts.messages
    life.kill()
    clock.settle()
    agent?.dispose()
    agent = nil
    clock.clear()
  }

  func stopped(_ agent: SimulatedAgent) {
    guard agent === self.agent else { return }
    // The task is not quite over yet.
    clock.after(.zero) { [unowned self] in
      diary.write(self, .stopped)
      end()
      machine.store.kill()
      clock.after(trouble.time(.milliseconds(500) ... .seconds(60))) { [unowned self] in begin() }
    }
  }

  // MARK: What is seen

  func restored(_ agent: SimulatedAgent) {
    guard agent.life.isAlive else { return }
    judgeWindows(agent, isStart: true)
    if let book = agent.orders, !clockWasSet { hold(orders.restored(book, at: wall)) }
  }

  func arranged(_ checks: [MonitoringCheck], _ agent: SimulatedAgent) {
    guard agent.life.isAlive else { return }
    inForce = checks
    slots.apply(checks, now: clock.now)
    alerts.keep(Set(checks.map(\.id)), wall: wall)
    causes.apply(checks, setup, now: clock.now)
    tells.apply(checks, wall: wall, now: clock.now)
    resources.apply(checks, now: clock.now)
    tookList(checks)
  }

  func began(_ due: DueCheck, _ agent: SimulatedAgent) {
    guard agent.life.isAlive else { return }
    figures.runs += 1
    diary.write(self, .began(due.check.name, due.scheduledAt))
    let label = due.scheduledAt.duration(to: wall) - due.late
    if abs(label.microseconds) > 1_000_000 {
      hold((.time, "\(due.check.name) begins slot \(due.scheduledAt) at \(wall), \(due.late) late"))
    }
    hold(slots.began(due, now: clock.now))
  }

  func abandoned(_ due: DueCheck, _ agent: SimulatedAgent) { slots.abandoned(due) }

  func found(_ result: CheckResult, _ check: MonitoringCheck, _ sequence: UInt64, spanned: SlotRange?) {
    diary.write(self, .found(check.name, result.scheduledAt, result.state.rawValue, sequence))
    if let agent {
      hold(causes.judge(result, agent.given, isCrowded: clock.now < crowdedUntil))
    }
    let pace = result.state == .down ? check.plan.intervalFailing ?? check.interval : check.interval
    if ledger[result.id] != nil { hold((.twice, "two results of \(check.name) have one id")) }
    ledger.add(
      Ledger.Entry(
        id: result.id, check: check.id, slot: result.scheduledAt, startedAt: result.startedAt,
        state: result.state,
        isMaintenance: result.maintenance, pace: pace, spanned: spanned, sequence: sequence))
    hold(slots.ended(check, result.state, spanned: spanned, now: clock.now))
    alerts.found(result, check, wall: wall, now: clock.now)
    tells.found(result, wall: wall, now: clock.now)
    resources.found(result, now: clock.now)
    hold(orders.judge(result, check, endedAt: wall, isStepped: clockWasSet))
  }

  func skipped(_ due: DueCheck) {
    alerts.skipped(due.check.id, wall: wall)
    tells.skipped(due.check.id, wall: wall, now: clock.now)
    ledger.skip(due.check.id, due.scheduledAt, pace: due.check.interval)
    hold(slots.skipped(due, now: clock.now))
  }

  func missed(_ event: ScheduleEvent) {
    guard case .missed(let check, let range, let cause) = event else { return }
    figures.missed += range.count
    diary.write(self, .missed(check, range.first, range.count, cause.rawValue))
    hold(slots.missed(check, range, now: clock.now))
  }

  func acknowledged(_ message: AlertMessage) { alerts.acknowledge(message, now: clock.now) }

  private func arrived(_ id: UniqueID, _ row: Backend.Row) {
    diary.write(self, .delivered(row.scheduledAt))
    guard let entry = ledger[id] else {
      return hold((.altered, "a row of an id that no run made: slot \(row.scheduledAt)"))
    }
    let slot = entry.slot.microseconds / 1000 == row.scheduledAt.microseconds / 1000
    if entry.check != row.check || !slot || entry.state.rawValue != row.state {
      hold(
        (.altered, "the result of \(entry.slot), \(entry.state), arrived as \(row.scheduledAt), \(row.state)")
      )
    }
  }
}
