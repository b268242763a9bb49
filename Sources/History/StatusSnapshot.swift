// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything people see, at one instant: a plain value that renderers turn into text, JSON, HTML or metrics.
package struct StatusSnapshot: Sendable {
  package var agent: AgentIdentity
  /// The instant everything here is for.
  package var now: Timestamp
  /// In the order of the configuration.
  package var checks: [CheckStatus]
  /// Filled in by the composition of the agent. `nil` where the part is not in use.
  package var spool: SpoolView?
  package var delivery: DeliveryView?
  package var scheduler: SchedulerView?
  /// `nil` where the agent is in no group.
  package var group: GroupFigures?
  package var load = LoadView()
  /// Problems of the agent itself, such as a damaged snapshot; shown before those that are derived.
  package var notices: [Notice] = []
  /// Windows that hold now or are to come; see `mark(_:)`.
  package var maintenance: [MaintenanceView] = []
  /// `nil` where alerts are off.
  package var alerts: AlertsView?
  /// Mutes that operators set.
  package var mutes: [OrderView] = []
  /// Windows of maintenance that people have opened by hand.
  package var byHand: [OrderView] = []
  /// The windows with the checks that each is for; see `mark(_:)`.
  package internal(set) var maintenancePlan = MaintenancePlan.none
  /// When coming times of maintenance were announced on the public page, by `MaintenanceWindow.announcementID`.
  package var announced: [UniqueID: Timestamp] = [:]
  /// Posts for the public page, oldest first.
  package var posts: [StatusPost] = []

  package init(agent: AgentIdentity, now: Timestamp, checks: [CheckStatus]) {
    self.agent = agent
    self.now = now
    self.checks = checks
  }
}

package struct AgentIdentity: Hashable, Sendable {
  package var name: String
  package var region: String?
  package var version: String
  package var started: Timestamp

  package init(name: String, region: String?, version: String, started: Timestamp) {
    self.name = name
    self.region = region
    self.version = version
    self.started = started
  }
}

/// How many enabled checks are in which state.
package struct StatusSummary: Hashable, Sendable {
  package var total = 0
  package var up = 0
  package var degraded = 0
  package var down = 0
  /// Includes the checks that have no result yet.
  package var unknown = 0
  /// Those of the unknown ones that have no result yet.
  package var pending = 0
  /// In a maintenance window now, and in none of the states above.
  package var maintenance = 0
  /// Mean over the enabled checks that have data, percent; nil when none has.
  package var averageUptime24h: Double?
  /// How much of the 24 hours that rests on, in the mean of the same checks.
  package var averageData24h = DataShare()
}

extension StatusSnapshot {
  package var summary: StatusSummary {
    var summary = StatusSummary()
    var uptimes: [Double] = []
    var data = DataShare()
    for check in checks where check.enabled {
      summary.total += 1
      let day = check.window(.day)
      if let uptime = day.uptime {
        uptimes.append(uptime)
        data.judged += day.data.judged
        data.span += day.data.span
      }
      if check.maintenance != nil {
        summary.maintenance += 1
        continue
      }
      switch check.state {
      case .up: summary.up += 1
      case .degraded: summary.degraded += 1
      case .down: summary.down += 1
      case .unknown: summary.unknown += 1
      }
      if check.isPending { summary.pending += 1 }
    }
    if !uptimes.isEmpty {
      let count = Int64(uptimes.count)
      summary.averageUptime24h = uptimes.reduce(0, +) / Double(count)
      summary.averageData24h = DataShare(judged: data.judged / count, span: data.span / count)
    }
    return summary
  }

  /// Tells each check what it depends on.
  package mutating func mark(_ graph: DependencyGraph) {
    guard !graph.isEmpty else { return }
    for index in checks.indices { checks[index].parents = graph.parents(of: checks[index].id).map(\.name) }
  }

  package func check(_ id: UniqueID) -> CheckStatus? { checks.first { $0.id == id } }
}

/// One check as it stands.
package struct CheckStatus: Sendable {
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
  /// When a check without a result runs first; see `StatusSnapshot.mark(nextRuns:)`.
  package var nextRun: Timestamp?
  /// Those of all checks lie in one piece of memory, which goes back to the system with the picture they were made for.
  var sharedWindows: ArraySlice<WindowStatus>
  var sparkLine: SparkLine
  /// Slots not run for our own reasons, since this history began.
  package var missed: Int
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
  /// The window it is in now.
  package var maintenance: CheckMaintenance?
  /// When its notifications are no longer muted; `nil` when they are not. See `StatusSnapshot.markHandled(muted:)`.
  package var mutedUntil: Timestamp?
  /// Name of the person who acknowledged all of its alerts that fire; `nil` when none is acknowledged.
  package var acknowledgedBy: String?

  /// The outage it is in.
  package var outage: Outage? { lastOutage.flatMap { $0.isOver ? nil : $0 } }
  /// The outage that began last, within 90 days, whether it is over or not.
  package var lastOutage: Outage? { latestOutage.first }

  /// Its state by place, for the places that run it; filled in by the composition of the agent.
  package var places: [PlaceStatus] = []

  /// Checks that it depends on itself, by name; see `StatusSnapshot.mark(_:)`.
  package var parents: [String] = []

  /// It failed along with what it depends on.
  package var failsWithParent: Bool { state == .unknown && last?.reason == .dependency }

  package var isFailing: Bool { state == .down && failures >= failureThreshold }

  /// In the order of `UptimePeriod.allCases`.
  package var windows: [WindowStatus] {
    get { Array(sharedWindows) }
    set { sharedWindows = newValue[...] }
  }

  /// Oldest first, at most 40.
  package var spark: [SparkPoint] { sparkLine.points }

  package func window(_ period: UptimePeriod) -> WindowStatus {
    sharedWindows.first { $0.period == period } ?? WindowStatus(period: period)
  }
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

/// One window of one check. It ends now and starts at an edge of its buckets in UTC, so it is up to one bucket
/// (5 min, 1 h, 6 h, 1 day) shorter than its name says.
package struct WindowStatus: Hashable, Sendable {
  package var period: UptimePeriod
  package var from: Timestamp = .epoch
  /// Microseconds.
  package var time = Tally()
  package var counts = Tally()
  /// Microseconds from its start until now.
  package var span: Int64 = 0
  /// Microseconds in which the check was enabled.
  package var enabled: Int64 = 0
  /// `nil` without a success in the window.
  package var latency: LatencyStats?

  package init(period: UptimePeriod) { self.period = period }

  /// Percent; nil when nothing in the window says anything about the target, which is no data and not 100.
  package var uptime: Double? { time.uptime }

  /// Percent of the enabled time outside maintenance that has a verdict; nil when there was no such time.
  package var coverage: Double? { time.coverage(enabled: enabled) }

  /// How much of the whole window has a verdict. Coverage knows only the time since the check exists.
  package var data: DataShare { DataShare(judged: time.judged, span: span) }
}

/// How much a figure rests on, in microseconds.
package struct DataShare: Hashable, Sendable {
  package var judged: Int64
  package var span: Int64

  package init(judged: Int64 = 0, span: Int64 = 0) {
    self.judged = judged
    self.span = span
  }

  /// 0 to 100; 0 without any.
  package var percent: Double {
    // Time that was lived twice, because the clock was set back, counts twice.
    span > 0 ? min(100, Double(judged) * 100 / Double(span)) : 0
  }

  /// Some, but less than 1 %: a figure that rests on it is not shown without saying so.
  package var isThin: Bool { judged > 0 && judged < span / 100 }
}

/// Latency of the successes of a window. Quantiles come from sketches: within 2 % for 24h and 7d, 5 % for 30d and
/// 90d; the other figures are exact.
package struct LatencyStats: Hashable, Sendable {
  package var count: Int64
  package var mean: Duration
  package var minimum: Duration
  package var maximum: Duration
  package var p50: Duration
  package var p90: Duration
  package var p95: Duration
  package var p99: Duration
}

/// The store of results as people see it.
package struct SpoolView: Hashable, Sendable {
  /// Records not yet delivered.
  package var depth = 0
  /// When the oldest of them was made.
  package var oldest: Timestamp?
  package var usedBytes: Int64 = 0
  package var capacityBytes: Int64 = 0
  /// False: results are kept in memory only, and `problem` says why.
  package var durable = true
  /// Overwritten before they could be delivered, since the store was made.
  package var dropped = 0
  /// Set aside because the receiver refused them.
  package var quarantined = 0
  /// Held back until the allowance for finding bad rows is there again; part of `depth`.
  package var parked = 0
  /// Results that gap records in the store stand for: dropped, or lost to damage.
  package var lostInGaps = 0
  /// Gap records in the store.
  package var gaps = 0
  /// Hours of outage the store can still bridge at the present rate; nil while the rate is not known.
  package var hoursCovered: Double?
  package var problem: Notice?

  package init() {}
}

/// Delivery as people see it.
package struct DeliveryView: Hashable, Sendable {
  /// `quartz` or `supabase`.
  package var target: String
  package var delivered = 0
  /// Of them, results whose id the receiver had already; only the quartz receiver tells.
  package var duplicates = 0
  package var backlog = 0
  package var lastSuccess: Timestamp?
  /// `nil` once a later request succeeded.
  package var lastError: Notice?
  /// Requests of the last hour, and how many are allowed.
  package var requestsUsed = 0
  package var requestsAllowed = 0
  /// Checks whose results are not delivered, each with the reason.
  package var skipped: [Notice] = []

  package init(target: String) { self.target = target }
}

/// The scheduler as people see it.
package struct SchedulerView: Hashable, Sendable {
  /// From slot to start; nil before the first run.
  package var latenessP50: Duration?
  package var latenessP99: Duration?
  package var latenessMax: Duration?
  package var missed = 0
  /// By cause; causes that never were are left out.
  package var missedBy: [MissedSlots] = []
  package var spanned = 0
  package var inFlight = 0
  package var limit = 0

  package init() {}
}

/// Slots that were not run, for one cause.
package struct MissedSlots: Hashable, Sendable {
  /// The word of it: `limit`, `gap`, `budget` or `failover`.
  package var cause: String
  package var count: Int

  package init(cause: String, count: Int) { (self.cause, self.count) = (cause, count) }
}

extension SchedulerView {
  /// `12 (4 failover, 8 gap)`
  package var missedText: String {
    guard missedBy.contains(where: { $0.count > 0 }) else { return StatusFormat.grouped(missed) }
    if missedBy.count == 1 { return "\(StatusFormat.grouped(missed)) (\(missedBy[0].cause))" }
    let parts = missedBy.map { "\(StatusFormat.grouped($0.count)) \($0.cause)" }
    return "\(StatusFormat.grouped(missed)) (\(parts.joined(separator: ", ")))"
  }
}

/// Load that others put on the agent.
package struct LoadView: Hashable, Sendable {
  package var kept = KeptFigures()
  /// Answers judged on threads of their own, since the start.
  package var judged = 0
  /// Of all answers, those that went over the budget of processor time.
  package var overBudget = 0
  /// Processor time of the dearest judgement.
  package var longestJudgement: Duration = .zero
  /// Being judged, or waiting for it.
  package var judging = 0
  /// Tasks that wait for a budget of the process.
  package var waits: [WaitView] = []

  package init() {}
}
