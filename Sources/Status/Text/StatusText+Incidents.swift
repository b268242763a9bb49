// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

extension StatusText {
  /// The incidents that are open, and what is silenced; empty where there is neither.
  func incidents(_ snapshot: StatusSnapshot) -> [String] {
    let open = snapshot.alerts?.open ?? []
    guard !open.isEmpty else { return [] }
    let table = TextTable(
      columns: [
        .fixed("INCIDENT", 8, worth: 4), .fixed("SEVERITY", 8, worth: 3),
        .fixed("FOR", 4, right: true, worth: 3), .flexible("WHAT", least: 14, share: 2, worth: 5),
        .flexible("NOTIFIED", least: 10, worth: 1),
      ], rows: open.map { row($0, now: snapshot.now) }, width: width, color: color)
    return table.lines
  }

  private func row(_ incident: IncidentStatus, now: Timestamp) -> [TextTable.Cell] {
    let known = incident.acknowledgedBy.map { "acknowledged by \($0)" }
    return [
      .init(incident.short), .init(incident.severity.rawValue),
      .init(StatusFormat.age(incident.begin, now: now)), .init(StatusFormat.name(incident.title)),
      .init(known ?? (incident.notified.isEmpty ? "no channel" : incident.notified)),
    ]
  }

  /// One line each: what was muted by hand, and until when quiet hours last.
  func silences(_ snapshot: StatusSnapshot) -> [String] {
    var lines = snapshot.mutes.prefix(5).map { mute in
      let who = mute.by.map { " by \($0)" } ?? ""
      let why = mute.why.map { ": \($0)" } ?? ""
      return
        "muted     \(StatusFormat.name(mute.target.text)) until \(StatusFormat.minute(mute.until))Z\(who)\(why)"
    }
    if snapshot.mutes.count > 5 { lines.append("          and \(snapshot.mutes.count - 5) more") }
    if let alerts = snapshot.alerts {
      let pending = alerts.channels.reduce(0) { $0 + $1.pending }
      let failed = alerts.channels.reduce(0) { $0 + $1.failedCount }
      let held = alerts.channels.reduce(0) { $0 + $1.held.values.reduce(0, +) }
      let quiet =
        alerts.quietUntil.map { ", quiet until \(StatusFormat.minute($0))Z" } ?? ""
      let sent = alerts.channels.reduce(0) { $0 + $1.deliveredCount }
      let noun = plural("channel", alerts.channels.count)
      lines.append(
        "alerts    \(alerts.channels.count) \(noun), \(StatusFormat.grouped(sent)) delivered, \(pending) pending"
          + (held > 0 ? ", \(held) held" : "") + (failed > 0 ? ", \(failed) failed" : "") + quiet)
    }
    return lines
  }
}
