// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Plans the traces: a pure machine. The caller makes them and reports the end of each.
///
/// The first failure of a run asks for one, and so does a failure for another reason, and a success that took far
/// longer than usual. A target is traced once in `every`; checks of the same target share its trace. The queue is
/// limited: the newest goes first, and the oldest makes room.
package struct TracePlanner: Sendable {
  package struct Job: Hashable, Sendable {
    package var target: SocketAddress
    /// As people know it.
    package var host: String
    package var method: TraceMethod?
    package var cause: TraceCause
    /// When the run began that asked.
    package var begin: Timestamp
    /// Those that it is for.
    package var checks: [UniqueID]
  }

  /// Consequence of a result.
  package enum Step: Hashable, Sendable {
    case nothing
    /// A trace will be made for it, or is under way.
    case asked
    /// The target was traced a moment ago, for these: that trace is the check's as well.
    case shares(with: UniqueID, cause: TraceCause, begin: Timestamp)
  }

  private struct Memory: Sendable {
    /// Reasons of the present outage that were traced.
    var traced: [Reason] = []
    var usual: TraceUsual?
    var usualUntil: Instant?
    /// No trace of the target at work is made before.
    var goodFrom: Instant?
  }

  /// A trace that was begun, by its target.
  private struct Begun: Sendable {
    var at: Instant
    var job: Job
    var hasEnded = false
  }

  package let settings: TraceSettings
  private let mostBegun: Int
  private var memories: [UniqueID: Memory] = [:]
  private var queue: [Job] = []
  private var begun: [SocketAddress: Begun] = [:]
  private var running = 0
  private var nextGood: Job?
  private var isGoodRunning = false
  private var goodFrom: Instant?
  package private(set) var figures = TraceFigures()

  /// Traces that wait at most.
  package static let queueLimit = 64
  /// Checks that share one trace at most.
  static let sharers = 1000
  /// Time after which the usual response time is looked up again.
  static let usualLasts: Duration = .seconds(600)
  /// Between two traces of targets at work, whatever there is to do.
  static let pace: ClosedRange<Duration> = .seconds(1) ... .seconds(10)

  /// - Parameter mostBegun: targets whose last trace is remembered, 256 or more; where more fail at once, the oldest may be
  ///   traced again before its time.
  package init(_ settings: TraceSettings, mostBegun: Int = 4096) {
    (self.settings, self.mostBegun) = (settings, mostBegun)
  }

  /// Figures for a scrape.
  package var shown: TraceFigures {
    var shown = figures
    (shown.running, shown.waiting) = (running + (isGoodRunning ? 1 : 0), queue.count)
    return shown
  }

  /// Forgets checks that are gone.
  package mutating func keep(_ checks: Set<UniqueID>) {
    memories = memories.filter { checks.contains($0.key) }
    for id in Set(queue.flatMap(\.checks)).subtracting(checks) { withdraw(id) }
  }

  /// - Parameters:
  ///   - isSkipped: whether a maintenance window keeps the check from being probed now.
  ///   - usual: how long the check takes as a rule; asked seldom.
  ///   - lastGood: when this target was last traced while it worked.
  package mutating func note(
    _ result: CheckResult, of check: MonitoringCheck, now: Instant, isSkipped: () -> Bool,
    usual: () -> TraceUsual?, lastGood: (SocketAddress) -> Timestamp?
  ) -> Step {
    guard result.trigger == .schedule, TraceRule.covers(check, settings) else { return .nothing }
    switch result.state {
    case .unknown: return .nothing
    case .down:
      guard settings.onFailure, TraceRule.concerns(result), let target = TraceRule.target(of: result),
        memories[check.id]?.traced.contains(result.reason) != true, !isSkipped()
      else { return .nothing }
      let step = ask(job(result, check, target, .failure(result.reason)), now)
      if step != .nothing { memories[check.id, default: Memory()].traced.append(result.reason) }
      return step
    case .up, .degraded:
      if memories[check.id]?.traced.isEmpty == false { recovered(check.id) }
      guard let target = TraceRule.target(of: result) else { return .nothing }
      let known = self.usual(of: check.id, now, usual)
      if let cause = TraceRule.slowness(result, known, factor: settings.slowFactor), !isSkipped() {
        return ask(job(result, check, target, cause), now)
      }
      if result.state == .up, nextGood == nil, !isGoodRunning {
        planGood(result, check, target, now, isSkipped, lastGood)
      }
      return .nothing
    }
  }

  private func job(
    _ result: CheckResult, _ check: MonitoringCheck, _ target: SocketAddress, _ cause: TraceCause
  ) -> Job {
    Job(
      target: target, host: check.kind.dialled?.host ?? target.address.description,
      method: TraceRule.method(of: check), cause: cause, begin: result.startedAt, checks: [check.id])
  }

  private mutating func usual(
    of check: UniqueID, _ now: Instant, _ look: () -> TraceUsual?
  ) -> TraceUsual? {
    guard settings.slowFactor > 0 else { return nil }
    var memory = memories[check] ?? Memory()
    if memory.usualUntil.map({ now < $0 }) != true {
      (memory.usual, memory.usualUntil) = (look(), now + Self.usualLasts)
      memories[check] = memory
    }
    return memory.usual
  }

  /// It works: what waits for it alone would show another way than the broken one.
  private mutating func recovered(_ check: UniqueID) {
    memories[check]?.traced = []
    withdraw(check)
  }

  private mutating func withdraw(_ check: UniqueID) {
    for place in queue.indices.reversed() {
      queue[place].checks.removeAll { $0 == check }
      guard queue[place].checks.isEmpty else { continue }
      queue.remove(at: place)
      figures.dropped += 1
    }
  }

  private mutating func ask(_ job: Job, _ now: Instant) -> Step {
    if let place = queue.firstIndex(where: { $0.target == job.target }) {
      queue[place].join(job)
      return .asked
    }
    if var last = begun[job.target], last.at.duration(to: now) < settings.every {
      guard last.hasEnded else {
        last.job.join(job)
        begun[job.target] = last
        return .asked
      }
      guard let other = last.job.checks.first, other != job.checks.first,
        last.job.cause.word == job.cause.word
      else { return .nothing }
      return .shares(with: other, cause: job.cause, begin: job.begin)
    }
    if queue.count >= Self.queueLimit {
      queue.removeFirst()
      figures.dropped += 1
    }
    queue.append(job)
    return .asked
  }

  /// Targets at work are traced one at a time, with a pause that spreads them over `goodEvery`.
  private mutating func planGood(
    _ result: CheckResult, _ check: MonitoringCheck, _ target: SocketAddress, _ now: Instant,
    _ isSkipped: () -> Bool, _ lastGood: (SocketAddress) -> Timestamp?
  ) {
    if let goodFrom, now < goodFrom { return }
    if let own = memories[check.id]?.goodFrom, now < own { return }
    if let last = lastGood(target) {
      let age = last.duration(to: result.startedAt)
      // One of times to come: the clock was set back.
      if age >= .zero, age < settings.goodEvery { return }
    }
    guard !isSkipped() else { return }
    // A host whose addresses change all the time is not traced at each of them.
    memories[check.id, default: Memory()].goodFrom = now + settings.goodEvery / 4
    let pause = settings.goodEvery / max(1, memories.count)
    goodFrom = now + min(max(pause, Self.pace.lowerBound), Self.pace.upperBound)
    nextGood = job(result, check, target, .good)
  }

  /// The next one to begin; `nil` when there is none, or as many as may be are under way.
  package mutating func next(_ now: Instant) -> Job? {
    guard running + (isGoodRunning ? 1 : 0) < settings.atOnce else { return nil }
    if let job = queue.popLast() {
      forget(now)
      begun[job.target] = Begun(at: now, job: job)
      running += 1
      figures.begin(job.cause)
      return job
    }
    guard let job = nextGood else { return nil }
    (nextGood, isGoodRunning) = (nil, true)
    figures.begin(job.cause)
    return job
  }

  /// It has ended; those that it is for by now.
  package mutating func ended(_ job: Job) -> [UniqueID] {
    guard job.cause != .good else {
      isGoodRunning = false
      return []
    }
    running = max(0, running - 1)
    begun[job.target]?.hasEnded = true
    return begun[job.target]?.job.checks ?? job.checks
  }

  private mutating func forget(_ now: Instant) {
    guard begun.count >= 256 else { return }
    begun = begun.filter { !$0.value.hasEnded || $0.value.at.duration(to: now) < settings.every }
    while begun.count >= mostBegun,
      let oldest = begun.filter({ $0.value.hasEnded }).min(by: { $0.value.at < $1.value.at })
    {
      begun[oldest.key] = nil
    }
  }

  /// Whether one could begin now.
  package var hasWork: Bool {
    (!queue.isEmpty || nextGood != nil) && running + (isGoodRunning ? 1 : 0) < settings.atOnce
  }

  /// Whether a trace of this check waits or is under way.
  package func isPending(_ check: UniqueID) -> Bool {
    queue.contains { $0.checks.contains(check) }
      || begun.values.contains { !$0.hasEnded && $0.job.checks.contains(check) }
  }
}

extension TracePlanner.Job {
  fileprivate mutating func join(_ other: TracePlanner.Job) {
    for check in other.checks where !checks.contains(check) && checks.count < TracePlanner.sharers {
      checks.append(check)
    }
  }
}
