// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import Groups
import Monitoring
import StatusSupport
import Testing
@testable import History
@testable import Status

/// Sections of the pages, each line whole: places, outages, windows, resources, and what others run.
@Suite struct PageSectionTests {
  private func window(
    _ period: UptimePeriod, up: Int64, down: Int64, enabled: Int64, p50: Duration, p95: Duration
  ) -> WindowStatus {
    var window = WindowStatus(period: period)
    (window.time.up, window.time.down) = (up * 1_000_000, down * 1_000_000)
    (window.span, window.enabled) = (enabled * 1_000_000, enabled * 1_000_000)
    window.latency = LatencyStats(
      count: 1, mean: .seconds(9), minimum: .seconds(9), maximum: .seconds(9), p50: p50, p90: .seconds(9),
      p95: p95, p99: .seconds(9))
    return window
  }

  /// A place's figures, each from its own window.
  @Test func placesInATable() {
    var one = PlaceStatus("paris")
    (one.isOwn, one.members) = (true, 2)
    one.absent = (1...6).map { "p-\($0)" }
    one.verdict = PlaceVerdict("paris", .down, .connectRefused)
    one.windows = [
      window(.day, up: 90, down: 10, enabled: 200, p50: .milliseconds(1), p95: .milliseconds(2)),
      window(.week, up: 80, down: 20, enabled: 100, p50: .milliseconds(3), p95: .milliseconds(4)),
      window(.month, up: 70, down: 30, enabled: 100, p50: .milliseconds(5), p95: .milliseconds(6)),
    ]
    var other = PlaceStatus("oslo")
    other.verdict = PlaceVerdict("oslo", .up, .ok)
    let html = PlacesSection(places: [one, other]).render().html
    func row(_ first: String, _ state: String, _ figures: [String], _ members: String) -> String {
      "<tr><td>\(first)</td><td class=\"says\">\(state)</td>"
        + "<td class=\"n\"><b class=\"k\">24h</b>\(figures[0])</td>"
        + "<td class=\"n\"><b class=\"k\">p50 24h</b>\(figures[1])</td>"
        + "<td class=\"n\"><b class=\"k\">p95 24h</b>\(figures[2])</td>"
        + figures[3...].map { "<td class=\"n hide-s\">\($0)</td>" }.joined()
        + "<td class=\"n hide-s\">\(members)</td></tr>\n"
    }
    let here = row(
      "paris <span class=\"dim\">here</span>",
      "<span class=\"state down\"><i aria-hidden=\"true\">✕</i> DOWN</span><br><span class=\"dim\">connect_refused</span>",
      ["90%", "1 ms", "2 ms", "4 ms", "70%", "50%"],
      "2 of 8<br><span class=\"dim\">without p-1, p-2, p-3, p-4, p-5</span>")
    let there = row(
      "oslo", "<span class=\"state up\"><i aria-hidden=\"true\">●</i> UP</span>",
      ["–", "–", "–", "–", "–", "no data"], "0")
    #expect(html.contains("<tbody>\(here)\(there)</tbody>"), "\(html)")
    #expect(PlacesSection(places: []).render().html == "")
  }

  private func outage(_ minute: Int, _ end: Int?, phase: Phase? = nil) -> Outage {
    let at = { (minute: Int) in started.advanced(by: .seconds(60 * minute)) }
    return Outage(
      begin: at(minute), end: end.map(at), heldUntil: end.map(at) ?? now, reason: .connectRefused,
      phase: phase, firstMessage: "refused", lastMessage: "refused", results: 7)
  }

  /// One line of an outage that is over, and of one that lasts.
  @Test func linesOfOutages() {
    let html = OutageList(outages: [outage(0, 10, phase: .connect), outage(90, nil)], checks: 1, now: now)
      .render().html
    func time(_ clock: String) -> String {
      "<time datetime=\"2026-01-01T\(clock).000Z\">2026-01-01 \(clock)</time>"
    }
    let lasting =
      "<tr><td class=\"n\">\(time("01:30:00"))</td><td class=\"n\">30m<span class=\"dim\"> so far</span></td>"
      + "<td class=\"why\">connect_refused: refused</td><td class=\"n hide-s\"><span class=\"state down\">"
      + "<i aria-hidden=\"true\">✕</i> still down</span></td><td class=\"n hide-s\">7</td></tr>\n"
    let over =
      "<tr><td class=\"n\">\(time("00:00:00"))</td><td class=\"n\">10m</td>"
      + "<td class=\"why\">connect_refused in connect: refused</td>"
      + "<td class=\"n hide-s\">\(time("00:10:00"))</td><td class=\"n hide-s\">7</td></tr>\n"
    #expect(html.contains("<tbody>\(lasting)\(over)</tbody>"), "\(html)")
  }

  /// Fifty are shown; where as many are known as are kept, there may have been more.
  @Test(
    arguments: [
      (1, 1, 1, nil), (50, 1, 50, nil), (51, 1, 50, "The latest 50 of 51."),
      (64, 1, 50, "The latest 50 of 64."),
      (39, 800, 39, nil), (40, 800, 40, "The latest 40 are kept; there may have been more."),
      (2, 100_000, 2, "The latest 2 are kept; there may have been more."), (1, 100_000, 1, nil),
    ] as [(Int, Int, Int, String?)])
  func roomForOutages(count: Int, checks: Int, rows: Int, note: String?) {
    let outages = (0..<count).map { outage($0, $0 + 1) }
    let html = OutageList(outages: outages, checks: checks, now: now).render().html
    let begins = html.matches(of: /<tr><td class="n"><time datetime="([^"]*)"/).map { String($0.1) }
    #expect(begins == outages.suffix(rows).reversed().map(\.begin.rfc3339))
    #expect(html.firstMatch(of: /<p class="dim">([^<]*)<\/p>/).map { String($0.1) } == note)
  }

  private func view(_ name: String, isActive: Bool, skip: Bool, checks: Int) -> MaintenanceView {
    MaintenanceView(
      name: name, origin: .local, repetition: .none, timezone: "UTC", skip: skip, checks: checks,
      hours: started..<now, isActive: isActive)
  }

  /// Windows that hold have a mark; twenty of each list, and how many more there are.
  @Test func maintenanceAndResources() throws {
    var status = try sampleStatus().status
    #expect(MaintenanceSection(snapshot: status).render().html == "")
    status.maintenance = [
      view("Patch", isActive: true, skip: true, checks: 1),
      view("Move", isActive: false, skip: false, checks: 3),
    ]
    let mark = "<span class=\"mark unknown\" aria-hidden=\"true\">◆</span> "
    let rows =
      "<li>\(mark)Patch <span class=\"dim num\">until 2026-01-01 02:00 UTC</span> "
      + "<span class=\"dim\">· 1 check · not probed</span></li>"
      + "<li>Move <span class=\"dim num\">begins 2026-01-01 00:00 UTC</span> "
      + "<span class=\"dim\">· 3 checks</span></li>"
    #expect(
      MaintenanceSection(snapshot: status).render().html.contains(
        "<h2>Maintenance</h2><ul class=\"problems\">\(rows)</ul>"))
    for (count, rest) in [(20, nil), (21, "and 1 more")] as [(Int, String?)] {
      status.maintenance = Array(
        repeating: view("Move", isActive: false, skip: false, checks: 3), count: count)
      let html = MaintenanceSection(snapshot: status).render().html
      #expect(html.matches(of: /<li>Move/).count == 20)
      #expect(html.firstMatch(of: /<li class="dim">([^<]*)</).map { String($0.1) } == rest)
    }
  }

  /// A window by hand names its target and its author, and can be ended where the page offers actions.
  @Test func windowsByHand() throws {
    var status = try sampleStatus().status
    let id = UniqueID(high: 8, low: 1)
    var window = view("Patch", isActive: true, skip: false, checks: 1)
    window.id = id
    status.maintenance = [window]
    status.byHand = [
      .init(id: id, target: .tag("mail"), from: started, until: now, why: "Patch", by: "ann <x>")
    ]
    let row =
      "<span class=\"mark unknown\" aria-hidden=\"true\">◆</span> Patch "
      + "<span class=\"dim num\">until 2026-01-01 02:00 UTC</span> "
      + "<span class=\"dim\">· 1 check · <bdi>tag:mail</bdi> by <bdi>ann &lt;x&gt;</bdi></span>"
    let shown = MaintenanceSection(snapshot: status).render().html
    #expect(shown.contains("<ul class=\"problems\"><li>\(row)</li></ul>"))
    let forms = PageForms()
    let html = MaintenanceSection(snapshot: status, forms: forms).render().html
    let end = forms.end(.endMaintenance, id.description, "End", back: "/").html
    #expect(html.contains("<li class=\"with-act\"><span>\(row)</span>\(end)</li>"))
    // A window of the settings is ended there.
    status.byHand = []
    #expect(!MaintenanceSection(snapshot: status, forms: forms).render().html.contains("<form"))
  }

  /// Resources, the worst first, with the names of what fails, or else of all that it has; three at most.
  @Test func resources() throws {
    var status = try sampleStatus().status
    let base = try #require(status.checks.first { $0.name == "Mail <b>gateway</b>" })
    let members: [(UInt64, CheckState, String)] = [
      (1, .up, "a"), (1, .up, "b"), (1, .up, "c"), (1, .up, "d"), (2, .down, "e"), (3, .unknown, "f"),
      (4, .up, "g"), (4, .degraded, "h"),
    ]
    status.checks = members.enumerated().map { number, member in
      var check = base
      (check.id, check.name, check.state) = (UniqueID(high: 6, low: UInt64(number)), member.2, member.1)
      (check.resourceID, check.failures) = (UniqueID(high: 1, low: member.0), member.1 == .down ? 1 : 0)
      return check
    }
    let found: [(number: UInt64, state: CheckState, names: String)] = [
      (2, .down, "e"), (4, .degraded, "h"), (3, .unknown, "f"), (1, .up, "a, b, c"),
    ]
    let rows = found.map { row in
      "<li>\(Layout.state(row.state).html) <span class=\"num\">\(UniqueID(high: 1, low: row.number))</span> "
        + "<span class=\"dim\">\(row.names)</span></li>"
    }
    #expect(
      MaintenanceSection(snapshot: status).render().html.contains(
        "<h2>Resources</h2><ul class=\"problems\">\(rows.joined())</ul>"))
  }

  /// Checks that other members run, by name, and how many more; nothing where all are run here.
  @Test func elsewhere() throws {
    var group = GroupStatus.group("eu", members: 3)
    #expect(ElsewhereSection(group: nil).render().html == "")
    #expect(ElsewhereSection(group: group).render().html == "")
    group.others = [.init(member: "b", checks: 1200), .init(member: nil, checks: 2)]
    group.elsewhere = [
      .init(id: UniqueID(high: 1, low: 1), name: "Shop", member: "b"),
      .init(id: UniqueID(high: 1, low: 2), name: "Mail", member: nil),
    ]
    let html = ElsewhereSection(group: group).render().html
    #expect(
      html.contains("<p class=\"fine\">1,200 by b, 2 by no known member. They are counted and shown"))
    #expect(
      html.contains(
        "<ul class=\"problems\"><li>Shop <span class=\"dim\">run by b</span></li>\n"
          + "<li>Mail <span class=\"dim\">run by no known member</span></li>\n"
          + "<li class=\"dim\">and 1,200 more: quartz-agent group --checks</li></ul>"))
    group.alone = .init(since: now)
    group.others = [.init(member: "b", checks: 2)]
    let whole = ElsewhereSection(group: group).render().html
    #expect(whole.contains("<p class=\"fine\">2 by b, as of the last view. They") && !whole.contains(" more"))
  }
}
