// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool

/// Everything people see, at one instant: a plain value that renderers turn into text, JSON, HTML or metrics.
package struct StatusSnapshot: Sendable {
  package var agent: AgentIdentity
  /// The instant everything here is for.
  package var now: Timestamp
  /// In the order of the configuration.
  package var checks: [CheckStatus]
  /// Filled in by the composition of the agent. `nil` where the part is not in use.
  package var spool: SpoolStatus?
  /// Notice of the state directory, which is the store's as well where the store is on it.
  package var diskProblem: Notice?
  package var delivery: DeliveryStatus?
  /// Checks whose results are not delivered, each with the reason.
  package var undelivered: [Notice] = []
  package var scheduler: ScheduleStatus?
  /// `nil` where the agent is in no group.
  package var group: GroupStatus?
  package var kept = KeptFigures()
  package var judging = JudgingFigures()
  /// Tasks that wait for a budget of the process.
  package var waits: [WaitView] = []
  /// Problems of the agent itself, such as a damaged snapshot; shown before those that are derived.
  package var notices: [Notice] = []
  /// Windows that hold now or are to come; see `mark(_:)`.
  package var maintenance: [MaintenanceView] = []
  /// `nil` where alerts are off.
  package var alerts: AlertsView?
  /// Mutes that operators set.
  package var mutes: [HandBook.Order] = []
  /// Windows of maintenance that people have opened by hand.
  package var byHand: [HandBook.Order] = []
  /// The windows with the checks that each is for; see `mark(_:)`.
  var maintenancePlan = MaintenancePlan.none
  /// When coming times of maintenance were announced on the public page, by `MaintenanceWindow.announcementID`.
  package var announced: [UniqueID: Timestamp] = [:]
  /// Posts for the public page, oldest first.
  package var posts: [StatusPost] = []

  package init(agent: AgentIdentity, now: Timestamp, checks: [CheckStatus]) {
    self.agent = agent
    self.now = now
    self.checks = checks
  }

  /// The checks of a history, each with its windows until now.
  package init(agent: AgentIdentity, history: HistoryStore, now: Timestamp) {
    self.init(agent: agent, now: now, checks: history.checks(now: now) { CheckStatus($0) })
    kept = history.kept
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

  /// Of a store and the state directory on one disk there is one problem.
  package var spoolProblem: Notice? { diskProblem ?? spool?.problem }

  package func check(_ id: UniqueID) -> CheckStatus? { checks.first { $0.id == id } }
}
