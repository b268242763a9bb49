// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension MonthReport {
  /// Checks of a report that tells the days of each: of more, days alone would be most of a hundred megabytes.
  package static let daysOf = 1000

  /// - Parameter daysOf: checks of a report that tells the days of each, at most.
  package func write(to json: inout JSONWriter, daysOf: Int = MonthReport.daysOf) {
    json.object { json in
      json.key(dynamic: period.unit.rawValue)
      json.string(period.text)
      json.field("summary", summary)
      json.key("headlines")
      json.array { json in for line in headlines { json.string(line) } }
      json.field("from", period.start)
      json.field("until", min(period.end, max(period.start, now)))
      json.field("complete", !isPartial)
      json.key("agent")
      agent.write(to: &json)
      json.percent("average_uptime", averageUptime)
      json.fieldIfPresent("history_begins", begins)
      json.key("remarks")
      json.array { json in for remark in remarks { json.string(remark) } }
      let hasDays = checks.count <= daysOf
      json.key("checks")
      json.array { json in for check in checks { check.write(now: now, hasDays: hasDays, to: &json) } }
      json.key("incidents")
      json.array { json in for incident in incidents { Self.write(incident, to: &json) } }
    }
  }

  private static func write(_ incident: IncidentStatus, to json: inout JSONWriter) {
    json.object { json in
      json.field("id", incident.id.description)
      json.field("title", incident.title)
      json.field("severity", incident.severity.rawValue)
      json.field("triggered_at", incident.begin)
      json.key("resolved_at")
      if let end = incident.end { json.timestamp(end) } else { json.null() }
      json.fieldIfPresent("acknowledged_by", incident.acknowledgedBy)
      json.fieldIfPresent("note", incident.acknowledgedNote)
    }
  }
}

extension CheckReport {
  fileprivate func write(now: Timestamp, hasDays: Bool, to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("name", name)
      json.field("type", type.rawValue)
      json.key("tags")
      json.array { json in for tag in tags { json.string(tag) } }
      figures.writeFields(to: &json)
      json.field("objective", objective)
      json.key("budget")
      if let budget { budget.write(to: &json) } else { json.null() }
      json.key(dynamic: "\(figures.period.unit.rawValue)s")
      json.array { json in for period in periods { period.writeBrief(to: &json) } }
      json.key("days")
      json.array { json in for day in hasDays ? days : [] { day.write(to: &json) } }
      json.key("outage_list")
      json.array { json in for outage in outages { outage.write(now: now, to: &json) } }
    }
  }
}

extension ErrorBudget {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("allowed_s", Double(allowed) / 1_000_000)
      json.field("used_s", Double(used) / 1_000_000)
      json.percent("used", percent)
      json.field("kept", isKept)
    }
  }
}

extension MonthFigures {
  /// Fields of an object that is open.
  fileprivate func writeFields(to json: inout JSONWriter) {
    json.percent("uptime", uptime)
    json.percent("coverage", coverage)
    json.field("data", data.percent)
    json.field("span_s", Double(span) / 1_000_000)
    json.field("enabled_s", Double(enabled) / 1_000_000)
    json.standings(time, counts)
    json.field("outages", outages)
    json.field("outages_complete", !mayHaveMore)
    json.field("longest_outage_s", Double(longest) / 1_000_000)
    json.field("maintenance_days", maintenanceDays)
    json.key("response_time")
    if let latency { latency.write(to: &json) } else { json.null() }
  }

  fileprivate func writeBrief(to json: inout JSONWriter) {
    json.object { json in
      json.key(dynamic: period.unit.rawValue)
      json.string(period.text)
      json.percent("uptime", uptime)
      json.field("data", data.percent)
      json.key("response_time")
      if let latency { latency.write(to: &json) } else { json.null() }
    }
  }
}

extension MonthLatency {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("count", count)
      json.field("mean_ms", mean)
      json.field("p95_ms", medianP95)
      json.field("highest_p95_ms", highestP95)
    }
  }
}
