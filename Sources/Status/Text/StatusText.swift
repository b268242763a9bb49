// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import QuartzAPI
import Scheduler
import Spool

/// The text that `quartz-agent status` prints.
package struct StatusText: Sendable {
  /// Columns of the terminal; at least `narrowest`.
  package var width: Int
  /// Marks and words say everything; colour only helps.
  package var color: Bool

  package static let narrowest = 20

  package init(width: Int = 100, color: Bool = false) {
    self.width = max(Self.narrowest, width)
    self.color = color
  }

  /// - Parameter shown: which checks, and in which order; nil: all, as they are. The counts are always of all.
  package func render(_ snapshot: StatusSnapshot, shown: [CheckStatus]? = nil) -> String {
    let checks = shown ?? snapshot.checks
    var lines = fold([headline(snapshot), counts(snapshot)], hanging: 2)
    if checks.count < snapshot.checks.count {
      lines += fold(["\(checks.count) of \(snapshot.checks.count) checks shown"], hanging: 2)
    }
    lines.append("")
    if !checks.isEmpty { lines += table(checks, now: snapshot.now) + [""] }
    let outages = outages(checks, now: snapshot.now)
    if !outages.isEmpty { lines += outages + [""] }
    let places = places(checks)
    if !places.isEmpty { lines += places + [""] }
    let incidents = incidents(snapshot)
    if !incidents.isEmpty { lines += incidents + [""] }
    lines += fold(
      resources(snapshot) + maintenance(snapshot) + silences(snapshot) + reports(snapshot) + parts(snapshot),
      hanging: 10)
    let problems = snapshot.problems(of: checks.filter { !$0.isInOutage })
    if !problems.isEmpty { lines.append("") }
    for problem in problems {
      let mark = problem.isCritical ? CheckState.down : .degraded
      lines += fold([paint("\(mark.mark) \(problem.what)", mark)], hanging: 2)
      if let hint = problem.hint { lines += fold(["  → \(hint)"], hanging: 4) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Folds text outside of tables, so that no line is wider than the terminal.
  func fold(_ lines: [String], hanging: Int) -> [String] {
    lines.flatMap { $0.folded(width: width, hanging: hanging, breaksWords: true) }
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
    let noun = plural("check", summary.total)
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

  /// The window that is active, or else the next that begins within a day.
  private func maintenance(_ snapshot: StatusSnapshot) -> [String] {
    let active = snapshot.maintenance.filter(\.isActive)
    let tomorrow = snapshot.now.advanced(by: .seconds(86_400))
    let next = snapshot.maintenance.prefix(1).filter { $0.hours.map { $0.lowerBound < tomorrow } ?? false }
    let lines = (active.isEmpty ? Array(next) : Array(active.prefix(5))).map { window in
      let noun = plural("check", window.checks)
      let probing = window.skip ? ", not probed" : ""
      return "maintain  \(StatusFormat.maintenanceMark) \(StatusFormat.name(window.name)) "
        + "\(window.when), \(window.checks) \(noun)\(probing)"
    }
    let more = active.count - 5
    return more > 0 ? lines + ["          and \(more) more \(plural("window", more))"] : lines
  }

  private func parts(_ snapshot: StatusSnapshot) -> [String] {
    var lines: [String] = []
    if let spool = snapshot.spool {
      let oldest = spool.oldest.map { ", oldest \(StatusFormat.age($0, now: snapshot.now))" } ?? ""
      let used =
        "\(StatusFormat.bytes(Int64(spool.bytesUsed))) of \(StatusFormat.bytes(Int64(spool.bytesReserved)))"
      let durable = spool.isDurable ? "durable" : "IN MEMORY ONLY"
      let covered = spool.hoursCovered.map { ", covers \(Int(min($0, 9999))) h of outage" } ?? ""
      let unread = spool.unread > 0 ? " (\(StatusFormat.grouped(spool.unread)) cannot be read now)" : ""
      let rows = snapshot.delivery?.parked ?? 0
      let parked = rows > 0 ? ", \(StatusFormat.grouped(rows)) parked" : ""
      let lost =
        spool.lostInGaps > 0
        ? ", \(StatusFormat.grouped(spool.lostInGaps)) lost in \(counted(spool.gaps.count, "gap"))"
        : ""
      lines.append(
        "spool     \(StatusFormat.grouped(spool.depth)) waiting\(unread)\(oldest)\(parked), \(used), \(durable)\(covered)\(lost)"
      )
    }
    if let delivery = snapshot.delivery {
      let success = delivery.tally.lastSuccess.map {
        "last success \(StatusFormat.ago($0, now: snapshot.now))"
      }
      let delivered = "\(StatusFormat.grouped(delivery.tally.delivered)) delivered"
      let budget =
        delivery.usage.perHour == 0
        ? "" : ", \(delivery.usage.hour) of \(delivery.usage.perHour) requests this hour"
      lines.append("delivery  \(delivery.dialect): \(success ?? "no success yet"), \(delivered)\(budget)")
    } else {
      lines.append("delivery  off")
    }
    if let scheduler = snapshot.scheduler {
      let lateness =
        "lateness p50 \(StatusFormat.latency(scheduler.lateP50)), "
        + "p99 \(StatusFormat.latency(scheduler.lateP99))"
      lines.append(
        "schedule  \(lateness), \(scheduler.missedText) missed, \(scheduler.spanned) spanned, "
          + "\(scheduler.inFlight) of \(scheduler.limit) in flight")
    }
    if let group = snapshot.group {
      lines.append("group     \(StatusFormat.name(group.group)): \(group.words(now: snapshot.now))")
      if let others = group.othersText {
        let known = group.alone == nil ? "" : ", as of the last view"
        lines.append("          run by others\(known): \(others); which: quartz-agent group --checks")
      }
    }
    return lines
  }

  func paint(_ text: String, _ state: CheckState) -> String {
    color ? "\u{1b}[\(colorCode(state))m\(text)\u{1b}[0m" : text
  }

  func colorCode(_ state: CheckState) -> String {
    switch state {
    case .up: "32"
    case .degraded: "33"
    case .down: "31"
    case .unknown: "90"
    }
  }
}
