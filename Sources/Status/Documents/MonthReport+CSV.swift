// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A table for spreadsheets (RFC 4180): a row for each check, times in seconds, shares in percent, empty without data.
extension MonthReport {
  /// After the period.
  private static let columns = [
    "complete", "check", "id", "type", "tags", "uptime", "coverage", "data", "objective",
    "budget_s", "budget_used", "up_s", "degraded_s", "down_s", "unknown_s", "maintenance_s", "outages",
    "outages_complete", "longest_outage_s", "results", "mean_ms", "p95_ms", "highest_p95_ms",
  ]

  package var csv: String {
    let rows = checks.map { row($0).map(Self.field).joined(separator: ",") }
    let titles = [period.unit.rawValue] + Self.columns
    return ([titles.joined(separator: ",")] + rows).map { $0 + "\r\n" }.joined()
  }

  private func row(_ check: CheckReport) -> [String] {
    let figures = check.figures
    let of: [String] = [
      period.text, isPartial ? "no" : "yes", Self.text(check.name), check.id.description, check.type.rawValue,
      Self.text(check.tags.joined(separator: " ")),
    ]
    let shares: [String] = [
      Self.percent(figures.uptime), Self.percent(figures.coverage), Self.percent(figures.data.percent),
      check.objectiveText, check.budget.map { Self.seconds($0.allowed) } ?? "",
      Self.percent(check.budget?.percent),
    ]
    let times = Standing.allCases.map { Self.seconds(figures.time[$0]) }
    let outages: [String] = [
      String(figures.outages), figures.mayHaveMore ? "no" : "yes", Self.seconds(figures.longest),
      String(figures.counts.judged),
    ]
    let latency: [String] = [
      Self.milliseconds(figures.latency?.mean), Self.milliseconds(figures.latency?.medianP95),
      Self.milliseconds(figures.latency?.highestP95),
    ]
    return of + shares + times + outages + latency
  }

  /// Cut, never rounded up: only a flawless month has 100.
  private static func percent(_ value: Double?) -> String {
    value.map { StatusFormat.decimal(min(max(0, $0), 1e9), places: 3, up: false) } ?? ""
  }

  private static func seconds(_ microseconds: Int64) -> String {
    StatusFormat.decimal(Double(max(0, microseconds)) / 1_000_000, places: 3)
  }

  private static func milliseconds(_ duration: Duration?) -> String {
    duration.map { StatusFormat.decimal(max(0, $0.milliseconds), places: 3) } ?? ""
  }

  /// A name that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection").
  private static func text(_ name: String) -> String {
    let shown = name.printable(maxBytes: 4096)
    guard let first = shown.utf8.first, "=+-@".utf8.contains(first) else { return shown }
    return "'" + shown
  }

  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
