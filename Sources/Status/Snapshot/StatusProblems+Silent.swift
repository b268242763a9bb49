// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension CheckStatus {
  /// It had results once, and they stopped coming.
  var isSilent: Bool { history.stale && history.last != nil }

  /// Its last result is from before this start, and its first slot since may be yet to come.
  fileprivate func waits(for agent: AgentIdentity, now: Timestamp) -> Bool {
    guard let last = history.last, last.startedAt < agent.started else { return false }
    return agent.started.duration(to: now) <= history.interval
  }
}

extension StatusSnapshot {
  /// Checks whose results stopped coming. Right after a start that has one cause, and is one line.
  func silent(_ open: [CheckStatus]) -> [Notice] {
    var waiting: [CheckStatus] = []
    var overdue: [Notice] = []
    for check in open where check.isSilent {
      if check.waits(for: agent, now: now) {
        waiting.append(check)
      } else if let last = check.last {
        let name = StatusFormat.name(check.name)
        overdue.append(
          .warning(
            .check(name), "\(name) has had no result for \(StatusFormat.age(last.startedAt, now: now))",
            hint: "the agent cannot keep up or the machine was asleep: see the schedule line"))
      }
    }
    return afterStart(waiting) + overdue
  }

  private func afterStart(_ checks: [CheckStatus]) -> [Notice] {
    let oldest = checks.min { ($0.last?.startedAt ?? now) < ($1.last?.startedAt ?? now) }
    guard let oldest, let last = oldest.last, let slowest = checks.map(\.interval).max() else { return [] }
    let isOne = checks.count == 1
    let name = StatusFormat.name(oldest.name)
    let subject = isOne ? "\(name) has" : "\(StatusFormat.grouped(checks.count)) checks have"
    let length = (isOne ? "" : "up to ") + StatusFormat.age(last.startedAt, now: now)
    let wait = StatusFormat.length(now.duration(to: agent.started.advanced(by: slowest)).microseconds)
    return [
      .warning(
        isOne ? .check(name) : .schedule, "\(subject) had no result for \(length): the agent was not running",
        hint: isOne
          ? "its next run is due within \(wait)" : "their next runs are due within \(wait)")
    ]
  }
}
