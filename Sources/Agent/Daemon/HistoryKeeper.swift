// SPDX-License-Identifier: MIT

import Basics
import History
import Logging
import Monitoring
import Scheduler
import Spool
import Status

/// The history on disk: files of 256 checks each, restored at the start, written one after another over ten minutes,
/// and all that are behind at the end.
struct HistoryKeeper: Sendable {
  let folder: any HistoryFiles
  let spool: ResultSpool
  let log: Logger
  let time: TimeSource
  /// Told what cannot be written.
  var disk: StateDisk?
  private let turns = HistoryTurns()

  /// In which every file gets its turn.
  static let every: Duration = .seconds(600)

  init(folder: any HistoryFiles, spool: ResultSpool, log: Logger, time: TimeSource) {
    (self.folder, self.spool, self.log, self.time) = (folder, spool, log, time)
  }

  /// The files, and what the store holds beyond them.
  func restore(grid: SlotGrid, checks: [MonitoringCheck]) async -> HistoryStore {
    let history = await stored()
    // A check without a file is new, or its file is lost: then the store tells all it has of it.
    let isWhole = history.damage == nil && history.knows(checks)
    let recorded = spool.status().recordedThrough
    history.recount(after: recorded)
    history.apply(checks, now: time.wall())
    let known = Dictionary(checks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let hold = SlotHold(grid: grid)
    // Below the files only the recent results are still missing, 100 a check at most.
    let applied = history.appliedThrough
    let recent = UInt64(100 * checks.count)
    await spool.replay(after: isWhole && applied > recent ? applied - recent : 0) { queued in
      let held = hold.hold(queued.record, of: known[queued.record.checkID])
      history.replay(queued, interval: held.interval, spanned: held.spanned)
    }
    history.replayed(through: recorded, now: time.wall())
    return history
  }

  private func stored() async -> HistoryStore {
    let (reading, problems) = await folder.read()
    for problem in problems { log.warning("the history is not whole: \(problem)") }
    let history = HistoryStore(reading)
    if let damage = history.damage { log.tell(damage, ["folder": "\(folder.path)"]) }
    return history
  }

  /// Writes every file that is behind.
  func save(_ history: HistoryStore) async {
    var problems: Set<String> = []
    for number in 0..<history.shardCount {
      if let problem = await save(history, number) { problems.insert(problem) }
    }
    for problem in problems.sorted().prefix(3) { log.warning("the history was not saved: \(problem)") }
    await spool.markSnapshotted(through: history.savedThrough)
  }

  /// Writes one file if it is behind. The store is synced in between, so that a file counts nothing that a power cut
  /// could still take from the store. While the disk takes no results it is written all the same: what was seen stays in
  /// the windows though the store has lost it, and `recount` frees its number at the next start.
  ///
  /// - Returns: why it could not, in words.
  private func save(_ history: HistoryStore, _ number: Int) async -> String? {
    await turns.take { await put(history, number) }
  }

  private func put(_ history: HistoryStore, _ number: Int) async -> String? {
    // Off the pool: it takes as long as many probes do.
    guard let snapshot = await onThread({ history.shard(number) }) else {
      disk?.settled(folder.name(number))
      return nil
    }
    await spool.flush()
    do throws(StateFile.Failure) {
      if snapshot.bytes.isEmpty {
        try await folder.remove(number)
      } else {
        try await folder.write(number, snapshot.bytes)
      }
      history.saved(snapshot)
      disk?.settled(folder.name(number))
      return nil
    } catch {
      disk?.failed(folder.name(number), error) { _ = await save(history, number) }
      return "\(error)"
    }
  }

  /// Writes one file after another until the task is cancelled.
  func run(_ history: HistoryStore) async {
    var number = 0
    while (try? await time.sleep(for: Self.pause(files: history.shardCount))) != nil {
      // A failure is told by the disk.
      _ = await save(history, number)
      number += 1
      if number >= history.shardCount { number = 0 }
      await spool.markSnapshotted(through: history.savedThrough)
    }
  }

  /// From one file to the next.
  static func pause(files: Int) -> Duration { every / max(1, files) }
}

/// One write after the other, so that an older state never replaces a newer one.
private actor HistoryTurns {
  private var last: Task<String?, Never>?

  func take(_ body: @escaping @Sendable () async -> String?) async -> String? {
    let before = last
    let task = Task {
      _ = await before?.value
      return await body()
    }
    last = task
    return await task.value
  }
}

/// Where the history's files are.
package protocol HistoryFiles: Sendable {
  /// For the log.
  var path: String { get }

  /// All files there are, decoded one by one, and what could not be read, in words.
  func read() async -> (reading: HistoryReading, problems: [String])

  /// Durable when it returns.
  func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure)

  /// There is no such file when it returns.
  func remove(_ number: Int) async throws(StateFile.Failure)

  /// In the state directory.
  func name(_ number: Int) -> String
}
