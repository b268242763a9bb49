// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results as a table for people: one line each, mark and word, figures to the right. Cut text is whole in the other
/// formats and with --explain.
struct ResultTable {
  var width: Int
  var color: Bool

  func render(_ results: [CheckResult]) -> String {
    let rows = results.map { Row($0) }
    // A target of the command line has no other name: with its scheme, and a number where only the query differs.
    let hasNames = rows.contains { $0.name != $0.target && !$0.name.contains("://") }
    var columns: [TextTable.Column] = [
      .fixed("STATE", 10), .names(hasNames ? "CHECK" : "TARGET", least: 10, most: hasNames ? 32 : 60),
      .flexible("TYPE", least: 4, most: 9, worth: 1), .fixed("LATENCY", 10, right: true, worth: 3),
      // Why one looks: it keeps the most.
      .flexible("DETAIL", least: 20, share: 2, worth: 4),
    ]
    if hasNames { columns.insert(.names("TARGET", least: 12, most: 44, worth: 2), at: 4) }
    return TextTable(
      columns: columns, rows: rows.map { $0.cells(withTarget: hasNames) }, width: width, color: color
    ).text
  }
}

/// The words of one result.
private struct Row {
  var state: String
  var color: String
  var name: String
  var type: String
  var latency: String
  var target: String
  var detail: String

  func cells(withTarget: Bool) -> [TextTable.Cell] {
    let front: [TextTable.Cell] = [.init(state, color: color), .init(name), .init(type), .init(latency)]
    return front + (withTarget ? [.init(target)] : []) + [.init(detail)]
  }

  init(_ result: CheckResult) {
    state = result.state.mark + " " + result.state.rawValue.uppercased()
    color = result.state.ansi
    name = result.check.printable(maxBytes: 4096)
    type = result.type.rawValue
    latency = result.responseTime.map(shownLatency) ?? "-"
    target = result.target.printable(maxBytes: 4096)
    detail = result.detail
  }
}

/// Three decimals below a millisecond: a server nearby does not answer in `0.0 ms`.
private func shownLatency(_ span: Duration) -> String { latency(span.milliseconds) + " ms" }

extension CheckResult {
  /// Why it is not up, or the facts of an answer that was as expected.
  var detail: String {
    if reason != .ok {
      return [reason.rawValue, message].compactMap(\.self).joined(separator: ": ")
    }
    var facts: [String] = []
    if let code = self.statusCode { facts.append("\(code)") }
    if let dns = self.dns { facts.append(dns.rcode + " " + dns.answers.map(\.data).joined(separator: ", ")) }
    if let ping = self.ping { facts.append("\(ping.received)/\(ping.sent) replies") }
    if let tls = self.tls, let days = tls.daysRemaining {
      let ago = tls.notAfter.map { " " + TLSFacts.ago($0, at: attempts.last?.startedAt ?? startedAt) }
      facts.append(days < 0 ? "certificate expired" + (ago ?? "") : "certificate \(days) d")
    }
    if let address = self.address { facts.append(address) }
    return facts.joined(separator: ", ").printable(maxBytes: 300)
  }
}

extension CheckState {
  var ansi: String {
    switch self {
    case .up: "32"
    case .degraded: "33"
    case .down: "31"
    case .unknown: "90"
    }
  }
}

/// Filled with spaces to the width, or cut with an ellipsis.
func pad(_ text: String, _ width: Int) -> String {
  let text = text.cut(columns: width)
  return text + String(repeating: " ", count: max(0, width - text.columns))
}

func padLeft(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.columns)) + text
}

/// One decimal below 100, none above: `4.2`, `318`.
func decimal(_ value: Double) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "-" }
  if abs(value) >= 99.95 { return String(Int64(value.rounded())) }
  let tenths = Int64((value * 10).rounded())
  let sign = tenths < 0 ? "-" : ""
  return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
}

func trimmed(_ text: String) -> String {
  var end = text.endIndex
  while end > text.startIndex, text[text.index(before: end)] == " " { end = text.index(before: end) }
  return String(text[..<end])
}
