// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import QuartzAPI
import Spool

/// The status API's documents, in the envelope of the Quartz API: `{success, data, error, meta}`.
package enum StatusJSON {
  /// Identifies the request that a document answers, in its `meta`; `nil` outside of a request.
  @TaskLocal package static var requestID: String?

  /// Fields of `meta` for a list.
  package struct Page: Hashable, Sendable {
    package var total: Int
    package var limit: Int
    package var offset: Int

    package init(total: Int, limit: Int, offset: Int) {
      self.total = total
      self.limit = limit
      self.offset = offset
    }
  }

  package static func success(
    now: Timestamp, page: Page? = nil, _ data: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var json = JSONWriter(reserving: 4096)
    json.object { json in
      json.field("success", true)
      json.key("data")
      data(&json)
      json.key("meta")
      json.object { json in
        json.field("timestamp", now)
        json.fieldIfPresent("request_id", requestID)
        if let page {
          json.field("total", page.total)
          json.field("limit", page.limit)
          json.field("offset", page.offset)
        }
      }
    }
    return json.bytes
  }

  package static func failure(code: String, message: String, now: Timestamp) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("success", false)
      json.key("error")
      json.object { json in
        json.field("code", code)
        json.field("message", message)
      }
      json.key("meta")
      json.object { json in
        json.field("timestamp", now)
        json.fieldIfPresent("request_id", requestID)
      }
    }
    return json.bytes
  }
}

extension StatusSnapshot {
  /// - Parameter full: with every check, else with their numbers only.
  package func writeSummary(full: Bool, to json: inout JSONWriter) {
    let summary = summary
    json.object { json in
      json.key("agent")
      agent.write(to: &json)
      json.key("checks")
      json.object { json in
        json.field("total", summary.total)
        json.field("up", summary.up)
        json.field("down", summary.down)
        json.field("degraded", summary.degraded)
        json.field("unknown", summary.unknown)
        json.field("pending", summary.pending)
        json.field("maintenance", summary.maintenance)
      }
      json.key("uptime")
      json.object { json in
        json.percent("average", summary.averageUptime24h)
        json.percent("data", summary.averageData24h.percent)
        json.field("period", UptimePeriod.day.rawValue)
      }
      writeParts(to: &json)
      json.key("maintenance")
      json.array { json in
        for window in maintenance { window.write(to: &json) }
      }
      json.key("resources")
      json.array { json in
        for resource in resources { resource.write(to: &json) }
      }
      json.key("problems")
      json.array { json in
        for problem in problems { problem.write(to: &json) }
      }
      if full {
        json.key("list")
        json.array { json in
          for check in checks { check.write(now: now, to: &json) }
        }
      }
    }
  }

  private func writeParts(to json: inout JSONWriter) {
    if let spool {
      json.key("spool")
      spool.write(parked: delivery?.parked ?? 0, to: &json)
    }
    if let delivery {
      json.key("delivery")
      delivery.write(backlog: spool?.depth ?? 0, undelivered: undelivered, to: &json)
    }
    if let scheduler {
      json.key("schedule")
      scheduler.write(to: &json)
    }
    if let group {
      json.key("group")
      group.write(to: &json)
    }
    json.key("load")
    writeLoad(to: &json)
  }
}

extension AgentIdentity {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.fieldIfPresent("region", region)
      json.field("version", version)
      json.field("started_at", started)
    }
  }
}

extension Notice {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("what", what)
      json.fieldIfPresent("hint", hint)
      json.field("critical", isCritical)
    }
  }
}

extension CheckStatus {
  private func writeTexts(_ key: StaticString, _ texts: [String], to json: inout JSONWriter) {
    guard !texts.isEmpty else { return }
    json.key(key)
    json.array { json in for text in texts { json.string(text) } }
  }

  package func write(now: Timestamp, to json: inout JSONWriter) {
    json.object { json in
      json.field("id", history.id.description)
      json.field("name", history.name)
      json.field("type", history.type.rawValue)
      json.field("target", history.target)
      writeAppNames(to: &json)
      writeTexts("tags", history.tags, to: &json)
      writeTexts("depends_on", parents, to: &json)
      json.field("interval_s", history.interval.seconds)
      json.field("enabled", history.enabled)
      json.field("state", history.state.rawValue)
      json.fieldIfPresent("since", history.stateBegan)
      json.field("stale", history.stale)
      if isPending {
        json.field("pending", true)
        json.fieldIfPresent("next_run", nextRun)
      }
      if let last = history.last {
        json.key("last")
        last.write(to: &json)
      }
      json.key("uptime")
      json.object { json in
        for window in history.windows {
          json.key(dynamic: window.period.rawValue)
          window.write(to: &json)
        }
      }
      json.key("recent")
      json.array { json in
        for point in history.spark { point.write(to: &json) }
      }
      json.field("missed", history.missed)
      json.field("spanned", history.spanned)
      if history.implausible > 0 { json.field("implausible", history.implausible) }
      if let outage = history.outage {
        json.key("outage")
        outage.write(now: now, to: &json)
      }
      json.fieldIfPresent("resource_id", history.resourceID?.description)
      json.field("failures", history.failures)
      json.field("failure_threshold", history.failureThreshold)
      if let maintenance {
        json.key("maintenance")
        maintenance.write(to: &json)
      }
      json.fieldIfPresent("muted_until", mutedUntil)
      json.fieldIfPresent("acknowledged_by", acknowledgedBy)
      if !places.isEmpty {
        json.key("places")
        json.array { json in for place in places { place.write(to: &json) } }
      }
    }
  }
}
