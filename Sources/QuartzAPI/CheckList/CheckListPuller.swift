// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Keeps the list of checks current: from the disk at the start, from the API every so often, and never by accident
/// to nothing.
package final class CheckListPuller: Sendable {
  private let client: APIClient
  private let cache: CheckListCache
  private let mapping: CheckMapping
  private let every: Duration
  private let time: SteadyTime
  private let apply: @Sendable (PulledChecks) async -> Void
  private let sharing: Sharing?
  private let state: Mutex<State>
  private let bell = Doorbell()

  private struct State: Sendable {
    /// The last version that the receiver named.
    var version: Int64?
    /// The one that it had named when the list in force was pulled; later changes may be in it.
    var inForceVersion: Int64?
    var listGuard = ListGuard<UniqueID>()
    var budget: DestinationBudget
    var inForce: CheckSnapshot?
    /// When the destinations of the list in force were last judged.
    var judged = Timestamp.epoch
    var backoff: Backoff
    var generator: RandomSource
    var status = PullStatus()
    /// The server asked to be left alone when it was last pulled.
    var isAskedToWait = false
  }

  /// Where the list comes from, and what becomes of it.
  package struct Parts: Sendable {
    package var client: APIClient
    package var cache: CheckListCache
    package var mapping: CheckMapping
    /// Told each list that differs from the one in force, the one from the disk included.
    package var apply: @Sendable (PulledChecks) async -> Void
    /// `nil` where the list is not shared.
    package var sharing: Sharing?

    package init(
      client: APIClient, cache: CheckListCache, mapping: CheckMapping,
      apply: @escaping @Sendable (PulledChecks) async -> Void
    ) {
      self.client = client
      self.cache = cache
      self.mapping = mapping
      self.apply = apply
    }
  }

  /// Others run the same list, and one pulls it for all.
  package struct Sharing: Sendable {
    /// Whether it is this agent; asked each second.
    package var pulls: @Sendable () -> Bool
    /// Told each list that was pulled and holds, whether or not it is new.
    package var publish: @Sendable (CheckSnapshot) async -> Void

    package init(
      pulls: @escaping @Sendable () -> Bool, publish: @escaping @Sendable (CheckSnapshot) async -> Void
    ) {
      (self.pulls, self.publish) = (pulls, publish)
    }
  }

  package init(_ parts: Parts, every: Duration, time: SteadyTime, generator: RandomSource = .system) {
    self.client = parts.client
    self.cache = parts.cache
    self.mapping = parts.mapping
    self.apply = parts.apply
    self.sharing = parts.sharing
    self.every = every
    self.time = time
    let backoff = Backoff(first: min(.seconds(10), every), cap: every)
    self.state = Mutex(State(budget: parts.mapping.freshBudget, backoff: backoff, generator: generator))
  }

  /// Pulls until it is cancelled.
  package func run() async {
    do {
      while !Task.isCancelled {
        if let sharing, !sharing.pulls() {
          await judgeAgain()
          try await time.sleep(until: time.now.advanced(by: .seconds(1)))
          continue
        }
        let pause = try await pull()
        let (due, soonest) = (time.now.advanced(by: pause), time.now.advanced(by: min(pause, rest)))
        try await bell.sleep(until: due, of: time)
        if time.now < soonest { try await time.sleep(until: soonest) }
      }
    } catch {
      // Cancelled: the list in force stays on disk.
    }
  }

  /// Between a pull and the one for a change: a list is read in pages of some hundred checks, and the budget of requests is for
  /// results, too. Another version may be the cure of a list that was refused; only a server that asks to be left alone is.
  private var rest: Duration {
    state.withLock { state in
      guard !state.isAskedToWait else { return every }
      return .seconds(5) * (1 + (state.inForce?.checks.count ?? 0) / 250)
    }
  }

  /// The receiver names the version of the list: another one is pulled now. The first is none that is known to be in force.
  func heard(_ version: Int64) {
    let isNew = state.withLock { state in
      defer { state.version = version }
      return state.version != version
    }
    if isNew { bell.ring() }
  }

  package var status: PullStatus {
    state.withLock { state in
      var status = state.status
      // That of the disk is of another life, by the wall clock of then.
      if !status.isFromDisk { status.lastSuccess = status.lastSuccess.map(time.shown) }
      return status
    }
  }

  /// Version of the list in force; `nil` while it is not known, and where another agent pulled it.
  var versionInForce: Int64? { state.withLock(\.inForceVersion) }

  /// Puts the list on disk in force, so that the agent probes before the API has answered, or without it. Once,
  /// before `run`.
  package func restore() async {
    switch await cache.load() {
    case .none(let problem): state.withLock { $0.status.cacheProblem = problem }
    case .list(let snapshot, let pulledAt):
      state.withLock { state in
        state.listGuard = ListGuard(current: Set(snapshot.checks.map(\.id)))
        state.status.lastSuccess = pulledAt
        state.status.isFromDisk = true
      }
      await enforce(snapshot)
    }
    await cache.understood()
  }

  /// One pull; how long to wait for the next.
  private func pull() async throws(CancellationError) -> Duration {
    let version = state.withLock(\.version)
    switch try await client.pullChecks() {
    case .unchanged(let trouble, let wait):
      return state.withLock { state in
        (state.status.trouble, state.isAskedToWait) = (trouble, wait != nil)
        return max(state.backoff.next(using: &state.generator), wait ?? .zero)
      }
    case .snapshot(var snapshot):
      snapshot.windows = try await windows()
      let now = time.now
      let (verdict, isNew) = state.withLock { state in
        state.backoff.reset()
        (state.status.trouble, state.isAskedToWait) = (nil, false)
        let verdict = state.listGuard.judge(Set(snapshot.checks.map(\.id)), at: now)
        if case .hold(let why) = verdict { state.status.held = why } else { state.status.held = nil }
        // A destination that had to wait may join by now.
        return (verdict, state.inForce != snapshot || state.status.refusedDestinations > 0)
      }
      guard verdict == .apply else { return every }
      if isNew, let why = await cache.refusal(of: snapshot, pulledAt: time.wall) {
        state.withLock { $0.status.held = why }
        return every
      }
      state.withLock { state in
        state.status.lastSuccess = now
        state.status.isFromDisk = false
        if state.status.windowTrouble == nil { state.inForceVersion = version }
      }
      if isNew {
        await save(snapshot, pulledAt: time.wall)
        await enforce(snapshot)
      }
      await sharing?.publish(snapshot)
      return every
    }
  }

  /// A list that another agent has pulled: by the same judges as if it had been this one, so that a store in which the list
  /// shrinks at once takes no check away before it has stayed so.
  ///
  /// - Returns: why it is not put in force; `nil` when it is.
  package func take(shared snapshot: CheckSnapshot) async -> String? {
    let now = time.now
    let (verdict, isNew) = state.withLock { state in
      (state.listGuard.judge(Set(snapshot.checks.map(\.id)), at: now), state.inForce != snapshot)
    }
    if case .hold(let why) = verdict {
      state.withLock { $0.status.held = why }
      return why
    }
    if isNew, let why = await cache.refusal(of: snapshot, pulledAt: time.wall) {
      state.withLock { $0.status.held = why }
      return why
    }
    state.withLock { state in
      state.backoff.reset()
      (state.status.trouble, state.status.held) = (nil, nil)
      state.inForceVersion = nil
      state.status.lastSuccess = now
      state.status.isFromDisk = false
    }
    guard isNew else { return nil }
    await save(snapshot, pulledAt: time.wall)
    await enforce(snapshot)
    return nil
  }

  /// A destination that had to wait may join by now: as if the list had been pulled again.
  package func judgeAgain() async {
    let now = time.now
    let snapshot = state.withLock { state -> CheckSnapshot? in
      guard state.status.refusedDestinations > 0, state.judged.duration(to: now) >= every else { return nil }
      return state.inForce
    }
    if let snapshot { await enforce(snapshot) }
  }

  /// The windows of now; those of before while the API does not give them, which is no reason to keep an old list.
  private func windows() async throws(CancellationError) -> [WireWindow] {
    switch try await client.pullWindows() {
    case .success(let windows):
      state.withLock { $0.status.windowTrouble = nil }
      return windows
    case .failure(let failure):
      return state.withLock { state in
        state.status.windowTrouble = failure.notice
        return state.inForce?.windows ?? []
      }
    }
  }

  private func save(_ snapshot: CheckSnapshot, pulledAt: Timestamp) async {
    // A file that cannot be written is told by who keeps it, once for all files, and written as soon as it can be.
    try? await cache.save(snapshot, pulledAt: pulledAt)
    state.withLock { $0.status.cacheProblem = nil }
  }

  private func enforce(_ snapshot: CheckSnapshot) async {
    let now = time.now
    let pulled = state.withLock { state in
      var pulled = mapping.map(snapshot, budget: &state.budget, now: now, wall: time.wall)
      if let before = state.inForce { pulled.changes = CheckChange.between(before.checks, snapshot.checks) }
      state.inForce = snapshot
      state.judged = now
      state.status.isCut = snapshot.isCut
      state.status.running = pulled.checks.count
      state.status.skipped = pulled.skipped
      state.status.warnings = pulled.warnings
      state.status.filtered = pulled.filtered
      state.status.windows = pulled.windows.count
      state.status.windowProblems = pulled.windowProblems
      state.status.refusedDestinations = pulled.refusedDestinations
      return pulled
    }
    await apply(pulled)
  }
}
