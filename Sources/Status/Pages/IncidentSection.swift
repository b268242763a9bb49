// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring

/// Open incidents, each a card that holds its checks and what can be done; nothing where none is open.
struct IncidentSection {
  let snapshot: StatusSnapshot
  /// `nil` where no token for actions is set.
  var forms: PageForms?

  /// Cards, and further incidents by name.
  private static let (cards, further) = (3, 20)
  /// Checks on a card that is open, and on one that unfolds.
  private static let (members, folded) = (3, 8)

  func render() -> Markup {
    guard let alerts = snapshot.alerts, !alerts.open.isEmpty else { return "" }
    let sorted = Self.sorted(alerts.open)
    let shown: [Markup] = sorted.prefix(Self.cards).enumerated().map { place, incident in
      place == 0 && incident.acknowledgedBy == nil ? card(incident) : fold(incident)
    }
    return "<div class=\"stack-of-cards\">\(Markup(shown))\(rest(sorted.dropFirst(Self.cards)))</div>\n"
  }

  /// Those that are not acknowledged first, then by severity, then the oldest.
  static func sorted(_ incidents: [IncidentStatus]) -> [IncidentStatus] {
    incidents.enumerated().sorted { left, right in
      let (one, other) = (left.element, right.element)
      let (isKnown, isOtherKnown) = (one.acknowledgedBy != nil, other.acknowledgedBy != nil)
      if isKnown != isOtherKnown { return isOtherKnown }
      if one.severity != other.severity { return one.severity > other.severity }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func card(_ incident: IncidentStatus) -> Markup {
    """
    <section class="card incident \(incident.severity.rawValue)"><h2>\(heading(incident))</h2>\
    <p class="dim facts-line">\(facts(incident))</p>\(body(incident, Self.members))</section>
    """
  }

  private func fold(_ incident: IncidentStatus) -> Markup {
    """
    <details class="card incident \(incident.severity.rawValue)"><summary><h2>\(heading(incident))</h2>\
    <span class="dim facts-line">\(facts(incident))</span></summary>\(body(incident, Self.folded))</details>
    """
  }

  /// The mark goes along with the words, so that it never stands on a line of its own.
  private func heading(_ incident: IncidentStatus) -> Markup {
    let state = incident.mark
    return """
      <span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span>&nbsp;\(Layout.name(incident.heading))
      """
  }

  private func facts(_ incident: IncidentStatus) -> Markup {
    var facts: [Markup] = [
      "<span class=\"badge sev \(incident.severity.rawValue)\">\(incident.severity.rawValue)</span> \(Layout.since(incident.begin, now: snapshot.now))"
    ]
    if let by = incident.acknowledgedBy {
      facts.append("✓ \(Layout.acknowledged(by, incident))")
    } else {
      facts.append(incident.notified.isEmpty ? "no channel" : "notified: \(incident.notified)")
    }
    if let until = muted(incident) { facts.append("muted until \(Layout.minute(until))") }
    return HeroSection.joined(facts)
  }

  private func body(_ incident: IncidentStatus, _ limit: Int) -> Markup {
    let firing = incident.members.filter { $0.until == nil }
    let shown = firing.prefix(limit)
    let rest = incident.alertCount - shown.count
    let more: Markup = rest > 0 ? "\(rest) more, timeline" : "Timeline"
    return """
      <ul class="members">\(Markup(shown.map { member($0, of: incident) }))</ul>\
      <a class="more" href="/incidents/\(incident.id.description)">\(more)</a>\
      \(forms?.incident(incident, isMuted: muted(incident) != nil, back: "/") ?? "")
      """
  }

  private func member(_ member: IncidentStatus.Member, of incident: IncidentStatus) -> Markup {
    let state = member.mark
    let content: Markup = """
      <span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span><b>\(Layout.name(member.name))</b>\
      \(Layout.ago(member.since, now: snapshot.now))<small>\(incident.why(member))</small>
      """
    guard let id = member.checkID else { return "<li><span class=\"member\">\(content)</span></li>" }
    return "<li><a class=\"member\" href=\"/checks/\(id.description)\">\(content)</a></li>"
  }

  /// Until when all of its checks are muted; `nil` while one is not.
  private func muted(_ incident: IncidentStatus) -> Timestamp? {
    guard !snapshot.mutes.isEmpty else { return nil }
    var ids = Set(incident.members.filter { $0.until == nil }.compactMap(\.checkID))
    // Also those that are not shown.
    ids.formUnion((snapshot.alerts?.incidentOf ?? [:]).filter { $0.value == incident.id }.keys)
    guard !ids.isEmpty else { return nil }
    let ends = snapshot.checks.lazy.filter { ids.contains($0.id) }.map { $0.mutedUntil ?? .epoch }
    return ends.min().flatMap { $0 > snapshot.now ? $0 : nil }
  }

  private func rest(_ incidents: ArraySlice<IncidentStatus>) -> Markup {
    guard !incidents.isEmpty else { return "" }
    let items: [Markup] = incidents.prefix(Self.further).map { incident in
      """
      <li><a href="/incidents/\(incident.id.description)">\(heading(incident))</a>\
      <span class="dim facts-line">\(facts(incident))</span></li>
      """
    }
    let more: Markup =
      incidents.count > Self.further
      ? "<li class=\"dim\">and \(incidents.count - Self.further) more</li>" : ""
    return """
      <details class="card incident"><summary>\(incidents.count) more \
      \(plural("incident", incidents.count))</summary><ul class="problems">\(Markup(items))\(more)</ul></details>
      """
  }
}

extension IncidentStatus {
  /// Its title without the reason, which stands beside the check.
  var heading: String {
    for text in members.compactMap(\.text) where title.hasSuffix(": \(text)") {
      return String(title.dropLast(text.count + 2))
    }
    return title
  }
}

/// Handled by people: posts, incidents that are resolved, and mutes.
struct HandledSection {
  let snapshot: StatusSnapshot
  var forms: PageForms?

  /// Rows of each list.
  private static let shown = 10

  func render() -> Markup {
    let parts = [PostsSection(snapshot: snapshot).render(), over, mutes].compactMap(\.self)
    return parts.isEmpty ? "" : "<div class=\"parts\">\(Markup(parts))</div>\n"
  }

  private var over: Markup? {
    guard let alerts = snapshot.alerts, !alerts.over.isEmpty else { return nil }
    let items: [Markup] = alerts.over.prefix(Self.shown).map { incident in
      let length = StatusFormat.span(incident.begin.duration(to: incident.end ?? snapshot.now).microseconds)
      return """
        <li><a href="/incidents/\(incident.id.description)">\(Layout.name(incident.title))</a><span class="dim">\
        \(incident.severity.rawValue) · \(Layout.minute(incident.begin)) · for \(length)</span></li>
        """
    }
    return """
      <section class="card"><h2>Resolved incidents</h2><ul class="problems">\(Markup(items))\
      \(Layout.more(alerts.over.count, shown: Self.shown))</ul></section>
      """
  }

  private var mutes: Markup? {
    guard !snapshot.mutes.isEmpty else { return nil }
    let items: [Markup] = snapshot.mutes.prefix(Self.shown).map { mute in
      let words = [mute.by.map { "by \($0)" }, mute.why].compactMap(\.self).joined(separator: ": ")
      return """
        <li class="with-act"><span>\(Layout.name(mute.target.text)) <span class="dim">until \(Layout.minute(mute.until)) \(words)</span></span>\
        \(forms?.unmute(mute.id.description, label: "Unmute", back: "/") ?? "")</li>
        """
    }
    return """
      <section class="card"><h2>Muted</h2><ul class="problems">\(Markup(items))\(Layout.more(snapshot.mutes.count, shown: Self.shown))</ul></section>
      """
  }
}
