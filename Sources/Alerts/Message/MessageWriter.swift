// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Words what is to be told: from incidents to a message.
package struct MessageWriter: Sendable {
  package let agent: String
  package let region: String?
  package let pageURL: String?
  /// The last results of a check, newest first.
  package let recent: @Sendable (UniqueID) -> [CheckResult]

  /// Results of a member that a message shows.
  static let results = 48

  package init(
    agent: String, region: String?, pageURL: String?,
    recent: @escaping @Sendable (UniqueID) -> [CheckResult]
  ) {
    (self.agent, self.region, self.pageURL, self.recent) = (agent, region, pageURL, recent)
  }

  package func message(
    _ decision: Notifier.Decision, _ incidents: [Incident], cause: String?, now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) -> AlertMessage? {
    guard let first = incidents.first else { return nil }
    let id = UniqueID.v7(at: now, using: &generator)
    if decision.kind == .digest { return digest(id, incidents, now) }
    var message = AlertMessage(
      id: id, incident: first.id, kind: decision.kind, severity: first.severity,
      title: title(first, decision.kind),
      at: now, begin: first.begin, agent: agent)
    (message.region, message.pageURL, message.end) = (region, pageURL, first.end)
    message.cause = cause
    message.acknowledgedBy = first.acknowledged?.by
    message.memberCount = first.members.count
    let worst = first.members.sorted {
      ($0.isActive ? 1 : 0, $0.trouble.severity, $1.joined) > (
        $1.isActive ? 1 : 0, $1.trouble.severity, $0.joined
      )
    }
    message.members = worst.prefix(AlertMessage.maxMembers).map(member)
    return message
  }

  private func title(_ incident: Incident, _ kind: AlertMessage.Kind) -> String {
    kind == .recovered ? incident.overTitle : incident.title
  }

  private func member(_ member: Incident.Member) -> AlertMessage.Member {
    let trouble = member.trouble
    var shown = AlertMessage.Member(
      checkID: trouble.key.check, name: trouble.name, target: trouble.target, rule: trouble.key.rule.text,
      severity: trouble.severity, since: trouble.since)
    (shown.state, shown.reason, shown.text) = (trouble.state, trouble.reason, trouble.text)
    shown.until = member.left
    if let check = trouble.key.check {
      shown.recent = recent(check).prefix(Self.results).reversed().map {
        AlertMessage.Member.Recent(at: $0.scheduledAt, state: $0.state, responseTime: $0.facts.responseTime)
      }
    }
    return shown
  }

  private func digest(_ id: UniqueID, _ incidents: [Incident], _ now: Timestamp) -> AlertMessage {
    let severity = incidents.map(\.severity).max() ?? .low
    let count = incidents.count
    var message = AlertMessage(
      id: id, incident: id, kind: .digest, severity: severity,
      title: "\(count) \(count == 1 ? "incident" : "incidents") since the last digest", at: now,
      begin: incidents.map(\.begin).min() ?? now, agent: agent)
    (message.region, message.pageURL) = (region, pageURL)
    message.digest = incidents.prefix(100).map { incident in
      AlertMessage.Line(
        title: incident.isOpen ? incident.title : incident.overTitle, severity: incident.severity,
        begin: incident.begin, end: incident.end)
    }
    message.memberCount = count
    return message
  }

  /// What `quartz-agent alert test` sends.
  package func test(now: Timestamp, using generator: inout some RandomNumberGenerator) -> AlertMessage {
    let id = UniqueID.v7(at: now, using: &generator)
    var message = AlertMessage(
      id: id, incident: id, kind: .test, severity: .low, title: "This is a test: nothing is wrong", at: now,
      begin: now, agent: agent)
    (message.region, message.pageURL) = (region, pageURL)
    return message
  }
}
