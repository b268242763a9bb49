// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusSupport
import Testing
@testable import Status

/// The figures on the private pages, each worked out by hand.
@Suite struct PageFigureTests {
  /// So many checks in each state.
  private func snapshot(
    up: Int = 0, degraded: Int = 0, down: Int = 0, unknown: Int = 0, maintenance: Int = 0
  ) throws -> StatusSnapshot {
    var status = try sampleStatus().status
    let base = try #require(status.checks.first { $0.name == "Shop front" })
    var checks: [CheckStatus] = []
    for (state, count) in [
      (CheckState.up, up), (.degraded, degraded), (.down, down), (.unknown, unknown), (.down, maintenance),
    ] {
      for _ in 0..<count {
        var check = base
        (check.id, check.state) = (UniqueID(high: 5, low: UInt64(checks.count)), state)
        checks.append(check)
      }
    }
    for place in checks.indices.suffix(maintenance) {
      checks[place].maintenance = CheckMaintenance(name: "night", until: now, skip: false)
    }
    status.checks = checks
    return status
  }

  /// The headline says the worst, and of those that are judged how many are up.
  @Test func headlines() throws {
    let rows: [(StatusSnapshot, String, String)] = [
      (try snapshot(), "unknown", "No checks"), (try snapshot(up: 1, degraded: 3, down: 2), "down", "2 down"),
      (try snapshot(up: 1, degraded: 3, unknown: 2), "degraded", "3 degraded"),
      (try snapshot(maintenance: 2), "unknown", "All checks are in maintenance"),
      (try snapshot(unknown: 2, maintenance: 1), "unknown", "No verdict yet"),
      (try snapshot(up: 3, unknown: 1, maintenance: 2), "up", "3 of 4 up"),
      (try snapshot(up: 1, maintenance: 2), "up", "1 check, up"),
      (try snapshot(up: 4, maintenance: 1), "up", "All 4 checks up"),
      (try snapshot(up: 1200), "up", "All 1,200 checks up"),
    ]
    for (status, state, words) in rows {
      let html = HeroSection(status).render().html
      #expect(html.hasPrefix("<section class=\"headline \(state)\">"), "\(words)")
      #expect(html.contains("</span> \(words)</h1>"), "\(words)")
      let isNoted = html.contains("in maintenance</p>") || html.contains("in maintenance · ")
      #expect(isNoted == (status.summary.maintenance > 0), "\(words)")
    }
  }

  /// The title of a page tells the number that are down; the icon and the wall take the worst.
  @Test func titlesAndTheWorst() throws {
    #expect(DashboardPage.title(try snapshot(up: 4, down: 2)) == "2 down · london-1")
    #expect(DashboardPage.title(try snapshot(up: 4, degraded: 2)) == "london-1")
    #expect(Layout.worst(try snapshot(up: 4, degraded: 2, down: 1)) == .down)
    #expect(Layout.worst(try snapshot(up: 4, degraded: 2)) == .degraded)
    #expect(Layout.worst(try snapshot(up: 1, unknown: 5)) == .up)
    #expect(Layout.worst(try snapshot(unknown: 5)) == .unknown)
  }

  private func window(
    _ period: UptimePeriod, up: Int64, down: Int64, enabled: Int64, span: Int64, latency: LatencyStats? = nil
  ) -> WindowStatus {
    var window = WindowStatus(period: period)
    (window.time.up, window.time.down) = (up * 1_000_000, down * 1_000_000)
    (window.enabled, window.span) = (enabled * 1_000_000, span * 1_000_000)
    window.latency = latency
    return window
  }

  /// A check with windows that differ in each figure.
  private func check() throws -> CheckStatus {
    var check = try #require(try sampleStatus().status.checks.first { $0.name == "Shop front" })
    var latency = check.window(.day).latency
    latency?.p50 = .milliseconds(1)
    latency?.p95 = .milliseconds(2)
    latency?.p99 = .microseconds(3500)
    check.windows = [
      window(.day, up: 90, down: 10, enabled: 200, span: 400, latency: latency),
      window(.week, up: 450, down: 150, enabled: 1500, span: 3000),
      window(.month, up: 3900, down: 3900, enabled: 7800, span: 1_000_000),
      window(.quarter, up: 0, down: 0, enabled: 100, span: 4000),
    ]
    return check
  }

  /// The cards of a check's windows: uptime, down time, coverage, data and quantiles.
  @Test func cardsOfWindows() throws {
    let page = CheckPage(snapshot: try sampleStatus().status, check: try check(), results: [])
    let html = page.render(nonce: "n").html
    let rows = [
      ("24h", "90%", "down 10s · coverage 50%", "25%", "p50 1 ms · p95 2 ms · p99 3.5 ms"),
      ("7d", "75%", "down 2m 30s · coverage 40%", "20%", "no latency"),
      ("30d", "50%", "down 1h 5m · coverage 100%", "2h, less than 1%", "no latency"),
      ("90d", "no data", "coverage 0%", "0%", "no latency"),
    ]
    for (period, uptime, coverage, data, latency) in rows {
      let card = """
        <div class="card"><b>\(period)</b><br><span class="value">\(uptime)</span>\
        <span class="dim">\(coverage)</span><br>\
        <span class="dim">data \(data)</span><br>\
        <span class="dim num">\(latency)</span></div>
        """
      #expect(html.contains(card), "\(period)")
    }
  }

  /// The same in a row of the list.
  @Test func rowsOfTheList() throws {
    var check = try check()
    check.last?.responseTime = .microseconds(12_340)
    check.last?.startedAt = now.advanced(by: .seconds(-90))
    let html = CheckRow(check, try sampleStatus().status).content().html
    let rows = [("90%", "cov 50%"), ("75%", "cov 40%"), ("50%", "of 2h only"), ("–", "no data")]
    for (uptime, coverage) in rows {
      #expect(html.contains("<span class=\"num\">\(uptime)</span><small>\(coverage)</small>"), "\(uptime)")
    }
    #expect(html.contains("<span class=\"num\">12.3 ms</span><small><time class=\"ago\""))
    #expect(html.contains(">1m ago</time></small>") && !html.contains("30d"))
    // What an incident tells is not told here.
    var status = try sampleStatus().status
    status.alerts = AlertsView()
    status.alerts?.incidentOf = [check.id: UniqueID(high: 1, low: 1)]
    let told = CheckRow(check, status).content().html
    #expect(told.contains(" · 30d 50% · </span>") && !told.contains("target why"))
    check.state = .up
    let calm = CheckRow(check, try sampleStatus().status).content().html
    #expect(calm.contains(" · 30d 50% · </span>"))
  }

  /// The parts of the agent, each line with a figure of its own.
  @Test func parts() throws {
    var status = try sampleStatus().status
    var spool = SpoolStatus()
    (spool.depth, spool.oldest) = (1001, now.advanced(by: .seconds(-7200)))
    (spool.bytesUsed, spool.bytesReserved, spool.mode) = (1536, 3 << 20, .memory)
    (spool.dropped, spool.quarantined) = (3, 4)
    status.spool = spool
    var delivery = DeliveryStatus(.supabase)
    (delivery.tally.delivered, delivery.usage.hour, delivery.usage.perHour) = (5000, 7, 8)
    delivery.tally.lastSuccess = now.advanced(by: .seconds(-60))
    status.undelivered = [.warning(.check("A"), "x"), .warning(.check("B"), "y")]
    status.delivery = delivery
    var scheduler = ScheduleStatus()
    (scheduler.lateP50, scheduler.lateP99) = (.milliseconds(1), .milliseconds(20))
    (scheduler.lateMax, scheduler.inFlight, scheduler.limit) = (.milliseconds(300), 4, 5)
    (scheduler.missedBy, scheduler.spanned) = ([.gap: 6, .limit: 15], 9)
    status.scheduler = scheduler
    var group = GroupStatus.group("london", members: 2)
    (group.view, group.assignment.total, group.assignment.owned) = (30, 4000, 5)
    (group.journal.takeovers, group.alone) = (6, .init(since: now.advanced(by: .seconds(-30))))
    status.group = group
    let html = PartsSection(snapshot: status).render().html
    let rows = [
      ("waiting", "1,001"), ("oldest", "2h"), ("used", "1.5 KiB of 3 MiB"), ("kept", "✕ in memory only"),
      ("overwritten", "3"), ("set aside", "4"), ("to", "supabase"), ("delivered", "5,000"),
      ("last success", "1m ago"), ("backlog", "1,001"), ("requests this hour", "7 of 8"),
      ("checks not delivered", "2"), ("lateness p50", "1 ms"), ("lateness p99", "20 ms"),
      ("lateness at most", "300 ms"), ("in flight", "4 of 5"), ("missed slots", "21 (6 gap, 15 limit)"),
      ("spanned slots", "9"), ("name", "london"), ("members", "2"), ("view", "30"),
      ("checks mine", "5 of 4,000"), ("taken over", "6"), ("alone", "▲ since 30s ago"),
    ]
    for (name, value) in rows {
      #expect(html.contains("<dt>\(name)</dt><dd class=\"num\">\(value)</dd>"), "\(name)")
    }
    #expect(html.contains("<summary>Agent: 1,001 to deliver, lateness p99 20 ms</summary>"))
    (status.spool, status.delivery, status.scheduler, status.group) = (nil, nil, nil, nil)
    let bare = PartsSection(snapshot: status).render().html
    #expect(bare.contains("<summary>Agent</summary>"))
    #expect(bare.contains("<dt>to</dt><dd class=\"num\">off</dd>"))
  }

  /// A run's parts one after the other, on a scale of 120 pixels; a part that took no time is not drawn.
  @Test func waterfalls() {
    let timings = Timings(
      dns: .milliseconds(10), connect: .milliseconds(20), startTLS: .zero, tls: .milliseconds(5),
      firstByte: .milliseconds(40), transfer: .microseconds(100), total: .milliseconds(76))
    let html = Drawing.waterfall(timings, scale: .milliseconds(100)).html
    let bars = html.matches(of: /w-([a-z]+)" x="([0-9.]+)" y="0" width="([0-9.]+)"/).map {
      [String($0.1), String($0.2), String($0.3)]
    }
    #expect(
      bars == [
        ["dns", "0.0", "12.0"], ["connect", "12.0", "24.0"], ["tls", "36.0", "6.0"],
        ["first", "42.0", "48.0"], ["rest", "90.0", "0.5"],
      ])
    #expect(Drawing.waterfall(Timings(total: .seconds(1)), scale: .seconds(1)).html == "")
  }

  /// Bars of runs on the scale of the slowest.
  @Test func sparks() {
    let points = [
      SparkPoint(state: .up, responseTime: .milliseconds(50)),
      SparkPoint(state: .up, responseTime: .milliseconds(100)),
      SparkPoint(state: .up, responseTime: nil),
      SparkPoint(state: .degraded, responseTime: .milliseconds(10)),
      SparkPoint(state: .degraded, responseTime: .milliseconds(100)),
      SparkPoint(state: .down, responseTime: nil),
      SparkPoint(state: .unknown, responseTime: nil),
    ]
    let html = Drawing.spark(points).html
    #expect(html.contains("class=\"f-up\" d=\"M132 15h3v13h-3zM136 2h3v26h-3zM140 26h3v2h-3z\""))
    #expect(html.contains("class=\"f-degraded\" d=\"M144 28l1.5-8l1.5 8zM148 28l1.5-26l1.5 26z\""))
    #expect(html.contains("class=\"f-down\" d=\"M152 2h3v10h-3zm0 13h3v13h-3z\""))
    #expect(html.contains("class=\"f-unknown\" d=\"M156 25h3v3h-3z\""))
  }

  /// Whole hours of a day and days of a week below the line, where they are in its window.
  @Test func ticksOfTheLine() {
    func ticks(_ period: UptimePeriod, hours: Int) -> [String] {
      let (first, last) = (started, started.advanced(by: .seconds(hours * 3600)))
      let half = Duration.seconds(hours * 1800)
      let points = [
        SeriesPoint(start: first, width: half), SeriesPoint(start: first.advanced(by: half), width: half),
      ]
      let html = LatencyChart(points: points, outages: [], period: period, now: last).render().html
      return html.matches(of: /<text x="([0-9.]+)" y="192" text-anchor="middle">([^<]*)</).map {
        "\($0.1) \($0.2)"
      }
    }
    #expect(
      ticks(.day, hours: 24) == ["178.7 04:00", "301.3 08:00", "424.0 12:00", "546.7 16:00", "669.3 20:00"])
    #expect(
      ticks(.week, hours: 168) == [
        "161.1 01-02", "266.3 01-03", "371.4 01-04", "476.6 01-05", "581.7 01-06", "686.9 01-07",
      ])
  }

  /// Incidents on the page: those not acknowledged, then the worse, then the older.
  @Test func incidentsInOrder() {
    func incident(_ number: UInt64, _ severity: AlertSeverity, _ by: String? = nil) -> IncidentStatus {
      var incident = IncidentStatus(
        id: UniqueID(high: 1, low: number), short: "", title: "", subject: .availability, severity: severity,
        begin: started, end: nil)
      incident.acknowledgedBy = by
      return incident
    }
    let list = [
      incident(1, .critical, "ann"), incident(2, .low), incident(3, .high), incident(4, .high),
      incident(5, .low, "bob"), incident(6, .critical),
    ]
    #expect(IncidentSection.sorted(list).map(\.id.low) == [6, 3, 4, 2, 1, 5])
  }

  /// A time of today is told without its date, that of another day with it, and so it is where today is not known.
  @Test func timesOfOtherDays() {
    let instant = Timestamp(seconds: 1_767_492_000)
    func text(_ now: Timestamp?) -> String { Layout.minute(instant, now: now).html }
    func html(_ text: String) -> String { "<time datetime=\"2026-01-04T02:00:00.000Z\">\(text)</time> UTC" }
    let (morning, night) = (instant.advanced(by: .seconds(-7200)), instant.advanced(by: .seconds(79_200)))
    for today in [instant, morning, night.advanced(by: .milliseconds(-1))] {
      #expect(text(today) == html("02:00"))
    }
    for other in [night, morning.advanced(by: .milliseconds(-1)), nil] {
      #expect(text(other) == html("2026-01-04 02:00"))
    }
  }

  /// The headline's time is that of the checks that are judged: one in maintenance has none.
  @Test func sinceWhenOfTheHeadline() throws {
    var status = try snapshot(degraded: 3)
    status.checks[2].maintenance = CheckMaintenance(name: "night", until: now, skip: false)
    for (place, minutes) in [40, 30, 10].enumerated() {
      status.checks[place].since = started.advanced(by: .seconds(60 * minutes))
    }
    let since = Layout.since(started.advanced(by: .seconds(1800)), now: status.now).html
    #expect(HeroSection(status).render().html.contains("\(since) · 1 in maintenance"))
    status.checks[2].maintenance = nil
    let earlier = Layout.since(started.advanced(by: .seconds(600)), now: status.now).html
    #expect(HeroSection(status).render().html.contains(earlier))
  }
}
