// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent alert explain`: what each channel has, what it would be sent, and what holds it.
struct AlertExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show for each open incident what each channel was sent, what is pending, and what holds it.",
    discussion: AgentExitCodes.asked)

  @Argument(
    help: ArgumentHelp("Name or id of a check: only its incidents.", valueName: "check"),
    completion: NameCompletion.checks)
  var check: String?

  @OptionGroup var agent: AgentOptions

  func validate() throws { try check.map { try requireName($0, "a check, or leave it out for all") } }

  func run() async throws {
    let query = check.map { "&check=\(percentEncoded($0))" } ?? ""
    let text = try await agent.client().ask("/api/v1/incidents?limit=1000\(query)")
    let answer = try JSONValue.parse(text.utf8)
    let open = (answer["data"]?.array ?? []).filter { incident in
      incident["status"]?.string != IncidentStatus.State.resolved.rawValue || isUnsettled(incident)
    }
    printOutput(AlertExplanation(check: check).render(open) + omittedIncidents(answer))
  }

  private func isUnsettled(_ incident: JSONValue) -> Bool {
    (incident["notifications"]?.array ?? []).contains { $0["state"]?.string != "delivered" }
  }
}

/// Pure.
struct AlertExplanation {
  let check: String?

  func render(_ incidents: [JSONValue]) -> String {
    guard !incidents.isEmpty else {
      return check.map { "no alert fires for \(quoted($0)), and nothing is pending\n" }
        ?? "no incident is open, and nothing is pending\n"
    }
    return incidents.map(explain).joined(separator: "\n")
  }

  private func explain(_ incident: JSONValue) -> String {
    let id = String(incident["id"]?.string?.suffix(6) ?? "")
    let title = (incident["title"]?.string ?? "").printable(maxBytes: 300)
    var lines = ["\(id) \(incident["status"]?.string ?? "") \(incident["severity"]?.string ?? ""): \(title)"]
    let channels = (incident["notifications"]?.array ?? []).compactMap(IncidentStatus.Notification.init)
    if channels.isEmpty { lines.append("  no channel is notified of it") }
    lines += channels.map { "  \($0.line)\(next($0))" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The stage that holds what is next; of a channel that knows the incident as it is, the reminder or what holds that.
  private func next(_ item: IncidentStatus.Notification) -> String {
    guard let stage = item.stage?.printable(maxBytes: 40) else { return "" }
    guard item.state == .delivered, let reason = item.reason?.printable(maxBytes: 300) else {
      return " [\(stage)]"
    }
    let end = item.until.map(IncidentStatus.Notification.moment)
    // The wait for a reminder is named by what it is for.
    if stage == "wait" { return end.map { "; \(reason) at \($0) [wait]" } ?? " [wait]" }
    return "; no reminder\(end.map { " until \($0)" } ?? ""): \(reason) [\(stage)]"
  }
}
