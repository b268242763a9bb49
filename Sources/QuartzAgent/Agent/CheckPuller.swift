// SPDX-License-Identifier: MIT

import Logging
import Monitoring
import QuartzAPI
import Synchronization

/// Keeps the API's list of checks current: from disk at the start, from the API ever after.
final class CheckPuller: Sendable {
  /// What status shows of it.
  struct Status: Sendable {
    var skipped: [QuartzAPI.SkippedCheck] = []
    var lastPull: Timestamp?
    /// Why the list in force is not the API's latest; nil after a good pull.
    var trouble: PullTrouble?
  }

  private struct State {
    var status = Status()
    var shrink = ListGuard()
    var told: Set<String> = []
  }

  private let client: APIClient
  private let cache: CheckListCache
  private let mapping: CheckMapping
  private let every: Duration
  private let log: Logger
  private let state = Mutex(State())

  init(client: APIClient, cache: CheckListCache, rules: MappingRules, every: Duration, log: Logger) {
    self.client = client
    self.cache = cache
    mapping = CheckMapping(rules)
    self.every = every
    self.log = log
  }

  var status: Status { state.withLock(\.status) }

  /// The last good list, if there is one on disk.
  func restore() async -> PulledChecks? {
    switch await cache.load() {
    case .none(let problem):
      if let problem { log.warning("\(problem)") }
      return nil
    case .list(let snapshot, let pulledAt):
      let pulled = mapping.map(snapshot)
      state.withLock { state in
        state.shrink = ListGuard(current: pulled.listed)
        state.status.skipped = pulled.skipped
        state.status.lastPull = pulledAt
      }
      log.info(
        "using the check list on disk until the API answers",
        metadata: ["checks": "\(pulled.checks.count)", "pulled": "\(pulledAt)"])
      return pulled
    }
  }

  /// Pulls until the task is cancelled; `apply` gets each list that is to be in force.
  func run(apply: @Sendable (PulledChecks) -> Void) async {
    while !Task.isCancelled {
      let wait: Duration
      do {
        wait = try await pull(apply)
        try await Task.sleep(for: wait)
      } catch { return }
    }
  }

  /// One pull; returns how long to wait for the next.
  private func pull(_ apply: @Sendable (PulledChecks) -> Void) async throws(CancellationError) -> Duration {
    switch try await client.pullChecks() {
    case .unchanged(let trouble):
      let isNews = state.withLock { state in
        defer { state.status.trouble = trouble }
        return state.status.trouble?.message != trouble.message
      }
      if isNews { log.error("the check list was not read: \(trouble.message)", metadata: trouble.metadata) }
      // Sooner than a healthy pull, so that a short outage at the start does not cost ten minutes.
      return max(trouble.wait ?? .zero, min(every, .seconds(60)))
    case .snapshot(let snapshot):
      await take(snapshot, apply)
      return every
    }
  }

  private func take(_ snapshot: CheckSnapshot, _ apply: @Sendable (PulledChecks) -> Void) async {
    let pulled = mapping.map(snapshot)
    let now = Timestamp.now()
    switch state.withLock({ $0.shrink.judge(pulled.listed, at: now) }) {
    case .hold(let why):
      state.withLock { $0.status.trouble = PullTrouble(why) }
      log.error("\(why)")
    case .apply:
      state.withLock { state in
        state.status = Status(skipped: pulled.skipped, lastPull: now, trouble: nil)
      }
      apply(pulled)
      tell(pulled, isCut: snapshot.isCut)
      do { try await cache.save(snapshot, pulledAt: now) } catch {
        log.warning("the check list was not kept on disk: \(error)")
      }
    }
  }

  /// Each skip and each warning once, not at every pull.
  private func tell(_ pulled: PulledChecks, isCut: Bool) {
    var lines = pulled.skipped.map { "check skipped: \($0.name) (\($0.type)): \($0.reason)" }
    lines += pulled.warnings.map { "check changed: \($0.name): \($0.message)" }
    if isCut { lines.append("the API lists more checks than this agent reads; the rest is left out") }
    let fresh = state.withLock { state in
      defer { state.told = Set(lines) }
      return lines.filter { !state.told.contains($0) }
    }
    for line in fresh { log.warning("\(line)") }
    log.info(
      "check list read", metadata: ["checks": "\(pulled.checks.count)", "skipped": "\(pulled.skipped.count)"])
  }
}

extension PullTrouble {
  fileprivate var metadata: Logger.Metadata { hint.map { ["hint": "\($0)"] } ?? [:] }
}
