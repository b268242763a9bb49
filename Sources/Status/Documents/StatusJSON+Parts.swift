// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

extension SpoolView {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("depth", depth)
      json.fieldIfPresent("oldest", oldest)
      json.field("used_bytes", usedBytes)
      json.field("capacity_bytes", capacityBytes)
      json.field("durable", durable)
      json.field("dropped", dropped)
      json.field("quarantined", quarantined)
      json.field("parked", parked)
      json.field("gaps", gaps)
      json.field("lost_in_gaps", lostInGaps)
      json.fieldIfPresent("outage_covered_h", hoursCovered)
    }
  }
}

extension DeliveryView {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("target", target)
      json.field("delivered", delivered)
      json.field("duplicates", duplicates)
      json.field("backlog", backlog)
      json.fieldIfPresent("last_success", lastSuccess)
      if let lastError {
        json.key("last_error")
        json.object { json in
          json.fieldIfPresent("at", lastError.since)
          json.field("message", lastError.what)
          json.fieldIfPresent("hint", lastError.hint)
        }
      }
      json.field("requests_used", requestsUsed)
      json.field("requests_allowed", requestsAllowed)
      json.key("skipped")
      json.array { json in
        for check in skipped {
          json.object { json in
            json.field("check", check.place.text)
            json.field("reason", check.what)
          }
        }
      }
    }
  }
}

extension SchedulerView {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("lateness_p50_ms", latenessP50)
      json.fieldIfPresent("lateness_p99_ms", latenessP99)
      json.fieldIfPresent("lateness_max_ms", latenessMax)
      json.field("missed", missed)
      json.key("missed_by")
      json.object { json in
        for part in missedBy {
          json.key(dynamic: part.cause)
          json.integer(part.count)
        }
      }
      json.field("spanned", spanned)
      json.field("in_flight", inFlight)
      json.field("limit", limit)
    }
  }
}

extension LoadView {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("kept_results", kept.results)
      json.field("kept_bytes", kept.bytes)
      json.field("judged", judged)
      json.field("judged_over_budget", overBudget)
      json.field("judged_longest_ms", longestJudgement)
      json.field("judging", judging)
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
