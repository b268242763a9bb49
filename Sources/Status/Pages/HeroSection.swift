// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// How everything is, in one sentence with its time, and the four counts below it.
struct HeroSection {
  let snapshot: StatusSnapshot
  let summary: StatusSummary

  init(_ snapshot: StatusSnapshot) { (self.snapshot, summary) = (snapshot, snapshot.summary) }

  func render() -> Markup {
    let (state, words) = headline
    let facts = [incidents, since(state), maintenance, uptime].compactMap(\.self)
    return """
      <section class="headline \(state.rawValue)"><div><h1><span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span> \
      \(words)</h1><p class="dim">\(Self.joined(facts))</p></div>\(Drawing.ring(summary))</section>
      """
  }

  /// Each leads to the checks that it counts.
  func counts() -> Markup {
    let counts: [(state: CheckState, count: Int)] = [
      (.down, summary.down), (.degraded, summary.degraded), (.unknown, summary.unknown), (.up, summary.up),
    ]
    let links: [Markup] = counts.map { state, count in
      """
      <a class="count" href="/?state=\(state.rawValue)#checks"><b class="num">\
      <span class="mark \(count > 0 ? state.rawValue : "")" aria-hidden="true">\(state.mark)</span> \
      \(StatusFormat.grouped(count))</b> \(state.rawValue)</a>
      """
    }
    return """
      <div class="counts" role="toolbar" aria-label="Checks by state, and alerts">\(Markup(links))\(alerts ?? "")</div>
      """
  }

  /// Alerts that fire; `nil` where there are no rules.
  private var alerts: Markup? {
    guard let alerts = snapshot.alerts else { return nil }
    let firing = alerts.firing.filter { $0.count > 0 }
    let count = firing.reduce(0) { $0 + $1.count }
    let state: CheckState = firing.contains { $0.severity >= .high } ? .down : .degraded
    let mark: Markup =
      count == 0 ? "" : "<span class=\"mark \(state.rawValue)\" aria-hidden=\"true\">\(state.mark)</span> "
    return """
      <a class="count" href="\(count == 0 ? "#handled" : "#incidents")"><b class="num">\(mark)\
      \(StatusFormat.grouped(count))</b> <span class="hide-s">active </span>\(plural("alert", count))</a>
      """
  }

  private var headline: (CheckState, String) {
    let judged = summary.total - summary.maintenance
    if summary.total == 0 { return (.unknown, "No checks") }
    if summary.down > 0 { return (.down, "\(StatusFormat.grouped(summary.down)) down") }
    if summary.degraded > 0 { return (.degraded, "\(StatusFormat.grouped(summary.degraded)) degraded") }
    if judged == 0 { return (.unknown, "All checks are in maintenance") }
    if summary.up == 0 { return (.unknown, "No verdict yet") }
    if summary.unknown > 0 {
      return (.up, "\(StatusFormat.grouped(summary.up)) of \(StatusFormat.grouped(judged)) up")
    }
    return (.up, judged == 1 ? "1 check, up" : "All \(StatusFormat.grouped(judged)) checks up")
  }

  /// Since when something is down or degraded, or since when nothing is.
  private func since(_ state: CheckState) -> Markup? {
    let instants = snapshot.checks.lazy.filter {
      $0.enabled && $0.maintenance == nil && $0.state == state && !$0.isPending
    }.compactMap(\.stateBegan)
    guard let instant = state == .up ? instants.max() : instants.min(), state != .unknown else { return nil }
    return Layout.since(instant, now: snapshot.now)
  }

  private var incidents: Markup? {
    guard let open = snapshot.alerts?.open, !open.isEmpty else { return nil }
    let known = open.count { $0.acknowledgedBy != nil }
    let handled = known > 0 ? ", \(known) acknowledged" : ""
    return "\(counted(open.count, "incident")) open\(handled)"
  }

  private var maintenance: Markup? {
    summary.maintenance > 0 ? "\(StatusFormat.grouped(summary.maintenance)) in maintenance" : nil
  }

  private var uptime: Markup? {
    summary.averageUptime24h.map {
      "uptime of 24h \(StatusFormat.percent($0))\(StatusFormat.remark(summary.averageData24h))"
    }
  }

  /// With dots between them.
  static func joined(_ parts: [Markup]) -> Markup {
    Markup(parts.enumerated().map { $0.offset == 0 ? $0.element : " · " + $0.element })
  }
}
