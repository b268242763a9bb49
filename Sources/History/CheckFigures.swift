// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One check as its history shows it.
package struct CheckFigures: Sendable {
  package var id: UniqueID
  package var name: String
  package var type: CheckType
  package var target: String
  package var tags: [String]
  package var interval: Duration
  /// Of one attempt.
  package var timeout: Duration
  package var enabled: Bool
  /// Of the last scheduled result; unknown before the first.
  package var state: CheckState
  /// Start of the first run of the unbroken row of this state.
  package var since: Timestamp?
  /// An enabled check whose last result is older than three intervals and a minute.
  package var stale: Bool
  package var last: LastResult?
  /// Those of all checks lie in one piece of memory, which goes back to the system with the picture they were made for.
  var sharedWindows: ArraySlice<WindowStatus>
  var sparkLine: SparkLine
  /// Slots not run for our own reasons, since this history began.
  package var missed: Int
  /// The same, since the process began.
  package var missedSinceStart: Int
  /// Slots that passed while a run was going and took its verdict.
  package var spanned: Int
  /// Results with an implausible time, since the start: they are in no window.
  package var implausible = 0
  package var resourceID: UniqueID?
  /// Results in a row that were down, outside maintenance; unknown ones neither add nor end the row.
  package var failures = 0
  /// From how many on its resource takes notice.
  package var failureThreshold = 1
  /// URL of the runbook. `nil` where there is none.
  package var runbook: String?
  /// How many scheduled results it had, by state and reason, since this history began.
  package var counts: [ResultCount] = []
  package var latency = LatencyTotal()
  /// One or none: most checks pay one word.
  var latestOutage: [Outage] = []

  /// The outage it is in.
  package var outage: Outage? { lastOutage.flatMap { $0.isOver ? nil : $0 } }
  /// When its state began: of a check that is down the slot of the first result that was, where that is known. Maintenance and
  /// time without a verdict divide its outages, and not its state.
  package var stateBegan: Timestamp? {
    guard state == .down, let outage else { return since }
    return since.map { min($0, outage.begin) } ?? outage.begin
  }
  /// The outage that began last, within 90 days, whether it is over or not.
  package var lastOutage: Outage? { latestOutage.first }

  package var isFailing: Bool { state == .down && failures >= failureThreshold }

  /// In the order of `UptimePeriod.allCases`.
  package var windows: [WindowStatus] {
    get { Array(sharedWindows) }
    set { sharedWindows = newValue[...] }
  }

  package func window(_ period: UptimePeriod) -> WindowStatus {
    sharedWindows.first { $0.period == period } ?? WindowStatus(period: period)
  }

  /// Oldest first, at most 40.
  package var spark: [SparkPoint] { sparkLine.points }
}

/// The last scheduled result, in what a list shows of it.
package struct LastResult: Hashable, Sendable {
  package var scheduledAt: Timestamp
  package var startedAt: Timestamp
  package var state: CheckState
  package var reason: Reason
  package var phase: Phase?
  package var statusCode: Int?
  package var responseTime: Duration?
  package var certificateNotAfter: Timestamp?
  package var message: String?
  package var maintenance: Bool

  /// The first thing to look at. `nil` where there is no failure.
  package var advice: String? { reason.advice(in: phase, of: message) }
}

/// One run in a sparkline.
package struct SparkPoint: Hashable, Sendable {
  package var state: CheckState
  package var responseTime: Duration?

  package init(state: CheckState, responseTime: Duration?) {
    self.state = state
    self.responseTime = responseTime
  }
}
