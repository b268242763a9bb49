// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What fails together, as people see it.
package struct IncidentStatus: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    /// Nil: the agent's own.
    package var checkID: UniqueID?
    package var name: String
    package var rule: String
    package var severity: AlertSeverity
    package var reason: Reason?
    package var text: String?
    package var since: Timestamp
    /// Nil while it lasts.
    package var until: Timestamp?

    package init(
      checkID: UniqueID?, name: String, rule: String, severity: AlertSeverity, reason: Reason?, text: String?,
      since: Timestamp, until: Timestamp?
    ) {
      (self.checkID, self.name, self.rule, self.severity) = (checkID, name, rule, severity)
      (self.reason, self.text, self.since, self.until) = (reason, text, since, until)
    }
  }

  package var id: UniqueID
  /// The last letters of the id, as commands take it.
  package var short: String
  package var title: String
  package var subject: AlertSubject
  package var severity: AlertSeverity
  package var begin: Timestamp
  /// Nil while it lasts.
  package var end: Timestamp?
  package var acknowledgedBy: String?
  package var acknowledgedAt: Timestamp?
  /// Some of them, the worst first.
  package var members: [Member] = []
  package var memberCount = 0
  /// Channels that were told, and when first.
  package var told: [(channel: String, at: Timestamp)] {
    get { channels.map { ($0.name, $0.at) } }
    set { channels = newValue.map { Channel(name: $0.channel, at: $0.at) } }
  }
  private var channels: [Channel] = []

  private struct Channel: Hashable {
    var name: String
    var at: Timestamp
  }

  /// Members that are shown.
  package static let shown = 20

  package init(
    id: UniqueID, short: String, title: String, subject: AlertSubject, severity: AlertSeverity,
    begin: Timestamp,
    end: Timestamp?
  ) {
    (self.id, self.short, self.title, self.subject) = (id, short, title, subject)
    (self.severity, self.begin, self.end) = (severity, begin, end)
  }

  package var isOpen: Bool { end == nil }

  /// As the apps call it.
  package enum Status: String, CaseIterable, Hashable, Sendable {
    case active, acknowledged, resolved
  }

  package var status: Status {
    guard isOpen else { return .resolved }
    return acknowledgedBy == nil ? .active : .acknowledged
  }
}

/// How it stands with telling people.
package struct AlertsView: Hashable, Sendable {
  package struct Channel: Hashable, Sendable {
    package var name: String
    /// Where to, without secrets.
    package var target: String
    package var delivered = 0
    package var waiting = 0
    /// Given up.
    package var dropped = 0
    package var problem: Notice?

    package init(name: String, target: String) { (self.name, self.target) = (name, target) }
  }

  /// Oldest first.
  package var open: [IncidentStatus] = []
  /// Newest first.
  package var over: [IncidentStatus] = []
  package var channels: [Channel] = []
  /// Until when quiet hours last, where they hold now.
  package var quietUntil: Timestamp?

  package init() {}
}

/// A mute or a window that somebody ordered by hand.
package struct OrderView: Hashable, Sendable {
  package var id: UniqueID
  package var short: String
  package var target: String
  package var from: Timestamp
  package var until: Timestamp
  package var why: String?
  package var by: String?

  package init(
    id: UniqueID, short: String, target: String, from: Timestamp, until: Timestamp, why: String?, by: String?
  ) {
    (self.id, self.short, self.target, self.from) = (id, short, target, from)
    (self.until, self.why, self.by) = (until, why, by)
  }
}

extension IncidentStatus {
  package func write(now: Timestamp, to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("title", title)
      json.field("subject", subject.rawValue)
      json.field("severity", severity.rawValue)
      json.field("status", status.rawValue)
      json.field("triggered_at", begin)
      json.key("resolved_at")
      if let end { json.string(end.rfc3339) } else { json.null() }
      json.field("duration_s", max(.zero, begin.duration(to: end ?? now)).seconds)
      json.fieldIfPresent("acknowledged_by", acknowledgedBy)
      json.fieldIfPresent("acknowledged_at", acknowledgedAt)
      json.key("told")
      json.array { json in
        for (channel, at) in told {
          json.object { json in
            json.field("channel", channel)
            json.field("at", at)
          }
        }
      }
      json.field("members", memberCount)
      json.key("checks")
      json.array { json in for member in members { member.write(to: &json) } }
    }
  }
}

extension IncidentStatus.Member {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("check_id", checkID?.description)
      json.field("name", name)
      json.field("rule", rule)
      json.field("severity", severity.rawValue)
      json.fieldIfPresent("reason", reason?.rawValue)
      json.fieldIfPresent("text", text)
      json.field("since", since)
      json.fieldIfPresent("until", until)
    }
  }
}

extension AlertsView.Channel {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("target", target)
      json.field("delivered", delivered)
      json.field("waiting", waiting)
      json.field("dropped", dropped)
      json.fieldIfPresent("problem", problem?.what)
    }
  }
}

extension OrderView {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("target", target)
      json.field("from", from)
      json.field("until", until)
      json.fieldIfPresent("why", why)
      json.fieldIfPresent("by", by)
    }
  }
}
