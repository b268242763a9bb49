// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A report by schedule, as it is shown: when it is sent next, and the state of each channel.
package struct ReportStatus: Hashable, Sendable {
  package struct Channel: Hashable, Sendable {
    package var channel: String
    /// As of an incident's notification: delivered, pending, held or failed; `nil` where none was due yet.
    package var state: IncidentStatus.Notification.State?
    /// The last one that was delivered, such as `2026-10`, and when.
    package var period: String?
    package var delivered: Timestamp?
    /// Why the one that is due is not delivered, and until when where that is known; words of a receiver that refused it.
    package var reason: String?
    package var until: Timestamp?

    package init(channel: String) { self.channel = channel }
  }

  package var name: String
  /// When the next one is due, and of which period.
  package var next: Timestamp?
  package var nextPeriod: String?
  package var channels: [Channel] = []

  package init(name: String) { self.name = name }
}

extension ReportStatus {
  /// In one line: `monthly, next 2026-11-01 08:00Z: ops delivered 2026-10, mail pending: the last attempt failed`.
  package var words: String {
    let when = next.map { ", next \(StatusFormat.minute($0))Z" } ?? ""
    let states = channels.map(\.words).joined(separator: ", ")
    return "\(StatusFormat.name(name))\(when): \(states)".printable(maxBytes: 1000)
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.fieldIfPresent("next_at", next)
      json.fieldIfPresent("next_period", nextPeriod)
      json.key("channels")
      json.array { json in for channel in channels { channel.write(to: &json) } }
    }
  }
}

extension ReportStatus.Channel {
  fileprivate var words: String {
    guard let state else { return channel }
    var words = "\(channel) \(state.rawValue)"
    if state == .delivered, let period { words += " \(period)" }
    if state != .delivered, let until { words += " until \(StatusFormat.minute(until))Z" }
    return words + (reason.map { ": \($0)" } ?? "")
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("channel", channel)
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("period", period)
      json.fieldIfPresent("delivered_at", delivered)
      json.fieldIfPresent("reason", reason)
      json.fieldIfPresent("until", until)
    }
  }
}

extension StatusText {
  /// One line for each report by schedule.
  func reports(_ snapshot: StatusSnapshot) -> [String] {
    (snapshot.alerts?.reports ?? []).map { "report    \($0.words)" }
  }
}
