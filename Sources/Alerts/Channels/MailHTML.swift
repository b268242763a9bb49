// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The HTML of a mail: tables and colours on the elements, for mail programs know no more. The last hours are a row of
/// cells, each with its words, so that nothing needs to be fetched.
struct MailHTML {
  private let message: AlertMessage
  private let text: MessageText

  init(_ message: AlertMessage, _ text: MessageText) { (self.message, self.text) = (message, text) }

  func render() -> String {
    let body = text.lines.filter { $0 != message.link }
      .map { "<p style=\"margin:4px 0\">\(escaped($0))</p>" }.joined(separator: "\n")
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>\(escaped(text.title))</title></head>
      <body style="margin:0;padding:16px;font-family:Helvetica,Arial,sans-serif;font-size:15px;line-height:1.4">
      <table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="max-width:640px">
      <tr><td style="border-left:6px solid \(color);padding:4px 12px"><h1 style="font-size:20px;margin:0">\(escaped(text.title))</h1></td></tr>
      <tr><td style="padding:12px 0">
      \(body)
      \(button)
      </td></tr>
      \(message.members.prefix(5).map(history).joined(separator: "\n"))
      </table>
      </body></html>
      """
  }

  private var button: String {
    guard let link = message.link else { return "" }
    return
      "<p style=\"margin:12px 0\"><a href=\"\(escaped(link))\" style=\"background:#1d4ed8;color:#ffffff;padding:8px 14px;border-radius:4px;text-decoration:none\">\(message.linkLabel)</a></p>"
  }

  private var color: String {
    if message.kind == .recovered { return "#16a34a" }
    return message.severity >= .high ? "#dc2626" : message.severity == .medium ? "#ea580c" : "#2563eb"
  }

  /// The last results of one member, oldest first.
  private func history(_ member: AlertMessage.Member) -> String {
    guard !member.recent.isEmpty else { return "" }
    let cells = member.recent.map { run in
      let words = "\(run.at.rfc3339.dropFirst(11).prefix(5)) \(run.state.rawValue)"
      let time = run.responseTime.map { ", \(StatusFormat.latency($0))" } ?? ""
      return
        "<td title=\"\(escaped(words + time))\" width=\"8\" height=\"20\" bgcolor=\"\(Self.color(run.state))\" style=\"font-size:1px\">&nbsp;</td>"
    }
    let bad = member.recent.count { $0.state == .down }
    let count = member.recent.count
    let results = count == 1 ? "the last result" : "the last \(count) results"
    let down = count == 1 ? member.recent[0].state.rawValue : "\(bad) down"
    let from = member.recent[0].at.rfc3339.prefix(16).replacing("T", with: " ")
    let label = "\(member.name): \(results), \(down), \(count == 1 ? "at" : "from") \(from) UTC"
    return """
      <tr><td style="padding:8px 0"><p style="margin:0 0 4px;font-size:13px">\(escaped(label))</p>
      <table role="img" aria-label="\(escaped(label))" cellpadding="0" cellspacing="1"><tr>\(cells.joined())</tr></table></td></tr>
      """
  }

  private static func color(_ state: CheckState) -> String {
    switch state {
    case .up: "#22c55e"
    case .degraded: "#f59e0b"
    case .down: "#ef4444"
    case .unknown: "#9ca3af"
    }
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
