// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Results as a table for people: one line each, mark and word, figures to the right.
struct ResultTable {
  var width: Int
  var color: Bool

  func render(_ results: [CheckResult]) -> String {
    let rows = results.map(Row.init)
    let nameWidth = column(rows.map(\.name), title: "CHECK", limit: 32)
    let targetWidth = column(rows.map(\.target), title: "TARGET", limit: 44)
    var text = line("STATE", nil, ["CHECK", "TYPE", "LATENCY", "TARGET", "DETAIL"], nameWidth, targetWidth)
    for row in rows {
      text += line(
        row.state, row.color, [row.name, row.type, row.latency, row.target, row.detail], nameWidth,
        targetWidth)
    }
    return text
  }

  private func column(_ values: [String], title: String, limit: Int) -> Int {
    min(limit, max(title.count, values.map(\.count).max() ?? 0))
  }

  private func line(
    _ state: String, _ paint: String?, _ cells: [String], _ nameWidth: Int, _ targetWidth: Int
  ) -> String {
    let head = pad(state, 10)
    let fixed =
      "  " + pad(cells[0], nameWidth) + "  " + pad(cells[1], 4) + "  " + padLeft(cells[2], 10) + "  "
      + pad(cells[3], targetWidth) + "  "
    // A line that does not fit wraps in the terminal rather than losing its end: the detail is why one looks.
    let text = fixed + cells[4]
    guard color, let paint else { return trimmed(head + text) + "\n" }
    return "\u{1b}[\(paint)m" + head + "\u{1b}[0m" + trimmed(text) + "\n"
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

  init(_ result: CheckResult) {
    state = result.state.mark + " " + result.state.rawValue.uppercased()
    color = result.state.ansi
    name = result.check.printable(maxBytes: 200)
    type = result.type.rawValue
    latency = result.responseTime.map { decimal($0.milliseconds) + " ms" } ?? "-"
    target = result.target.printable(maxBytes: 300)
    detail = Self.detail(result)
  }

  private static func detail(_ result: CheckResult) -> String {
    if result.reason != .ok {
      return [result.reason.rawValue, result.message].compactMap(\.self).joined(separator: ": ")
    }
    var facts: [String] = []
    if let code = result.statusCode { facts.append("\(code)") }
    if let dns = result.dns {
      facts.append(dns.rcode + " " + dns.answers.map(\.data).joined(separator: ", "))
    }
    if let ping = result.ping { facts.append("\(ping.received)/\(ping.sent) replies") }
    if let days = result.tls?.daysRemaining { facts.append("certificate \(days) d") }
    if let address = result.address { facts.append(address) }
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
  if text.count > width { return String(text.prefix(max(width - 1, 0))) + "…" }
  return text + String(repeating: " ", count: width - text.count)
}

func padLeft(_ text: String, _ width: Int) -> String {
  text.count >= width ? text : String(repeating: " ", count: width - text.count) + text
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
