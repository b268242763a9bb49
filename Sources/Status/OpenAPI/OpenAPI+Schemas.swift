// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension OpenAPI {
  private static let state = Schema.word(CheckState.allCases.map(\.rawValue))

  static let schemas: [(String, Schema)] = [
    ("Meta", .object([.field("timestamp", .time), .field("request_id", .id, "As in X-Request-Id")])),
    (
      "PageMeta",
      .object([
        .field("timestamp", .time), .field("total", .integer(0...Int.max)),
        .field("limit", .integer(1...1000)),
        .field("offset", .integer(0...1_000_000)),
      ])
    ),
    (
      "Failure",
      .object([
        .field("success", .flag),
        .field("error", .object([.field("code", .text), .field("message", .text)])),
        .field("meta", .ref("Meta")),
      ])
    ),
    ("Counts", .object(states.map { .field($0, .integer(0...Int.max)) })),
    ("Summary", summary), ("Dashboard", dashboard), ("Group", group), ("Check", check), ("Last", last),
    ("Window", window), ("Windows", .either(.list(.ref("Window")), .ref("Window"))), ("Latency", latency),
    ("Outage", outage), ("Series", series), ("Incident", incident), ("Alerts", alerts), ("Order", order),
    ("Post", post), ("Maintenance", maintenance), ("Done", .object([.field("message", .text)])),
    ("Result", result), ("Path", path), ("Trace", trace), ("Place", place), ("Share", share),
    ("Report", report),
  ]

  private static let states = ["total", "up", "down", "degraded", "unknown", "pending", "maintenance"]
  private static let standings = Standing.allCases.map { "\($0)" }

  private static let summary = Schema.object([
    .field(
      "agent",
      .object([
        .field("name", .text), .may("region", .text), .field("version", .text), .field("started_at", .time),
      ])),
    .field("checks", .ref("Counts")),
    .field(
      "uptime",
      .object([
        .field("average", .orNull(.number), "Percent, over the checks that have data"),
        .field("data", .number, "Percent of the window that has a verdict"), .field("period", .text),
      ])),
    .may("spool", .any), .may("delivery", .any), .may("schedule", .any), .may("group", .any),
    .field("load", .any), .field("maintenance", .list(.any)), .field("resources", .list(.any)),
    .field(
      "problems",
      .list(.object([.field("what", .text), .may("hint", .text), .field("critical", .flag)]))),
    .may("list", .list(.ref("Check")), "With full=true"),
  ])

  private static let dashboard = Schema.object([
    .field(
      "resources",
      .object(["total", "up", "down", "degraded", "unknown"].map { .field($0, .integer(0...Int.max)) }),
      "Resources by state; checks where none names a resource"),
    .field(
      "alerts", .object(["active", "critical", "warning"].map { .field($0, .integer(0...Int.max)) }),
      "Problems, the worst first"),
    .field("uptime", .object([.field("average", .orNull(.number), "Percent"), .field("period", .text)])),
  ])

  private static let incident = Schema.object([
    .field("id", .id), .field("title", .text),
    .field("subject", .word(AlertSubject.allCases.map(\.rawValue))),
    .field("severity", .word(AlertSeverity.allCases.map(\.rawValue))),
    .field("status", .word(IncidentStatus.State.allCases.map(\.rawValue))),
    .field("triggered_at", .time), .field("resolved_at", .orNull(.time)), .field("duration_s", .number),
    .may("acknowledged_by", .text), .may("acknowledged_at", .time),
    .field("told", .list(.object([.field("channel", .text), .field("at", .time)])), "Channels that have it"),
    .field(
      "notifications",
      .list(
        .object([
          .field("channel", .text),
          .field("state", .word(IncidentStatus.Notification.State.allCases.map(\.rawValue))),
          .may("first", .time), .may("last", .time),
          .may("missing", .text, "Recipients that will never have the last delivery, in the server's words"),
          .may("stage", .text, "The stage that holds it, or its reminder"), .may("reason", .text),
          .may("until", .time),
        ]))),
    .field("timeline", .list(.object([.field("at", .time), .field("what", .text)]))),
    .field("members", .integer(0...Int.max), "Checks, each once, also those not in checks"),
    .field("alerts", .integer(0...Int.max), "Alerts, also those not in checks: a check may have several"),
    .field(
      "checks",
      .list(
        .object([
          .may("check_id", .id), .field("name", .text), .field("rule", .text),
          .field("severity", .word(AlertSeverity.allCases.map(\.rawValue))),
          .may("reason", .word(Reason.allCases.map(\.rawValue))), .may("text", .text), .field("since", .time),
          .may("until", .time), .may("state", .word(CheckState.allCases.map(\.rawValue))),
          .may("outcome", .text, "Why it fires no more"),
        ]))),
  ])

  private static let alerts = Schema.object([
    .field("on", .flag, "agent.yaml has a section alerts"), .may("quiet_until", .time),
    .field(
      "channels",
      .list(
        .object(
          [.field("name", .text), .field("target", .text)]
            + ["delivered", "pending", "held", "failed", "waiting", "dropped"].map {
              .field($0, .integer(0...Int.max))
            }
            + [.may("problem", .text)]))),
    .field("reports", .list(scheduledReport), "Of alerts.reports"),
  ])

  private static let order = Schema.object([
    .field("id", .id), .field("target", .text), .field("from", .time), .field("until", .time),
    .may("why", .text),
    .may("by", .text),
  ])

  private static let maintenance = Schema.object([
    .field("windows", .list(.any)), .field("by_hand", .list(.ref("Order"))),
  ])

  private static let group = Schema.object([
    .field("tag", .orNull(.text), "Null: checks without one"), .field("state", state, "The worst"),
    .field("checks", .ref("Counts")),
  ])

  private static let check = Schema.object([
    .field("id", .id), .field("name", .text), .field("type", .word(CheckType.allCases.map(\.rawValue))),
    .field("check_type", .word(CheckType.allCases.map(\.rawValue)), "The same, as the apps call it"),
    .field("target", .text), .field("url", .text, "The target, as the apps call it"),
    .may("tags", .list(.text)), .may("depends_on", .list(.text), "Names of the checks it depends on itself"),
    .field("interval_s", .number),
    .field("interval", .integer(0...Int.max), "Whole seconds"),
    .field("timeout", .integer(0...Int.max), "Whole seconds"), .field("enabled", .flag),
    .field("is_enabled", .flag), .field("state", state),
    .may("since", .time, "When the state began; while the check is down, the slot of its first failure"),
    .field("stale", .flag),
    .may("pending", .flag), .may("next_run", .time), .may("last", .ref("Last")),
    .field("uptime", .map(.ref("Window")), "By period"),
    .field("recent", .list(.object([.field("state", state), .may("response_time_ms", .number)]))),
    .field("missed", .integer(0...Int.max)), .field("spanned", .integer(0...Int.max)),
    .may("implausible", .integer(0...Int.max)), .may("outage", .ref("Outage"), "The one that lasts"),
    .may("resource_id", .id), .field("failures", .integer(0...Int.max)),
    .field("failure_threshold", .integer(1...Int.max)),
    .may("muted_until", .time), .may("acknowledged_by", .text),
    .may(
      "maintenance", .object([.field("name", .text), .field("until", .time), .field("skip", .flag)])),
    .may("places", .list(.ref("Place")), "As the places of a group see it"),
  ])

  private static let place = Schema.object([
    .field("place", .text), .field("own", .flag, "This agent's"),
    .may("alive", .flag, "False: it has no say"),
    .may("heard", .flag, "False: the store is out of reach, and whether the region is alive is not known"),
    .may("state", state),
    .may("reason", .word(Reason.allCases.map(\.rawValue))),
    .may("since", .time, "When that was first heard of here; of other places"),
    .field("members", .integer(0...Int.max), "Those whose windows these are"),
    .field("absent", .list(.text), "Those that could not be asked"),
    .field("uptime", .map(.ref("Window")), "By period; empty where no member could be asked"),
  ])

  private static let share = Schema.object([
    .field("check_id", .id), .field("at", .time),
    .field("share", .text, "Windows for adding up in a group, in base 16"),
  ])

  private static let last = Schema.object([
    .field("scheduled_at", .time), .field("started_at", .time), .field("state", state),
    .field("reason", .word(Reason.allCases.map(\.rawValue))), .may("phase", .text),
    .may("status_code", .integer(0...999)), .may("response_time_ms", .number),
    .may("certificate_not_after", .time), .may("message", .text), .may("maintenance", .flag),
  ])

  private static let window = Schema.object([
    .field("period", .word(UptimePeriod.allCases.map(\.rawValue))), .field("from", .time),
    .field("uptime", .orNull(.number), "Percent; null without data"),
    .field("coverage", .orNull(.number), "Percent of the time in which it was enabled"),
    .field("data", .number, "Percent of the whole window"), .field("span_s", .number),
    .field("enabled_s", .number), .field("seconds", .object(standings.map { .field($0, .number) })),
    .field("counts", .object(standings.map { .field($0, .integer(0...Int.max)) })),
    .may("response_time", .ref("Latency")),
  ])

  private static let latency = Schema.object(
    [.field("count", .integer(0...Int.max))]
      + ["mean", "min", "max", "p50", "p90", "p95", "p99"].map { .field($0 + "_ms", .number) })

  private static let outage = Schema.object([
    .field("begin", .time), .field("end", .orNull(.time), "Null while it lasts"),
    .field("duration_s", .number), .field("reason", .word(Reason.allCases.map(\.rawValue))),
    .may("phase", .text), .may("first_message", .text), .may("last_message", .text),
    .field("results", .integer(0...Int.max), "Results that were down"),
  ])

  private static let series = Schema.object([
    .field("period", .word(UptimePeriod.allCases.map(\.rawValue))),
    .field(
      "points",
      .list(
        .object([
          .field("start", .time), .field("width_s", .number), .field("count", .integer(0...Int.max)),
          .may("mean_ms", .number), .may("p95_ms", .number), .may("max_ms", .number),
          .field("seconds", .object(standings.map { .field($0, .number) })),
        ]))),
  ])

  /// Fields of every result; docs/results.md describes the rest.
  private static let result = Schema.object([
    .field("id", .id), .field("check_id", .id), .field("check", .text),
    .field("type", .word(CheckType.allCases.map(\.rawValue))), .field("target", .text),
    .field("trigger", .word(Trigger.allCases.map(\.rawValue))), .field("scheduled_at", .time),
    .field("started_at", .time), .may("checked_at", .time, "The same, as the apps call it"),
    .field("late_ms", .number), .field("status", .word(ResultStatus.allCases.map(\.rawValue))),
    .field("state", state), .field("reason", .word(Reason.allCases.map(\.rawValue))), .may("phase", .text),
    .may("message", .text), .may("response_time_ms", .number),
    .may("response_time", .number, "The same, as the apps call it"), .may("status_code", .integer(0...999)),
    .may("tcp", transport, "The kernel's figures of the last connection"), .may("maintenance", .flag),
  ])

  private static let transport = Schema.object([
    .field("syn_retransmits", .integer(0...255)), .field("retransmits", .integer(0...Int(UInt32.max))),
    .may("rtt_ms", .number), .may("rttvar_ms", .number), .may("rto_ms", .number),
    .may("mss", .integer(1...65_535)), .may("path_mtu", .integer(1...Int(UInt32.max))),
  ])
}
