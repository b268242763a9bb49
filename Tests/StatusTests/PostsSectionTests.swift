// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
@testable import Status
import StatusSupport
import Testing

/// What the private page says of posts, of alerts, and of the value under a finger.
@Suite struct PostsSectionTests {
  /// Open posts, the newest first, as text, with the author that the public page never names.
  @Test func openPosts() throws {
    var status = try sampleStatus().status
    #expect(PostsSection(snapshot: status).render() == nil)
    status.posts = [PostState.investigating, .resolved, .monitoring].enumerated().map { place, state in
      StatusPost(
        id: UniqueID(high: 1, low: UInt64(place)), title: "Post <\(place)>", target: .everything,
        first: .init(at: now.advanced(by: .seconds(-60)), state: state, text: "words", by: "ann"))
    }
    let html = try #require(PostsSection(snapshot: status).render()).html
    let titles = html.matches(of: /<bdi>(Post [^<]*)<\/bdi>/).map { String($0.1) }
    #expect(titles == ["Post &lt;2&gt;", "Post &lt;0&gt;"])
    #expect(
      html.contains("monitoring · <time class=\"ago\"") && html.contains("1m ago</time> by <bdi>ann</bdi>"))
    #expect(HandledSection(snapshot: status).render().html.contains("Posts on the public page"))
  }

  /// Alerts that fire, beside the counts of states; none without a section `alerts`.
  @Test func activeAlerts() throws {
    var status = try sampleStatus().status
    status.alerts = nil
    #expect(!HeroSection(status).counts().html.contains("alert</a>"))
    status.alerts = AlertsView()
    #expect(HeroSection(status).counts().html.contains("href=\"#handled\"><b class=\"num\">0</b>"))
    status.alerts?.firing = [
      .init(rule: "down", severity: .high, count: 2), .init(rule: "slow", severity: .low, count: 0),
    ]
    let html = HeroSection(status).counts().html
    #expect(html.contains("href=\"#incidents\"><b class=\"num\"><span class=\"mark down\""))
    #expect(html.contains("</span> 2</b> <span class=\"hide-s\">active </span>alerts</a>"))
  }

  /// Points with a value, each with its place in the drawing.
  @Test func valuesOfTheLine() {
    var points = (0..<2).map {
      SeriesPoint(start: started.advanced(by: .seconds($0 * 1800)), width: .seconds(1800))
    }
    (points[0].mean, points[0].p95) = (.milliseconds(12), .milliseconds(30))
    let chart = LatencyChart(
      points: points, outages: [], period: .day, now: started.advanced(by: .seconds(3600)))
    // A quarter of the way from 56 to 792.
    #expect(chart.render().html.contains("data-values=\"240 01-01 00:00 UTC: 12 ms, p95 30 ms\">"))
  }
}
