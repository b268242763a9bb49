// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring
import Status

/// `quartz-agent report`: a month of the running agent's checks.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show a month: uptime, outages, error budget, response times, maintenance.",
    discussion: """
      Months and days are those of UTC. Days are kept for 13 months.

      Exit code: 0 when the agent answered, 3 when none does, 64 for a month that is none.
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

  @Option(
    help: "table, html, csv or json. html is one file, which prints each group on a page. Default: table.")
  var format: Format = .table

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

  @OptionGroup var agent: AgentOptions

  func validate() throws {
    if let month, month != MonthReport.lastWord, CalendarMonth(text: month) == nil {
      throw ValidationError(
        "--month must be a year and a month, such as 2026-10, or last, found \(month.printable(maxBytes: 40))"
      )
    }
    if let objective, !MonthReport.objectives.contains(objective) {
      throw ValidationError(
        "--objective must be at least \(Int(MonthReport.objectives.lowerBound)) and below 100, such as 99.9")
    }
  }

  func run() async throws {
    var items = tags.flatMap(tagReadings).map { "tag=\(percentEncoded($0))" }
    if let month { items.append("month=\(month)") }
    if let objective { items.append("objective=\(objective)") }
    if format == .table { items.append("width=\(Terminal().width)") }
    let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
    printOutput(try await agent.client().ask("/api/v1/report\(format.ending)\(query)"))
  }
}
