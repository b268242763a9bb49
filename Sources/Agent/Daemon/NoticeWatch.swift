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
  private var told: [Notice.Place: Instant] = [:]

  static let every: Duration = .seconds(10)
  static let reminder: Duration = .seconds(3600)

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
    let places = Set(found.map(\.place))
    told = told.filter { places.contains($0.key) }
    for notice in found {
      if let last = told[notice.place], last.duration(to: now) < Self.reminder { continue }
      told[notice.place] = now
      log.tell(notice)
    }
  }
}
