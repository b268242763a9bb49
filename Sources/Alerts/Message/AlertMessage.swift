// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A notification in full: everything that a channel needs to word it, true at the moment of sending.
package struct AlertMessage: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The first message of an incident.
    case opened
    /// It lasts, has become worse, or alerts joined it.
    case update
    /// It is over, or what is left of it is not this channel's.
    case recovered
    case acknowledged
    /// Notifications that could wait: incidents of a day, or of quiet hours.
    case digest
    /// A report of a month or a week that is over.
    case report
    /// `quartz-agent alert test`.
    case test

    /// As people read it; JSON keeps `update` and `recovered`.
    package var words: String {
      switch self {
      case .update: "updated"
      case .recovered: "resolved"
      case .opened, .acknowledged, .digest, .report, .test: rawValue
      }
    }
  }

  /// One alert of an incident.
  package struct Member: Hashable, Sendable {
    /// `nil`: the agent's own.
    package var checkID: UniqueID?
    /// The check's name, or the part of the agent.
    package var name: String
    package var target: String?
    package var rule: String
    package var severity: AlertSeverity
    package var state: CheckState?
    package var reason: Reason?
    /// One line for a person, without secrets.
    package var text: String?
    /// Result of the trace of the path to the target, in one line; `nil` when there is none.
    package var path: String?
    package var since: Timestamp
    /// `nil` while it fires.
    package var until: Timestamp?
    /// Why it fires no more.
    package var outcome: TroubleEnd?
    /// It is new in this notification, or worse.
    package var isNew = false
    /// The receiver has it already, less severe.
    package var isWorse = false
    /// The last result that was well, before it fired.
    package var lastGood: Timestamp?
    package var runbook: String?
    package var tags: [String] = []
    /// Response times of the last results, oldest first, and whether each worked: the picture of the last hours.
    package var recent: [Recent] = []

    package struct Recent: Hashable, Sendable {
      package var at: Timestamp
      package var state: CheckState
      package var responseTime: Duration?

      package init(at: Timestamp, state: CheckState, responseTime: Duration?) {
        (self.at, self.state, self.responseTime) = (at, state, responseTime)
      }
    }

    package init(
      checkID: UniqueID? = nil, name: String, target: String? = nil, rule: String, severity: AlertSeverity,
      since: Timestamp
    ) {
      (self.checkID, self.name, self.target) = (checkID, name, target)
      (self.rule, self.severity, self.since) = (rule, severity, since)
    }
  }

  /// Number of checks that are down, in a storm.
  package struct Count: Hashable, Sendable {
    /// `tag`, `network` or `reason`.
    package var of: String
    package var name: String
    package var checks: Int
  }

  package struct Label: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// One incident's line in a digest.
  package struct Line: Hashable, Sendable {
    package var title: String
    package var severity: AlertSeverity
    package var begin: Timestamp
    package var end: Timestamp?
    /// The title has the times.
    package var saysWhen: Bool

    package init(
      title: String, severity: AlertSeverity, begin: Timestamp, end: Timestamp?, saysWhen: Bool = false
    ) {
      (self.title, self.severity, self.begin, self.end) = (title, severity, begin, end)
      self.saysWhen = saysWhen
    }
  }

  /// The same each time it is sent: a receiver that has it already may leave it out.
  package var id: UniqueID
  /// The same in all messages of an incident, or of a storm, which is no incident; for what belongs to none, the message's own.
  package var incident: UniqueID
  package var kind: Kind
  package var severity: AlertSeverity
  /// One line, such as "Shop front and 3 more are down".
  package var title: String
  package var at: Timestamp
  package var begin: Timestamp
  package var end: Timestamp?
  /// Some of them, the worst first.
  package var members: [Member] = []
  /// Checks and parts of the agent that it is about, each once, also those that are not in `members`; incidents of a digest.
  package var memberCount = 0
  /// Alerts, also those that are not in `members`: several rules may fire for one check.
  package var alertCount = 0
  /// Reason for this notification of an incident.
  package var trigger: Draft.Trigger?
  /// Of a storm: by tag, network and reason, the most first.
  package var counts: [Count] = []
  package var isStorm = false
  /// Sent to try a channel: it opens nothing where a state is kept.
  package var isSample = false
  /// The check that the others depend on, where there is one.
  package var cause: String?
  /// The same in all notifications of an incident, or of a storm: what a mail's thread is called.
  package var thread: String?
  /// The severity at its opening, and labels of its first check, which never change: what Alertmanager knows it by.
  package var opening: AlertSeverity?
  package var labels: [Label] = []
  /// The longest interval of its checks.
  package var pace: Duration = .zero
  /// Name of the operator that acknowledged it.
  package var acknowledgedBy: String?
  package var digest: [Line] = []
  /// Those of other incidents, sent in the same request to a receiver that takes several.
  package var others: [AlertMessage] = []
  /// Of a report; `nil` for other kinds.
  package var report: ReportContent?
  package var agent: String
  package var region: String?
  /// The channel has `hide_targets`.
  package var hidesTargets = false
  /// Of the status page, where the file says it.
  package var pageURL: String?

  /// The incident's own page, or the report's.
  package var link: String? {
    guard let pageURL else { return nil }
    let base = pageURL.hasSuffix("/") ? pageURL : pageURL + "/"
    if let report { return "\(base)report?\(report.query)" }
    return isOfIncident ? "\(base)incidents/\(incident.description)" : pageURL
  }

  /// It is about one incident, which has a page of its own.
  var isOfIncident: Bool { ![.digest, .report, .test].contains(kind) && !isStorm }

  /// Words of a button that opens `link`.
  var linkLabel: String {
    isOfIncident ? "Open incident" : report == nil ? "Status page" : "Open report"
  }

  package init(
    id: UniqueID, incident: UniqueID, kind: Kind, severity: AlertSeverity, title: String, at: Timestamp,
    begin: Timestamp, agent: String
  ) {
    (self.id, self.incident, self.kind, self.severity) = (id, incident, kind, severity)
    (self.title, self.at, self.begin, self.agent) = (title, at, begin, agent)
  }

  /// The same with what is known of the ways to its members' targets.
  ///
  /// - Parameter path: of a check that is in trouble since then.
  package func with(_ path: (UniqueID, Timestamp) -> String?) -> AlertMessage {
    guard !hidesTargets, kind == .opened || kind == .update else { return self }
    var message = self
    message.others = others.map { $0.with(path) }
    for place in members.indices {
      guard let check = members[place].checkID, members[place].until == nil else { continue }
      message.members[place].path = path(check, members[place].since)?.printable(maxBytes: 256)
    }
    return message
  }

  /// Members of a message at most.
  package static let maxMembers = 20
}
