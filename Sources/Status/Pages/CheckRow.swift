// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// One check in the list; the whole row leads to its page.
struct CheckRow {
  let check: CheckStatus
  let now: Timestamp
  /// The open incident that tells of it.
  let incident: UniqueID?

  init(_ check: CheckStatus, _ snapshot: StatusSnapshot) {
    (self.check, now, incident) = (check, snapshot.now, snapshot.alerts?.incidentOf[check.id])
  }

  func render() -> Markup { "<li data-check=\"\(check.id.description)\">\(content())</li>\n" }

  /// Content of the row, which changes with the check.
  func content() -> Markup {
    let stale: Markup = check.stale ? "<span class=\"stale\">STALE</span> " : ""
    let ups: [Markup] = check.windows.map { window in
      let uptime = window.uptime == nil ? "–" : StatusFormat.percent(window.uptime)
      return """
        <span class="r up"><span class="num">\(uptime)</span><small>\(coverage(window))</small></span>
        """
    }
    return """
      <a class="row" href="/checks/\(check.id.description)"><span class="st">\(Layout.state(check))</span>\
      <span class="who"><span class="name">\(Layout.name(check.name))</span>\
      <span class="target\(isReason ? " why" : "")">\(word)\(stale)\(Layout.badges(check))\(says)</span></span>\
      <span class="drawn">\(Drawing.spark(check.spark))</span>\
      <span class="r lat"><span class="num">\(StatusFormat.latency(check.last?.responseTime))</span><small>\(age())</small></span>\
      \(Markup(ups))</a>
      """
  }

  /// On a phone the word of the state and the uptime stand here, for there is no room for columns of them.
  private var word: Markup {
    let month = check.window(.month)
    let uptime = isReason || month.uptime == nil ? "" : " · 30d \(StatusFormat.percent(month.uptime))"
    return "<span class=\"small\" aria-hidden=\"true\">\(Layout.word(check))\(uptime) · </span>"
  }

  private var isReason: Bool {
    incident == nil && check.enabled && check.maintenance == nil && check.state != .up
      && check.last.map { $0.reason != .ok } == true
  }

  /// Why it fails, unless an incident above tells that already; else what is probed.
  private var says: Markup {
    if let incident {
      return "incident \(String(incident.description.suffix(6))) · \(check.type.rawValue) · \(check.target)"
    }
    guard isReason, let last = check.last else { return "\(check.type.rawValue) · \(check.target)" }
    return "\(last.message ?? last.reason.rawValue)"
  }

  /// With its instant, so that a script can count on.
  private func age() -> Markup {
    if let last = check.last { return Layout.ago(last.startedAt, now: now) }
    return "\(check.firstRun(now: now).map { "first run " + $0 } ?? "no result yet")"
  }

  private func coverage(_ window: WindowStatus) -> String {
    guard window.uptime != nil, let coverage = window.coverage else { return "no data" }
    if window.data.isThin { return "of \(StatusFormat.length(window.data.judged)) only" }
    return "cov " + StatusFormat.share(coverage)
  }
}
