// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// An incident, as it is shown.
package struct IncidentStatus: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    /// `nil` for an alert about the agent itself.
    package var checkID: UniqueID?
    package var name: String
    package var rule: String
    package var severity: AlertSeverity
    package var reason: Reason?
    package var text: String?
    package var since: Timestamp
    /// `nil` while it fires.
    package var until: Timestamp?
    /// Its state, for the mark: that of a certificate that ends soon is degraded.
    package var state: CheckState?
    /// Why it fires no more, in a word.
    package var outcome: String?
    /// `nil` where it is not known.
    package var subject: AlertSubject?

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
  /// `nil` while it lasts.
  package var end: Timestamp?
  package var acknowledgedBy: String?
  package var acknowledgedAt: Timestamp?
  /// Note of the acknowledgement; `nil` without one.
  package var acknowledgedNote: String?
  /// Some of them, the worst first.
  package var members: [Member] = []
  /// Every check that it is about, also those that are not in `members`.
  package var checks: Set<UniqueID> = []
  /// Checks and parts of the agent, each once, and alerts, of which one check may have several; also those not shown.
  package var memberCount = 0
  package var alertCount = 0
  /// How it stands with each channel.
  package var notifications: [Notification] = []
  /// Events of the incident, oldest first.
  package var timeline: [Event] = []

  package struct Event: Hashable, Sendable {
    package var at: Timestamp
    package var words: String

    package init(_ at: Timestamp, _ words: String) { (self.at, self.words) = (at, words) }
  }

  /// Channels that have it, and since when.
  package var told: [(channel: String, at: Timestamp)] {
    notifications.compactMap { item in item.first.map { (item.channel, $0) } }
  }

  /// In a few words, such as `ops, pager (held: quiet hours)`; empty: there is no channel for it.
  package var notified: String {
    notifications.map { item in
      let why = item.reason.map { "\(item.state.rawValue): \($0)" } ?? item.state.rawValue
      let words = item.state == .delivered ? item.missing.map { "not to all recipients: \($0)" } : why
      return words.map { "\(item.channel) (\($0.printable(maxBytes: 200)))" } ?? item.channel
    }.joined(separator: ", ")
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

  /// The worst of its alerts that fire, for the mark: an incident that is open and recovers is degraded.
  package var mark: CheckState {
    guard isOpen else {
      // Of a check that was removed, disabled or renamed nothing is known to work.
      return members.isEmpty || members.contains { $0.mark == .up } ? .up : .unknown
    }
    return members.contains { $0.mark == .down } ? .down : .degraded
  }

  /// As the apps call it.
  package enum State: String, CaseIterable, Hashable, Sendable {
    case active, acknowledged, resolved
  }

  package var status: State {
    guard isOpen else { return .resolved }
    return acknowledgedBy == nil ? .active : .acknowledged
  }
}

/// How it stands with notifying.
package struct AlertsView: Hashable, Sendable {
  package struct Channel: Hashable, Sendable {
    package var name: String
    /// Where to, without secrets.
    package var target: String
    /// Notifications since the start, and those that the receiver would not take, by kind.
    package var delivered: [String: Int] = [:]  // own text: kinds
    package var failed: [String: Int] = [:]  // own text: kinds
    /// Notifications that are to be sent, those that something holds, by what, and when the oldest became due: `nil` while
    /// all still wait for their time.
    package var pending = 0
    package var held: [String: Int] = [:]  // own text: stages
    package var oldestPending: Timestamp?
    package var storms = 0
    package var problem: Notice?

    package var deliveredCount: Int { delivered.values.reduce(0, +) }
    package var failedCount: Int { failed.values.reduce(0, +) }

    package init(name: String, target: String) { (self.name, self.target) = (name, target) }
  }

  /// Oldest first.
  package var open: [IncidentStatus] = []
  /// Newest first.
  package var over: [IncidentStatus] = []
  package var channels: [Channel] = []
  /// Incidents that were left open at a receiver which is not configured any more.
  package var leftOpen: [Notice] = []
  /// Checks of which every alert that fires is acknowledged, with the name of the person.
  package var acknowledged: [UniqueID: String] = [:]
  /// Open incident of each check that has an alert firing in it.
  package var incidentOf: [UniqueID: UniqueID] = [:]
  /// Alerts that fire, by rule and severity.
  package var firing: [Firing] = []

  package struct Firing: Hashable, Sendable {
    package var rule: String
    package var severity: AlertSeverity
    package var count: Int

    package init(rule: String, severity: AlertSeverity, count: Int) {
      (self.rule, self.severity, self.count) = (rule, severity, count)
    }
  }
  /// Reports by schedule, in the order of the configuration.
  package var reports: [ReportStatus] = []
  /// Until when quiet hours last, where they hold now.
  package var quietUntil: Timestamp?

  package init() {}

  /// Open, or over.
  package func incident(_ id: UniqueID) -> IncidentStatus? { (open + over).first { $0.id == id } }
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
      if let end { json.timestamp(end) } else { json.null() }
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
      json.key("notifications")
      json.array { json in for item in notifications { item.write(to: &json) } }
      json.key("timeline")
      json.array { json in
        for event in timeline {
          json.object { json in
            json.field("at", event.at)
            json.field("what", event.words)
          }
        }
      }
      json.field("members", memberCount)
      json.field("alerts", alertCount)
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
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("outcome", outcome)
    }
  }
}

extension AlertsView.Channel {
  /// Its problem among those of others, where nothing but the words says whose it is.
  var notice: Notice? {
    problem.map { problem in
      var notice = problem
      notice.what = "notifications by \(name): \(problem.what)"
      return notice
    }
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("target", target)
      json.field("delivered", deliveredCount)
      json.field("pending", pending)
      json.field("held", held.values.reduce(0, +))
      json.field("failed", failedCount)
      // As these two were called before.
      json.field("waiting", pending)
      json.field("dropped", failedCount)
      json.fieldIfPresent("problem", problem?.what)
    }
  }
}

extension IncidentStatus.Member {
  /// As its rule has it; what ended for another reason than that it works again is unknown.
  package var mark: CheckState {
    guard until == nil else {
      return (outcome == nil || outcome == "recovered") && otherState == nil ? .up : .unknown
    }
    return state ?? .degraded
  }

  /// State of a rule about degraded or unknown, which ends as well when the check goes down; `nil` for other rules.
  private var otherState: CheckState? {
    guard subject == .availability, let state, state == .degraded || state == .unknown else { return nil }
    return state
  }

  package var outcomeWords: String {
    switch outcome {
    case nil, "recovered": otherState.map { "no longer \($0.rawValue)" } ?? "recovered"
    case "maintenance": "maintenance began"
    case "rule_changed": "rule changed"
    case let word?: word
    }
  }
}

extension IncidentStatus {
  /// Text of an alert, in one line. The rule is named where several fire for the check.
  package func why(_ member: Member) -> String {
    guard let words = member.text ?? member.reason?.rawValue else { return member.rule }
    let isOne = members.count { $0.checkID != nil && $0.checkID == member.checkID } < 2
    return isOne ? words : "\(member.rule): \(words)"
  }
}

extension StatusSnapshot {
  /// Marks the checks whose notifications are muted, and those whose alerts are acknowledged.
  package mutating func markHandled(muted: [UniqueID: Timestamp]) {
    let acknowledged = alerts?.acknowledged ?? [:]
    guard !muted.isEmpty || !acknowledged.isEmpty else { return }
    for place in checks.indices {
      checks[place].mutedUntil = muted[checks[place].id]
      checks[place].acknowledgedBy = acknowledged[checks[place].id]
    }
  }
}
