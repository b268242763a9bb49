// SPDX-License-Identifier: MIT

import History
import Logging
import Monitoring
import Spool

/// The history's snapshot on disk: restored at the start, written every ten minutes and at the end.
struct HistoryKeeper: Sendable {
  let file: StateFile
  let spool: ResultSpool
  let log: Logger

  static let every: Duration = .seconds(600)

  init(folder: String, spool: ResultSpool, log: Logger) {
    file = StateFile(path: folder + "/history", maxBytes: 1 << 30)
    self.spool = spool
    self.log = log
  }

  /// The snapshot, and what the store holds beyond it.
  func restore(agent: AgentIdentity, checks: [MonitoringCheck]) async -> HistoryStore {
    let history = await stored(agent: agent)
    history.recount(after: spool.status().recordedThrough)
    history.apply(checks, now: .now())
    let known = Dictionary(checks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let hold = SlotHold(agent: agent.name)
    // Below the snapshot only the recent results are still missing, 100 a check at most.
    let applied = history.appliedThrough
    let recent = UInt64(100 * checks.count)
    await spool.replay(after: applied > recent ? applied - recent : 0) { queued in
      let record = queued.record
      guard let check = known[record.checkID] else { return history.replay(queued, interval: .seconds(60)) }
      history.replay(
        queued, interval: hold.interval(of: check, record.state, slot: record.scheduledAt),
        spanned: hold.spanned(by: record, of: check))
    }
    return history
  }

  private func stored(agent: AgentIdentity) async -> HistoryStore {
    do {
      guard let bytes = try await file.read() else { return HistoryStore(agent: agent) }
      let history = HistoryStore(agent: agent, decoding: bytes)
      if let damage = history.damage { log.warning("\(damage)", metadata: ["file": "\(file.path)"]) }
      return history
    } catch {
      log.warning("starting with empty windows: \(error)")
      return HistoryStore(agent: agent)
    }
  }

  /// Writes the snapshot. The store is synced in between: a snapshot must not count what a power cut could still
  /// take from the store, or the next results would carry sequences it believes it has.
  func save(_ history: HistoryStore) async {
    // Asked before, so that it never covers more than the bytes do.
    let through = history.appliedThrough
    // Off the pool: with thousands of checks it takes as long as many probes do.
    let bytes = await onThread { history.encode() }
    await spool.flush()
    do {
      try await file.write(bytes)
      await spool.markSnapshotted(through: through)
    } catch {
      log.warning("the history was not saved: \(error)")
    }
  }

  /// Saves until the task is cancelled.
  func run(_ history: HistoryStore) async {
    while (try? await Task.sleep(for: Self.every)) != nil { await save(history) }
  }
}
