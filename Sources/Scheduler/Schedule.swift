// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Decides which check runs when; touches no clock, no task and no timer. `CheckScheduler` acts on it.
///
/// Each check is in one of three states. *Planned*: its next slot is in the heap. *Waiting*: its slot came, a limit
/// holds it, and the slot after it is in the heap. *Running*: it is not in the heap; what passed meanwhile is counted
/// when the run ends, so a check cannot overlap itself. A check that has no result yet is *new* besides, and need not
/// wait for a slot; see Schedule+First.swift. Entries lie in arrays by the check's position in the list: 24 bytes here
/// and 20 in the heap for a check, and the list itself is shared with its source.
struct Schedule {
  struct Entry {
    /// The slot planned or waiting; while running, the last slot accounted for. Microseconds of UTC.
    var slot: Int64
    /// The present pace, `interval` or `interval_failing`; microseconds.
    var interval: Int64
    /// From `slot` to a run that is off the grid, in steps of `Timeline.firstStep`; 0 for every other run.
    var steps: UInt32 = 0
    var state: State
    var seen = Seen.never
    /// It has no result yet, from this process or before.
    var isNew = true
    /// A run of it has begun since it came into the list.
    var hasBegun = false

    /// When the run is due that is planned, waits or goes. Microseconds of UTC.
    var instant: Int64 { slot + Int64(steps) * Timeline.firstStep }

    var timeline: Timeline { Timeline(slot: slot, interval: interval) }

    var standing: InFlightLimit.Standing {
      switch seen {
      case .works: .trusted
      case .never: .unseen
      case .fails: .suspect
      }
    }

    /// When it needs us next, by the boot clock; nil while it runs and while it is off.
    func wake(_ offset: Int64) -> Int64? {
      switch state {
      case .planned: instant &- offset
      case .waiting: slot + interval &- offset
      case .running, .off: nil
      }
    }
  }

  enum State: UInt8 { case off, planned, waiting, running }

  /// Result of the last run that was neither unknown nor lost.
  enum Seen: UInt8 { case never, works, fails }

  struct Run {
    let check: UniqueID
    let host: String
    let standing: InFlightLimit.Standing
    let kind: WorkOrigin.Kind
    /// It began after its slot's time for another reason than our own slowness.
    let isCaughtUp: Bool
    /// Later slots that passed before its end are not its to answer for. By the boot clock.
    let answersUntil: Int64
    /// Position in the list; nil once the check was removed.
    var entry: Int?
  }

  struct Start {
    let run: UInt64
    let check: MonitoringCheck
    let scheduledAt: Timestamp
    let due: Instant
  }

  let grid: SlotGrid
  let hostKey: @Sendable (MonitoringCheck) -> String
  var checks: [MonitoringCheck] = []
  var entries: [Entry] = []
  var due = DueHeap(entries: 0)
  var limit: InFlightLimit
  var runs: [UInt64: Run] = [:]
  /// Wall clock minus boot clock, in microseconds; see `realign(to:)`.
  var offset: Int64
  private var lateness = Lateness()
  var counts = ScheduleStatus()
  /// Taken over, and not begun yet: what these are late by is not this agent's doing.
  var takenOver: Set<UniqueID> = []
  private var lastRun: UInt64 = 0

  init(_ options: SchedulerOptions, at reading: ClockReading) {
    grid = SlotGrid(agent: options.agent, group: options.group)
    hostKey = options.hostKey
    limit = InFlightLimit(options.limits)
    offset = reading.offset
  }

  /// When `begin(at:)` has something to do without anything else happening.
  var nextDue: Instant? { due.first.map(Instant.init(microseconds:)) }

  /// Starts what is due and may start.
  mutating func begin(at reading: ClockReading) -> (starts: [Start], events: [ScheduleEvent]) {
    realign(to: reading)
    var events: [ScheduleEvent] = []
    var queued: [Int] = []
    while let position = due.pop(through: reading.boot.microseconds) {
      if let event = fallDue(position, at: reading.boot) { events.append(event) }
      if entries[position].state == .waiting { queued.append(position) }
    }
    var starts: [Start] = []
    while let turn = limit.next() {
      starts.append(start(turn.entry, turn.host, turn.standing, turn.kind, at: reading.boot))
    }
    limit.noteHeld(at: reading.boot)
    for position in queued where entries[position].state == .waiting { planWake(position) }
    return (starts, events)
  }

  /// A run came to its verdict. The check takes the pace of it and, until `finish`, stays running: what is to happen
  /// before its next run can happen now.
  ///
  /// - Parameter hasResult: false: it left nothing behind, and a new check stays new.
  /// - Returns: the slots it spanned, by the new pace.
  mutating func conclude(
    _ number: UInt64, _ finding: RunOutcome.Finding, hasResult: Bool = true, at now: Instant
  ) -> SlotRange? {
    guard let run = runs[number], let position = run.entry else { return nil }
    switch finding {
    case .works: take(position, .works)
    case .fails: take(position, .fails)
    case .unknown: break
    }
    entries[position].steps = 0
    if hasResult { entries[position].isNew = false }
    let entry = entries[position]
    let answered = wall(Instant(microseconds: min(now.microseconds, run.answersUntil)))
    let spanned = entry.timeline.slots(after: Timestamp(microseconds: entry.slot), through: answered)
    counts.spanned += spanned
    var slots: SlotRange?
    pass(position, spanned) { slots = $0 }
    return slots
  }

  /// A concluded run ended. Tells whether `begin(at:)` could now start a check that waits.
  mutating func finish(
    _ number: UInt64, late: Duration, at now: Instant, missing cause: MissCause = .gap
  ) -> (events: [ScheduleEvent], canStart: Bool) {
    guard let run = runs.removeValue(forKey: number) else { return ([], false) }
    limit.release(host: run.host, run.standing, of: run.kind)
    if !run.isCaughtUp { lateness.record(late, at: now) }
    var events: [ScheduleEvent] = []
    if let position = run.entry {
      let entry = entries[position]
      let last = Timestamp(microseconds: entry.slot)
      var missed = entry.timeline.slots(after: last, through: wall(now))
      // The last one is within its interval: a group's is run now, for nobody can say whether another member did.
      if missed > 0, !entry.isNew, grid.isShared(checks[position]) { missed -= 1 }
      pass(position, missed) { events.append(.missed(check: run.check, slots: $0, cause: cause)) }
      counts.miss(missed, cause)
      entries[position].state = .planned
      planNext(position, after: wall(now))
    }
    return (events, limit.canStart)
  }

  /// A run whose slot's time was over before it could begin, because the process stood still in between: its result
  /// would belong to another time, so its slot is missed as well. `nil` where the run is in time.
  mutating func abandon(
    _ start: Start, late: Duration, at now: Instant
  ) -> (events: [ScheduleEvent], canStart: Bool)? {
    guard let position = runs[start.run]?.entry, late.microseconds >= entries[position].interval else {
      return nil
    }
    return miss(position, start, .gap, late: late, at: now)
  }

  /// A run that left nothing behind for a reason of our own: its slot is missed, and so are those that passed meanwhile.
  mutating func forgo(
    _ start: Start, _ cause: MissCause, late: Duration, at now: Instant
  ) -> (events: [ScheduleEvent], canStart: Bool) {
    guard let position = runs[start.run]?.entry else { return finish(start.run, late: late, at: now) }
    return miss(position, start, cause, late: late, at: now)
  }

  private mutating func miss(
    _ position: Int, _ start: Start, _ cause: MissCause, late: Duration, at now: Instant
  ) -> (events: [ScheduleEvent], canStart: Bool) {
    let entry = entries[position]
    var end = finish(start.run, late: late, at: now, missing: cause)
    guard entry.steps == 0 else { return end }
    counts.miss(1, cause)
    let own = SlotRange(first: start.scheduledAt, count: 1, interval: .microseconds(entry.interval))
    end.events.insert(.missed(check: start.check.id, slots: own, cause: cause), at: 0)
    return end
  }

  func status(at now: Instant) -> ScheduleStatus {
    var status = counts
    (status.inFlight, status.limit) = (runs.count, limit.limits.total)
    status.waiting = limit.waiting
    status.waits = limit.waits
    if let figures = lateness.figures(at: now) {
      (status.lateP50, status.lateP99, status.lateMax) = figures
    }
    return status
  }

  /// How late after its slot a check still starts because we woke late. A twentieth of the interval: after a stall
  /// or suspend at most one check in twenty starts at once, and all others wait for their next slot, which spreads
  /// them as the phases do. At least 1 s, so that a busy machine does not lose slots; at most 30 s.
  static func grace(_ interval: Int64) -> Int64 { min(max(interval / 20, 1_000_000), 30_000_000) }

  /// UTC by the plan.
  func wall(_ instant: Instant) -> Timestamp {
    Timestamp(microseconds: instant.microseconds &+ offset)
  }

  /// Puts the instant at which this check needs us into the heap.
  mutating func planWake(_ position: Int) {
    if let instant = entries[position].wake(offset) { due.set(position, due: instant) }
  }

  /// A planned check queues at its host; a waiting one moves on to the slot that has come. Slots before the one it
  /// queues for are missed, and so is that one if it is too old to start.
  private mutating func fallDue(_ position: Int, at now: Instant) -> ScheduleEvent? {
    leaveFirstRun(position, at: wall(now))
    let entry = entries[position]
    let latest = entry.timeline.slot(atOrBefore: wall(now)).microseconds
    var missed = Int((latest - entry.slot) / entry.interval)
    let cause: MissCause = entry.state == .waiting ? .limit : .gap
    entries[position].slot = latest
    if entry.state == .planned {
      if isTooLate(position, at: wall(now)) {
        if entry.steps == 0 { missed += 1 }
        planNext(position, after: wall(now))
      } else {
        entries[position].state = .waiting
        limit.enqueue(
          position, host: hostKey(checks[position]), entry.standing, of: checks[position].originKind)
      }
    }
    guard missed > 0 else { return nil }
    counts.miss(missed, cause)
    let slots = SlotRange(
      first: Timestamp(microseconds: entry.slot), count: missed, interval: .microseconds(entry.interval))
    return .missed(check: checks[position].id, slots: slots, cause: cause)
  }

  /// A slot of a group is run however late, within its interval: no other member is known to have run it.
  private func isTooLate(_ position: Int, at now: Timestamp) -> Bool {
    let (age, interval) = (now.microseconds - entries[position].instant, entries[position].interval)
    guard age > Self.grace(interval) else { return false }
    return age >= interval || !grid.isShared(checks[position])
  }

  /// The result sets the pace. Its grid is the check's own, so the way back leads to the slots it came from.
  mutating func take(_ position: Int, _ seen: Seen) {
    entries[position].seen = seen
    let pace = checks[position].pace(seen)
    guard pace != entries[position].interval else { return }
    let timeline = grid.timeline(checks[position], .microseconds(pace))
    let slot = timeline.slot(atOrBefore: Timestamp(microseconds: entries[position].instant))
    entries[position].interval = pace
    entries[position].slot = slot.microseconds
    entries[position].steps = 0
  }

  private mutating func start(
    _ position: Int, _ host: String, _ standing: InFlightLimit.Standing, _ kind: WorkOrigin.Kind,
    at now: Instant
  ) -> Start {
    let check = checks[position]
    let slot = entries[position].instant
    due.remove(position)
    entries[position].state = .running
    entries[position].hasBegun = true
    lastRun += 1
    counts.started += 1
    runs[lastRun] = Run(
      check: check.id, host: host, standing: standing, kind: kind,
      isCaughtUp: wall(now).microseconds - slot > Self.grace(entries[position].interval)
        || takenOver.remove(check.id) != nil,
      answersUntil: now.advanced(by: check.longestRun).microseconds,
      entry: position)
    return Start(
      run: lastRun, check: check, scheduledAt: Timestamp(microseconds: slot),
      due: Instant(microseconds: slot &- offset))
  }

  /// Moves a running entry on by so many slots, and tells them if there are any.
  private mutating func pass(_ position: Int, _ slots: Int, tell: (SlotRange) -> Void) {
    guard slots > 0 else { return }
    let entry = entries[position]
    tell(
      SlotRange(
        first: Timestamp(microseconds: entry.slot + entry.interval), count: slots,
        interval: .microseconds(entry.interval)))
    entries[position].slot += Int64(slots) * entry.interval
  }
}

extension MonitoringCheck {
  /// Microseconds from slot to slot.
  func pace(_ seen: Schedule.Seen) -> Int64 {
    max(1, (seen == .fails ? plan.intervalFailing ?? interval : interval).microseconds)
  }

  /// No honest run takes longer: every attempt to its timeout, every delay, and some seconds of our own. A run that
  /// took longer slept through a suspend, and its verdict says nothing about those hours.
  package var longestRun: Duration {
    let plan = plan
    // In microseconds: to multiply a duration is slow, and this is asked for with every run.
    let confirmations = plan.retries > 0 && plan.confirmDelay > .zero ? 1 : 0
    let attempts = timeout.microseconds * Int64(1 + plan.retries + confirmations)
    let pauses = plan.retryDelay.microseconds * Int64(plan.retries) + plan.confirmDelay.microseconds
    return .microseconds(attempts + pauses + 5_000_000)
  }
}
