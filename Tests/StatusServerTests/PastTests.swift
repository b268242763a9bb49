// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import Testing
@testable import Status

/// What a check's page shows of its past.
@Suite struct PastTests {
  private let start = Timestamp(microseconds: 1_767_225_600_000_000)
  private func at(_ minutes: Int) -> Timestamp { start.advanced(by: .seconds(60 * minutes)) }

  private func point(
    _ minutes: Int, _ width: Int = 30, mean: Int? = 20, up: Int64 = 0, down: Int64 = 0, degraded: Int64 = 0,
    maintenance: Int64 = 0
  ) -> SeriesPoint {
    var time = Tally()
    (time.up, time.down) = (up * 60_000_000, down * 60_000_000)
    (time.degraded, time.maintenance) = (degraded * 60_000_000, maintenance * 60_000_000)
    return SeriesPoint(
      start: at(minutes), width: .seconds(60 * width), count: mean == nil ? 0 : 1,
      mean: mean.map { .milliseconds($0) },
      p95: mean.map { .milliseconds($0 * 2) }, time: time)
  }

  private func outage(_ begin: Int, _ end: Int?, _ message: String = "refused", last: String? = nil) -> Outage
  {
    Outage(
      begin: at(begin), end: end.map(at), heldUntil: at(end ?? 120), reason: .connectRefused, phase: .connect,
      firstMessage: message, lastMessage: last ?? message, results: 3)
  }

  /// A line is not drawn through what nobody knows, and downtime is shaded where it was.
  @Test func theLineBreaksAndDowntimeIsShaded() {
    let points = [point(0), point(30, mean: nil, down: 30), point(60), point(90)]
    let chart = LatencyChart(points: points, outages: [outage(30, 60)], period: .day, now: at(120)).render()
      .html
    #expect(chart.components(separatedBy: "class=\"line\"").count == 3)
    // A quarter of 736 from the left edge at 56, and a quarter wide.
    #expect(chart.contains("<rect class=\"shade\" x=\"240.0\" y=\"12.0\" width=\"184.0\" height=\"160.0\"/>"))
    #expect(chart.contains("mean from 20.0 ms to 20.0 ms") || chart.contains("mean from 20 ms to 20 ms"))
    #expect(chart.contains("down for 30m"))
  }

  /// An outage from before the window, and one of a second, are seen where they are.
  @Test func anOutageIsCutToTheWindowAndNeverInvisible() {
    let points = [point(0), point(30), point(60), point(90)]
    let chart = LatencyChart(
      points: points, outages: [outage(-600, -500), outage(-30, 30), outage(110, nil)], period: .day,
      now: at(120)
    ).render().html
    #expect(chart.components(separatedBy: "class=\"shade\"").count == 3)
    #expect(chart.contains("x=\"56.0\" y=\"12.0\" width=\"184.0\""))
  }

  /// Every kind of cell has a shape of its own, and says in words what it is.
  @Test func cellsDifferInShapeAndWords() {
    let points = [
      point(0, up: 30), point(30, up: 15, down: 15), point(60, up: 20, degraded: 10),
      point(90, maintenance: 30),
      point(120),
    ]
    let strip = UptimeStrip(points: points, period: .day).render().html
    #expect(strip.contains("24h in 5 parts: 1 with downtime, 1 without data"))
    for words in [
      "01-01 00:00 to 00:30 UTC: 100% up<", "01-01 00:30 to 01:00 UTC: 50% up, down 15m<",
      "01-01 01:00 to 01:30 UTC: 100% up, degraded 10m<", "01-01 01:30 to 02:00 UTC: maintenance<",
      "01-01 02:00 to 02:30 UTC: no data<",
    ] { #expect(strip.contains(words), "\(words)") }
    #expect(strip.contains("<rect class=\"f-down\" x=\"4\" y=\"0\" width=\"3\" height=\"12.0\"/>"))
    // A second of downtime in a day is five pixels high.
    let brief = UptimeStrip(points: [point(0, 1440, up: 1439, down: 1)], period: .quarter).render().html
    #expect(brief.contains("class=\"f-down\" x=\"0\" y=\"0\" width=\"3\" height=\"5.0\""))
  }

  /// The latest first, with the words of its first and last result; what a target said is text.
  @Test func outagesAreListedLatestFirst() {
    let list = OutageList(
      outages: [outage(0, 10), outage(30, nil, "<b>refused", last: "reset")], checks: 1, now: at(120)
    ).render().html
    let (open, over) = (list.range(of: "still down"), list.range(of: "10m"))
    #expect(open.map { first in over.map { first.lowerBound < $0.lowerBound } ?? false } ?? false)
    #expect(list.contains("1h 30m<span class=\"dim\"> so far</span>"))
    #expect(
      list.contains("connect_refused in connect: &lt;b&gt;refused<br><span class=\"dim\">at last: reset"))
    #expect(OutageList(outages: [], checks: 1, now: at(0)).render().html.contains("None is known"))
  }

  /// The page has them all; its line is chosen in its address, and a wrong one is said.
  @Test func thePageShowsThePast() async throws {
    let source = try sampleSource()
    let check = source.status.checks[0]
    let answers = try await withServer(source) { port in
      [
        try await get(port, "/checks/\(check.id)"), try await get(port, "/checks/\(check.id)?line=30d"),
        try await get(port, "/checks/\(check.id)?line=1y"),
      ]
    }
    #expect(answers.map(\.status) == [200, 200, 400])
    #expect(answers[0].body.contains("?line=24h#line\" aria-current=\"true\""))
    #expect(answers[1].body.contains("?line=30d#line\" aria-current=\"true\""))
    #expect(answers[2].body.contains("line must be one of 24h, 7d, 30d"))
    #expect(answers[0].body.contains("<h2>Response time</h2>") && answers[0].body.contains("id=\"outages\""))
    for period in ["24h", "7d", "30d", "90d"] {
      #expect(answers[0].body.contains("aria-label=\"\(period) in "))
    }
  }
}
