// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A notification in words, for receivers that show no more than text: a title of one line, and lines below it.
struct MessageText {
  let message: AlertMessage
  let template: AlertTemplate

  /// - Parameter template: for a message of one incident, or a test of the channel; the fields of a check say nothing of a storm, a
  ///   digest or a report, which keep the built-in words.
  init(_ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()) {
    self.message = message
    self.template = message.isOfIncident || message.kind == .test ? template : AlertTemplate()
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
    case .opened, .acknowledged: "[\(message.severity.rawValue)] "
    case .update:
      message.trigger == .reminder
        ? "[\(message.severity.rawValue)] Still: " : "[\(message.severity.rawValue)] "
    case .recovered: "[resolved] "
    case .digest: "[digest] "
    case .report: message.isSample ? "[test report] " : "[report] "
    case .test: "[test] "
    }
  }

  /// One line each; the built-in ones where a template comes to nothing.
  var lines: [String] {
    let (body, footer) = parts
    return body + footer
  }

  /// As many lines of the body as fit, and all of the footer: it says how to acknowledge and where there is more.
  ///
  /// - Parameters:
  ///   - title: the title as it is shown; one that was cut is the first line in full.
  ///   - fits: whether these lines have room.
  func lines(below title: String, fits: ([String]) -> Bool) -> [String] {
    let footer = parts.footer
    var body = parts.body
    if title != self.title { body.insert(self.title, at: 0) }
    if fits(body + footer) { return body + footer }
    func cut(_ count: Int) -> [String] { Array(body.prefix(count)) + ["…"] + footer }
    // By halving: there are many, and what fits is asked of the whole.
    var (known, beyond) = (0, body.count)
    while known + 1 < beyond {
      let middle = (known + beyond) / 2  // bounded: lines of a message
      if fits(cut(middle)) { known = middle } else { beyond = middle }
    }
    return fits(cut(known)) ? cut(known) : ["…"]
  }

  /// The same within so many bytes, as one text.
  func joined(below title: String, maxBytes: Int, as plain: (String) -> String = { $0 }) -> String {
    func text(_ lines: [String]) -> String { lines.map(plain).joined(separator: "\n") }
    return text(lines(below: title) { text($0).utf8.count <= maxBytes })
  }

  private var parts: (body: [String], footer: [String]) {
    if let text = template.text {
      let filled = fill(text).split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0).printable(maxBytes: 1000) }
      if filled.contains(where: { $0.contains { !$0.isWhitespace } }) { return (filled, []) }
    }
    var lines: [String] = []
    switch message.kind {
    case .test: lines.append("Sent by quartz-agent \(message.agent) to test this channel.")
    case .digest: lines += message.digest.map(line)
    case .report: lines += message.report?.lines ?? []
    case .opened, .update, .recovered, .acknowledged:
      lines += facts + countLines + message.members.flatMap(memberLines)
    }
    let rest =
      message.kind == .digest
      ? message.memberCount - message.digest.count : message.alertCount - message.members.count
    if rest > 0 { lines.append("and \(rest) more") }
    return (lines, footer)
  }

  private var footer: [String] {
    let region = message.region.map { " (\($0))" } ?? ""
    // A storm has no page, and no id that `ack` knows: its incidents have.
    guard message.isOfIncident else {
      return ["agent \(message.agent)\(region)"] + [message.link].compactMap(\.self)
    }
    let short = message.incident.description.suffix(6)
    var lines = ["agent \(message.agent)\(region), incident \(message.incident)"]
    if !isOver, message.acknowledgedBy == nil {
      lines.append("acknowledge: quartz-agent ack \(short)")
    }
    if let link = message.link { lines.append(link) }
    return lines
  }

  private var isOver: Bool { message.kind == .recovered }

  private var facts: [String] {
    let times =
      message.end.map { Self.span(message.begin, $0, isDated: true) } ?? "since \(stamp(message.begin))"
    var facts = ["severity \(message.severity.rawValue), \(times), \(duration)"]
    if let cause = message.cause { facts.append("all of it depends on \(cause)") }
    if let by = message.acknowledgedBy { facts.append("acknowledged by \(by)") }
    return facts
  }

  /// One check of a tag or a network is no pattern.
  private var countLines: [String] {
    ["tag", "network", "reason"].compactMap { of in
      let counts = message.counts.filter { $0.of == of && $0.checks > 1 }
      guard !counts.isEmpty else { return nil }
      return "by \(of): " + counts.map { "\($0.name) (\($0.checks))" }.joined(separator: ", ")
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
    // Several rules may fire for one check: without their names the lines read the same.
    let isOne = message.members.count { $0.checkID != nil && $0.checkID == member.checkID } < 2
    let why = [isOne ? nil : "rule \(member.rule)", member.reason?.rawValue, member.text].compactMap(\.self)
      .joined(separator: ": ")
    let target = member.target.map { " (\($0))" } ?? ""
    let new = member.isWorse ? " (worse)" : member.isNew ? " (new)" : ""
    let times =
      member.until.map { "\(Self.span(member.since, $0, isDated: true))\(member.outcomeWords)" }
      ?? "since \(stamp(member.since))"
    return
      "\(member.mark.mark) \(member.name)\(new)\(target) \(times)\(why.isEmpty ? "" : " – \(why)")"
  }

  private func line(_ line: AlertMessage.Line) -> String {
    guard !line.saysWhen else { return "\(line.severity.rawValue): \(line.title)" }
    let end = line.end ?? message.at
    let length = StatusFormat.span(line.begin.duration(to: end).microseconds)
    let times =
      line.end == nil
      ? "since \(stamp(line.begin)), ongoing for \(length)" : "\(stamp(line.begin)), for \(length)"
    return "\(line.severity.rawValue): \(line.title), \(times)"
  }

  private var duration: String {
    let end = message.end ?? message.at
    let length = StatusFormat.span(message.begin.duration(to: end).microseconds)
    return message.end == nil ? "for \(length) so far" : "for \(length)"
  }

  private func stamp(_ instant: Timestamp) -> String { "\(Self.minute(instant)) UTC" }

  /// Such as `2026-01-05 16:02`.
  static func minute(_ instant: Timestamp) -> String { StatusFormat.minute(instant) }

  /// Such as `from 16:02 to 16:07 UTC`; with the dates where they are two, and with seconds where the minute is one.
  static func span(_ begin: Timestamp, _ end: Timestamp, isDated: Bool) -> String {
    let text = minute(begin) == minute(end) ? StatusFormat.moment : StatusFormat.minute
    let (from, to) = (text(begin), text(end))
    let isOneDay = from.prefix(10) == to.prefix(10)
    func clock(_ text: String) -> String { String(text.dropFirst(11)) }
    return "from \(isDated || !isOneDay ? from : clock(from)) to \(isOneDay ? clock(to) : to) UTC"
  }
}

extension AlertMessage.Member {
  /// Its mark: as its rule has it, so that a certificate that ends soon is degraded and not down.
  var mark: CheckState {
    guard until == nil else {
      guard outcome == .recovered || outcome == nil else { return .unknown }
      // A rule about degraded or unknown ends as well when the check goes down.
      return recent.last?.state == .down ? .down : .up
    }
    return state ?? .degraded
  }

  var outcomeWords: String {
    switch outcome {
    case nil, .recovered: ""
    case .maintenance: ", maintenance began"
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
    case .incident: message.isStorm ? "" : message.incident.description
    case .count: String(message.memberCount)
    case .cause: message.cause ?? ""
    case .page: message.link ?? ""
    }
  }
}
