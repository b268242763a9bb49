// SPDX-License-Identifier: MIT

import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import Status

/// Sums of an hour's line, from the snapshots at its two ends.
struct HourlyFigures: Hashable {
  private(set) var results: Int64 = 0
  private(set) var delivered = 0
  private(set) var missed = 0

  init(_ snapshot: StatusSnapshot) {
    results = snapshot.checks.reduce(0) { $0 + $1.counts.reduce(0) { $0 + $1.count } }
    delivered = snapshot.delivery?.tally.delivered ?? 0
    missed = snapshot.scheduler?.missed ?? 0
  }

  /// Since an earlier picture; checks that went away with their results take nothing off.
  func since(_ earlier: HourlyFigures) -> HourlyFigures {
    var difference = self
    difference.results = max(0, results - earlier.results)
    difference.delivered = max(0, delivered - earlier.delivered)
    difference.missed = max(0, missed - earlier.missed)
    return difference
  }

  /// The line's fields. Fields without use are left out: delivery where there is none, states that no check has.
  func metadata(_ snapshot: StatusSnapshot) -> Logger.Metadata {
    let summary = snapshot.summary
    let states = [
      (summary.up, "up"), (summary.degraded, "degraded"), (summary.down, "down"),
      (summary.unknown, "unknown"),
      (summary.maintenance, "in maintenance"),
    ]
    let words = states.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    var metadata: Logger.Metadata = [
      "checks": "\(words.isEmpty ? "none" : words.joined(separator: ", "))", "results": "\(results)",
      "missed": "\(missed)",
    ]
    if snapshot.delivery != nil {
      metadata["delivered"] = "\(delivered)"
      metadata["backlog"] = "\(snapshot.spool?.depth ?? 0)"
    }
    if let late = snapshot.scheduler?.lateP99 { metadata["late_p99"] = "\(StatusFormat.latency(late))" }
    return metadata
  }
}

/// One line an hour in the log, so that a log alone says whether all was well and how much was done.
struct HourlyLog {
  let log: Logger
  let time: TimeSource
  let snapshot: @Sendable () async -> StatusSnapshot

  static let every: Duration = .seconds(3600)

  func run() async {
    var last = HourlyFigures(await snapshot())
    while (try? await time.sleep(for: Self.every)) != nil {
      let picture = await snapshot()
      let figures = HourlyFigures(picture)
      log.notice("the last hour", metadata: figures.since(last).metadata(picture))
      last = figures
    }
  }
}
