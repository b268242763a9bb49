// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension OpenAPI {
  private static let reportSelection: [Operation.Parameter] = [
    .init(
      name: "month", schema: .pattern("^(last|(19[7-9]|[2-9][0-9]{2})[0-9]-(0[1-9]|1[0-2]))?$"),
      summary: "A year and a month, such as 2026-10, or last; the running one when not given"),
    .init(
      name: "week", schema: .pattern("^(last|(19[7-9]|[2-9][0-9]{2})[0-9]-W(0[1-9]|[1-4][0-9]|5[0-3]))?$"),
      summary: "In place of month: a year and a week of ISO 8601, such as 2026-W44, or last"),
    .init(
      name: "objective", schema: .numberIn(MonthReport.objectives),
      summary: "Percent, for checks without a rule of type burn_rate; \(MonthReport.objective) when not given"
    ),
    .init(
      name: "tag", schema: .list(.text),
      summary: "Only checks with one of these tags; may be given more than once"),
    .init(
      name: "check", schema: .list(.text),
      summary: "Only these checks, by name or id, besides those with a tag; may be given more than once"),
  ]

  static let ofReports = [
    Operation(
      path: "/api/v1/report", id: "report", summary: "A month or a week of all checks, in UTC",
      parameters: reportSelection,
      answer: .data(.ref("Report")), failures: badRequest),
    Operation(
      path: "/api/v1/report.csv", id: "reportCSV", summary: "The same as a table, a row for each check",
      parameters: reportSelection, answer: .text("text/csv"), failures: badRequest),
    Operation(
      path: "/api/v1/report.html", id: "reportHTML",
      summary: "The same as one document for a browser or paper",
      parameters: reportSelection, answer: .text("text/html"), failures: badRequest),
    Operation(
      path: "/api/v1/report.txt", id: "reportText", summary: "The output of quartz-agent report",
      parameters: reportSelection + [
        .init(
          name: "width", schema: .integer(StatusText.narrowest...1000), summary: "Columns; 100 when not given"
        )
      ], answer: .text("text/plain"), failures: badRequest),
  ]

  private static let reportedCount = Schema.integer(0...Int.max)

  private static let reportedTimes = Schema.orNull(
    .object([
      .field("count", reportedCount), .field("mean_ms", .number),
      .field("p95_ms", .number, "95th percentile of the day in the middle"),
      .field("highest_p95_ms", .number, "Of the slowest day"),
    ]))

  static let report = Schema.object([
    .may("month", .text, "Of a month"), .may("week", .text, "Of a week"), .field("summary", .text),
    .field("headlines", .list(.text), "The checks that missed their objective, the worst first, and remarks"),
    .field("from", .time), .field("until", .time, "Its end, or now"),
    .field("complete", .flag, "The period is over"), .field("agent", .any),
    .field("average_uptime", .orNull(.number), "Percent, over the checks that have data"),
    .may("history_begins", .time, "First day of which anything is known"),
    .field("remarks", .list(.text)), .field("checks", .list(reportedCheck)),
    .field("incidents", .list(reportedIncident)),
  ])

  private static let reportedCheck = Schema.object([
    .field("id", .id), .field("name", .text), .field("type", .word(CheckType.allCases.map(\.rawValue))),
    .field("tags", .list(.text)), .field("uptime", .orNull(.number), "Percent; null without data"),
    .field("coverage", .orNull(.number), "Percent of the time in which it was enabled"),
    .field("data", .number, "Percent of the period so far"), .field("span_s", .number),
    .field("enabled_s", .number),
    .field("seconds", .object(Standing.allCases.map { .field("\($0)", .number) })),
    .field("counts", .object(Standing.allCases.map { .field("\($0)", reportedCount) })),
    .field("outages", reportedCount), .field("outages_complete", .flag, "False: there may have been more"),
    .field("longest_outage_s", .number, "Within the period"), .field("maintenance_days", reportedCount),
    .field("response_time", reportedTimes), .field("objective", .number, "Percent"),
    .field(
      "budget",
      .orNull(
        .object([
          .field("allowed_s", .number), .field("used_s", .number),
          .field("used", .orNull(.number), "Percent"),
          .field("kept", .flag),
        ]))),
    .may("months", reportedPeriods("month"), "\(MonthReport.trend), oldest first"),
    .may("weeks", reportedPeriods("week"), "\(MonthReport.trend), oldest first"),
    .field(
      "days", .list(.any),
      "As the points of a series; empty in a report of more than \(MonthReport.daysOf) checks"),
    .field("outage_list", .list(.ref("Outage")), "Those of the period that are kept, oldest first"),
  ])

  static let scheduledReport = Schema.object([
    .field("name", .text), .may("next_at", .time), .may("next_period", .text, "Such as 2026-10 or 2026-W44"),
    .field(
      "channels",
      .list(
        .object([
          .field("channel", .text),
          .may("state", .word(IncidentStatus.Notification.State.allCases.map(\.rawValue))),
          .may("period", .text, "The last one that was delivered"), .may("delivered_at", .time),
          .may("reason", .text), .may("until", .time),
        ]))),
  ])

  private static func reportedPeriods(_ unit: String) -> Schema {
    .list(
      .object([
        .field(unit, .text), .field("uptime", .orNull(.number)), .field("data", .number),
        .field("response_time", reportedTimes),
      ]))
  }

  private static let reportedIncident = Schema.object([
    .field("id", .id), .field("title", .text),
    .field("severity", .word(AlertSeverity.allCases.map(\.rawValue))), .field("triggered_at", .time),
    .field("resolved_at", .orNull(.time)), .may("acknowledged_by", .text), .may("note", .text),
  ])
}
