// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension Outage {
  package func write(now: Timestamp, to json: inout JSONWriter) {
    json.object { json in
      json.field("begin", begin)
      json.key("end")
      if let end { json.timestamp(end) } else { json.null() }
      json.field("duration_s", duration(now: now).seconds)
      json.field("reason", reason.rawValue)
      json.fieldIfPresent("phase", phase?.rawValue)
      json.fieldIfPresent("first_message", firstMessage)
      json.fieldIfPresent("last_message", lastMessage)
      json.field("results", results)
    }
  }
}

extension SeriesPoint {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("start", start)
      json.field("width_s", width.seconds)
      json.field("count", count)
      json.fieldIfPresent("mean_ms", mean)
      json.fieldIfPresent("p95_ms", p95)
      json.fieldIfPresent("max_ms", maximum)
      json.key("seconds")
      json.object { json in
        for standing in Standing.allCases {
          json.key(dynamic: "\(standing)")
          json.number(Double(time[standing]) / 1_000_000)
        }
      }
    }
  }
}

extension LastResult {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("scheduled_at", scheduledAt)
      json.field("started_at", startedAt)
      json.field("state", state.rawValue)
      json.field("reason", reason.rawValue)
      json.fieldIfPresent("phase", phase?.rawValue)
      json.fieldIfPresent("status_code", statusCode)
      json.fieldIfPresent("response_time_ms", responseTime)
      json.fieldIfPresent("certificate_not_after", certificateNotAfter)
      json.fieldIfPresent("message", message)
      if maintenance { json.field("maintenance", true) }
    }
  }
}

extension SparkPoint {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("state", state.rawValue)
      json.fieldIfPresent("response_time_ms", responseTime)
    }
  }
}

extension WindowStatus {
  /// `uptime` and `coverage` in percent, null when there is no data; `data` in percent of the whole window, `span_s`;
  /// times in seconds.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("period", period.rawValue)
      json.field("from", from)
      json.percent("uptime", uptime)
      json.percent("coverage", coverage)
      json.percent("data", data.percent)
      json.field("span_s", Double(span) / 1_000_000)
      json.field("enabled_s", Double(enabled) / 1_000_000)
      json.standings(time, counts)
      if let latency {
        json.key("response_time")
        latency.write(to: &json)
      }
    }
  }
}

extension LatencyStats {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("count", count)
      json.field("mean_ms", mean)
      json.field("min_ms", minimum)
      json.field("max_ms", maximum)
      json.field("p50_ms", p50)
      json.field("p90_ms", p90)
      json.field("p95_ms", p95)
      json.field("p99_ms", p99)
    }
  }
}

extension JSONWriter {
  /// `seconds` and `counts` by standing, of times in microseconds.
  mutating func standings(_ time: Tally, _ counts: Tally) {
    key("seconds")
    object { json in
      for standing in Standing.allCases {
        json.key(dynamic: "\(standing)")
        json.number(Double(time[standing]) / 1_000_000)
      }
    }
    key("counts")
    object { json in
      for standing in Standing.allCases {
        json.key(dynamic: "\(standing)")
        json.integer(counts[standing])
      }
    }
  }

  /// Null for no data; the field is always there, so that its absence is not taken for a zero.
  mutating func percent(_ name: StaticString, _ value: Double?) {
    key(name)
    if let value { number(value) } else { null() }
  }
}
