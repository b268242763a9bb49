// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Groups
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The frame of the pages, the headline, and drawings of windows at their bounds.
@Suite struct FrameTests {
  private func point(
    _ start: Int64, _ width: Int64, mean: Int? = nil, p95: Int? = nil, down: Int64 = 0, up: Int64 = 0
  )
    -> SeriesPoint
  {
    var time = Tally()
    (time.up, time.down) = (up, down)
    return SeriesPoint(
      start: started.advanced(by: .seconds(start)), width: .seconds(width), count: 1,
      mean: mean.map { .milliseconds($0) }, p95: p95.map { .milliseconds($0) }, time: time)
  }

  /// Facts below the headline, in their order, with dots between them.
  @Test func factsOfTheHeadline() throws {
    var status = try sampleStatus().status
    let mail = try #require(status.checks.first { $0.name == "Mail <b>gateway</b>" })
    status.checks = [mail]
    status.checks[0].since = now.advanced(by: .seconds(-3600))
    var day = WindowStatus(period: .day)
    (day.time.up, day.time.down, day.span) = (99_000_000, 1_000_000, 200_000_000)
    status.checks[0].windows = [day]
    func facts() -> String {
      let html = HeroSection(status).render().html
      return html.components(separatedBy: "<p class=\"dim\">")[1].components(separatedBy: "</p>")[0]
    }
    let since = Layout.since(now.advanced(by: .seconds(-3600)), now: now).html
    #expect(facts() == "\(since) · uptime of 24h 99%")
    var alerts = AlertsView()
    alerts.open = (0..<3).map { number in
      var one = IncidentStatus(
        id: UniqueID(high: 1, low: UInt64(number)), short: "", title: "", subject: .availability,
        severity: .low,
        begin: now, end: nil)
      one.acknowledgedBy = number < 2 ? "ann" : nil
      return one
    }
    status.alerts = alerts
    #expect(facts() == "3 incidents open, 2 acknowledged · \(since) · uptime of 24h 99%")
    status.alerts?.open = [alerts.open[2]]
    status.checks.append(mail)
    status.checks[1].maintenance = CheckMaintenance(name: "n", until: now, skip: false)
    status.checks[1].windows = []
    status.checks[0].windows[0].span = 20_000_000_000
    #expect(
      facts() == "1 incident open · \(since) · 1 in maintenance · uptime of 24h 99% (1m of data)",
      "\(facts())")
    status.checks = []
    status.alerts = nil
    #expect(facts() == "")
  }

  /// Alerts that fire: how many, and marked by the worst of them that is there.
  @Test(
    arguments: [
      ([(.high, 0), (.low, 1)], "1</b>", "alert</a>", "degraded"),
      ([(.high, 2), (.low, 1)], "3</b>", "alerts</a>", "down"),
      ([(.critical, 1)], "1</b>", "alert</a>", "down"),
      ([(.medium, 1200)], "1,200</b>", "alerts</a>", "degraded"),
      ([(.critical, 0)], "0</b>", "alerts</a>", nil),
    ] as [([(AlertSeverity, Int)], String, String, String?)])
  func alertsThatFire(firing: [(AlertSeverity, Int)], count: String, word: String, mark: String?) throws {
    var status = try sampleStatus().status
    status.alerts = AlertsView()
    status.alerts?.firing = firing.map { .init(rule: "r", severity: $0.0, count: $0.1) }
    let html = HeroSection(status).counts().html
    let link = try #require(html.components(separatedBy: "<a class=\"count\" href=\"#").last)
    #expect(link.hasPrefix(mark == nil ? "handled\"" : "incidents\""))
    #expect(link.contains(count) && link.contains(" </span>\(word)"))
    #expect(link.firstMatch(of: /<span class="mark ([a-z]+)"/).map { String($0.1) } == mark)
  }

  /// Parts of the ring in the order of the states, each as long as its share, less a gap where there are several.
  @Test func theRing() {
    func arcs(_ summary: StatusSummary) -> [String] {
      Drawing.ring(summary).html.matches(
        of:
          /class="ring ([a-z-]+)" cx="60" cy="60" r="48"(?: stroke-dasharray="([0-9.]+) 301.6" stroke-dashoffset="([-0-9.]+)")?/
      ).map { "\($0.1) \($0.2 ?? "") \($0.3 ?? "")" }
    }
    var summary = StatusSummary()
    #expect(arcs(summary) == ["none  "])
    (summary.total, summary.up) = (4, 4)
    #expect(arcs(summary) == ["s-up 301.6 0.0"])
    (summary.up, summary.down) = (3, 1)
    // 226.2 and 75.4, less 3.75.
    #expect(arcs(summary) == ["s-up 222.4 0.0", "s-down 71.6 -226.2"])
    (summary.total, summary.up, summary.degraded, summary.down) = (8, 2, 1, 1)
    (summary.unknown, summary.maintenance) = (1, 3)
    #expect(
      arcs(summary) == [
        "s-up 71.6 0.0", "s-degraded 33.9 -75.4", "s-down 33.9 -113.1", "s-unknown 33.9 -150.8",
        "s-maintenance 109.3 -188.5",
      ], "\(arcs(summary))")
    (summary.total, summary.up, summary.degraded, summary.maintenance) = (1000, 999, 0, 0)
    (summary.down, summary.unknown) = (1, 0)
    #expect(arcs(summary)[1].hasPrefix("s-down 1.0 "))
    #expect(Drawing.ring(summary).html.contains("aria-label=\"999 of 1000 checks are up\""))
    #expect(Drawing.ring(summary).html.contains("<text x=\"60\" y=\"70\">1,000</text>"))
  }

  /// A label stands where there is room for it: 18 pixels from the left, and 40 from the right.
  @Test(
    arguments: [
      (0, 76_068, ["04:00", "08:00", "12:00", "16:00"]),
      (0, 76_176, ["04:00", "08:00", "12:00", "16:00", "20:00"]),
      (12_960, 57_600, ["04:00", "08:00", "12:00", "16:00"]), (12_960, 59_400, ["08:00", "12:00", "16:00"]),
    ] as [(Int64, Int64, [String])])
  func roomForTicks(begin: Int64, length: Int64, ticks: [String]) {
    let half = length / 2
    let points = [point(begin, half), point(begin + half, length - half)]
    let html = LatencyChart(
      points: points, outages: [], period: .day, now: started.advanced(by: .seconds(begin + length))
    ).render().html
    #expect(html.matches(of: /text-anchor="middle">([0-9:]+)</).map { String($0.1) } == ticks)
    #expect(html.contains("<text x=\"792.0\" y=\"192\" text-anchor=\"end\">now</text>"))
  }

  /// The two lines of a window, the scale of both, and the words for those who do not see it.
  @Test func theLinesOfAWindow() {
    let points = [
      point(0, 100, mean: 10, p95: 20), point(100, 100, mean: 40, p95: 100), point(200, 100),
      point(300, 100, mean: 20),
    ]
    let html = LatencyChart(
      points: points, outages: [], period: .week, now: started.advanced(by: .seconds(400))
    ).render().html
    func lines(_ style: String) -> [String] {
      html.matches(of: /<path class="([a-z0-9]+)" d="M([^"]*)"\/>/).filter { $0.1 == style }.map {
        String($0.2)
      }
    }
    // 736 px in four; 160 px for 110 ms.
    #expect(lines("line") == ["148.0 157.5 332.0 113.8 ", "700.0 142.9 h0.1"])
    #expect(lines("p95") == ["148.0 142.9 332.0 26.5 "])
    #expect(lines("under").first == "148.0 172.0 L148.0 157.5 332.0 113.8 L332.0 172.0Z")
    #expect(html.contains(">Response time of the last 7d: mean from 10 ms to 40 ms, down for 0s</title>"))
    let none = LatencyChart(points: [point(0, 100)], outages: [], period: .day, now: now)
    #expect(!none.hasValues && none.render().html.contains("24h: no response, down for 0s</title>"))
  }

  /// A microsecond of downtime is seen and counted.
  @Test func theSmallestDowntime() {
    let html = UptimeStrip(
      points: [point(0, 1800, down: 1, up: 1_799_999_999), point(1800, 1800)], period: .day
    )
    .render().html
    #expect(html.contains("aria-label=\"24h in 2 parts: 1 with downtime, 1 without data\""))
    #expect(
      html.contains("viewBox=\"0 0 7 24\"")
        && html.contains("class=\"f-down\" x=\"0\" y=\"0\" width=\"3\" height=\"5.0\""))
    #expect(html.contains("class=\"f-up\" x=\"0\" y=\"7.0\" width=\"3\" height=\"17.0\""))
    let full = UptimeStrip.shape(point(0, 1, down: 22), at: 4).html
    #expect(full == "<rect class=\"f-down\" x=\"4\" y=\"0\" width=\"3\" height=\"24.0\"/>")
  }

  /// What each kind of page has of the frame.
  @Test func kindsOfPages() throws {
    var status = try sampleStatus().status
    status.agent.name = "a & b"
    func page(_ live: Layout.Live, _ status: StatusSnapshot?) -> String {
      Layout.page(title: "t", snapshot: status, nonce: "n", live: live, skip: ("place", "words"), "content")
        .html
    }
    let rows: [(Layout.Live, body: String, reloads: Bool, isLink: Bool, skips: Bool, foot: Bool)] = [
      (.none, "<body>", false, true, true, true),
      (.page, "<body data-live=\"page\">", true, true, true, true),
      (.list, "<body data-live=\"list\">", true, false, true, true),
      (.wall, "<body data-live=\"wall\" class=\"wall\">", true, false, false, false),
    ]
    for row in rows {
      let html = page(row.0, status)
      #expect(html.contains(row.body), "\(row.body)")
      #expect(
        html.contains("<noscript><meta http-equiv=\"refresh\" content=\"15\"></noscript>") == row.reloads)
      #expect(html.contains("<a class=\"brand\" href=\"/\">") == row.isLink)
      #expect(html.contains("<span><bdi>a &amp; b</bdi></span>"))
      #expect(html.contains("<a class=\"skip\" href=\"#place\">Skip to words</a>") == row.skips)
      #expect(html.contains("<footer class=\"wrap dim\">") == row.foot)
      let fetched = "This page is live; without scripts it reloads every 15 s. Running for 2h. "
      #expect(html.contains(fetched) == (row.reloads && row.foot), "\(row.body)")
    }
    let html = page(.page, status)
    #expect(html.contains("<span class=\"dim from\">eu-west · quartz-agent 0.1.0</span>"))
    #expect(html.contains("<time id=\"asof\" datetime=\"\(now.rfc3339)\">02:00:00</time>"))
    let bare = page(.none, nil)
    #expect(
      bare.contains("<span>quartz-agent</span>") && !bare.contains("id=\"asof\"") && !bare.contains("<footer")
    )
    #expect(bare.contains("%236B7280") && html.contains("%23EF4444"))
  }

  /// Names and members of what runs elsewhere; another address is no check.
  @Test func whatIsNotHere() throws {
    var status = try sampleStatus().status
    let id = UniqueID(high: 1, low: 1)
    #expect(MissingPage(snapshot: status, id: id).render(nonce: "n").html.contains("<h1>No such check</h1>"))
    status.group = GroupStatus.group("eu", members: 2)
    status.group?.elsewhere = [
      .init(id: id, name: "Shop", member: "b"), .init(id: UniqueID(high: 1, low: 2), name: "x", member: nil),
    ]
    let known = MissingPage(snapshot: status, id: id).render(nonce: "n").html
    #expect(
      known.contains("<h1>Shop</h1>\n<p>Run by b, another member of the group: its state is shown there.</p>")
    )
    let other = MissingPage(snapshot: status, id: UniqueID(high: 1, low: 2)).render(nonce: "n").html
    #expect(other.contains("<p>Run by no known member of the group.</p>"))
    #expect(MissingPage(snapshot: status).render(nonce: "n").html.contains("<h1>No such check</h1>"))
  }

  /// What the page to sign in on says to whom.
  @Test func signingIn() {
    func page(_ person: SignedInPerson?, isOn: Bool = true, _ problem: String? = nil) -> String {
      SignInPage(person: person, isOn: isOn, back: "/a?b&c", problem: problem).render(nonce: "n").html
    }
    let fresh = page(nil)
    #expect(fresh.contains("<h1>Sign in</h1><form method=\"post\" action=\"/sign-in\">"))
    #expect(fresh.contains("name=\"back\" value=\"/a?b&amp;c\"") && !fresh.contains("Sign out"))
    #expect(
      page(nil, isOn: false).contains("<p>No token is set. Set status.run_now_token in agent.yaml.</p>"))
    #expect(page(nil, "wrong").contains("aria-hidden=\"true\">✕</span>&nbsp;wrong</p><form"))
    #expect(page(.init(name: "ann", mayAct: true)).contains("<p>You are signed in as <bdi>ann</bdi>.</p>"))
    #expect(page(.init(name: nil, mayAct: false)).contains("<p>You are signed in, to read.</p>"))
  }
}
