// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Incidents, who was notified of them, and what is muted by hand; nothing where there is neither.
struct IncidentSection {
  let snapshot: StatusSnapshot

  /// Incidents that are over, and members of one.
  static let shown = 10

  func render() -> Markup {
    let parts = [open, over, mutes].compactMap { $0 }
    return parts.isEmpty ? "" : "<div class=\"parts\">\(Markup(parts))</div>\n"
  }

  private var open: Markup? {
    guard let alerts = snapshot.alerts, !alerts.open.isEmpty else { return nil }
    let items: [Markup] = alerts.open.prefix(Self.shown).map(incident)
    return """
      <section class="card" id="incidents-open"><h2>Incidents</h2><ul class="problems">\(Markup(items))\
      \(more(alerts.open.count))</ul></section>
      """
  }

  private func incident(_ incident: IncidentStatus) -> Markup {
    let state: CheckState = incident.severity >= .high ? .down : .degraded
    let known = incident.acknowledgedBy.map { "acknowledged by \($0)" }
    let members: [Markup] = incident.members.prefix(Self.shown).map(member)
    let rest = incident.memberCount - members.count
    let others: Markup = rest > 0 ? "<li class=\"dim\">and \(rest) more</li>" : ""
    return """
      <li><span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span> \
      <a href="/incidents/\(incident.id.description)">\(StatusFormat.name(incident.title))</a> <span class="dim"><span class="num">\(incident.short)</span> · \
      \(incident.severity.rawValue) · for \(StatusFormat.age(incident.begin, now: snapshot.now)) · \
      \(known ?? (incident.notified.isEmpty ? "no channel" : "notified: \(incident.notified)"))</span>\
      <ul class="problems">\(Markup(members))\(others)</ul></li>
      """
  }

  private func member(_ member: IncidentStatus.Member) -> Markup {
    let state = member.mark
    let name: Markup =
      member.checkID.map { "<a href=\"/checks/\($0.description)\">\(StatusFormat.name(member.name))</a>" }
      ?? "\(StatusFormat.name(member.name))"
    let why = member.text ?? member.reason?.rawValue ?? ""
    return """
      <li><span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span> \(name) \
      <span class="dim">\(member.until == nil ? "" : "\(member.outcomeWords) · ")\(why)</span></li>
      """
  }

  private var over: Markup? {
    guard let alerts = snapshot.alerts, !alerts.over.isEmpty else { return nil }
    let items: [Markup] = alerts.over.prefix(Self.shown).map { incident in
      let length = StatusFormat.span(incident.begin.duration(to: incident.end ?? snapshot.now).microseconds)
      return """
        <li><a href="/incidents/\(incident.id.description)">\(StatusFormat.name(incident.title))</a> <span class="dim">\(incident.severity.rawValue) · \
        <time datetime="\(incident.begin.rfc3339)">\(Layout.moment(incident.begin))</time> · for \(length)</span></li>
        """
    }
    return """
      <section class="card"><h2>Resolved incidents</h2><ul class="problems">\(Markup(items))\
      \(more(alerts.over.count))</ul></section>
      """
  }

  private var mutes: Markup? {
    guard !snapshot.mutes.isEmpty else { return nil }
    let items: [Markup] = snapshot.mutes.prefix(Self.shown).map { mute in
      let words = [mute.by.map { "by \($0)" }, mute.why].compactMap(\.self).joined(separator: ": ")
      return """
        <li>\(StatusFormat.name(mute.target)) <span class="dim">until \
        <time datetime="\(mute.until.rfc3339)">\(Layout.moment(mute.until))</time> \(words)</span></li>
        """
    }
    return """
      <section class="card"><h2>Muted</h2><ul class="problems">\(Markup(items))\(more(snapshot.mutes.count))</ul></section>
      """
  }

  private func more(_ count: Int) -> Markup {
    count > Self.shown ? "<li class=\"dim\">and \(count - Self.shown) more</li>" : ""
  }
}
