// SPDX-License-Identifier: MIT

import Monitoring
import Spool

/// `spool ls`: one line a fact; what is lost or refused only where there is something.
func renderStore(_ status: SpoolStatus) -> String {
  var lines = [
    "stored       \(counted(status.stored, "result")) in \(counted(status.segments, "segment")), "
      + counted(status.bytesUsed, "byte"),
    "waiting      \(status.depth) to be delivered",
  ]
  if let oldest = status.oldest { lines.append("oldest       \(oldest.rfc3339)") }
  if status.quarantined > 0 {
    lines.append(
      "quarantined  \(status.quarantined) refused by the receiver; see: quartz-agent spool quarantine")
  }
  for gap in status.gaps {
    lines.append("lost         \(gap.lost) results, \(gap.cause.rawValue.replacing("_", with: " "))")
  }
  if status.damaged > 0 { lines.append("damaged      \(status.damaged) results cannot be read") }
  if status.unreadable > 0 {
    lines.append("unknown      \(status.unreadable) records of another version, left as they are")
  }
  if status.setAside > 0 { lines.append("set aside    \(status.setAside) files of another store or version") }
  return (lines + status.notes.map { "note         \($0)" }).joined(separator: "\n") + "\n"
}

/// One stored result as a line of JSON; `code` is the receiver's, for a refused one.
func renderRecord(_ record: DeliveryRecord, check: String?, code: String?) -> String {
  var json = JSONWriter()
  json.object { json in
    json.field("id", record.id.description)
    json.field("check_id", record.checkID.description)
    json.fieldIfPresent("check", check)
    json.field("agent", record.agent)
    json.field("scheduled_at", record.scheduledAt)
    json.field("started_at", record.startedAt)
    json.field("late_ms", max(.zero, record.late))
    json.field("trigger", record.trigger.rawValue)
    json.field("status", record.status.rawValue)
    json.field("state", record.state.rawValue)
    json.field("reason", record.reason.rawValue)
    json.fieldIfPresent("phase", record.phase?.rawValue)
    json.fieldIfPresent("message", record.message)
    json.fieldIfPresent("status_code", record.statusCode)
    json.fieldIfPresent("response_time_ms", record.responseTime)
    json.key("timings")
    record.timings.write(to: &json)
    json.fieldIfPresent("certificate_not_after", record.certificateNotAfter)
    json.field("post", record.flags.contains(.post))
    if record.flags.contains(.maintenance) { json.field("maintenance", true) }
    json.fieldIfPresent("code", code)
  }
  return json.text + "\n"
}

private func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
