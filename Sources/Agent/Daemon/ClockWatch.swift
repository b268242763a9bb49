// SPDX-License-Identifier: MIT

import Basics
import History
import Logging
import Monitoring
import Scheduler
import Status

/// Notices when the wall clock is set, reports it, and keeps the skipped time out of the windows.
///
/// The schedule needs none of this: it runs on a clock that is never set.
actor ClockWatch {
  private let history: HistoryStore
  private let log: Logger
  private let time: TimeSource
  private var last: ClockReading

  static let every: Duration = .seconds(5)
  /// Steps of the wall clock that are not reported: NTP slews, and steps that no window shows.
  static let tolerance: Duration = .seconds(10)

  init(_ history: HistoryStore, log: Logger, time: TimeSource) {
    self.history = history
    self.log = log
    self.time = time
    last = time.reading()
  }

  func run() async {
    while (try? await time.sleep(for: Self.every)) != nil { look() }
  }

  /// Compares how far the two clocks went since the last look.
  func look() {
    let now = time.reading()
    let expected = last.wall.advanced(by: last.boot.duration(to: now.boot))
    defer { last = now }
    let step = expected.duration(to: now.wall)
    guard abs(step.microseconds) > Self.tolerance.microseconds else { return }
    history.clockStepped(from: expected, to: now.wall)
    let size = Duration.seconds((abs(step.microseconds) + 500_000) / 1_000_000).text
    log.tell(
      .warning(
        .clock, "the wall clock of this machine was set \(step > .zero ? "forward" : "back") by \(size)",
        hint:
          "results carry the time as it was set; the windows leave the step out, the schedule is not touched"
      ))
  }
}
