// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import Monitoring
import Scheduler

/// One seed of several agents: their machines, the store in which they meet, one receiver, and the troubles of all.
///
/// No lock: the simulator has one thread.
final class GroupSimulation: @unchecked Sendable {
  let scenario: GroupScenario
  let clock = WorldClock()
  let store: LeaseStore
  let targets: Targets
  let backend: Backend
  let diary: Diary
  var seats: [GroupSeat] = []
  var disturbances: Disturbances
  var coverage: CoverageRules
  var placement: PlacementRules
  var load = LoadRules()
  var rows = GroupRows()
  var incidents: GroupAlertRules
  var violation: Violation?
  var figures = Simulation.Figures()
  var calmLooks = 0
  var trouble: Dice
  var crowding: Dice
  var isEnding = false
  /// Of the store's disk, from some time ago.
  var copy: LeaseStore.Content?
  /// No process runs: in the book of disturbances.
  private var emptiness: Int?
  private let offset: Int64

  init(_ scenario: GroupScenario, diary: Diary) {
    (self.scenario, self.diary) = (scenario, diary)
    Chance.begin(scenario.seed &* 0x9e37_79b9_7f4a_7c15 | 3)
    offset = scenario.start.microseconds - clock.now.microseconds
    store = LeaseStore(clock, seed: scenario.seed)
    targets = Targets(clock, seed: scenario.seed ^ 0x67, meanWell: .seconds(4 * 3600))
    backend = Backend(clock, seed: scenario.seed)
    disturbances = Disturbances(ttl: scenario.ttl)
    coverage = CoverageRules(
      scenario.checks, group: scenario.group, isSkewed: scenario.isSkewed, offset: offset, now: clock.now)
    placement = PlacementRules(ttl: scenario.ttl)
    incidents = GroupAlertRules(ttl: scenario.ttl, isSkewed: scenario.isSkewed)
    trouble = Dice(scenario.seed, "group trouble")
    crowding = Dice(scenario.seed, "group crowding")
  }

  /// The true one, which no machine has.
  var wall: Timestamp { Timestamp(microseconds: clock.now.microseconds + offset) }
  var elapsed: Duration { Instant(nanoseconds: 1_000_000_000_000).duration(to: clock.now) }

  /// Lives through the span and the quiet after it. Nil: every rule held.
  func run() -> Violation? {
    backend.observe = { [unowned self] id, row in
      hold(rows.arrived(id, row.check, row.scheduledAt, row.state))
    }
    store.observe = { [unowned self] entry in
      diary.write(wall, .entry(entry))
      incidents.noted(entry, now: clock.now)
    }
    backend.overrun = { [unowned self] in hold((.budget, $0)) }
    seats = scenario.seats.indices.map { GroupSeat($0, self) }
    diary.write(wall, .of("group", words))
    noteAbsence()
    for seat in seats {
      absent(seat, .down(seat.index))
      clock.after(trouble.time(.zero ... .seconds(20))) { [unowned self] in begin(seat) }
    }
    plan()
    let end = clock.now + scenario.span
    live(until: end)
    if violation == nil { heal() }
    live(until: end + GroupScenario.quietEnd)
    if violation == nil { judgeEnd() }
    finish()
    return violation
  }

  private var words: String {
    let skew = scenario.isSkewed ? ", clocks apart" : ""
    return
      "\(scenario.seats.map { "\($0.name) (\($0.weight))" }.joined(separator: ", ")), ttl \(scenario.ttl)\(skew)"
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
    diary.write(wall, .violation(found.words))
  }

  private func finish() {
    figures.requests = backend.requests
    for seat in seats {
      seat.life.kill()
      seat.agent?.member?.lookAtClock()
      clock.settle()
      seat.agent?.dispose()
      seat.agent = nil
    }
    clock.clear()
  }

  // MARK: Lives

  func begin(_ seat: GroupSeat) {
    guard !seat.isUp else { return }
    write(seat, "starts")
    present(seat)
    seat.begin()
    seat.life.atFuse = { [unowned self, unowned seat] in crash(seat, cuts: false) }
    noteAbsence()
  }

  func crash(_ seat: GroupSeat, cuts: Bool, restart: Bool = true) {
    figures.crashes += 1
    write(seat, cuts ? "its power is cut" : "is killed")
    absent(seat, .down(seat.index))
    incidents.ended(seat.index, now: clock.now)
    seat.end()
    if cuts { seat.machine.store.cut(using: &trouble) } else { seat.machine.store.kill() }
    noteAbsence()
    guard restart else { return }
    clock.after(trouble.time(.milliseconds(500) ... .seconds(trouble.pick([2, 40, 90])))) { [unowned self] in
      begin(seat)
    }
  }

  /// SIGTERM.
  func terminate(_ seat: GroupSeat) {
    figures.stops += 1
    write(seat, "SIGTERM")
    absent(seat, .leaving(seat.index))
    incidents.ended(seat.index, now: clock.now)
    seat.isLeaving = true
    noteAbsence()
    seat.agent?.terminate()
    clock.settle()
  }

  func stopped(_ seat: GroupSeat) {
    write(seat, "has ended")
    // What it found while it ended was counted with its life.
    incidents.ended(seat.index, now: clock.now)
    seat.end()
    seat.machine.store.kill()
    clock.after(trouble.time(.milliseconds(300) ... .seconds(trouble.pick([1, 40])))) { [unowned self] in
      begin(seat)
    }
  }

  /// It does nothing from here on.
  func absent(_ seat: GroupSeat, _ kind: Disturbances.Kind) {
    present(seat)
    seat.absence = disturbances.begin(kind, at: clock.now)
  }

  func present(_ seat: GroupSeat) {
    if let number = seat.absence { disturbances.end(number, at: clock.now) }
    seat.absence = nil
  }

  func noteAbsence() {
    let isEmpty = !seats.contains(where: \.isRunning)
    if isEmpty, emptiness == nil { emptiness = disturbances.begin(.nobody, at: clock.now) }
    if !isEmpty, let number = emptiness {
      disturbances.end(number, at: clock.now)
      emptiness = nil
    }
  }

  // MARK: What is seen

  func write(_ seat: GroupSeat, _ words: String) {
    diary.write(wall, .of("\(seat.index) \(seat.name)", words))
  }

  func began(_ due: DueCheck, by seat: GroupSeat) {
    figures.runs += 1
    diary.write(wall, .began("\(seat.index): \(due.check.name)", due.scheduledAt))
    hold(coverage.began(due.check.id, due.scheduledAt, by: seat.index, now: clock.now, disturbances))
  }

  func found(_ result: CheckResult, _ check: MonitoringCheck, _ spanned: SlotRange?, by seat: GroupSeat) {
    if let spanned { coverage.spanned(result.checkID, spanned, now: clock.now) }
    diary.write(wall, .found("\(seat.index): \(result.check)", result.scheduledAt, result.state.rawValue, 0))
    rows.found(result.checkID, result.scheduledAt, result.state.rawValue)
    incidents.found(result, of: check, by: seat.index, now: clock.now)
  }

  func missed(_ check: UniqueID, _ range: SlotRange, _ cause: MissCause, by seat: GroupSeat) {
    figures.missed += range.count
    coverage.missed(check, range)
    diary.write(wall, .missed(check, range.first, range.count, "\(cause.rawValue), by \(seat.index)"))
  }

  func told(_ message: AlertMessage, by seat: GroupSeat) {
    figures.messages += 1
    diary.write(wall, .told("\(seat.index) \(message.kind.rawValue) \(message.incident)", message.title))
    let decided = Instant(microseconds: message.at.microseconds - seat.machine.offset)
    let telling = GroupAlertRules.Telling(
      id: message.id, seat: seat.index, decided: min(decided, clock.now), arrived: clock.now,
      isUnanswered: seat.pager.mood == .mute)
    hold(incidents.arrived(message, telling))
  }
}
