// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Tracing

extension OpenAPI {
  static let path = Schema.object([
    .may("off", .text, "Why the route of this check is not traced"),
    .field("pending", .flag, "A trace is under way or waits"),
    .may("slow_from_ms", .number, "A longer response time starts a trace"),
    .may(
      "results", .integer(0...Int.max), "Results that what is slow is known by; it takes \(TraceUsual.enough)"
    ),
    .field("latest", .orNull(latest), "The last one made because something was wrong"),
    .field("good", .orNull(.ref("Trace")), "The last one made while the target worked"),
  ])

  private static let latest = Schema.object([
    .field("cause", .word(["failure", "slow"])), .may("reason", .word(Reason.allCases.map(\.rawValue))),
    .may("response_time_ms", .number), .may("p99_ms", .number, "99th percentile of the response time"),
    .field("begin", .time, "When the run began that asked"), .field("summary", .text, "In one sentence"),
    .may("broken_after", .integer(0...255), "The route is broken behind this TTL"),
    .field(
      "changes",
      .list(
        .object([
          .field("kind", .word(TraceChange.Kind.allCases.map(\.rawValue))), .may("ttl", .integer(0...255)),
          .field("words", .text),
        ]))),
    .field("trace", .ref("Trace")),
    .field("before", .orNull(.ref("Trace")), "The earlier trace that it was compared with"),
  ])

  /// As docs/trace.md describes it.
  static let trace = Schema.object([
    .field("host", .text), .field("address", .text), .may("port", .integer(1...65_535)),
    .field("method", .word(TraceMethod.allCases.map(\.rawValue))), .field("why", .text),
    .field("flows", .integer(0...255)), .field("started_at", .time), .field("elapsed_ms", .number),
    .field(
      "end",
      .object([
        .field("kind", .word(["reached", "refused", "silent", "loop", "fault"])), .may("says", .text),
        .may("by", .text), .may("ttl", .integer(0...255)),
      ])),
    .may("mtu", .integer(0...Int.max), "Bytes, headers included"), .may("narrowings", .list(.any)),
    .field(
      "hops",
      .list(
        .object([
          .field("ttl", .integer(0...255)), .field("sent", .integer(0...Int.max)),
          .field("received", .integer(0...Int.max)), .field("loss", .number, "Percent"),
          .field("answers", .list(.any)),
        ]))),
  ])
}
