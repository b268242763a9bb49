// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Incidents, channels, and what is ordered by hand.
extension OpenAPI {
  static let orderFailures: [(status: Int, summary: String)] = [
    (401, "The token is missing or wrong"), (403, "status.run_now_token is not set"),
    (404, "Nothing is called so"), (409, "It cannot be done, and why"),
  ]
  private static let by: [Operation.Parameter] = [
    .init(name: "by", schema: .text, summary: "Name of the operator"),
    .init(name: "why", schema: .text, summary: "And why"),
  ]
  private static let what: [Operation.Parameter] = [
    .init(
      name: "target", schema: .text, summary: "Name or id of a check, tag: and a tag, or all",
      isRequired: true),
    .init(name: "for", schema: .text, summary: "How long, such as 30m; at most 30d", isRequired: true),
  ]
  private static let order = Operation.Parameter(
    name: "id", schema: .text, summary: "Its id, the last letters of it, or what it is for", isInPath: true)

  static let ofAlerts = [
    Operation(
      path: "/api/v1/incidents", id: "incidents", summary: "Incidents, newest first",
      parameters: [
        .init(
          name: "status", schema: .word(IncidentStatus.State.allCases.map(\.rawValue) + [""]),
          summary: "Only these"),
        .init(name: "check", schema: .text, summary: "Only those of this check: its name or id"),
        limit, offset,
      ], answer: .page(.list(.ref("Incident"))),
      failures: badRequest + [(status: 404, summary: "No check is called so")]),
    Operation(
      path: "/api/v1/incidents/{id}", id: "incident", summary: "One incident",
      parameters: [.init(name: "id", schema: .id, summary: "Of an incident", isInPath: true)],
      answer: .data(.ref("Incident")), failures: [(status: 404, summary: "No incident has this id")]),
    Operation(
      path: "/api/v1/alerts", id: "alerts", summary: "The channels, and what they have sent",
      answer: .data(.ref("Alerts"))),
    Operation(
      path: "/api/v1/mutes", id: "mutes", summary: "Mutes",
      answer: .data(.list(.ref("Order")))),
    Operation(
      path: "/api/v1/maintenance", id: "maintenance", summary: "Windows that hold or are to come",
      answer: .data(.ref("Maintenance"))),
    Operation(
      method: "post", path: "/api/v1/incidents/{id}/ack", id: "acknowledge",
      summary: "No more reminders until it is over; over the agent's socket without a token",
      parameters: [order] + by, answer: .data(.ref("Done")), failures: badRequest + orderFailures,
      needsToken: true),
    Operation(
      method: "post", path: "/api/v1/mutes", id: "mute",
      summary: "Mutes notifications for the matching checks until it expires",
      parameters: what + by, answer: .data(.ref("Done")), failures: badRequest + orderFailures,
      needsToken: true),
    Operation(
      method: "post", path: "/api/v1/mutes/{id}/end", id: "unmute", summary: "Ends a mute before its time",
      parameters: [order] + by, answer: .data(.ref("Done")), failures: badRequest + orderFailures,
      needsToken: true),
    Operation(
      method: "post", path: "/api/v1/maintenance", id: "startMaintenance", summary: "Opens a window now",
      parameters: what + by + [.init(name: "skip", schema: flag, summary: "Do not probe meanwhile")],
      answer: .data(.ref("Done")), failures: badRequest + orderFailures, needsToken: true),
    Operation(
      method: "post", path: "/api/v1/maintenance/{id}/end", id: "endMaintenance",
      summary: "Closes a window before its time", parameters: [order] + by, answer: .data(.ref("Done")),
      failures: badRequest + orderFailures, needsToken: true),
  ]
}
