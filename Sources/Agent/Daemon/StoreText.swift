// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool

/// `spool ls`: one line a fact; what is lost or refused only where there is something.
package func renderStore(_ status: SpoolStatus) -> String {
  var lines: [String] = []
  if case .memory(let notice) = status.mode {
    let since = notice.since.map { "since \($0.rfc3339), " } ?? ""
    lines.append("NOT DURABLE  \(since)results are in memory only: \(notice.what)")
  }
  lines += [
    "stored       \(counted(status.stored, "result")) in \(counted(status.segments, "segment")), "
      + counted(status.bytesUsed, "byte"),
    "waiting      \(status.depth) to be delivered",
  ]
  if status.unread > 0 { lines.append("             \(status.unread) of these cannot be read now") }
  if let oldest = status.oldest { lines.append("oldest       \(oldest.rfc3339)") }
  if let hours = status.hoursCovered {
    lines.append(
      "covers       \(whole(hours, in: 0...87_600_000)) hours of outage from now, at the rate of the last hour"
    )
  }
  if status.quarantined > 0 {
    lines.append(
      "quarantined  \(status.quarantined) refused by the receiver; see: quartz-agent spool quarantine ls")
  }
  if status.quarantineDropped > 0 {
    lines.append("             \(status.quarantineDropped) older ones made room in the quarantine")
  }
  lines += status.gaps.map { "lost         \(renderGap($0))" }
  if status.dropped > 0 {
    lines.append("dropped      \(counted(Int(clamping: status.dropped), "result")) since the start")
  }
  if status.damaged > 0 {
    lines.append("damaged      \(counted(Int(clamping: status.damaged), "result")) cannot be read")
  }
  if status.unreadable > 0 {
    lines.append(
      "unknown      \(counted(status.unreadable, "record")) of another version, left in place")
  }
  if status.lostSegments > 0 {
    let segments = counted(status.lostSegments, "segment")
    lines.append("unreadable   \(segments) without a readable record, set aside")
  }
  let others = status.setAside - status.lostSegments
  if others > 0 { lines.append("set aside    \(counted(others, "file")) of another store or version") }
  return (lines + status.notes.map { "note         \($0.what)" }).joined(separator: "\n") + "\n"
}

/// How many, why, which and of when.
private func renderGap(_ gap: GapRecord) -> String {
  let cause =
    switch gap.cause {
    case .ringFull: "the store was full"
    case .memoryOverflow: "the buffer in memory was full"
    case .damage: "damaged"
    case .unreadableTail: "or more at the end of a segment that was being written"
    case .storeGone: "the store was removed or replaced while the agent ran"
    case .skipped: "numbers passed over"
    }
  var text =
    "\(counted(Int(clamping: gap.lost), "result")), \(cause), numbers \(gap.firstSequence) to \(gap.lastSequence)"
  if let first = gap.firstTime, let last = gap.lastTime { text += ", of \(first.rfc3339) to \(last.rfc3339)" }
  return text
}

/// `spool check`.
package func renderCheck(_ check: SpoolCheck) -> String {
  var lines = [
    (check.isSound ? "sound" : "DAMAGED") + "        \(counted(check.segments, "segment")), "
      + "\(counted(check.bytes, "byte")) read",
    "results      \(check.results), of these \(check.waiting) to be delivered",
    "gap records  \(check.gaps)",
    "quarantined  \(check.quarantined)",
  ]
  if check.damaged > 0 {
    lines.append(
      "damaged      \(counted(check.damaged, "place")): the records there are lost, the next start counts them"
    )
  }
  if check.headers > 0 {
    lines.append("headers      \(check.headers) damaged; the records behind them are whole")
  }
  if check.cursors > 0 {
    lines.append(
      "cursor       damaged: "
        + (check.isCursorLost
          ? "the next start sends again what was delivered, with the same ids" : "its other copy counts"))
  }
  if check.unknown > 0 {
    lines.append("unknown      \(counted(check.unknown, "record")) of another version")
  }
  lines += check.blank.map {
    "blank        \($0): neither a header nor a record; the next start counts its undelivered results as lost"
  }
  lines += check.unreadable.map { "unreadable   \($0): the disk does not give it back" }
  return lines.joined(separator: "\n") + "\n"
}

/// `spool quarantine resubmit`.
package func renderResubmitted(_ count: Int) -> String {
  count == 0 ? "the quarantine is empty\n" : "\(counted(count, "result")) will be sent again\n"
}

/// One stored result as a line of JSON; `code` is the receiver's, for a refused one.
package func renderRecord(
  _ record: DeliveryRecord, sequence: UInt64? = nil, check: String?, code: String?
) -> String {
  var json = JSONWriter()
  json.object { json in
    json.field("id", record.id.description)
    json.fieldIfPresent("wire_id", record.wireID?.description)
    json.fieldIfPresent("owner_rev", record.ownerRevision)
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
    json.fieldIfPresent("sequence", sequence)
  }
  return json.text + "\n"
}
