// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension IncidentStatus {
  /// State of one channel for an incident: its last delivery, and the next notification.
  package struct Notification: Hashable, Sendable {
    package enum State: String, CaseIterable, Hashable, Sendable { case delivered, pending, held, failed }

    package var channel: String
    package var state: State
    /// Of the first and the last delivery; `nil` when there was none.
    package var first: Timestamp?
    package var last: Timestamp?
    /// Recipients that will never have the last delivery, in the server's words; `nil` when all have it.
    package var missing: String?
    /// The stage that holds the notification, with the reason and the end.
    package var stage: String?
    package var reason: String?
    package var until: Timestamp?

    package init(channel: String, state: State) { (self.channel, self.state) = (channel, state) }
  }
}

extension IncidentStatus.Notification {
  /// In one line, the same on each surface: `held until 06:00, last delivered at 23:10: quiet hours`.
  ///
  /// - Parameter moment: writes a time.
  package func words(_ moment: (Timestamp) -> String) -> String {
    var words = state.rawValue
    if state != .delivered, let until { words += " until \(moment(until))" }
    if let last { words += "\(state == .delivered ? "" : ", last delivered") at \(moment(last))" }
    if last != nil, let missing { words += ", not to all recipients (\(missing))" }
    if state != .delivered, let reason { words += ": \(reason)" }
    return words.printable(maxBytes: 2500)
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("channel", channel)
      json.field("state", state.rawValue)
      json.fieldIfPresent("first", first)
      json.fieldIfPresent("last", last)
      json.fieldIfPresent("missing", missing)
      json.fieldIfPresent("stage", stage)
      json.fieldIfPresent("reason", reason)
      json.fieldIfPresent("until", until)
    }
  }

  /// As an agent wrote it, perhaps one of another version; `nil` where it is none.
  package init?(_ json: JSONValue) {
    guard let channel = json["channel"]?.string, let state = json["state"]?.string.flatMap(State.init) else {
      return nil
    }
    self.init(channel: channel, state: state)
    func time(_ name: String) -> Timestamp? { json[name]?.timestamp }
    (first, last, until) = (time("first"), time("last"), time("until"))
    (missing, stage, reason) = (json["missing"]?.string, json["stage"]?.string, json["reason"]?.string)
  }
}
