// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import Network
import Scheduler
import Status

/// The engine of the probes: what they wait for, and what they are seen in the light of.
struct EnginePart: AgentPart {
  let base: AgentBase
  let scheduler: CheckScheduler

  private var probes: any Probing { base.outside.probes }
  private var waits: [QueueWait] { probes.waits + scheduler.status().waits }

  func follow(_ list: FollowedList) { probes.follow(base.catalog) }

  var notices: [Notice] {
    QueueNotices.notices(of: waits, at: base.time.instant(), wall: base.time.wall())
  }

  func contribute(to snapshot: inout StatusSnapshot) {
    snapshot.judging = probes.judging
    snapshot.waits = QueueNotices.views(of: waits, at: base.time.instant())
    snapshot.mark(base.catalog.dependencies)
  }

  var shortcomings: [String] {
    QueueNotices.lines(of: waits, at: base.time.instant()).map { "held: \($0)" }
  }
}

/// Where probes may go: connections of the API's checks, and echoes.
struct EgressPart: AgentPart {
  let base: AgentBase

  var notices: [Notice] { [base.outside.probes.budget.notice, pingNotice].compactMap(\.self) }

  /// Asked at each picture, for the permission comes and goes with a sysctl.
  private var pingNotice: Notice? {
    guard base.catalog.checks.contains(where: { $0.enabled && $0.sendsEchoes }) else { return nil }
    return pingWay().notice
  }
}

extension EgressBudget {
  fileprivate var notice: Notice? {
    let status = status
    return status.lastRefusal.map { refusal in
      .critical(
        "egress", "checks of the API were refused \(counted(status.refused, "time")): \(refusal)",
        hint: "find out whether these checks scan through this agent; else raise limits.destinations")
    }
  }
}

extension PingWay {
  /// For an agent with checks that ping; `nil` while they can, which by raw sockets they can as well.
  var notice: Notice? {
    switch self {
    case .unprivileged, .raw: nil
    case .closed(let why): .critical("ping", "ping checks cannot run", hint: why)
    }
  }
}
