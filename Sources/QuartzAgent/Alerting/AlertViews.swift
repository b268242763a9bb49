// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring
import Synchronization

extension AlertDesk {
  /// Incidents over that people see.
  private static let shownOver = 50

  /// As people see it.
  func view(now: Timestamp) -> AlertsView {
    let (book, outbox) = state.withLock { ($0.book, $0.outbox) }
    var view = AlertsView()
    view.open = book.incidents.opened.map(IncidentStatus.init)
    view.over = book.incidents.over.suffix(Self.shownOver).reversed().map(IncidentStatus.init)
    view.quietUntil = settings.quietHours?.end(at: now)
    view.channels = settings.channels.map { channel in
      var shown = AlertsView.Channel(name: channel.name, target: channel.target)
      let figures = outbox.figures(of: channel.name)
      (shown.delivered, shown.waiting, shown.dropped) = (figures.delivered, figures.waiting, figures.dropped)
      if let trouble = figures.trouble {
        shown.problem = .warning(
          .part("alerts by \(channel.name)"), trouble,
          hint: "try it with: quartz-agent alert test \(channel.name)")
      }
      return shown
    }
    return view
  }
}

extension IncidentStatus {
  init(_ incident: Incident) {
    self.init(
      id: incident.id, short: incident.short, title: incident.isOpen ? incident.title : incident.overTitle,
      subject: incident.subject, severity: incident.severity, begin: incident.begin, end: incident.end)
    acknowledgedBy = incident.acknowledged?.by
    acknowledgedAt = incident.acknowledged?.at
    memberCount = incident.members.count
    let worst = incident.members.sorted { left, right in
      if left.isActive != right.isActive { return left.isActive }
      return (right.trouble.severity, left.joined) < (left.trouble.severity, right.joined)
    }
    members = worst.prefix(Self.shown).map { member in
      let trouble = member.trouble
      return Member(
        checkID: trouble.key.check, name: trouble.name, rule: trouble.key.rule.text,
        severity: trouble.severity,
        reason: trouble.reason, text: trouble.text, since: trouble.since, until: member.left)
    }
    told = incident.told.sorted { $0.key < $1.key }.map { ($0.key, $0.value.first) }
  }
}
