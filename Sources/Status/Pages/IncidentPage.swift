// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One incident: what fires, who was notified, and what happened when.
package struct IncidentPage {
  let snapshot: StatusSnapshot
  let incident: IncidentStatus
  /// `nil` where no token for actions is set.
  var forms: PageForms?

  package init(snapshot: StatusSnapshot, incident: IncidentStatus, forms: PageForms? = nil) {
    (self.snapshot, self.incident, self.forms) = (snapshot, incident, forms)
  }

  package func render(nonce: String) -> Markup {
    let title = StatusFormat.name(incident.title)
    return Layout.page(
      title: "\(incident.status.rawValue) · \(title)", snapshot: snapshot, nonce: nonce,
      """
      <nav class="bar" aria-label="This incident"><a class="button" href="/">← All checks</a></nav>
      \(hero)
      \(actions)
      \(members)
      \(notifications)
      \(timeline)
      """)
  }

  private var hero: Markup {
    let state = incident.mark
    let length = StatusFormat.span(incident.begin.duration(to: incident.end ?? snapshot.now).microseconds)
    var facts: [(String, String)] = [
      ("status", incident.status.rawValue), ("severity", incident.severity.rawValue), ("for", length),
      ("began", "\(Layout.moment(incident.begin)) UTC"),
    ]
    if let end = incident.end { facts.append(("resolved", "\(Layout.moment(end)) UTC")) }
    if let by = incident.acknowledgedBy { facts.append(("acknowledged by", by)) }
    if incident.isOpen, incident.acknowledgedBy == nil {
      facts.append(("acknowledge with", "quartz-agent ack \(incident.short)"))
    }
    facts.append(("id", incident.id.description))
    let rows = Layout.facts(facts)
    return """
      <section class="card hero"><span class="big mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span>
      <div><h1>\(Layout.name(incident.title))</h1></div></section>
      <section class="card"><dl class="facts">\(Markup(rows))</dl></section>
      """
  }

  private var actions: Markup {
    guard let forms, incident.isOpen else { return "" }
    let ids = snapshot.alerts?.incidentOf.filter { $0.value == incident.id }.keys.map { $0 } ?? []
    let isMuted = !ids.isEmpty && ids.allSatisfy { snapshot.check($0)?.mutedUntil != nil }
    let content = forms.incident(incident, isMuted: isMuted, back: "/incidents/\(incident.id.description)")
    return "<section class=\"card\"><h2>Actions</h2>\(content)</section>"
  }

  private var members: Markup {
    let rest = incident.alertCount - incident.members.count
    let items: [Markup] = incident.members.map { member in
      // The mark is part of the link, which is a block: it is never alone on a line.
      let words: Markup = """
        <span class="mark \(member.mark.rawValue)" aria-hidden="true">\(member.mark.mark)</span>&nbsp;\(Layout.name(member.name))
        """
      let name: Markup =
        member.checkID.map { "<a href=\"/checks/\($0.description)\">\(words)</a>" } ?? words
      let since = "since \(Layout.moment(member.since)) UTC"
      let end = member.until.map { ", \(member.outcomeWords) at \(Layout.moment($0)) UTC" } ?? ""
      return """
        <li>\(name) <span class="dim">\(member.severity.rawValue) · \(incident.why(member)) · \(since)\(end)</span></li>
        """
    }
    let more: Markup = rest > 0 ? "<li class=\"dim\">and \(rest) more</li>" : ""
    return """
      <section class="card" id="members"><h2>Alerts</h2><ul class="problems">\(Markup(items))\(more)</ul></section>
      """
  }

  private var notifications: Markup {
    let items: [Markup] = incident.notifications.map { item in
      let words = item.words { "\(Layout.moment($0)) UTC" }
      return "<li>\(StatusFormat.name(item.channel)) <span class=\"dim\">\(words)</span></li>"
    }
    let none: Markup = "<li class=\"dim\">no channel is notified of it</li>"
    return """
      <section class="card" id="notifications"><h2>Notifications</h2>\
      <ul class="problems">\(items.isEmpty ? none : Markup(items))</ul></section>
      """
  }

  private var timeline: Markup {
    let items: [Markup] = incident.timeline.map { event in
      """
      <li><time class="num" datetime="\(event.at.rfc3339)">\(Layout.moment(event.at))</time> \
      \(event.words.printable(maxBytes: 400))</li>
      """
    }
    return """
      <section class="card" id="timeline"><h2>Timeline (UTC)</h2><ol class="problems">\(Markup(items))</ol></section>
      """
  }
}
