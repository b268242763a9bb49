// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring

/// Logs notices of rooms that have no log of their own: when one appears, and once an hour while it lasts.
actor NoticeWatch {
  private let log: Logger
  private let time: TimeSource
  private let pace: Duration
  private let notices: @Sendable (Timestamp) -> [Notice]
  private var told = NoticeLog<Notice.Place>(every: .seconds(3600))

  static let every: Duration = .seconds(10)

  init(
    every pace: Duration = NoticeWatch.every, log: Logger, time: TimeSource,
    notices: @escaping @Sendable (Timestamp) -> [Notice]
  ) {
    (self.log, self.time, self.notices, self.pace) = (log, time, notices, pace)
  }

  /// Runs until its task is cancelled.
  func run() async {
    repeat { look() } while (try? await time.sleep(for: pace)) != nil
  }

  private func look() {
    let (found, now) = (notices(time.wall()), time.instant())
    told.keep(Set(found.map(\.place)))
    for notice in found where told.tells(notice.place, at: now) { log.tell(notice) }
  }
}
