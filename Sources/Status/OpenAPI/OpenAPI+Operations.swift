// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension OpenAPI {
  static let limit = Operation.Parameter(
    name: "limit", schema: .integer(1...1000), summary: "Entries at most; 100 when not given")
  private static let shortLimit = Operation.Parameter(
    name: "limit", schema: .integer(1...100), summary: "Entries at most; 100 when not given")
  static let offset = Operation.Parameter(
    name: "offset", schema: .integer(0...1_000_000), summary: "Entries to leave out")
  private static let id = Operation.Parameter(name: "id", schema: .id, summary: "Of a check", isInPath: true)
  /// As the address has it.
  static let flag = Schema.word(["true", "false", "1", "0", ""])
  private static let notFound = [(status: 404, summary: "No check has this id")]
  static let badRequest = [(status: 400, summary: "A parameter that makes no sense")]

  /// Which checks a list shows, and in which order.
  private static let selection: [Operation.Parameter] = [
    .init(
      name: "state", schema: .list(.word(ListFilter.State.allCases.map(\.rawValue) + [""])),
      summary: "Only those that are so, all but `off` enabled ones; may be given more than once; empty: all"),
    .init(
      name: "tag", schema: .list(.text),
      summary: "Only checks with one of these tags; may be given more than once"),
    .init(name: "q", schema: .text, summary: "Only those whose name, target or tags contain it"),
    .init(
      name: "sort", schema: .word(ListOrder.allCases.map(\.rawValue) + [""]),
      summary: "By name, or by anything else the worst first; as configured when empty or not given"),
  ]

  static func period(_ summary: String) -> Operation.Parameter {
    Operation.Parameter(
      name: "period", schema: .word(UptimePeriod.allCases.map(\.rawValue)), summary: summary)
  }

  /// Every request that the API answers.
  static let operations: [Operation] = reading + ofChecks + ofAlerts + ofPosts + ofReports + ofStore

  private static let reading = [
    Operation(
      path: "/api/v1/openapi.json", id: "openapi", summary: "This document", answer: .json),
    Operation(
      path: "/api/v1/summary", id: "summary",
      summary: "The agent, its checks by state, its parts, its problems",
      parameters: [.init(name: "full", schema: flag, summary: "With every check as list")],
      answer: .data(.ref("Summary")), failures: badRequest),
    Operation(
      path: "/api/v1/dashboard", id: "dashboard",
      summary: "The numbers of a dashboard, as the Quartz apps have them",
      answer: .data(.ref("Dashboard"))),
    Operation(
      path: "/api/v1/status.txt", id: "statusText", summary: "The output of quartz-agent status",
      parameters: [
        .init(
          name: "width", schema: .integer(StatusText.narrowest...1000), summary: "Columns; 100 when not given"
        ),
        .init(name: "color", schema: flag, summary: "With colours of a terminal"),
      ] + selection, answer: .text("text/plain"), failures: badRequest),
    Operation(
      path: "/api/v1/groups", id: "groups", summary: "Enabled checks by tag", parameters: [limit, offset],
      answer: .page(.list(.ref("Group"))), failures: badRequest),
    Operation(
      path: "/api/v1/group", id: "group", summary: "The group whose checks this agent shares, by its members",
      parameters: [.init(name: "checks", schema: flag, summary: "Also the owner of each check")],
      answer: .data(.any), failures: badRequest + [(404, "The agent is in no group")]),
  ]

  private static let ofChecks = [
    Operation(
      path: "/api/v1/checks", id: "checks", summary: "All checks",
      parameters: selection + [limit, offset], answer: .page(.list(.ref("Check"))), failures: badRequest),
    Operation(
      path: "/api/v1/checks/{id}", id: "check", summary: "One check", parameters: [id],
      answer: .data(.ref("Check")), failures: notFound),
    Operation(
      path: "/api/v1/checks/{id}/results", id: "results", summary: "Its latest results, newest first",
      parameters: [id, shortLimit, offset], answer: .page(.list(.ref("Result"))),
      failures: badRequest + notFound),
    Operation(
      path: "/api/v1/checks/{id}/uptime", id: "uptime", summary: "Its windows, or one of them",
      parameters: [id, period("Only this one")], answer: .data(.ref("Windows")),
      failures: badRequest + notFound),
    Operation(
      path: "/api/v1/checks/{id}/outages", id: "outages", summary: "Its outages of 90 days, newest first",
      parameters: [id, shortLimit, offset], answer: .page(.list(.ref("Outage"))),
      failures: badRequest + notFound),
    Operation(
      path: "/api/v1/checks/{id}/series", id: "series", summary: "One of its windows as a line",
      parameters: [
        id, period("24h when not given"),
        .init(
          name: "points", schema: .integer(2...SeriesPoint.limit),
          summary: "Points at most; \(SeriesPoint.limit) when not given"),
      ], answer: .data(.ref("Series")), failures: badRequest + notFound),
    Operation(
      path: "/api/v1/checks/{id}/trace", id: "trace", summary: "The route to its target, hop by hop",
      parameters: [id], answer: .data(.ref("Path")), failures: badRequest + notFound),
    Operation(
      path: "/api/v1/checks/{id}/share", id: "share",
      summary:
        "This agent's windows of the check, for another member of its group; group.token may read it",
      parameters: [
        id,
        .init(
          name: "at", schema: .integer(0...1 << 55),
          summary: "The instant they end at, microseconds since 1970; now when not given"),
      ], answer: .data(.ref("Share")), failures: badRequest + notFound),
    Operation(
      method: "post", path: "/api/v1/checks/{id}/run", id: "run", summary: "Runs it now, beside its schedule",
      parameters: [id], answer: .data(.ref("Result")),
      failures: notFound + [
        (401, "The token is missing or wrong"), (403, "status.run_now_token is not set"),
        (409, "It is being run, or four others are being run by hand"), (503, "The agent is ending"),
      ], needsToken: true),
  ]

  private static let ofStore = [
    Operation(
      path: "/api/v1/spool", id: "spool", summary: "The output of quartz-agent spool ls",
      answer: .text("text/plain")),
    Operation(
      path: "/api/v1/spool/check", id: "spoolCheck",
      summary: "The output of quartz-agent spool check; X-Store-Sound is yes or no",
      answer: .text("text/plain")),
    Operation(
      path: "/api/v1/spool/results", id: "spoolResults", summary: "Stored results as NDJSON, oldest first",
      parameters: [
        .init(
          name: "after", schema: .integer(0...1 << 62), summary: "Only those with a higher sequence"),
        .init(name: "limit", schema: .integer(1...spoolPage), summary: "1000 when not given"),
        .init(name: "waiting", schema: flag, summary: "Only those that wait for delivery"),
      ], answer: .text("text/plain"), failures: badRequest),
    Operation(
      path: "/api/v1/spool/quarantine", id: "quarantine", summary: "Refused results as NDJSON",
      answer: .text("text/plain")),
    Operation(
      method: "post", path: "/api/v1/spool/resubmit", id: "resubmit",
      summary: "Sends refused results again; over the agent's socket without a token",
      answer: .text("text/plain"),
      failures: [
        (401, "The token is missing or wrong"), (403, "status.run_now_token is not set"),
        (503, "The store is not durable"),
      ], needsToken: true),
    Operation(
      method: "post", path: "/api/v1/spool/submit", id: "submit",
      summary: "How once --post hands its results over: stored records, at most 500 and 1 MiB",
      answer: .text("text/plain"),
      failures: [
        (400, "No list of results"), (401, "The token is missing or wrong"),
        (403, "status.run_now_token is not set"), (409, "This agent delivers nothing"),
        (413, "More than 500 results or 1 MiB"),
      ], hasBody: true, needsToken: true),
  ]
}
