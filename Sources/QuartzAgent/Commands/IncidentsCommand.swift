// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent incidents`: incidents, their alerts and their notifications.
struct IncidentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incidents",
    abstract: "Show the open incidents, or with --all also the latest that are resolved.",
    discussion: AgentExitCodes.asked)

  @Flag(help: "Show resolved incidents, too.")
  var all = false

  @Option(help: "table, or json. Default: table.")
  var format: TableFormat = .table

  @OptionGroup var agent: AgentOptions

  func run() async throws {
    let text = try await agent.client().ask("/api/v1/incidents?limit=1000")
    guard format == .table else {
      printOutput(text)
      return
    }
    let answer = try JSONValue.parse(text.utf8)
    let incidents = answer["data"]?.array ?? []
    let shown = incidents.filter { all || $0["status"]?.string != IncidentStatus.State.resolved.rawValue }
    printOutput(IncidentText(width: Terminal().width).render(shown) + omittedIncidents(answer))
  }
}

/// A line about the incidents that an answer leaves out; empty where it has all.
func omittedIncidents(_ answer: JSONValue) -> String {
  let rest = Int(clamping: answer["meta"]?["total"]?.integer ?? 0) - (answer["data"]?.array?.count ?? 0)
  return rest > 0 ? "and \(rest) older \(rest == 1 ? "incident" : "incidents")\n" : ""
}

/// `quartz-agent ack`: acknowledges an incident.
struct AckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack",
    abstract: "Acknowledge an incident: no reminders until it is resolved, gets worse or gets a new member.",
    discussion: AgentExitCodes.ordered)

  @Argument(help: ArgumentHelp("The id that `quartz-agent incidents` prints.", valueName: "incident"))
  var incident: String

  @OptionGroup var order: OrderOptions
  @OptionGroup var agent: AgentOptions

  func validate() throws { try requireName(incident, "an incident: quartz-agent incidents prints their ids") }

  func run() async throws {
    try await agent.client().order("incidents/\(percentEncoded(incident))/ack", order.items)
  }
}

/// Incidents as a table, and below each open one its checks.
struct IncidentText {
  let width: Int

  func render(_ incidents: [JSONValue]) -> String {
    guard !incidents.isEmpty else { return "no incident\n" }
    let table = TextTable(
      columns: [
        .fixed("ID", 6, worth: 5), .fixed("SEVERITY", 8, worth: 3), .fixed("STATUS", 12, worth: 2),
        .fixed("SINCE", 20, worth: 1), .fixed("FOR", 7, right: true, worth: 3),
        .flexible("WHAT", least: 16, most: 80),
      ],
      rows: incidents.map(row), width: width, color: false)
    var lines = table.lines
    for incident in incidents where incident["status"]?.string != IncidentStatus.State.resolved.rawValue {
      lines.append("")
      let count = incident["members"]?.integer ?? 0
      lines.append(
        "\(short(incident)): \(counted(count, "member"))\(acknowledged(incident))")
      for line in notified(incident) { lines += line.folded(width: width, hanging: 4, breaksWords: true) }
      let members = incident["checks"]?.array ?? []
      for member in members { lines += self.member(member, of: incident, isOne: isAlone(member, members)) }
      let rest = Int(clamping: incident["alerts"]?.integer ?? 0) - members.count
      if rest > 0 { lines.append("  and \(rest) more") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func short(_ incident: JSONValue) -> String { String(incident["id"]?.string?.suffix(6) ?? "") }

  private func acknowledged(_ incident: JSONValue) -> String {
    incident["acknowledged_by"]?.string.map { ", acknowledged by \($0.printable(maxBytes: 160))" } ?? ""
  }

  private func notified(_ incident: JSONValue) -> [String] {
    let channels = (incident["notifications"]?.array ?? []).compactMap(IncidentStatus.Notification.init)
    return channels.isEmpty ? ["  no channel is notified of it"] : channels.map { "  \($0.line)" }
  }

  private func row(_ incident: JSONValue) -> [TextTable.Cell] {
    let since = incident["triggered_at"]?.string ?? ""
    let seconds = incident["duration_s"]?.double ?? 0
    return [
      .init(short(incident)), .init(incident["severity"]?.string ?? ""),
      .init(incident["status"]?.string ?? ""),
      .init(since.prefix(19).replacing("T", with: " ") + "Z"),
      .init(StatusFormat.span(Int64(min(seconds, 1e9) * 1_000_000))),
      .init((incident["title"]?.string ?? "").printable(maxBytes: 200)),
    ]
  }

  /// Whether no other rule fires for the check.
  private func isAlone(_ member: JSONValue, _ members: [JSONValue]) -> Bool {
    guard let check = member["check_id"]?.string else { return true }
    return members.count { $0["check_id"]?.string == check } == 1
  }

  /// The member as the page has it, for its mark and the words of its outcome.
  private func status(of member: JSONValue, in incident: JSONValue) -> IncidentStatus.Member {
    var status = IncidentStatus.Member(
      checkID: nil, name: (member["name"]?.string ?? "").printable(maxBytes: 60), rule: "", severity: .low,
      reason: nil, text: nil, since: .epoch, until: member["until"] == nil ? nil : .epoch)
    status.state = member["state"]?.string.flatMap(CheckState.init)
    status.outcome = member["outcome"]?.string
    status.subject = incident["subject"]?.string.flatMap(AlertSubject.init)
    return status
  }

  private func member(_ member: JSONValue, of incident: JSONValue, isOne: Bool) -> [String] {
    let status = status(of: member, in: incident)
    let rule = isOne ? nil : member["rule"]?.string
    let words = [rule, member["reason"]?.string, member["text"]?.string].compactMap(\.self)
      .joined(separator: ": ")
    let at = member["until"]?.timestamp
    let end =
      status.until == nil
      ? ""
      : ", \(status.outcomeWords)\(at.map { " at \(IncidentStatus.Notification.moment($0))" } ?? "")"
    let line =
      "  \(status.mark.mark) \(status.name)  \(words.printable(maxBytes: 256))\(end.printable(maxBytes: 100))"
    return line.folded(width: width, hanging: 6, breaksWords: true)
  }
}

extension IncidentStatus.Notification {
  /// For a terminal.
  var line: String { "\(channel.printable(maxBytes: 80)): \(words(Self.moment))" }

  static func moment(_ instant: Timestamp) -> String {
    "\(StatusFormat.moment(instant))Z"
  }
}
