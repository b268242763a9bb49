// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import Testing

@testable import StatusServer

/// Badges, the public page and the feed, figure by figure.
@Suite struct PublicTableTests {
  private let face = PublicFace(
    title: "Services", groups: ["prod", "edge"], checks: ["Search"], hidesTargets: true)

  /// A picture of checks in these states.
  private func picture(
    _ states: [PublicCheck.State], title: String = "Services"
  ) async throws -> PublicPicture {
    var picture = await PublicPicture(face, from: try sampleSource())
    picture.face.title = title
    var base = try #require(picture.checks.first)
    base.outages = []
    let checks = states.enumerated().map { number, state in
      var check = base
      (check.id, check.name) = (UniqueID(high: 2, low: UInt64(number)), "Check \(number)")
      check.state = state
      return check
    }
    picture.sections = checks.isEmpty ? [] : [(nil, checks)]
    return picture
  }

  /// The last part of a badge's address.
  @Test func kindsOfBadges() {
    let rows: [(String, Badge.Kind?, String)] = [
      ("state.svg", .state, "state"), ("latency.svg", .latency, "latency"),
      ("uptime-24h.svg", .uptime(.day), "uptime 24h"), ("uptime-7d.svg", .uptime(.week), "uptime 7d"),
      ("uptime-30d.svg", .uptime(.month), "uptime 30d"), ("uptime-90d.svg", .uptime(.quarter), "uptime 90d"),
      ("uptime.svg", nil, ""), ("uptime-1d.svg", nil, ""), ("state", nil, ""), ("State.svg", nil, ""),
    ]
    for (file, kind, label) in rows {
      #expect(Badge.Kind(file: file) == kind && (kind?.label ?? "") == label, "\(file)")
    }
  }

  /// From 99 percent on a badge is green, from 95 on it is amber.
  @Test func colours() {
    let rows: [(Double?, Badge.Tone)] = [
      (100, .up), (99, .up), (98.999, .degraded), (95, .degraded), (94.999, .down), (0, .down),
      (nil, .unknown),
    ]
    for (uptime, tone) in rows { #expect(Badge.Tone(uptime: uptime) == tone) }
  }

  /// What a badge says of a check: its own name and word, its median, and each window by its period.
  @Test func wordsOfBadges() async throws {
    var check = try #require(try await picture([.maintenance]).checks.first)
    check.median = .microseconds(12_340)
    check.windows = [
      .init(period: .day, text: "99.5%", uptime: 99.5), .init(period: .week, text: "94%", uptime: 94),
      .init(period: .month, text: "100% (2h of data)", uptime: nil),
    ]
    let rows: [(Badge.Kind, String, String, Badge.Tone)] = [
      (.state, "Check 0", "maintenance", .unknown), (.latency, "latency", "12.3 ms", .up),
      (.uptime(.day), "uptime 24h", "99.5%", .up), (.uptime(.week), "uptime 7d", "94%", .down),
      (.uptime(.month), "uptime 30d", "100% (2h of data)", .unknown),
      (.uptime(.quarter), "uptime 90d", "no data", .unknown),
    ]
    for (kind, label, value, tone) in rows {
      let badge = Badge(kind, of: check)
      #expect(badge.label == label && badge.value == value && badge.tone == tone, "\(label)")
    }
    check.median = nil
    let badge = Badge(.latency, of: check)
    #expect(badge.value == "no data" && badge.tone == .unknown)
    let states: [(PublicCheck.State, String, String, String)] = [
      (.up, "●", "up", "up"), (.degraded, "▲", "degraded", "degraded"), (.down, "✕", "down", "down"),
      (.unknown, "?", "unknown", "unknown"), (.maintenance, "◆", "maintenance", "off"),
    ]
    for (state, mark, word, style) in states {
      #expect(state.mark == mark && state.word == word && state.style == style)
    }
  }

  /// The worst is said first, with the number of them and of all.
  @Test func theBanner() async throws {
    let rows: [([PublicCheck.State], String, String)] = [
      ([], "Nothing is shown here yet", "Services"),
      ([.up, .down, .degraded, .unknown], "1 of 4 is down", "1 down · Services"),
      ([.down, .down, .up], "2 of 3 are down", "2 down · Services"),
      ([.up, .degraded, .unknown], "1 of 3 is degraded", "Services"),
      ([.degraded, .degraded, .up, .up, .up], "2 of 5 are degraded", "Services"),
      ([.unknown, .up, .up], "Of 1 of 3 nothing is known at present", "Services"),
      ([.up, .maintenance], "Everything is up", "Services"),
    ]
    for (states, words, title) in rows {
      let html = PublicPage(picture: try await picture(states)).render(nonce: "n").html
      #expect(html.contains(words) && html.contains("<title>\(title)</title>"), "\(words)")
      let others = rows.map(\.1).filter { $0 != words }
      #expect(!others.contains { html.contains($0) }, "\(words)")
    }
  }

  /// Sections in the order of the face: named checks first, then a section for each tag that has any.
  @Test func sections() async throws {
    var source = try sampleSource()
    for place in source.status.checks.indices {
      source.status.checks[place].tags =
        ["Mail <b>gateway</b>": ["prod", "edge"], "Old site": ["edge"]][
          source.status.checks[place].name, default: []]
    }
    var face = face
    func found() async -> [(String?, [String])] {
      await PublicPicture(face, from: source).sections.map { ($0.heading, $0.checks.map(\.name)) }
    }
    var sections = await found()
    #expect(sections.map { $0.0 } == [nil, "prod", "edge"])
    #expect(sections.map { $0.1 } == [["Search"], ["Mail <b>gateway</b>"], ["Mail <b>gateway</b>"]])
    let all = await PublicPicture(face, from: source).checks
    #expect(all.map(\.name) == ["Search", "Mail <b>gateway</b>"])
    #expect(all.allSatisfy { $0.target == nil })
    let shop = try #require(source.status.checks.first { $0.name == "Shop front" })
    (face.checks, face.groups, face.hidesTargets) = ([shop.id.description, "Old site"], ["none"], false)
    sections = await found()
    #expect(sections.map { $0.1 } == [["Shop front"]])
    let shown = try #require(await PublicPicture(face, from: source).checks.first)
    #expect(shown.target == shop.target && shown.median == shop.window(.day).latency?.p50)
    #expect(shown.state == .down)
    // The latest outage first: it lasts, and began three minutes before the end.
    #expect(shown.outages.map(\.length) == [.seconds(180), .seconds(60)])
    #expect(shown.outages.map { $0.end == nil } == [true, false])
  }

  /// What a feed says of an outage that lasts and of one that is over.
  @Test func entriesOfTheFeed() async throws {
    var picture = try await picture([.up, .down], title: "A & B")
    let begin = started.advanced(by: .seconds(60))
    picture.sections[0].checks[0].outages = [
      .init(begin: begin, end: begin.advanced(by: .seconds(90)), length: .seconds(90))
    ]
    picture.sections[0].checks[1].outages = [
      .init(begin: begin.advanced(by: .seconds(30)), end: nil, length: .seconds(30))
    ]
    let text = AtomFeed(picture: picture).render().html
    let over = """
      <title>Check 0 was down for 1m 30s</title>
      <published>2026-01-01T00:01:00.000Z</published>
      <updated>2026-01-01T00:02:30.000Z</updated>
      <link rel="alternate" href="/"/>
      <content type="text">From 2026-01-01T00:01:00.000Z to 2026-01-01T00:02:30.000Z.</content>
      """
    let lasting = """
      <title>Check 1 is down</title>
      <published>2026-01-01T00:01:30.000Z</published>
      <updated>2026-01-01T00:01:30.000Z</updated>
      <link rel="alternate" href="/"/>
      <content type="text">Since 2026-01-01T00:01:30.000Z.</content>
      """
    let (first, second) = (text.range(of: over), text.range(of: lasting))
    #expect((first?.lowerBound ?? text.endIndex) < (second?.lowerBound ?? text.startIndex))
    #expect(text.contains("<title>A &amp; B</title>\n<updated>2026-01-01T00:02:30.000Z</updated>"))
    // Of many the latest hundred.
    picture.sections[0].checks[0].outages = (0..<101).map { number in
      let end = begin.advanced(by: .seconds(number * 60))
      return PublicCheck.Downtime(begin: end.advanced(by: .seconds(-30)), end: end, length: .seconds(30))
    }
    picture.sections[0].checks[1].outages = []
    let many = AtomFeed(picture: picture).render().html
    #expect(many.components(separatedBy: "<entry>").count == 101)
    #expect(!many.contains("<updated>\(begin.rfc3339)</updated>"))
    picture.sections = []
    let none = AtomFeed(picture: picture).render().html
    #expect(none.contains("<updated>\(now.rfc3339)</updated>") && !none.contains("<entry>"))
  }

  /// A list of outages tells how long each lasted or has lasted.
  @Test func outagesOfThePage() async throws {
    var picture = try await picture([.up])
    #expect(
      PublicPage(picture: picture).render(nonce: "n").html.contains("None is known of the last 90 days."))
    picture.sections[0].checks[0].outages = [
      .init(begin: started, end: nil, length: .seconds(3700)),
      .init(begin: started.advanced(by: .seconds(-600)), end: started, length: .seconds(600)),
    ]
    let html = PublicPage(picture: picture).render(nonce: "n").html
    #expect(html.contains("2026-01-01 00:00:00</time> UTC, down for 1h 1m so far"))
    #expect(html.contains("2025-12-31 23:50:00</time> UTC, down for 10m</span>"))
  }
}
