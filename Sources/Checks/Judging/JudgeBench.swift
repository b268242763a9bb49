// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// Judges outside data when that may take long: on threads of its own, so that data from outside never holds up the
/// scheduler, the server or the reactor.
///
/// Two lanes of one thread each for the checks of the file, for those of the API and for runs on request. A check whose
/// last judgement was dear waits in the second one, so that it holds up only others like it; in a lane hosts take
/// turns. A thread lives while its lane has work. Each check in flight has one judgement here at most, which bounds the
/// queues.
package final class JudgeBench: Sendable {
  private struct Job {
    var queued: Instant
    var check: UniqueID
    var origin: WorkOrigin
    var bytes: Int
    let stop: StopFlag
    /// Does nothing once the run is cancelled.
    var work: @Sendable (CPUBudget) -> Void
  }

  private struct Lane {
    var jobs = FairQueue<Job>()
    var isRunning = false
  }

  private struct State {
    var lanes = JudgeBench.names.map { _ in Lane() }
    /// Checks whose last judgement was dear: who asks pushes no check of the file out.
    var dear = ByOrigin { _ in RecentSet<UniqueID>(limit: JudgeBench.mostDear) }
    var figures = JudgingFigures()
  }

  /// Bytes without a pattern that are judged where they are: the way to another thread costs as much.
  static let small = 16 * 1024
  /// Checks of an origin of which it is remembered, the last so many.
  static let mostDear = 10_000
  /// Nanoseconds beyond which a judgement is dear.
  private static let dear: Int64 = 10_000_000
  /// A judgement that waited longer than this is not made: whatever came of it would be about this machine.
  static let patience = Duration.seconds(30)

  private let state = Mutex(State())
  private let turns = JudgeBench.names.map { _ in ThreadClock() }
  /// Threads of the lanes: an origin's, then the one of its dear checks.
  private static let names = [
    "judge", "judge of dear checks", "judge of API checks", "judge of dear API checks", "judge of /probe",
    "judge of dear probes",
  ]

  package init() {}

  package var figures: JudgingFigures { state.withLock { $0.figures } }

  /// Judgements that wait for a lane's thread now, by origin.
  package var waits: [QueueWait] { state.withLock { $0.lanes.flatMap { $0.jobs.waits(for: .judging) } } }

  /// For the watchdog. A judgement has a budget of a few seconds; its thread may have to wait for a processor.
  package var threads: [WatchedThread] {
    zip(Self.names, turns).map { name, turn in
      WatchedThread(name, limit: .seconds(20)) { turn.age }
    }
  }

  /// Forgets checks that are gone.
  package func keep(_ checks: Set<UniqueID>) {
    state.withLock { state in
      for kind in WorkOrigin.Kind.allCases { state.dear[kind].formIntersection(checks) }
    }
  }

  /// Checks whose last judgement was dear.
  package var dearChecks: Int {
    state.withLock { state in WorkOrigin.Kind.allCases.reduce(0) { $0 + state.dear[$1].count } }
  }

  /// Judges here, or on a thread of the bench when it is much. Throws at once when the surrounding task is cancelled:
  /// the judgement is dropped with what it holds, whether it waits or is under way.
  ///
  /// - Parameters:
  ///   - origin: whose lane it waits in.
  ///   - bytes: to be judged.
  ///   - isLight: there is no pattern to be held against them.
  func judge<Value: Sendable>(
    _ check: UniqueID, for origin: WorkOrigin = WorkOrigin(.fileChecks), bytes: Int, isLight: Bool,
    _ work: @escaping @Sendable (CPUBudget) -> Value
  ) async throws(CancellationError) -> Value {
    if isLight, bytes <= Self.small {
      let budget = CPUBudget(bytes: bytes)
      let value = work(budget)
      if budget.isSpent { note(budget, of: check, origin.kind, hasWaited: false) }
      return value
    }
    let turn = JudgeTurn(work)
    let value: Value? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard turn.begin(continuation) else { return }
        submit(
          Job(queued: .now, check: check, origin: origin, bytes: bytes, stop: turn.stop) { turn.run($0) })
      }
    } onCancel: {
      turn.cancel()
    }
    guard let value else { throw CancellationError() }
    return value
  }

  private func submit(_ job: Job) {
    let lane: Int? = state.withLock { state in
      let lane = Self.firstLane(job.origin.kind) + (state.dear[job.origin.kind].contains(job.check) ? 1 : 0)
      state.lanes[lane].jobs.append(job, for: job.origin, at: job.queued)
      state.figures.waiting += 1
      defer { state.lanes[lane].isRunning = true }
      return state.lanes[lane].isRunning ? nil : lane
    }
    guard let lane else { return }
    // Without a thread it must be done all the same: late is better than never.
    let hasThread = startThread { [self] in
      // Who schedules and speaks goes first. On Linux the nice value is a thread's own (setpriority(2)).
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, lane < 2 ? 5 : 10)
      run(lane)
    }
    if !hasThread { run(lane) }
  }

  private static func firstLane(_ kind: WorkOrigin.Kind) -> Int {
    switch kind {
    case .apiChecks: 2
    case .asked: 4
    default: 0
    }
  }

  /// The body of a lane's thread, until there is nothing left to do.
  private func run(_ lane: Int) {
    while let job = take(lane) {
      turns[lane].begin()
      let budget = CPUBudget(bytes: job.bytes, waited: job.queued.duration(to: .now), stop: job.stop)
      job.work(budget)
      turns[lane].end()
      note(budget, of: job.check, job.origin.kind, isStopped: job.stop.isRaised)
    }
  }

  private func take(_ lane: Int) -> Job? {
    state.withLock { state in
      let job = state.lanes[lane].jobs.next()
      if job == nil { state.lanes[lane].isRunning = false }
      return job
    }
  }

  /// - Parameter hasWaited: false: it was judged where it was.
  private func note(
    _ budget: CPUBudget, of check: UniqueID, _ kind: WorkOrigin.Kind, hasWaited: Bool = true,
    isStopped: Bool = false
  ) {
    let used = budget.used
    state.withLock { state in
      if hasWaited { state.figures.waiting -= 1 }
      state.figures.judged += 1
      state.figures.longest = max(state.figures.longest, .nanoseconds(used))
      if budget.isSpent, !isStopped { state.figures.overBudget += 1 }
      if used <= Self.dear {
        state.dear[kind].remove(check)
      } else {
        state.dear[kind].insert(check)
      }
    }
  }
}
