// SPDX-License-Identifier: MIT

import Monitoring
import Synchronization

/// Keeps the list of checks current: from the disk at the start, from the API every so often, and never by accident
/// to nothing.
package final class CheckListPuller<C: Clock>: Sendable where C.Duration == Duration {
  private let client: APIClient
  private let cache: CheckListCache
  private let mapping: CheckMapping
  private let every: Duration
  private let time: SteadyTime<C>
  private let apply: @Sendable (PulledChecks) async -> Void
  private let bell = Doorbell()
  private let state: Mutex<State>

  private struct State: Sendable {
    var listGuard = ListGuard()
    var inForce: CheckSnapshot?
    var backoff: Backoff
    var generator: RandomSource
    var status = PullStatus()
  }

  /// Where the list comes from, and what becomes of it.
  package struct Parts: Sendable {
    package var client: APIClient
    package var cache: CheckListCache
    package var mapping: CheckMapping
    /// Told each list that differs from the one in force, the one from the disk included.
    package var apply: @Sendable (PulledChecks) async -> Void

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

  package init(_ parts: Parts, every: Duration, time: SteadyTime<C>, generator: RandomSource = .system) {
    self.client = parts.client
    self.cache = parts.cache
    self.mapping = parts.mapping
    self.apply = parts.apply
    self.every = every
    self.time = time
    let backoff = Backoff(first: min(.seconds(10), every), cap: every)
    self.state = Mutex(State(backoff: backoff, generator: generator))
  }

  /// Pulls until it is cancelled.
  package func run() async {
    do {
      while !Task.isCancelled {
        let pause = try await pull()
        try await bell.sleep(until: time.now.advanced(by: pause), of: time)
      }
    } catch {
      // Cancelled: the list in force stays on disk.
    }
  }

  /// Pulls now instead of at the next turn.
  package func refresh() { bell.ring() }

  package var status: PullStatus { state.withLock { $0.status } }

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
  }

  /// One pull; how long to wait for the next.
  private func pull() async throws(CancellationError) -> Duration {
    switch try await client.pullChecks() {
    case .unchanged(let trouble):
      return state.withLock { state in
        state.status.trouble = trouble
        return max(state.backoff.next(using: &state.generator), trouble.wait ?? .zero)
      }
    case .snapshot(let snapshot):
      let now = time.now
      let (verdict, isNew) = state.withLock { state in
        state.backoff.reset()
        state.status.trouble = nil
        let verdict = state.listGuard.judge(Set(snapshot.checks.map(\.id)), at: now)
        if case .hold(let why) = verdict { state.status.held = why } else { state.status.held = nil }
        return (verdict, state.inForce != snapshot)
      }
      guard verdict == .apply else { return every }
      state.withLock { state in
        state.status.lastSuccess = now
        state.status.isFromDisk = false
      }
      if isNew {
        await save(snapshot, pulledAt: now)
        await enforce(snapshot)
      }
      return every
    }
  }

  private func save(_ snapshot: CheckSnapshot, pulledAt: Timestamp) async {
    var problem: String?
    do throws(StateFile.Failure) { try await cache.save(snapshot, pulledAt: pulledAt) } catch {
      problem = error.description
    }
    state.withLock { $0.status.cacheProblem = problem }
  }

  private func enforce(_ snapshot: CheckSnapshot) async {
    let pulled = mapping.map(snapshot)
    state.withLock { state in
      state.inForce = snapshot
      state.status.isCut = snapshot.isCut
      state.status.running = pulled.checks.count
      state.status.skipped = pulled.skipped
      state.status.warnings = pulled.warnings
      state.status.filtered = pulled.filtered
    }
    await apply(pulled)
  }
}

/// How the list from the API stands.
package struct PullStatus: Hashable, Sendable {
  /// When the list in force was read.
  package var lastSuccess: Timestamp?
  /// It is the one from the disk; the API has not confirmed it since the start.
  package var isFromDisk = false
  package var running = 0
  package var skipped: [SkippedCheck] = []
  package var warnings: [CheckWarning] = []
  package var filtered = 0
  package var isCut = false
  /// Why the last pull changed nothing.
  package var trouble: PullTrouble?
  /// Why the last list was not applied.
  package var held: String?
  /// Why the list on disk was not used, or not written.
  package var cacheProblem: String?

  package init() {}

  /// One line a fact, for people.
  package func lines() -> [String] {
    var lines: [String] = []
    if let lastSuccess {
      let source = isFromDisk ? "from disk, read" : "read"
      lines.append("\(running) checks from the api, \(source) at \(lastSuccess.rfc3339)")
    } else {
      lines.append("no check list from the api yet")
    }
    if let trouble { lines.append("the list is not current: \(trouble.message)") }
    if let hint = trouble?.hint { lines.append("hint: \(hint)") }
    if let held { lines.append("a new list is held back: \(held)") }
    if isCut { lines.append("the api has more checks than the first 20,000 by id that are read") }
    if filtered > 0 { lines.append("\(filtered) checks not chosen by only and except") }
    for check in skipped { lines.append("skipped \(check.name) (\(check.type)): \(check.reason)") }
    for warning in warnings { lines.append("\(warning.name): \(warning.message)") }
    if let cacheProblem { lines.append(cacheProblem) }
    return lines
  }
}
