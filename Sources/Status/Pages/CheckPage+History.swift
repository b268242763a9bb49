// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A check's history beyond its windows.
package struct CheckPast: Sendable {
  /// Period of the line.
  package var period = UptimePeriod.day
  package var line: [SeriesPoint] = []
  package var strips: [UptimePeriod: [SeriesPoint]] = [:]
  /// Oldest first.
  package var outages: [Outage] = []

  package init() {}
}

extension CheckPage {
  func responseTimes() -> Markup {
    let chart = LatencyChart(
      points: past.line, outages: past.outages, period: past.period, now: snapshot.now)
    let chips: [Markup] = LatencyChart.periods.map { period in
      let current: Markup = period == past.period ? " aria-current=\"true\"" : ""
      return
        "<a href=\"/checks/\(check.id.description)?line=\(period.rawValue)#line\"\(current)>\(period.rawValue)</a>"
    }
    let drawing: Markup =
      chart.hasValues
      ? """
      <div class="scroll present" tabindex="0" role="group" aria-label="Chart of the response time"><div>\(chart.render())</div></div><p class="legend dim">\
      <span><svg class="key" viewBox="0 0 20 10" aria-hidden="true"><path class="line" d="M0 5h20"/></svg>mean</span>\
      <span><svg class="key" viewBox="0 0 20 10" aria-hidden="true"><path class="p95" d="M0 5h20"/></svg>95th percentile</span>\
      <span><svg class="key" viewBox="0 0 20 10" aria-hidden="true"><rect class="f-down" width="20" height="3"/>\
      <rect class="shade" y="3" width="20" height="7"/></svg>down</span></p>
      """
      : "<p class=\"dim\">No response in this window.</p>"
    return """
      <section class="card" id="line"><h2>Response time</h2>
      <nav class="chips" aria-label="Window of the line">\(Markup(chips))</nav>\(drawing)</section>
      """
  }

  func strip(_ period: UptimePeriod) -> Markup {
    guard let points = past.strips[period], !points.isEmpty else { return "" }
    return UptimeStrip(points: points, period: period).render()
  }

  /// Meaning of the cells' shapes.
  var stripLegend: Markup {
    let parts: [(Markup, Markup)] = [
      ("<rect class=\"f-up\" width=\"3\" height=\"24\"/>", "up"),
      (
        "<rect class=\"f-down\" width=\"3\" height=\"9\"/><rect class=\"f-up\" y=\"11\" width=\"3\" height=\"13\"/>",
        "down for a part of it"
      ),
      ("<rect class=\"f-degraded\" y=\"8\" width=\"3\" height=\"16\"/>", "degraded"),
      ("<rect class=\"f-maintenance\" y=\"8\" width=\"3\" height=\"8\"/>", "maintenance"),
      ("<rect class=\"f-none\" y=\"21\" width=\"3\" height=\"3\"/>", "no data"),
    ]
    let items: [Markup] = parts.map {
      "<span><svg class=\"cell\" viewBox=\"0 0 3 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\($0.0)</svg>\($0.1)</span>"
    }
    return "<p class=\"legend dim\">\(Markup(items))</p>"
  }
}
