// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Incidents and what people did, on the start page and on a page of their own: each line whole.
@Suite struct IncidentTextTests {
  private let id = UniqueID(high: 1, low: 0xabc_def)
  private let shop = UniqueID(high: 9, low: 1)

  private func at(_ minutes: Int) -> Timestamp { started.advanced(by: .seconds(60 * minutes)) }

  private func member(_ name: String, _ check: UniqueID?, until: Timestamp? = nil) -> IncidentStatus.Member {
    var member = IncidentStatus.Member(
      checkID: check, name: name, rule: "down", severity: .high, reason: .httpStatus, text: "status 503",
      since: at(30), until: until)
    member.state = .down
    return member
  }

  private func incident(_ members: [IncidentStatus.Member], end: Timestamp? = nil) -> IncidentStatus {
    var incident = IncidentStatus(
      id: id, short: "abcdef", title: "Shop is down: status 503", subject: .availability, severity: .high,
      begin: at(30), end: end)
    (incident.members, incident.alertCount, incident.memberCount) = (members, members.count, members.count)
    return incident
  }

  private func snapshot(_ open: [IncidentStatus], over: [IncidentStatus] = []) throws -> StatusSnapshot {
    var status = try sampleStatus().status
    var alerts = AlertsView()
    (alerts.open, alerts.over) = (open, over)
    status.alerts = alerts
    return status
  }

  private func facts(_ html: String) -> [String] {
    html.matches(of: /<dt>([^<]*)<\/dt><dd class="num">([^<]*)<\/dd>/).map { "\($0.1): \($0.2)" }
  }

  /// What its page says first, while it lasts, once it is acknowledged, and when it is over.
  @Test func theFacts() throws {
    var one = incident([member("Shop", shop)])
    func page() throws -> String {
      IncidentPage(snapshot: try sampleStatus().status, incident: one).render(nonce: "n").html
    }
    let first = ["severity: high", "for: 1h 30m", "began: 2026-01-01 00:30:00 UTC"]
    #expect(
      try facts(page()) == ["status: active"] + first + [
        "acknowledge with: quartz-agent ack abcdef", "id: \(id)",
      ])
    one.acknowledgedBy = "ann"
    #expect(try facts(page()) == ["status: acknowledged"] + first + ["acknowledged by: ann", "id: \(id)"])
    (one.end, one.acknowledgedBy) = (at(40), nil)
    #expect(
      try facts(page()) == [
        "status: resolved", "severity: high", "for: 10m", "began: 2026-01-01 00:30:00 UTC",
        "resolved: 2026-01-01 00:40:00 UTC", "id: \(id)",
      ])
    #expect(try page().contains("<title>resolved · Shop is down: status 503</title>"))
  }

  /// Down where one of its alerts is about what is down; degraded by others; up once over, where something works.
  @Test(
    arguments: [
      ([.down], true, .down), ([.degraded, .down], true, .down), ([.degraded], true, .degraded),
      ([], true, .degraded), ([], false, .up), ([.down], false, .up),
    ] as [([CheckState], Bool, CheckState)])
  func theMark(states: [CheckState], isOpen: Bool, mark: CheckState) throws {
    let members = states.map { state in
      var one = member("Shop", shop, until: isOpen ? nil : at(40))
      one.state = state
      return one
    }
    let page = IncidentPage(
      snapshot: try sampleStatus().status, incident: incident(members, end: isOpen ? nil : at(40)))
    let big = "<span class=\"big mark \(mark.rawValue)\" aria-hidden=\"true\">\(mark.mark)</span>"
    #expect(page.render(nonce: "n").html.contains(big))
    guard isOpen else { return }
    let card = IncidentSection(snapshot: try snapshot([page.incident])).render().html
    #expect(
      card.contains(
        "high\"><h2><span class=\"mark \(mark.rawValue)\" aria-hidden=\"true\">\(mark.mark)</span>"),
      "the start page has the same")
  }

  /// An incident that is open, with alerts that fire no more, is not down.
  @Test func theMarkOfARecovery() throws {
    let one = incident([member("Shop", shop, until: at(40))])
    #expect(one.isOpen && one.mark == .degraded)
  }

  /// Alerts with their times, channels, and what happened when.
  @Test func theLists() throws {
    var one = incident([member("Shop", shop), member("the disk", nil, until: at(50))])
    one.members[1].outcome = "recovered"
    one.alertCount = 5
    var told = IncidentStatus.Notification(channel: "ops", state: .delivered)
    told.last = at(31)
    one.notifications = [told]
    one.timeline = [.init(at(30), "opened <b>"), .init(at(31), "told")]
    let status = try sampleStatus().status
    let html = IncidentPage(snapshot: status, incident: one).render(nonce: "n").html
    let down = "<span class=\"mark down\" aria-hidden=\"true\">✕</span>&nbsp;<bdi>Shop</bdi>"
    let up = "<span class=\"mark up\" aria-hidden=\"true\">●</span>&nbsp;<bdi>the disk</bdi>"
    let since = "high · status 503 · since 2026-01-01 00:30:00 UTC"
    #expect(
      html.contains(
        "<h2>Alerts</h2><ul class=\"problems\"><li><a href=\"/checks/\(shop)\">\(down)</a> "
          + "<span class=\"dim\">\(since)</span></li><li>\(up) "
          + "<span class=\"dim\">\(since), recovered at 2026-01-01 00:50:00 UTC</span></li>"
          + "<li class=\"dim\">and 3 more</li></ul>"), "\(html)")
    #expect(
      html.contains("<li>ops <span class=\"dim\">delivered at 2026-01-01 00:31:00 UTC</span></li></ul>"))
    #expect(
      html.contains(
        "<li><time class=\"num\" datetime=\"2026-01-01T00:30:00.000Z\">2026-01-01 00:30:00</time> "
          + "opened &lt;b&gt;</li><li><time class=\"num\" datetime=\"2026-01-01T00:31:00.000Z\">"
          + "2026-01-01 00:31:00</time> told</li></ol>"))
    (one.notifications, one.alertCount) = ([], 2)
    let bare = IncidentPage(snapshot: status, incident: one).render(nonce: "n").html
    #expect(
      bare.contains("<li class=\"dim\">no channel is notified of it</li>") && !bare.contains(" more</li>"))
  }

  /// Actions are for what is open; one that is muted in all of its checks can be heard again.
  @Test func theActions() throws {
    var status = try snapshot([])
    let ids = status.checks.prefix(2).map(\.id)
    func actions(_ one: IncidentStatus, forms: PageForms? = PageForms()) -> [String] {
      let html = IncidentPage(snapshot: status, incident: one, forms: forms).render(nonce: "n").html
      return html.matches(of: /name="do" value="([a-z]+)">([^<]*)</).map { "\($0.1) \($0.2)" }
    }
    var one = incident([member("Shop", shop)])
    #expect(actions(one) == ["ack Acknowledge", "mute Mute 1 h", "run Run now"])
    #expect(actions(one, forms: nil) == [] && actions(incident([], end: now)) == [])
    (one.acknowledgedBy, one.memberCount) = ("ann", 2)
    status.alerts?.incidentOf = [ids[0]: id, ids[1]: id]
    status.checks[0].mutedUntil = now
    #expect(actions(one) == ["mute Mute 1 h", "run Run all now"])
    status.checks[1].mutedUntil = now
    #expect(actions(one) == ["unmute Unmute", "run Run all now"])
    status.alerts?.incidentOf = [ids[0]: UniqueID(high: 1, low: 1)]
    #expect(actions(one) == ["mute Mute 1 h", "run Run all now"])
  }

  /// The card of the first incident, and who knows of it.
  @Test func theCard() throws {
    var one = incident([member("Shop", shop), member("Old", nil, until: at(40)), member("the disk", nil)])
    one.alertCount = 6
    var html = IncidentSection(snapshot: try snapshot([one])).render().html
    let since = Layout.since(at(30), now: now).html
    #expect(
      html.hasPrefix(
        "<div class=\"stack-of-cards\"><section class=\"card incident high\"><h2>"
          + "<span class=\"mark down\" aria-hidden=\"true\">✕</span>&nbsp;<bdi>Shop is down</bdi></h2>"
          + "<p class=\"dim facts-line\"><span class=\"badge sev high\">high</span> \(since) · no channel</p>"
      ),
      "\(html)")
    let mark = "<span class=\"mark down\" aria-hidden=\"true\">✕</span>"
    let rest = "\(Layout.ago(at(30), now: now).html)<small>status 503</small>"
    #expect(
      html.contains(
        "<ul class=\"members\"><li><a class=\"member\" href=\"/checks/\(shop)\">\(mark)<b><bdi>Shop</bdi></b>\(rest)</a></li>"
          + "<li><span class=\"member\">\(mark)<b><bdi>the disk</bdi></b>\(rest)</span></li></ul>"
          + "<a class=\"more\" href=\"/incidents/\(id)\">4 more, timeline</a>"), "\(html)")
    one.alertCount = 2
    one.notifications = [.init(channel: "ops", state: .pending)]
    one.severity = .medium
    html = IncidentSection(snapshot: try snapshot([one])).render().html
    #expect(html.contains(" · notified: ops (pending)</p>") && html.contains("\">Timeline</a>"))
    #expect(html.contains("incident medium\"><h2><span class=\"mark down\" aria-hidden=\"true\">✕</span>"))
    (one.acknowledgedBy, one.acknowledgedAt, one.acknowledgedNote) = ("ann", at(31), "on it")
    html = IncidentSection(snapshot: try snapshot([one])).render().html
    #expect(html.hasPrefix("<div class=\"stack-of-cards\"><details class=\"card incident medium\">"))
    #expect(
      html.contains(
        " · ✓ acknowledged by <bdi>ann</bdi>, \(Layout.minute(at(31)).html): on it</span></summary>"))
  }

  /// Three alerts on the card that is open, eight on one that unfolds.
  @Test(arguments: [(3, 3, 3), (4, 3, 4), (8, 3, 8), (9, 3, 8)]) func alertsOnACard(
    count: Int, open: Int, folded: Int
  )
    throws
  {
    var one = incident((0..<count).map { member("m\($0)", nil) })
    #expect(
      IncidentSection(snapshot: try snapshot([one])).render().html.matches(of: /<span class="member">/).count
        == open)
    one.acknowledgedBy = "ann"
    #expect(
      IncidentSection(snapshot: try snapshot([one])).render().html.matches(of: /<span class="member">/).count
        == folded)
  }

  /// What people handled: resolved incidents and mutes, ten of each.
  @Test func whatIsHandled() throws {
    var over = incident([], end: at(40))
    over.title = "Mail"
    var status = try snapshot([], over: [over])
    status.mutes = [
      HandBook.Order(id: id, target: .tag("db"), from: started, until: at(180), why: "deploy", by: "Ada"),
      HandBook.Order(id: id, target: .everything, from: started, until: at(180)),
    ]
    let forms = PageForms()
    let html = HandledSection(snapshot: status, forms: forms).render().html
    #expect(
      html.contains(
        "<li><a href=\"/incidents/\(id)\"><bdi>Mail</bdi></a><span class=\"dim\">"
          + "high · \(Layout.minute(at(30)).html) · for 10m</span></li>"))
    let until = "<span class=\"dim\">until \(Layout.minute(at(180)).html) "
    #expect(
      html.contains(
        "<li class=\"with-act\"><span><bdi>tag:db</bdi> \(until)by Ada: deploy</span></span><form"))
    #expect(html.contains("<li class=\"with-act\"><span><bdi>all</bdi> \(until)</span></span><form"))
    #expect(html.contains("name=\"order\" value=\"\(id)\"") && html.contains("value=\"unmute\">Unmute<"))
    #expect(!HandledSection(snapshot: status).render().html.contains("<form"))
    for (count, rest) in [(10, nil), (11, "and 1 more")] as [(Int, String?)] {
      status.alerts?.over = Array(repeating: over, count: count)
      status.mutes = []
      let html = HandledSection(snapshot: status).render().html
      #expect(html.matches(of: /<li><a href="\/incidents\//).count == 10)
      #expect(html.firstMatch(of: /<li class="dim">([^<]*)</).map { String($0.1) } == rest)
    }
    status.alerts?.over = []
    #expect(HandledSection(snapshot: status).render().html == "")
  }
}
