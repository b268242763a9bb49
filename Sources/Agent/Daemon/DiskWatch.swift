// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import Spool

/// Logs one line a minute while anything below the state directory cannot be written, and retries the writes.
actor DiskWatch {
  private let disk: StateDisk
  /// Problem of the result store; `nil` when it is on disk.
  private let store: @Sendable () -> Notice?
  private let log: Logger
  private let time: TimeSource
  private let pace: Duration
  private var told = NoticeLog<Notice.Place>(every: .seconds(60))

  static let every: Duration = .seconds(5)

  init(
    _ disk: StateDisk, store: @escaping @Sendable () -> Notice? = { nil },
    every pace: Duration = DiskWatch.every, log: Logger, time: TimeSource
  ) {
    (self.disk, self.store, self.log, self.time) = (disk, store, log, time)
    self.pace = pace
  }

  /// Runs until its task is cancelled.
  func run() async {
    repeat {
      await disk.retry()
      look()
    } while (try? await time.sleep(for: pace)) != nil
  }

  private func look() {
    guard let notice = disk.notice(store: store()) else {
      if told.ends(.stateDirectory) { log.notice("all state files are written again") }
      return
    }
    guard told.tells(.stateDirectory, at: time.instant()) else { return }
    log.tell(notice, as: "state files cannot be written; their latest changes would be lost on restart")
  }
}

extension StateDisk {
  /// The one problem of all that is kept below the state directory; `nil` when everything is saved.
  ///
  /// - Parameter store: of the store of results.
  func notice(store: Notice?) -> Notice? {
    let store = store?.place == .stateDirectory ? store : nil
    guard trouble != nil || store != nil else { return nil }
    let files = trouble?.files ?? []
    var shown = files.andMore(after: 4)
    if store != nil { shown += (files.isEmpty ? "" : " and ") + "the store of results" }
    let lost =
      store == nil
      ? "the latest changes would be lost on restart"
      : "results are kept in memory only, and the latest changes would be lost on restart"
    let since = [trouble?.since, store?.since].compactMap(\.self).min()
    return .critical(
      .stateDirectory, "\(shown) cannot be written, \(lost): \(trouble?.why ?? store?.what ?? "")",
      hint: trouble == nil ? store?.hint : "\(remedy(trouble?.code)); the agent retries by itself",
      since: since)
  }

  /// The next step, by the number of the system's error.
  private func remedy(_ code: Int32?) -> String {
    let folder = folder.printable(maxBytes: 200)
    return switch code {
    case ENOENT, ENOTDIR: "create \(folder), owned by the agent's user, mode 0700"
    case EACCES, EPERM: "make \(folder) writable for the agent's user: ls -ld \(folder)"
    case EROFS: "mount the file system of \(folder) writable: findmnt -T \(folder)"
    case EMFILE, ENFILE: "raise the limit of open files (LimitNOFILE)"
    case ENOSPC, EDQUOT: "free disk space: df -h \(folder), df -i \(folder)"
    case EIO: "repair the disk: dmesg shows its errors"
    default: "free disk space or repair the disk: df -h \(folder)"
    }
  }
}
