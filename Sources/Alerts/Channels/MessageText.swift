// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A message in words, for whoever shows no more than text: a title of one line, and lines below it.
struct MessageText {
  let message: AlertMessage
  let template: AlertTemplate

  init(_ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()) {
    (self.message, self.template) = (message, template)
  }

  /// Longest title, bytes.
  static let maxTitle = 250

  var title: String {
    let text = template.title.map(fill) ?? "\(prefix)\(message.title)"
    return text.printable(maxBytes: Self.maxTitle)
  }

  private var prefix: String {
    switch message.kind {
    case .opened, .digest, .test: ""
    case .update: "Still: "
    case .recovered: "Over: "
    }
  }

  /// One line each.
  var lines: [String] {
    if let text = template.text {
      return fill(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0).printable(maxBytes: 1000) }
    }
    var lines: [String] = []
    switch message.kind {
    case .test: lines.append("Sent by quartz-agent \(message.agent) to see whether this channel works.")
    case .digest: lines += message.digest.map(line)
    case .opened, .update, .recovered: lines += facts + message.members.flatMap(memberLines)
    }
    let rest =
      message.kind == .digest
      ? message.memberCount - message.digest.count : message.memberCount - message.members.count
    if rest > 0 { lines.append("and \(rest) more") }
    lines.append(
      "agent \(message.agent)\(message.region.map { " (\($0))" } ?? ""), incident \(message.incident)")
    if let page = message.pageURL { lines.append(page) }
    return lines
  }

  private var facts: [String] {
    var facts = ["severity \(message.severity.rawValue), since \(stamp(message.begin)), \(duration)"]
    if let cause = message.cause { facts.append("all of it depends on \(cause)") }
    if let by = message.acknowledgedBy { facts.append("acknowledged by \(by)") }
    return facts
  }

  private func memberLines(_ member: AlertMessage.Member) -> [String] {
    [line(member)] + (member.path.map { ["path: \($0)"] } ?? [])
  }

  private func line(_ member: AlertMessage.Member) -> String {
    let mark = member.until == nil ? CheckState.down.mark : CheckState.up.mark
    let why = [member.reason?.rawValue, member.text].compactMap(\.self).joined(separator: ": ")
    let target = member.target.map { " (\($0))" } ?? ""
    let end = member.until.map { " until \(stamp($0))" } ?? ""
    return
      "\(mark) \(member.name)\(target) since \(stamp(member.since))\(end)\(why.isEmpty ? "" : " – \(why)")"
  }

  private func line(_ line: AlertMessage.Line) -> String {
    let end = line.end ?? message.at
    let length = StatusFormat.span(line.begin.duration(to: end).microseconds)
    return
      "\(line.severity.rawValue): \(line.title), \(stamp(line.begin)), \(line.end == nil ? "lasts for \(length)" : "for \(length)")"
  }

  private var duration: String {
    let end = message.end ?? message.at
    let length = StatusFormat.span(message.begin.duration(to: end).microseconds)
    return message.end == nil ? "for \(length) so far" : "for \(length)"
  }

  private func stamp(_ instant: Timestamp) -> String {
    "\(instant.rfc3339.prefix(16).replacing("T", with: " ")) UTC"
  }

  private func fill(_ parts: [AlertTemplate.Part]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let field): value(of: field)
      }
    }.joined()
  }

  private func value(of field: AlertTemplate.Field) -> String {
    let worst = message.members.first
    return switch field {
    case .title: message.title
    case .severity: message.severity.rawValue
    case .kind: message.kind.rawValue
    case .check: worst?.name ?? ""
    case .target: worst?.target ?? ""
    case .state: message.kind == .recovered ? CheckState.up.rawValue : worst?.state?.rawValue ?? ""
    case .reason: worst?.reason?.rawValue ?? ""
    case .message: worst?.text ?? ""
    case .rule: worst?.rule ?? ""
    case .since: stamp(message.begin)
    case .duration:
      StatusFormat.span(message.begin.duration(to: message.end ?? message.at).microseconds)
    case .agent: message.agent
    case .region: message.region ?? ""
    case .incident: message.incident.description
    case .count: String(message.memberCount)
    case .cause: message.cause ?? ""
    case .page: message.pageURL ?? ""
    }
  }
}
