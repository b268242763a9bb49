// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent report`: a month or a week of the running agent's checks.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show a month or a week: uptime, outages, error budget, response times, maintenance.",
    discussion: """
      Days, weeks and months are those of UTC; a week begins on Monday. Days are kept for 13 months.

      With --send the report goes at once, as a test, to the channels of a report of alerts.reports. The notification log \
      is not changed: the report is still sent when it is due.

      Exit code: 0 when the agent answered and each channel accepted the report, 3 when no agent answers or a channel did \
      not, 64 for a period, tag or report that does not exist, 78 for a wrong configuration.
      """)

  /// Form of the answer.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, html, csv, json

    /// Ending of the document's name.
    var ending: String {
      switch self {
      case .table: ".txt"
      case .html: ".html"
      case .csv: ".csv"
      case .json: ""
      }
    }
  }

  @Option(help: "A year and a month, such as 2026-10, or last. Default: the running month, so far.")
  var month: String?

  @Option(help: "In place of a month: a year and a week of ISO 8601, such as 2026-W44, or last.")
  var week: String?

  @Option(
    help: "table, html, csv or json. html is one file, which prints each group on a page. Default: table.")
  var format: Format?

  @Option(
    help: ArgumentHelp(
      "Objective in percent of checks without an alerting rule of type burn_rate. Default: 99.9.",
      valueName: "percent"))
  var objective: Double?

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("Only checks with this tag. May be repeated.", valueName: "tag"),
    completion: NameCompletion.tags)
  var tags: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send the report of this name of alerts.reports to its channels now. Default of the period: the last one.",
      valueName: "name"))
  var send: String?

  @OptionGroup var agent: AgentOptions

  func validate() throws {
    try judge(month, "--month", .month, "a year and a month, such as 2026-10")
    try judge(week, "--week", .week, "a year and a week, such as 2026-W44")
    if month != nil, week != nil { throw ValidationError("--month and --week exclude each other") }
    if let objective, !MonthReport.objectives.contains(objective) {
      throw ValidationError(
        "--objective must be at least \(Int(MonthReport.objectives.lowerBound)) and below 100, such as 99.9")
    }
    if send != nil, format != nil || objective != nil || !tags.isEmpty {
      throw ValidationError("--send takes format, objective and checks from the configuration")
    }
  }

  private func judge(_ text: String?, _ option: String, _ unit: CalendarPeriod.Unit, _ words: String) throws {
    guard let text, text != MonthReport.lastWord, unit.period(text: text) == nil else { return }
    throw ValidationError("\(option) must be \(words), or last, found \(text.printable(maxBytes: 40))")
  }

  func run() async throws {
    if let send { return try await deliver(send) }
    let format = format ?? .table
    var items = tags.flatMap(tagReadings).map { "tag=\(percentEncoded($0))" }
    if let month { items.append("month=\(month)") }
    if let week { items.append("week=\(week)") }
    if let objective { items.append("objective=\(objective)") }
    if format == .table { items.append("width=\(Terminal().width)") }
    let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
    let client = try agent.client()
    try await client.requireTags(tags)
    printOutput(try await client.ask("/api/v1/report\(format.ending)\(query)"))
  }
}
