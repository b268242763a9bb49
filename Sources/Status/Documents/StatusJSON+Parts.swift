// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool

extension SpoolStatus {
  /// - Parameter parked: see `DeliveryStatus.parked`.
  func write(parked: Int, to json: inout JSONWriter) {
    json.object { json in
      json.field("depth", depth)
      json.fieldIfPresent("oldest", oldest)
      json.field("used_bytes", bytesUsed)
      json.field("capacity_bytes", bytesReserved)
      json.field("durable", isDurable)
      json.field("dropped", Int(clamping: dropped))
      json.field("quarantined", quarantined)
      json.field("parked", parked)
      json.field("gaps", gaps.count)
      json.field("lost_in_gaps", lostInGaps)
      json.fieldIfPresent("outage_covered_h", hoursCovered)
    }
  }
}

extension DeliveryStatus {
  /// - Parameters:
  ///   - backlog: results that wait in the store.
  ///   - undelivered: see `StatusSnapshot.undelivered`.
  func write(backlog: Int, undelivered: [Notice], to json: inout JSONWriter) {
    json.object { json in
      json.field("target", "\(dialect)")
      json.field("delivered", tally.delivered)
      json.field("duplicates", tally.duplicates)
      json.field("backlog", backlog)
      json.fieldIfPresent("last_success", tally.lastSuccess)
      if let lastError {
        json.key("last_error")
        json.object { json in
          json.fieldIfPresent("at", lastError.since)
          json.field("message", lastError.what)
          json.fieldIfPresent("hint", lastError.hint)
        }
      }
      json.field("requests_used", usage.hour)
      json.field("requests_allowed", usage.perHour)
      json.key("skipped")
      json.array { json in
        for check in undelivered {
          json.object { json in
            json.field("check", check.place.text)
            json.field("reason", check.what)
          }
        }
      }
    }
  }
}

extension ScheduleStatus {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("lateness_p50_ms", lateP50)
      json.fieldIfPresent("lateness_p99_ms", lateP99)
      json.fieldIfPresent("lateness_max_ms", lateMax)
      json.field("missed", missed)
      json.key("missed_by")
      json.object { json in
        for (cause, slots) in missedByCause {
          json.key(dynamic: cause.rawValue)
          json.integer(slots)
        }
      }
      json.field("spanned", spanned)
      json.field("in_flight", inFlight)
      json.field("limit", limit)
    }
  }
}

extension StatusSnapshot {
  func writeLoad(to json: inout JSONWriter) {
    json.object { json in
      json.field("kept_results", kept.results)
      json.field("kept_bytes", kept.bytes)
      json.field("judged", judging.judged)
      json.field("judged_over_budget", judging.overBudget)
      json.field("judged_longest_ms", judging.longest)
      json.field("judging", judging.waiting)
      json.key("queues")
      json.array { json in
        for wait in waits {
          json.object { json in
            json.field("queue", wait.queue)
            json.field("origin", wait.origin)
            json.field("waiting", wait.count)
            json.field("held_ms", wait.held)
          }
        }
      }
    }
  }
}

extension ScheduleStatus {
  /// Missed slots of each cause that ever was, by its word.
  var missedByCause: [(cause: MissCause, slots: Int)] {
    missedBy.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
  }

  /// `12 (4 failover, 8 gap)`
  package var missedText: String {
    guard missed > 0 else { return StatusFormat.grouped(missed) }
    let causes = missedByCause
    if causes.count == 1 { return "\(StatusFormat.grouped(missed)) (\(causes[0].cause.rawValue))" }
    let parts = causes.map { "\(StatusFormat.grouped($0.slots)) \($0.cause.rawValue)" }
    return "\(StatusFormat.grouped(missed)) (\(parts.joined(separator: ", ")))"
  }
}
