// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A notification in words, for receivers that show no more than text: a title of one line, and lines below it.
struct MessageText {
  let message: AlertMessage
  let template: AlertTemplate

  init(_ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()) {
    (self.message, self.template) = (message, template)
  }

  /// Longest title, bytes.
  static let maxTitle = 250

  /// The built-in one where a template comes to nothing.
  var title: String {
    let text = template.title.map(fill)?.printable(maxBytes: Self.maxTitle) ?? ""
    if text.contains(where: { !$0.isWhitespace }) { return text }
    return "\(prefix)\(message.title)".printable(maxBytes: Self.maxTitle)
  }

  private var prefix: String {
    switch message.kind {
    case .opened: "[\(message.severity.rawValue)] "
    case .update:
      message.trigger == .reminder
        ? "[\(message.severity.rawValue)] Still: " : "[\(message.severity.rawValue)] "
    case .recovered: "[resolved] "
    case .acknowledged: "[acknowledged] "
    case .digest: "[digest] "
    case .test: "[test] "
    }
  }

  /// One line each; the built-in ones where a template comes to nothing.
  var lines: [String] {
    if let text = template.text {
      let filled = fill(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0).printable(maxBytes: 1000) }
      if filled.contains(where: { $0.contains { !$0.isWhitespace } }) { return filled }
    }
    var lines: [String] = []
    switch message.kind {
    case .test: lines.append("Sent by quartz-agent \(message.agent) to test this channel.")
    case .digest: lines += message.digest.map(line)
    case .opened, .update, .recovered, .acknowledged:
      lines += facts + countLines + message.members.flatMap(memberLines)
    }
    let rest =
      message.kind == .digest
      ? message.memberCount - message.digest.count : message.alertCount - message.members.count
    if rest > 0 { lines.append("and \(rest) more") }
    return lines + footer
  }

  private var footer: [String] {
    let region = message.region.map { " (\($0))" } ?? ""
    guard message.kind != .digest, message.kind != .test else {
      return ["agent \(message.agent)\(region)"] + [message.link].compactMap(\.self)
    }
    let short = message.incident.description.suffix(6)
    var lines = ["agent \(message.agent)\(region), incident \(message.incident)"]
    if !isOver, message.acknowledgedBy == nil, !message.isStorm {
      lines.append("acknowledge: quartz-agent ack \(short)")
    }
    if let link = message.link { lines.append(link) }
    return lines
  }

  private var isOver: Bool { message.kind == .recovered }

  private var facts: [String] {
    var facts = ["severity \(message.severity.rawValue), since \(stamp(message.begin)), \(duration)"]
    if let cause = message.cause { facts.append("all of it depends on \(cause)") }
    if let by = message.acknowledgedBy { facts.append("acknowledged by \(by)") }
    return facts
  }

  private var countLines: [String] {
    ["tag", "network", "reason"].compactMap { of in
      let counts = message.counts.filter { $0.of == of }
      guard !counts.isEmpty else { return nil }
      return "by \(of): " + counts.map { "\($0.name) \($0.checks)" }.joined(separator: ", ")
    }
  }

  private func memberLines(_ member: AlertMessage.Member) -> [String] {
    var lines = [line(member)]
    if let path = member.path { lines.append("path: \(path)") }
    guard member.until == nil else { return lines }
    if let good = member.lastGood { lines.append("last well: \(stamp(good))") }
    if !member.tags.isEmpty { lines.append("tags: \(member.tags.prefix(8).joined(separator: ", "))") }
    if let runbook = member.runbook { lines.append("runbook: \(runbook)") }
    return lines
  }

  private func line(_ member: AlertMessage.Member) -> String {
    let why = [member.reason?.rawValue, member.text].compactMap(\.self).joined(separator: ": ")
    let target = member.target.map { " (\($0))" } ?? ""
    let new = member.isNew ? " (new)" : ""
    let end = member.until.map { " until \(stamp($0))\(member.outcomeWords)" } ?? ""
    return
      "\(member.mark.mark) \(member.name)\(new)\(target) since \(stamp(member.since))\(end)\(why.isEmpty ? "" : " – \(why)")"
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
}

extension AlertMessage.Member {
  /// Its mark: as its rule has it, so that a certificate that ends soon is degraded and not down.
  var mark: CheckState {
    guard until == nil else { return outcome == .recovered || outcome == nil ? .up : .unknown }
    return state ?? .degraded
  }

  var outcomeWords: String {
    switch outcome {
    case nil, .recovered: ""
    case .maintenance: ", in maintenance now"
    case .removed: ", removed from the configuration"
    case .disabled: ", disabled"
    case .renamed: ", renamed"
    case .moved: ", in another incident of the group"
    case .ruleChanged: ", its rule was changed"
    }
  }
}

// Templates.
extension MessageText {
  /// Templates that come to nothing.
  var emptyKeys: [String] {
    [("title", template.title), ("text", template.text)].compactMap { key, parts in
      guard let parts, !fill(parts).contains(where: { !$0.isWhitespace }) else { return nil }
      return key
    }
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
    case .state: message.kind == .recovered ? worst?.mark.rawValue ?? "" : worst?.state?.rawValue ?? ""
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
    case .page: message.link ?? ""
    }
  }
}
