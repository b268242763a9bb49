// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A report for a terminal: no line is wider than it.
package struct ReportText: Sendable {
  /// Columns of the terminal; at least `StatusText.narrowest`.
  private let width: Int

  package init(width: Int = 100) { self.width = max(StatusText.narrowest, width) }

  /// Outages and incidents that are listed at most.
  private static let listed = 50

  package func render(_ report: MonthReport) -> String {
    var lines = fold([
      "\(StatusFormat.name(report.agent.name)) · \(report.period.words) (UTC)", report.summary,
    ])
    lines += fold(report.remarks) + [""]
    guard !report.checks.isEmpty else { return (lines + ["no check"]).map { $0 + "\n" }.joined() }
    lines += table(report).lines
    lines +=
      [""] + fold(["RESPONSE TIME BY \(report.period.unit.rawValue.uppercased()), MEAN"])
      + trend(report).lines
    lines += list("OUTAGES", Self.outages(report))
    lines += list("INCIDENTS", report.incidents.map(Self.line))
    return lines.map { $0 + "\n" }.joined()
  }

  private func fold(_ lines: [String]) -> [String] {
    lines.flatMap { $0.folded(width: width, hanging: 2, breaksWords: true) }
  }

  private func list(_ title: String, _ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    let rest = lines.count - Self.listed
    let more = rest > 0 ? ["  and \(rest) more"] : []
    return ["", title] + fold(lines.prefix(Self.listed).map { "  \($0)" }) + more
  }

  private func table(_ report: MonthReport) -> TextTable {
    TextTable(
      columns: [
        .names("CHECK", least: 16), .fixed("UPTIME", 8, right: true),
        .fixed("OBJECTIVE", 9, right: true, worth: 40), .fixed("BUDGET", 17, worth: 70),
        .fixed("OUTAGES", 7, right: true, worth: 80), .fixed("DOWN", 8, right: true, worth: 60),
        .fixed("LONGEST", 8, right: true, worth: 30), .fixed("MEAN", 8, right: true, worth: 50),
        .fixed("P95", 8, right: true, worth: 20), .fixed("MAINT", 8, right: true, worth: 10),
        .fixed("COVERED", 7, right: true, worth: 75), .fixed("DATA", 6, right: true, worth: 65),
      ],
      rows: report.checks.map(Self.row), width: width)
  }

  private static func row(_ check: CheckReport) -> [TextTable.Cell] {
    let figures = check.figures
    let service: [String] = [
      StatusFormat.name(check.name), figures.uptime.map { StatusFormat.percent($0) } ?? "–",
      check.objectiveText + "%", check.budget?.words ?? "–", check.outageWords,
      span(figures.time.down), check.longestWords,
    ]
    let rest: [String] = [
      StatusFormat.latency(figures.latency?.mean), StatusFormat.latency(figures.latency?.medianP95),
      span(figures.time.maintenance), figures.coverage.map(StatusFormat.share) ?? "–",
      StatusFormat.share(figures.data.percent),
    ]
    return (service + rest).map { TextTable.Cell($0) }
  }

  private static func span(_ microseconds: Int64) -> String {
    microseconds > 0 ? StatusFormat.span(microseconds) : "–"
  }

  private func trend(_ report: MonthReport) -> TextTable {
    let periods = report.checks.first?.periods.map(\.period) ?? []
    let columns = periods.enumerated().map { place, period in
      TextTable.Column.fixed(period.text, 8, right: true, worth: place)
    }
    let rows = report.checks.map { check in
      [TextTable.Cell(StatusFormat.name(check.name))]
        + check.periods.map { TextTable.Cell(StatusFormat.latency($0.latency?.mean)) }
    }
    return TextTable(
      columns: [TextTable.Column.names("CHECK", least: 16)] + columns, rows: rows, width: width)
  }

  /// Newest first.
  private static func outages(_ report: MonthReport) -> [String] {
    let all = report.checks.flatMap { check in check.outages.map { (check.name, $0) } }
    return all.sorted { $1.1.begin < $0.1.begin }.map { name, outage in
      let end = outage.isOver ? "" : ", not over"
      return "\(StatusFormat.minute(outage.begin))  "
        + "\(StatusFormat.span(outage.duration(now: report.now).microseconds))\(end)  "
        + "\(StatusFormat.name(name))  \(outage.why.printable(maxBytes: 600))"
    }
  }

  private static func line(_ incident: IncidentStatus) -> String {
    let end = incident.end.map { " until \(StatusFormat.minute($0))" } ?? ", not resolved"
    return "\(StatusFormat.minute(incident.begin))\(end)  \(incident.title.printable(maxBytes: 200))"
      + (incident.acknowledgement.map { "; \($0)" } ?? "")
  }
}

extension MonthReport {
  /// `12 checks, average uptime 99.95%, objective kept by 11 of 12, 4 outages`, `4+ outages` where there may have been more.
  package var summary: String {
    let budgets = checks.compactMap(\.budget)
    let kept =
      budgets.isEmpty ? "" : ", objective kept by \(budgets.count(where: \.isKept)) of \(budgets.count)"
    return "\(counted(checks.count, "check")), average uptime \(StatusFormat.percent(averageUptime))\(kept), "
      + (mayHaveMore ? "\(outages)+ outages" : counted(outages, "outage"))
  }
}

extension CheckReport {
  /// `3`, `3+` where there may have been more, `–` without data.
  var outageWords: String {
    figures.time.judged == 0 ? "–" : "\(figures.outages)\(figures.mayHaveMore ? "+" : "")"
  }

  /// `2h`, `2h+` where a longer one may not have been kept, `–` without any that is known.
  var longestWords: String {
    guard figures.longest > 0 else { return "–" }
    return StatusFormat.span(figures.longest) + (figures.mayHaveMore ? "+" : "")
  }
}

extension IncidentStatus {
  /// `acknowledged by ann: on it`; `nil` where it is not.
  package var acknowledgement: String? {
    acknowledgedBy.map { by in
      "acknowledged by \(by.printable(maxBytes: 160))"
        + (acknowledgedNote.map { ": \($0.printable(maxBytes: 512))" } ?? "")
    }
  }
}
