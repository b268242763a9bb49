// SPDX-License-Identifier: MIT

import Basics

/// A comparison for people, and as JSON.
struct ComparisonText {
  let comparison: Comparison
  let names: (a: String, b: String)
  let files: (a: MeasuredChecks, b: MeasuredChecks)

  func table(width: Int, color: Bool) -> String {
    let rows = comparison.rows.map { row in
      [
        TextTable.Cell(row.check), TextTable.Cell(row.phase.words),
        TextTable.Cell(row.counts.a == row.counts.b ? "\(row.counts.a)" : "\(row.counts.a)/\(row.counts.b)"),
        cell(row.medians.a), cell(row.medians.b), cell(row.p95.a), cell(row.p95.b), verdict(row),
      ]
    }
    // A verdict is never cut: half of one says something else.
    let columns: [TextTable.Column] = [
      .names("CHECK", least: 8, share: 2), .flexible("PHASE", least: 5),
      .flexible("N", least: 3, right: true, worth: 1),
      .flexible("MEDIAN A", least: 8, right: true, worth: 4),
      .flexible("MEDIAN B", least: 8, right: true, worth: 4),
      .flexible("P95 A", least: 7, right: true, worth: 2),
      .flexible("P95 B", least: 7, right: true, worth: 2),
      .fixed("B IS", max(4, rows.compactMap { $0.last?.columns }.max() ?? 4)),
    ]
    var text = head("A", names.a, files.a) + head("B", names.b, files.b) + "\n"
    if rows.isEmpty {
      text += "No check has times in both.\n"
    } else {
      text += TextTable(columns: columns, rows: rows, width: width, color: color).text
      text +=
        "\nB IS: verdict of the ranks (Mann-Whitney, two-sided, Holm over \(counted(comparison.rows.count, "row")), p < 0.05); "
        + "nothing is claimed of fewer than \(RankTest.least) times, nor of a difference that pieces of the files have among themselves.\n"
    }
    for pair in comparison.uptimes where pair.a.down + pair.b.down > 0 {
      text += "\(pair.check): up \(share(pair.a)) in A, \(share(pair.b)) in B\n"
    }
    if !comparison.onlyA.isEmpty { text += "only in A: \(comparison.onlyA.andMore(after: 8))\n" }
    if !comparison.onlyB.isEmpty { text += "only in B: \(comparison.onlyB.andMore(after: 8))\n" }
    return text
  }

  private func head(_ letter: String, _ name: String, _ file: MeasuredChecks) -> String {
    var text =
      "\(letter): \(name.printable(maxBytes: 200)), \(counted(file.results, "result"))"
    if let first = file.first, let last = file.last { text += ", \(first) to \(last)" }
    return text + "\n"
  }

  private func share(_ check: MeasuredChecks.Check) -> String {
    "\(StatusFormat.percent(check.uptime)) of \(check.up + check.down)"
  }

  private func cell(_ milliseconds: Double) -> TextTable.Cell {
    TextTable.Cell(Self.time(milliseconds))
  }

  /// Three significant digits, down to a microsecond.
  static func time(_ milliseconds: Double) -> String {
    milliseconds > 0 && milliseconds < 0.9995
      ? "\(Int((milliseconds * 1000).rounded())) µs"
      : StatusFormat.latency(.nanoseconds(Int64(milliseconds * 1_000_000)))
  }

  /// Three significant digits, with the sign.
  static func percent(_ share: Double) -> String {
    (share < 0 ? "-" : "+") + StatusFormat.significant(abs(share)) + "%"
  }

  private func verdict(_ row: Comparison.Row) -> TextTable.Cell {
    let by = Self.time(abs(row.difference))
    let share = row.share.map { " (\(Self.percent($0)))" } ?? ""
    let p = row.p.map { $0 < 0.001 ? "p < 0.001" : "p = \(Self.digits($0))" } ?? ""
    switch row.verdict {
    case .slower: return TextTable.Cell("slower by \(by)\(share), \(p)", color: "31")
    case .faster: return TextTable.Cell("faster by \(by)\(share), \(p)", color: "32")
    case .noDifference: return TextTable.Cell("no significant difference, \(p)")
    case .unsteady: return TextTable.Cell("not judged: the files vary by \(Self.time(row.drift)) themselves")
    case .tooFew: return TextTable.Cell("not judged: too few times")
    }
  }

  /// Three places.
  private static func digits(_ p: Double) -> String {
    p >= 0.9995 ? "1" : "0." + padded(Int64((p * 1000).rounded()), 3)
  }

  var json: String {
    var writer = JSONWriter()
    writer.object { json in
      for (name, file, letter) in [(names.a, files.a, "a"), (names.b, files.b, "b")] {
        json.key(dynamic: letter)
        json.object { json in
          json.field("file", name.printable(maxBytes: 200))
          json.field("results", file.results)
          json.fieldIfPresent("first", file.first)
          json.fieldIfPresent("last", file.last)
        }
      }
      json.key("phases")
      json.array { json in for row in comparison.rows { write(row, to: &json) } }
      json.key("checks")
      json.array { json in for pair in comparison.uptimes { write(pair, to: &json) } }
      json.key("only_in_a")
      json.array { json in for name in comparison.onlyA { json.string(name) } }
      json.key("only_in_b")
      json.array { json in for name in comparison.onlyB { json.string(name) } }
    }
    return writer.text + "\n"
  }

  private func write(_ row: Comparison.Row, to json: inout JSONWriter) {
    json.object { json in
      json.field("check", row.check)
      json.field("phase", row.phase.rawValue)
      json.field("n_a", row.counts.a)
      json.field("n_b", row.counts.b)
      json.field("median_a_ms", row.medians.a)
      json.field("median_b_ms", row.medians.b)
      json.field("p95_a_ms", row.p95.a)
      json.field("p95_b_ms", row.p95.b)
      json.field("difference_ms", row.difference)
      json.fieldIfPresent("difference_percent", row.share)
      json.field("drift_ms", row.drift)
      json.fieldIfPresent("p", row.p)
      json.field("verdict", row.verdict.rawValue)
    }
  }

  private func write(_ pair: Comparison.Uptime, to json: inout JSONWriter) {
    json.object { json in
      json.field("check", pair.check)
      json.fieldIfPresent("uptime_a", pair.a.uptime)
      json.fieldIfPresent("uptime_b", pair.b.uptime)
      json.field("verdicts_a", pair.a.up + pair.a.down)
      json.field("verdicts_b", pair.b.up + pair.b.down)
    }
  }
}
