// SPDX-License-Identifier: MIT

import Basics
import Foundation
import HistorySupport
import Monitoring
import Testing
@testable import History
@testable import Status

/// A report's page, row by row, from unequal figures.
@Suite struct ReportRowTests {
  private static let january = CalendarPeriod.month(CalendarMonth(midnight))
  private static let hour: Int64 = 3_600_000_000

  private func figures(_ mean: Int64?) -> MonthFigures {
    var figures = MonthFigures(Self.january)
    for (standing, hours) in zip(Standing.allCases, [100, 7, 3, 5, 2] as [Int64]) {
      figures.time[standing] = hours * Self.hour
    }
    (figures.span, figures.enabled) = (220 * Self.hour, 122 * Self.hour)
    (figures.outages, figures.longest, figures.maintenanceDays) = (4, 2 * Self.hour, 6)
    figures.latency = mean.map {
      MonthLatency(
        count: 8, mean: .milliseconds($0), medianP95: .milliseconds(10), highestP95: .microseconds(11_500))
    }
    return figures
  }

  private func report(_ names: [String], _ change: (inout MonthReport) -> Void = { _ in }) throws
    -> MonthReport
  {
    let checks = try names.map { try makeCheck($0) }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var past: [UniqueID: CheckMonths] = [:]
    for check in checks { past[check.id] = CheckMonths(periods: [figures(9)], begins: midnight) }
    var report = MonthReport(
      store.snapshot(now: Self.january.end), past, of: Self.january, objective: 99.5)
    change(&report)
    return report
  }

  private func html(_ report: MonthReport) -> String { ReportPage(report: report).render(nonce: "n").html }

  /// Cells of the rows, without markup.
  private func cells(_ html: String) -> [[String]] {
    let table =
      html.components(separatedBy: "<table class=\"checks\">").dropFirst().first?
      .components(separatedBy: "</table>").first ?? ""
    return table.components(separatedBy: "<tr><th scope=\"row\">").dropFirst().map { row in
      row.components(separatedBy: "<td>").dropFirst().map {
        $0.components(separatedBy: "</td>")[0].replacing("<small>", with: " (").replacing(
          "</small>", with: ")"
        )
        .replacing(/<[^>]*>/, with: "")
      }
    }
  }

  /// Uptime, objective, budget, outages, down, longest, mean, P95, maintenance, covered and data.
  @Test func aRow() throws {
    let row = [
      "97.27%", "99.5%", "✕ exceeded: 545.5% (3h of 33m)", "4", "3h", "2h", "9 ms", "10 ms", "2h on 6 days",
      "91.6%", "50%",
    ]
    #expect(try cells(html(report(["Shop"]))) == [row])
    let kept = try report(["Shop"]) { report in
      (report.checks[0].figures.time.down, report.checks[0].objective) = (420_000, 99.9)
      (report.checks[0].figures.maintenanceDays, report.checks[0].figures.mayHaveMore) = (1, true)
      report.checks[0].figures.time.maintenance = 1_000_000
      report.checks[0].figures.latency = nil
    }
    #expect(
      cells(html(kept)) == [
        [
          "99.999%", "99.9%", "✓ 0.1% used (420 ms of 6m 25s)", "4+", "0s", "2h+", "–", "–", "1s on 1 day",
          "87.7%", "48.6%",
        ]
      ])
    let none = try report(["Shop"]) { $0.checks[0].figures = MonthFigures(Self.january) }
    #expect(cells(html(none)) == [["no data", "99.5%", "–", "–", "–", "–", "–", "–", "–", "–", "0%"]])
  }

  /// The frame: titles, whose it is, and remarks.
  @Test func theFrame() throws {
    let whole = html(
      try report(["Shop"]) {
        $0.agent = AgentIdentity(name: "a", region: "eu <1>", version: "1.2", started: midnight)
      })
    #expect(whole.contains("<title>January 2026 · a</title>"))
    #expect(
      whole.contains("<p class=\"dim\"><bdi>a</bdi> · eu &lt;1&gt;</p>\n<h1>January 2026</h1>\n<p>1 check, "))
    #expect(!whole.contains("class=\"remarks\"") && whole.contains("<h2>All checks</h2>"))
    #expect(whole.contains("Made 2026-02-01 00:00 UTC by quartz-agent 1.2. Days"))
    let running = html(try report(["Shop"]) { $0.now = midnight + .seconds(60) })
    #expect(running.contains("<h1>January 2026, so far</h1>"))
    #expect(running.contains("<ul class=\"remarks\"><li>The month is not over: "))
    let early = html(try report(["Shop"]) { $0.now = midnight.advanced(by: .seconds(-60)) })
    #expect(early.contains("<h1>January 2026</h1>") && early.contains("The month has not begun."))
    #expect(running.contains("<p class=\"dim\"><bdi>test-1</bdi></p>"))
    #expect(html(try report([])).contains("<section class=\"group\"><p>No check to report on.</p></section>"))
  }

  private func outage(_ hours: Int, _ end: Int?, last: String? = nil) -> Outage {
    let at = { (hours: Int) in midnight + .seconds(3600 * hours) }
    return Outage(
      begin: at(hours), end: end.map(at), heldUntil: end.map(at) ?? Self.january.end, reason: .connectRefused,
      firstMessage: "first", lastMessage: last, results: 1)
  }

  /// Outages of a group, the newest first, and incidents, the newest first, twenty of each.
  @Test func lists() throws {
    func minute(_ hours: Int) -> String { Layout.minute(midnight + .seconds(3600 * hours)).html }
    func incident(_ hours: Int, end: Int? = nil, by: String? = nil) -> IncidentStatus {
      var incident = IncidentStatus(
        id: UniqueID(high: 1, low: 1), short: "", title: "i\(hours)", subject: .availability, severity: .high,
        begin: midnight + .seconds(3600 * hours), end: end.map { midnight + .seconds(3600 * $0) })
      (incident.acknowledgedBy, incident.acknowledgedNote) = (by, by.map { _ in "on it" })
      return incident
    }
    let page = html(
      try report(["a", "b"]) {
        $0.checks[0].outages = [outage(1, 2, last: "late"), outage(700, nil)]
        $0.checks[1].outages = [outage(5, 6)]
        $0.incidents = [incident(1), incident(2, end: 3, by: "ann")]
      })
    let refused = "<span class=\"dim\">connect_refused: first</span></li>"
    #expect(
      page.contains(
        "<h3>Outages</h3>\n<ul><li><b><bdi>a</bdi></b> \(minute(700)), 1d 20h, not over \(refused)"
          + "<li><b><bdi>b</bdi></b> \(minute(5)), 1h \(refused)<li><b><bdi>a</bdi></b> \(minute(1)), 1h "
          + "<span class=\"dim\">connect_refused: first; at last: late</span></li></ul>"), "\(page)")
    #expect(
      page.contains(
        "<ul><li><b><bdi>i2</bdi></b> high, \(minute(2)) until \(minute(3)) "
          + "<span class=\"dim\">acknowledged by ann: on it</span></li>"
          + "<li><b><bdi>i1</bdi></b> high, \(minute(1)), not resolved </li></ul>"))
    for (count, rest) in [(20, []), (21, ["and 1 more", "and 1 more"])] as [(Int, [String])] {
      let long = html(
        try report(["a"]) { report in
          report.checks[0].outages = (0..<count).map { outage($0, $0 + 1) }
          report.incidents = (0..<count).map { incident($0) }
        })
      #expect(long.matches(of: /<li><b><bdi>a</).count == 20 && long.matches(of: /<li><b><bdi>i/).count == 20)
      #expect(long.contains("<bdi>i\(count - 1)</bdi>") && long.contains("<bdi>i0</bdi>") == (count == 20))
      #expect(long.matches(of: /<li class="dim">([^<]*)<\/li>/).map { String($0.1) } == rest)
    }
  }

  /// Mean response times of the checks that have any, without the empty months before the first of them.
  @Test func theTrend() throws {
    let page = html(
      try report(["a", "b", "c"]) { report in
        let months = (0..<4).map { Self.january.adding($0 - 3) }
        for (place, means) in ([[nil, nil, 5, 6], [nil, 7, nil, nil], [nil, nil, nil, nil]] as [[Int64?]])
          .enumerated()
        {
          report.checks[place].periods = zip(months, means).map { month, mean in
            var figures = figures(mean)
            figures.period = month
            return figures
          }
        }
      })
    let table = page.components(separatedBy: "<table class=\"trend\">").dropFirst().first ?? ""
    let text = table.components(separatedBy: "</table>")[0].replacing(/<[^>]*>/, with: " ")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let titles = (1..<4).map { Self.january.adding($0 - 3).shortWords }.joined(separator: " ")
    #expect(text == "Check \(titles) a – 5 ms 6 ms b 7 ms – –")
    #expect(page.contains("<h3>Mean response time by month</h3>"))
    #expect(!html(try report(["a"]) { $0.checks[0].periods = [figures(nil)] }).contains("class=\"trend\""))
  }
}
