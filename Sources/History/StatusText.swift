// SPDX-License-Identifier: MIT

import Monitoring

/// What `quartz-agent status` prints.
package struct StatusText: Sendable {
  /// Columns of the terminal; at least 40.
  package var width: Int
  /// Marks and words say everything; colour only helps.
  package var color: Bool

  package init(width: Int = 100, color: Bool = false) {
    self.width = max(40, width)
    self.color = color
  }

  package func render(_ snapshot: StatusSnapshot) -> String {
    var lines = [headline(snapshot), counts(snapshot), ""]
    if !snapshot.checks.isEmpty { lines += table(snapshot) + [""] }
    lines += parts(snapshot)
    let problems = snapshot.problems
    if !problems.isEmpty {
      lines.append("")
      for problem in problems {
        let mark = problem.critical ? CheckState.down : .degraded
        lines.append(paint("\(mark.mark) \(problem.what)", mark))
        if let hint = problem.hint { lines.append("  → \(hint)") }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func headline(_ snapshot: StatusSnapshot) -> String {
    let agent = snapshot.agent
    let region = agent.region.map { " (\(StatusFormat.name($0)))" } ?? ""
    let age = StatusFormat.age(agent.started, now: snapshot.now)
    return "\(StatusFormat.name(agent.name))\(region) · quartz-agent \(agent.version) · running for \(age)"
  }

  private func counts(_ snapshot: StatusSnapshot) -> String {
    let summary = snapshot.summary
    let states: [(CheckState, Int)] = [
      (.up, summary.up), (.degraded, summary.degraded), (.down, summary.down), (.unknown, summary.unknown),
    ]
    let words = states.map { state, count in
      count == 0 ? "0 \(state.rawValue)" : paint("\(count) \(state.rawValue)", state)
    }
    let uptime = StatusFormat.percent(summary.averageUptime24h)
    let noun = summary.total == 1 ? "check" : "checks"
    return "\(summary.total) \(noun): \(words.joined(separator: ", ")) · uptime 24h \(uptime)"
  }

  private func parts(_ snapshot: StatusSnapshot) -> [String] {
    var lines: [String] = []
    if let spool = snapshot.spool {
      let oldest = spool.oldest.map { ", oldest \(StatusFormat.age($0, now: snapshot.now))" } ?? ""
      let used = "\(StatusFormat.bytes(spool.usedBytes)) of \(StatusFormat.bytes(spool.capacityBytes))"
      let durable = spool.durable ? "durable" : "IN MEMORY ONLY"
      lines.append("spool     \(StatusFormat.grouped(spool.depth)) waiting\(oldest), \(used), \(durable)")
    }
    if let delivery = snapshot.delivery {
      let success = delivery.lastSuccess.map { "last success \(StatusFormat.ago($0, now: snapshot.now))" }
      let delivered = "\(StatusFormat.grouped(delivery.delivered)) delivered"
      let budget =
        delivery.requestsAllowed == 0
        ? "" : ", \(delivery.requestsUsed) of \(delivery.requestsAllowed) requests this hour"
      lines.append("delivery  \(delivery.target): \(success ?? "no success yet"), \(delivered)\(budget)")
    } else {
      lines.append("delivery  off")
    }
    if let scheduler = snapshot.scheduler {
      let lateness =
        "lateness p50 \(StatusFormat.latency(scheduler.latenessP50)), "
        + "p99 \(StatusFormat.latency(scheduler.latenessP99))"
      lines.append(
        "schedule  \(lateness), \(scheduler.missed) missed, \(scheduler.spanned) spanned, "
          + "\(scheduler.inFlight) of \(scheduler.limit) in flight")
    }
    return lines
  }

  func paint(_ text: String, _ state: CheckState) -> String {
    guard color else { return text }
    let code =
      switch state {
      case .up: "32"
      case .degraded: "33"
      case .down: "31"
      case .unknown: "90"
      }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }
}
