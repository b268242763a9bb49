// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// One check in the list; the whole row leads to its page.
struct CheckRow {
  let check: CheckStatus
  let now: Timestamp

  func render() -> Markup { "<li data-check=\"\(check.id.description)\">\(content())</li>\n" }

  /// What is in the row's place, and changes with the check.
  func content() -> Markup {
    let stale: Markup = check.stale ? " <span class=\"stale\">STALE</span>" : ""
    let ups: [Markup] = check.windows.map { window in
      let uptime = window.uptime == nil ? "–" : StatusFormat.percent(window.uptime)
      return """
        <span class="r up"><b class="k">\(window.period.rawValue)</b><span class="num">\(uptime)</span>\
        <small>\(coverage(window))</small></span>
        """
    }
    return """
      <a class="row" href="/checks/\(check.id.description)"><span class="st">\(Layout.state(check))</span>\
      <span class="who"><span class="name">\(StatusFormat.name(check.name))</span>\(stale)\(Layout.badges(check))\
      <span class="target">\(check.type.rawValue) · \(check.target)</span></span>\
      <span class="drawn">\(Drawing.spark(check.spark))</span>\
      <span class="r lat"><span class="num">\(StatusFormat.latency(check.last?.responseTime))</span><small>\(age())</small></span>\
      <span class="ups">\(Markup(ups))</span></a>
      """
  }

  /// With its instant, so that a script can count on.
  private func age() -> Markup {
    if let last = check.last {
      return
        "<time class=\"ago\" datetime=\"\(last.startedAt.rfc3339)\">\(StatusFormat.ago(last.startedAt, now: now))</time>"
    }
    return "\(check.firstRun(now: now).map { "first run " + $0 } ?? "no result yet")"
  }

  private func coverage(_ window: WindowStatus) -> String {
    guard window.uptime != nil, let coverage = window.coverage else { return "no data" }
    if window.data.isThin { return "of \(StatusFormat.length(window.data.judged)) only" }
    return "cov " + StatusFormat.share(coverage)
  }
}
