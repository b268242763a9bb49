// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Facts about its surroundings that the schedule needs.
package struct SchedulerOptions: Sendable {
  /// Part of every phase: agents of different names probe one check at different times.
  package var agent: String
  /// `nil` where the agent is in no group.
  package var group: SlotGrid.Group?
  package var limits: InFlightLimits
  /// How long runs may go on once the scheduler is cancelled.
  package var drainGrace: Duration
  /// A pulse from the scheduler's own loop. `nil` where nothing listens.
  package var pulse: Pulse?
  /// Where the scheduler and its runs go on after each wait; nil: in Swift's own pool.
  package var executor: EventLoop?
  /// Host and port that a check's probes load, for `InFlightLimits.perHost`.
  package var hostKey: @Sendable (MonitoringCheck) -> String

  package init(
    agent: String, limits: InFlightLimits, drainGrace: Duration = .seconds(5), pulse: Pulse? = nil,
    executor: EventLoop? = nil,
    hostKey: @escaping @Sendable (MonitoringCheck) -> String
  ) {
    self.agent = agent
    self.limits = limits
    self.drainGrace = drainGrace
    self.pulse = pulse
    self.executor = executor
    self.hostKey = hostKey
  }

  /// Beaten by each turn of the loop that comes at least `every` after the last, and by nothing else: a loop that
  /// stands still, with nothing to do or without getting on, does not beat.
  package struct Pulse: Sendable {
    package var every: Duration
    /// Must not block.
    package var beat: @Sendable () -> Void

    package init(every: Duration, beat: @escaping @Sendable () -> Void) {
      self.every = every
      self.beat = beat
    }
  }
}

/// Runs each check at its slots. Knows when, not what: the work is a closure.
///
/// All decisions are `Schedule`'s, in one lock; this type turns them into tasks. Tasks are started by the body of
/// `run()` only, one for each run, none for a check that merely waits for its slot.
package final class CheckScheduler: Sendable {
  private struct State {
    var schedule: Schedule
    var phase = Phase.idle
    /// The instant that the wake source is armed for.
    var armed: Instant?
    /// When the next sign of life is due.
    var pulse: Instant?
  }

  private enum Phase {
    case idle, running
    /// Starts nothing more; runs are cancelled at the deadline.
    case draining(until: Instant)
  }

  private enum Pass {
    case start([Schedule.Start], [ScheduleEvent])
    case waitForRuns
    case cancelRuns
    case done
  }

  private let source: any WakeSource
  private let drainGrace: Duration
  private let pulse: SchedulerOptions.Pulse?
  private let executor: EventLoop?
  private let work: @Sendable (DueCheck) async -> RunOutcome
  private let events: @Sendable (ScheduleEvent) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - work: One run of a check. It must end soon after its task is cancelled: `run()` waits for it.
  ///   - events: Slots without a run; called from any thread, never under a lock, and must not block.
  package init(
    _ options: SchedulerOptions, source: any WakeSource,
    work: @escaping @Sendable (DueCheck) async -> RunOutcome,
    events: @escaping @Sendable (ScheduleEvent) -> Void
  ) {
    self.source = source
    self.work = work
    self.events = events
    drainGrace = options.drainGrace
    pulse = options.pulse
    executor = options.executor
    let now = source.now()
    state = Mutex(State(schedule: Schedule(options, at: now), pulse: options.pulse.map { _ in now.boot }))
  }

  /// Replaces the list of checks, before or during `run()`. Disabled ones are left out; of two with one id the
  /// first counts. Unchanged checks keep their slots and their runs; a removed one's run ends by itself. One that
  /// comes, and of which nothing is known, runs within min(interval, 30 s).
  ///
  /// - Parameters:
  ///   - findings: the last result of each check, by the history; checks without one are left out.
  ///   - taken: have come from another agent, which may not have run their last slots: these are run at once.
  ///   - orphaned: of those, the ones whose agent has died, and for how long they may not have run: older slots of that
  ///     time are missed.
  package func apply(
    _ checks: [MonitoringCheck], recalling findings: [UniqueID: RunOutcome.Finding] = [:],
    taking taken: Set<UniqueID> = [], orphaned: [UniqueID: Duration] = [:]
  ) {
    let list = CheckList(checks)
    let told = state.withLock { state in
      let told = state.schedule.apply(
        list, recalling: findings, taking: taken, orphaned: orphaned, at: source.now())
      arm(&state)
      return told
    }
    told.forEach(events)
    source.wake()
  }

  /// Schedules until the task is cancelled; then starts nothing more, gives the runs that are going the grace
  /// period, cancels what is left and returns when all have ended. Once in a scheduler's life.
  package func run() async {
    // A task of its own, since a cancelled task would cancel its runs at once.
    await withTaskCancellationHandler {
      await Task(executorPreference: executor) { await self.schedule() }.value
    } onCancel: {
      stop()
    }
  }

  /// Whether a run of this check is under way.
  package func isRunning(_ checkID: UniqueID) -> Bool {
    state.withLock { state in state.schedule.runs.values.contains { $0.check == checkID } }
  }

  /// When these checks run next, or since when they wait or run; UTC. Checks that are off or gone are left out.
  package func runs(of ids: Set<UniqueID>) -> [UniqueID: Timestamp] {
    ids.isEmpty ? [:] : state.withLock { $0.schedule.runs(of: ids) }
  }

  /// How long ago the loop was to look for what is due, and has not; zero: it keeps up.
  package var overdue: Duration {
    let now = source.now().boot
    return state.withLock { state in
      if case .running = state.phase, let armed = state.armed {
        max(.zero, armed.duration(to: now))
      } else {
        .zero
      }
    }
  }

  package func status() -> ScheduleStatus {
    let now = source.now().boot
    return state.withLock { $0.schedule.status(at: now) }
  }

  private func schedule() async {
    state.withLock { state in
      if case .idle = state.phase { state.phase = .running }
    }
    source.wake()
    await withDiscardingTaskGroup { group in
      for await _ in source.wakes {
        if state.withLock({ isPulseDue(&$0) }) { pulse?.beat() }
        switch state.withLock({ pass(&$0) }) {
        case .start(let starts, let told):
          for start in starts { group.addTask { await self.perform(start) } }
          told.forEach(events)
        case .waitForRuns: continue
        case .cancelRuns:
          group.cancelAll()
          return
        case .done: return
        }
      }
    }
  }

  private func isPulseDue(_ state: inout State) -> Bool {
    let now = source.now().boot
    guard let pulse, let due = state.pulse, now >= due else { return false }
    state.pulse = now.advanced(by: pulse.every)
    return true
  }

  private func pass(_ state: inout State) -> Pass {
    let reading = source.now()
    if case .draining(let deadline) = state.phase {
      if state.schedule.runs.isEmpty { return .done }
      if reading.boot >= deadline { return .cancelRuns }
      arm(&state)
      return .waitForRuns
    }
    let (starts, told) = state.schedule.begin(at: reading)
    arm(&state)
    return .start(starts, told)
  }

  private func perform(_ start: Schedule.Start) async {
    let begun = source.now().boot
    let late = max(.zero, start.due.duration(to: begun))
    if close({ $0.abandon(start, late: late, at: begun) }) { return }
    let due = DueCheck(check: start.check, scheduledAt: start.scheduledAt, due: start.due, late: late)
    let outcome = await work(due)
    let now = source.now().boot
    if let cause = outcome.missed {
      close { $0.forgo(start, cause, late: late, at: now) }
      return
    }
    outcome.settle(
      state.withLock {
        $0.schedule.conclude(start.run, outcome.finding, hasResult: outcome.hasResult, at: now)
      })
    close { $0.finish(start.run, late: late, at: now) }
  }

  /// Ends a run in the schedule, reports missed slots and wakes the check that waited for its place. False where it did
  /// not end.
  @discardableResult
  private func close(_ body: (inout Schedule) -> (events: [ScheduleEvent], canStart: Bool)?) -> Bool {
    let ended: ([ScheduleEvent], Bool)? = state.withLock { state in
      guard let end = body(&state.schedule) else { return nil }
      if case .draining = state.phase { return (end.events, state.schedule.runs.isEmpty) }
      arm(&state)
      return (end.events, end.canStart)
    }
    guard let (told, wake) = ended else { return false }
    told.forEach(events)
    if wake { source.wake() }
    return true
  }

  private func stop() {
    let deadline = source.now().boot.advanced(by: drainGrace)
    state.withLock { $0.phase = .draining(until: deadline) }
    source.wake()
  }

  /// Tells the source when to wake next. Under the lock, so that of two callers the later one has the last word.
  private func arm(_ state: inout State) {
    var deadline = state.schedule.nextDue?.tick
    if case .draining(let end) = state.phase { deadline = end }
    if let pulse = state.pulse { deadline = min(deadline ?? pulse, pulse) }
    guard deadline != state.armed else { return }
    state.armed = deadline
    source.arm(at: deadline)
  }
}

extension Instant {
  /// The next whole pair of milliseconds. Slots differ by microseconds, and each time the thread is woken costs as much
  /// as a small probe: what is due together starts together, and the answers come together too.
  var tick: Instant { Instant(microseconds: (microseconds + 1999) / 2000 * 2000) }
}
