// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import Spool

/// Tells the log when the store stops being durable, when it is again, what it found damaged and what it had to drop:
/// once a change, and once an hour while it lasts.
actor StoreWatch {
  private let spool: ResultSpool
  private let log: Logger
  private let time: TimeSource
  private let pace: Duration
  private var wasDurable: Bool
  private var told = NoticeLog<Problem>(every: .seconds(3600))
  private var dropped: UInt64 = 0
  private var damaged: UInt64 = 0
  /// Conditions that last as long as the store is open, such as space that could not be reserved: reported once each.
  private var notes: Set<String>  // own text: the store's words

  static let every: Duration = .seconds(5)
  private enum Problem { case mode, drops }

  init(_ spool: ResultSpool, every pace: Duration = StoreWatch.every, log: Logger, time: TimeSource) {
    self.spool = spool
    self.time = time
    self.pace = pace
    self.log = log
    // How it was opened was said then.
    let status = spool.status()
    wasDurable = status.isDurable
    notes = Set(status.notes.map(\.what))
    if !status.isDurable { _ = told.tells(.mode, at: time.instant()) }
  }

  func run() async {
    repeat { look(spool.status()) } while (try? await time.sleep(for: pace)) != nil
  }

  func look(_ status: SpoolStatus) {
    tellMode(status)
    for note in status.notes where notes.insert(note.what).inserted {
      log.warning("the store: \(note.what)", metadata: note.hint.map { ["hint": "\($0)"] })
    }
    tellDamage(status)
    guard status.dropped > dropped, told.tells(.drops, at: time.instant()) else { return }
    dropped = status.dropped
    log.error(
      "the store is full: the oldest undelivered results were dropped",
      metadata: ["since the start": "\(status.dropped)"])
  }

  private func tellDamage(_ status: SpoolStatus) {
    guard status.damaged > damaged else { return }
    damaged = status.damaged
    log.tell(
      .critical(
        .store, "the store was damaged: some stored results cannot be read and are lost",
        hint: "quartz-agent spool ls says which; see docs/durability.md"),
      ["lost": "\(status.damaged)"])
  }

  private func tellMode(_ status: SpoolStatus) {
    defer { wasDurable = status.isDurable }
    guard let notice = status.trouble else {
      if !wasDurable { log.notice("the store is durable again") }
      _ = told.ends(.mode)
      return
    }
    // `DiskWatch` reports disk errors once for all files.
    guard notice.place != .stateDirectory, told.tells(.mode, at: time.instant()) else { return }
    log.tell(notice, as: "results are kept in memory only and lost with the process")
  }
}
