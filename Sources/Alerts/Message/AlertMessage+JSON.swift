// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What a webhook of the format json is sent: docs/alert-message.schema.json describes it.
extension AlertMessage {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("version", 1)
      json.field("id", id.description)
      json.field("incident", incident.description)
      json.field("kind", kind.rawValue)
      json.field("severity", severity.rawValue)
      json.field("title", title)
      json.field("at", at)
      json.field("begin", begin)
      json.fieldIfPresent("end", end)
      json.field("agent", agent)
      json.fieldIfPresent("region", region)
      json.fieldIfPresent("page", pageURL)
      json.fieldIfPresent("link", link)
      json.fieldIfPresent("trigger", trigger?.rawValue)
      json.fieldIfPresent("cause", cause)
      json.fieldIfPresent("acknowledged_by", acknowledgedBy)
      json.field("member_count", memberCount)
      json.field("alert_count", alertCount)
      json.key("members")
      json.array { json in for member in members { member.write(to: &json) } }
      if isStorm {
        json.key("storm")
        json.array { json in
          for count in counts {
            json.object { json in
              json.field("of", count.of)
              json.field("name", count.name)
              json.field("checks", count.checks)
            }
          }
        }
      }
      if kind == .digest {
        json.key("digest")
        json.array { json in for line in digest { line.write(to: &json) } }
      }
      if let report {
        json.key("report")
        report.write(to: &json)
      }
    }
  }
}

extension AlertMessage.Member {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("check_id", checkID?.description)
      json.field("name", name)
      json.fieldIfPresent("target", target)
      json.field("rule", rule)
      json.field("severity", severity.rawValue)
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("reason", reason?.rawValue)
      json.fieldIfPresent("text", text)
      json.fieldIfPresent("path", path)
      json.field("since", since)
      json.fieldIfPresent("until", until)
      json.fieldIfPresent("outcome", outcome?.rawValue)
      if isNew { json.field("new", true) }
      json.fieldIfPresent("last_good", lastGood)
      json.fieldIfPresent("runbook", runbook)
      if !tags.isEmpty {
        json.key("tags")
        json.array { json in for tag in tags { json.string(tag) } }
      }
      json.key("recent")
      json.array { json in for run in recent { run.write(to: &json) } }
    }
  }
}

extension AlertMessage.Member.Recent {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("at", at)
      json.field("state", state.rawValue)
      json.fieldIfPresent("response_time_ms", responseTime)
    }
  }
}

extension AlertMessage.Line {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("title", title)
      json.field("severity", severity.rawValue)
      json.field("begin", begin)
      json.fieldIfPresent("end", end)
    }
  }
}
