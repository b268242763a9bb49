// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring

/// Logs one line a minute while any state file cannot be written, and retries the writes.
actor DiskWatch {
  private let disk: StateDisk
  private let log: Logger
  private let time: TimeSource
  private var told: Instant?

  static let every: Duration = .seconds(5)
  static let reminder: Duration = .seconds(60)

  init(_ disk: StateDisk, log: Logger, time: TimeSource) {
    (self.disk, self.log, self.time) = (disk, log, time)
  }

  /// Runs until its task is cancelled.
  func run() async {
    repeat {
      await disk.retry()
      look()
    } while (try? await time.sleep(for: Self.every)) != nil
  }

  private func look() {
    guard let notice = disk.notice else {
      if told != nil { log.notice("all state files are written again") }
      return told = nil
    }
    let now = time.instant()
    if let told, told.duration(to: now) < Self.reminder { return }
    told = now
    log.tell(notice, as: "state files cannot be written; their latest changes would be lost on restart")
  }
}

extension StateDisk {
  /// The one problem for all state files; `nil` when every file is saved.
  var notice: Notice? {
    trouble.map { trouble in
      let shown = trouble.files.prefix(4).joined(separator: ", ")
      let more = trouble.files.count > 4 ? " and \(trouble.files.count - 4) more" : ""
      return .critical(
        .stateDirectory,
        "\(shown)\(more) cannot be written, the latest changes would be lost on restart: \(trouble.why)",
        hint:
          "free disk space or repair the disk: df -h \(folder.printable(maxBytes: 200)); the agent retries every few seconds",
        since: trouble.since)
    }
  }
}
