// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A month or a week as one document without a script, which is a page here and a file elsewhere. Each group prints from the top of a
/// page on.
package struct ReportPage {
  let report: MonthReport
  /// Parts of the query that links keep. `nil` for a file, which has no links.
  var query: [String]?

  /// Rows of all groups together; further checks are in the CSV alone.
  private static let rows = 2000
  /// Outages of a group, and incidents.
  private static let listed = 20

  package init(report: MonthReport, query: [String]? = nil) { (self.report, self.query) = (report, query) }

  package func render(nonce: String) -> Markup {
    let agent = report.agent
    let soFar = report.isPartial && report.now >= report.period.start ? ", so far" : ""
    let region: Markup = agent.region.map { " · \(StatusFormat.name($0))" } ?? ""
    let remarks: Markup =
      report.remarks.isEmpty
      ? "" : "<ul class=\"remarks\">\(Markup(report.remarks.map { "<li>\($0)</li>" as Markup }))</ul>\n"
    return """
      \(Layout.head())
      <title>\(report.period.words) · \(StatusFormat.name(agent.name))</title>
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">\(Palette.style)\(Layout.reportStyle)</style>
      </head>
      <body>
      \(navigation)<main>
      <header><p class="dim">\(Layout.name(agent.name))\(region)</p>
      <h1>\(report.period.words)\(soFar)</h1>
      <p>\(report.summary)</p>
      \(remarks)</header>
      \(groups())\(incidents())</main>
      <footer class="dim">Made \(StatusFormat.minute(report.now)) UTC by quartz-agent \(agent.version). Days, weeks and months \
      are those of UTC. Time without a verdict is neither up nor down; covered is the share of the time in which a check was to be \
      probed that has a verdict, data the share of the \(report.period.unit.rawValue). P95 is the 95th percentile of the day in the middle.</footer>
      </body>
      </html>

      """
  }

  private var navigation: Markup {
    guard let query else { return "" }
    func address(_ place: String, _ period: CalendarPeriod) -> String {
      "\(place)?" + (["\(period.unit.rawValue)=\(period)"] + query).joined(separator: "&")
    }
    let (before, after) = (report.period.adding(-1), report.period.adding(1))
    let next: Markup =
      after.start > report.now
      ? "" : "<a class=\"button\" href=\"\(address("/report", after))\">\(after.shortWords) →</a>"
    return """
      <nav class="bar" aria-label="Reports"><a class="button" href="/">All checks</a>\
      <a class="button" href="\(address("/report", before))">← \(before.shortWords)</a>\(next)\
      <a class="button" href="\(address("/api/v1/report.csv", report.period))">CSV</a></nav>

      """
  }

  private func groups() -> Markup {
    guard !report.checks.isEmpty else {
      return "<section class=\"group\"><p>No check to report on.</p></section>\n"
    }
    var room = Self.rows
    var parts: [Markup] = []
    for group in report.groups where room > 0 {
      let checks = group.places.prefix(room).map { report.checks[$0] }
      room -= checks.count
      parts.append(section(group, checks, left: group.places.count - checks.count))
    }
    return Markup(parts)
  }

  private func section(_ group: MonthReport.Group, _ checks: [CheckReport], left: Int) -> Markup {
    let title: Markup =
      group.tag.map { Layout.name($0) } ?? (report.groups.count == 1 ? "All checks" : "Without a tag")
    let more: Markup =
      left > 0
      ? "<p class=\"dim\">and \(StatusFormat.grouped(left)) more \(plural("check", left)), which the CSV has</p>"
      : ""
    return """
      <section class="group"><h2>\(title)</h2>
      \(table(checks))\(more)
      \(trend(checks))
      \(outages(checks))</section>

      """
  }

  private func table(_ checks: [CheckReport]) -> Markup {
    let names: [String] = [
      "Uptime", "Objective", "Error budget", "Outages", "Down", "Longest", "Mean", "P95", "Maintenance",
      "Covered", "Data",
    ]
    let titles = names.map { "<th scope=\"col\">\($0)</th>" as Markup }
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="Checks"><table class="checks">
      <thead><tr><th scope="col">Check</th>\(Markup(titles))</tr></thead>
      <tbody>\(Markup(checks.map(row)))</tbody></table></div>
      """
  }

  private func row(_ check: CheckReport) -> Markup {
    let figures = check.figures
    let strip: Markup =
      check.days.isEmpty
      ? "" : UptimeStrip(points: check.days, period: .month, name: report.period.words).render()
    let cells: [String] = [
      figures.uptime.map { StatusFormat.percent($0) } ?? "no data", check.objectiveText + "%",
    ]
    let rest: [String] = [
      check.outageWords, span(figures.time.down), check.longestWords,
      StatusFormat.latency(figures.latency?.mean), StatusFormat.latency(figures.latency?.medianP95),
      maintenance(figures), figures.coverage.map(StatusFormat.share) ?? "–",
      StatusFormat.share(figures.data.percent),
    ]
    return """
      <tr><th scope="row">\(Layout.name(check.name))\(strip)</th>\(Markup(cells.map(cell)))\
      <td>\(budget(check))</td>\(Markup(rest.map(cell)))</tr>

      """
  }

  private func cell(_ words: String) -> Markup { "<td>\(words)</td>" }

  private func budget(_ check: CheckReport) -> Markup {
    guard let budget = check.budget else { return "–" }
    let state: CheckState = budget.isKept ? .up : .down
    return """
      <span class="mark \(state.rawValue)" aria-hidden="true">\(budget.isKept ? "✓" : state.mark)</span> \(budget.words)\
      <small>\(fine(budget.used)) of \(fine(budget.allowed))</small>
      """
  }

  private func maintenance(_ figures: MonthFigures) -> String {
    guard figures.time.maintenance > 0 else { return "–" }
    return "\(StatusFormat.span(figures.time.maintenance)) on \(counted(figures.maintenanceDays, "day"))"
  }

  /// Also less than a second, as a report of minutes allows: `420 ms`.
  private func fine(_ microseconds: Int64) -> String {
    (1..<1_000_000).contains(microseconds)
      ? StatusFormat.latency(.microseconds(microseconds)) : StatusFormat.span(microseconds)
  }

  private func span(_ microseconds: Int64) -> String {
    microseconds > 0 ? StatusFormat.span(microseconds) : "–"
  }

  private func trend(_ checks: [CheckReport]) -> Markup {
    let measured = checks.filter { $0.periods.contains { $0.latency != nil } }
    guard let periods = measured.first?.periods.map(\.period) else { return "" }
    // On a phone the empty months before the first figure would hide the others.
    let empty = periods.indices.prefix { index in measured.allSatisfy { $0.periods[index].latency == nil } }
      .count
    let titles = periods.dropFirst(empty).map { "<th scope=\"col\">\($0.shortWords)</th>" as Markup }
    let rows = measured.map { check in
      let cells = check.periods.dropFirst(empty).map { cell(StatusFormat.latency($0.latency?.mean)) }
      return "<tr><th scope=\"row\">\(Layout.name(check.name))</th>\(Markup(cells))</tr>\n" as Markup
    }
    let heading = "Mean response time by \(report.period.unit.rawValue)"
    return """
      <h3>\(heading)</h3>
      <div class="scroll" tabindex="0" role="group" aria-label="\(heading)"><table class="trend">
      <thead><tr><th scope="col">Check</th>\(Markup(titles))</tr></thead>
      <tbody>\(Markup(rows))</tbody></table></div>
      """
  }

  /// Newest first.
  private func outages(_ checks: [CheckReport]) -> Markup {
    let all = checks.flatMap { check in check.outages.map { (name: check.name, outage: $0) } }
      .sorted { $1.outage.begin < $0.outage.begin }
    guard !all.isEmpty else { return "" }
    let rows = all.prefix(Self.listed).map { outageLine($0.name, $0.outage) }
    return "<h3>Outages</h3>\n<ul>\(Markup(rows))\(more(all.count))</ul>"
  }

  private func outageLine(_ name: String, _ outage: Outage) -> Markup {
    let length = StatusFormat.span(outage.duration(now: report.now).microseconds)
    let end = outage.isOver ? "" : ", not over"
    return """
      <li><b>\(Layout.name(name))</b> \(Layout.minute(outage.begin)), \(length)\(end) \
      <span class="dim">\(outage.why)</span></li>
      """
  }

  private func incidents() -> Markup {
    guard !report.incidents.isEmpty else { return "" }
    let rows = report.incidents.suffix(Self.listed).reversed().map { incidentLine($0) }
    return """
      <section class="group"><h2>Incidents and notes</h2>
      <ul>\(Markup(rows))\(more(report.incidents.count))</ul></section>

      """
  }

  private func incidentLine(_ incident: IncidentStatus) -> Markup {
    let end: Markup = incident.end.map { " until \(Layout.minute($0))" } ?? ", not resolved"
    let note: Markup = incident.acknowledgement.map { "<span class=\"dim\">\($0)</span>" } ?? ""
    return """
      <li><b>\(Layout.name(incident.title))</b> \(incident.severity.rawValue), \(Layout.minute(incident.begin))\(end) \(note)</li>
      """
  }

  private func more(_ count: Int) -> Markup {
    count > Self.listed ? "<li class=\"dim\">and \(StatusFormat.grouped(count - Self.listed)) more</li>" : ""
  }
}

extension MonthReport {
  /// One file without links, for a browser or paper.
  package var html: [UInt8] { Array(ReportPage(report: self).render(nonce: "").html.utf8) }
}
