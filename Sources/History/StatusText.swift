// SPDX-License-Identifier: MIT

import Basics
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
    lines += resources(snapshot) + maintenance(snapshot) + parts(snapshot)
    let problems = snapshot.problems
    if !problems.isEmpty {
      lines.append("")
      for problem in problems {
        let mark = problem.isCritical ? CheckState.down : .degraded
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
    let pending = summary.pending > 0 ? " (\(summary.pending) pending)" : ""
    let words = states.map { state, count in
      let text = "\(count) \(state.rawValue)" + (state == .unknown ? pending : "")
      return count == 0 ? text : paint(text, state)
    }
    let maintenance = summary.maintenance > 0 ? ", \(summary.maintenance) in maintenance" : ""
    let uptime =
      StatusFormat.percent(summary.averageUptime24h) + StatusFormat.remark(summary.averageData24h)
    let noun = summary.total == 1 ? "check" : "checks"
    return "\(summary.total) \(noun): \(words.joined(separator: ", "))\(maintenance) · uptime 24h \(uptime)"
  }

  /// One line when all is well, and one more for each that is not.
  private func resources(_ snapshot: StatusSnapshot) -> [String] {
    let resources = snapshot.resources
    guard !resources.isEmpty else { return [] }
    let states: [CheckState] = [.up, .degraded, .down, .unknown]
    let counts = states.map { state in "\(resources.count { $0.state == state }) \(state.rawValue)" }
    let troubled = resources.filter { $0.state == .down || $0.state == .degraded }
    return ["resources \(counts.joined(separator: ", "))"]
      + troubled.prefix(10).map { resource in
        let names = resource.failing.prefix(3).map(StatusFormat.name).joined(separator: ", ")
        let word = paint("\(resource.state.mark) \(resource.state.word)", resource.state)
        return "          \(word) \(resource.id) by \(names)"
      }
  }

  /// What holds now, or else the next that begins within a day.
  private func maintenance(_ snapshot: StatusSnapshot) -> [String] {
    let active = snapshot.maintenance.filter(\.isActive)
    let tomorrow = snapshot.now.advanced(by: .seconds(86_400))
    let next = snapshot.maintenance.prefix(1).filter { $0.hours.map { $0.lowerBound < tomorrow } ?? false }
    let lines = (active.isEmpty ? Array(next) : Array(active.prefix(5))).map { window in
      let noun = window.checks == 1 ? "check" : "checks"
      let probing = window.skip ? ", not probed" : ""
      return "maintain  \(StatusFormat.maintenanceMark) \(StatusFormat.name(window.name)) "
        + "\(window.when(now: snapshot.now)), \(window.checks) \(noun)\(probing)"
    }
    let more = active.count - 5
    return more > 0 ? lines + ["          and \(more) more window\(more == 1 ? "" : "s")"] : lines
  }

  private func parts(_ snapshot: StatusSnapshot) -> [String] {
    var lines: [String] = []
    if let spool = snapshot.spool {
      let oldest = spool.oldest.map { ", oldest \(StatusFormat.age($0, now: snapshot.now))" } ?? ""
      let used = "\(StatusFormat.bytes(spool.usedBytes)) of \(StatusFormat.bytes(spool.capacityBytes))"
      let durable = spool.durable ? "durable" : "IN MEMORY ONLY"
      let covered = spool.hoursCovered.map { ", covers \(Int(min($0, 9999))) h of outage" } ?? ""
      let parked = spool.parked > 0 ? ", \(StatusFormat.grouped(spool.parked)) parked" : ""
      let lost =
        spool.lostInGaps > 0
        ? ", \(StatusFormat.grouped(spool.lostInGaps)) lost in \(spool.gaps) gap\(spool.gaps == 1 ? "" : "s")"
        : ""
      lines.append(
        "spool     \(StatusFormat.grouped(spool.depth)) waiting\(oldest)\(parked), \(used), \(durable)\(covered)\(lost)"
      )
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
