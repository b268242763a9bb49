// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// A picture of checks in these states, `Check 0` first, of which nothing else is known.
func publicPicture(_ states: [PublicCheck.State], title: String = "Services") async throws -> PublicPicture {
  var picture = await PublicPicture(publicFace, from: try sampleStatus())
  picture.face.title = title
  var base = try #require(picture.checks.first)
  (base.outages, base.days, base.windows, base.median) = ([], [], [], nil)
  (base.since, base.isSlow) = (nil, false)
  let checks = states.enumerated().map { number, state in
    var check = base
    (check.id, check.name) = (UniqueID(high: 2, low: UInt64(number)), "Check \(number)")
    check.state = state
    return check
  }
  picture.sections = checks.isEmpty ? [] : [.init(heading: nil, checks: checks)]
  return picture
}

/// An outage by minutes of the sample agent's time; one without an end has lasted a minute.
func publicOutage(_ minute: Int, _ minutes: Int?) -> PublicCheck.Downtime {
  let begin = started.advanced(by: .seconds(60 * minute))
  return .init(
    begin: begin, end: minutes.map { begin.advanced(by: .seconds(60 * $0)) },
    length: .seconds(60 * (minutes ?? 1)))
}

/// Badges, the headline and the sections, figure by figure.
@Suite struct PublicTableTests {
  /// The last part of a badge's address.
  @Test func kindsOfBadges() {
    let rows: [(String, Badge.Kind?, String)] = [
      ("state.svg", .state, "status"), ("latency.svg", .latency, "response time"),
      ("uptime-24h.svg", .uptime(.day), "uptime 24h"), ("uptime-7d.svg", .uptime(.week), "uptime 7d"),
      ("uptime-30d.svg", .uptime(.month), "uptime 30d"), ("uptime-90d.svg", .uptime(.quarter), "uptime 90d"),
      ("uptime.svg", nil, ""), ("uptime-1d.svg", nil, ""), ("uptime-24h", nil, ""), ("state", nil, ""),
      ("State.svg", nil, ""), ("", nil, ""),
    ]
    for (file, kind, label) in rows {
      let found = Badge.Kind(file: file)
      #expect(found == kind && (found?.label(EnglishWords()) ?? "") == label, "\(file)")
    }
  }

  /// From 99 percent on a badge is green, from 95 on it is amber.
  @Test func colours() {
    let rows: [(Double?, Badge.Tone)] = [
      (100, .up), (99, .up), (98.999, .degraded), (95, .degraded), (94.999, .down), (0, .down),
      (nil, .unknown),
    ]
    for (uptime, tone) in rows { #expect(Badge.Tone(uptime: uptime) == tone, "\(uptime ?? -1)") }
  }

  /// White words have a contrast of 4.5 on every ground (WCAG 2.2, 1.4.3), on the page and the widget, too.
  @Test func groundsOfWhiteWords() async throws {
    func light(_ hex: String) throws -> Double {
      let value = try #require(UInt32(hex.dropFirst(), radix: 16))
      let parts = [16, 8, 0].map { shift -> Double in
        let part = Double(value >> UInt32(shift) & 0xff) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let picture = try await publicPicture([.up])
    let pages = [
      PublicPage(picture: picture).render(nonce: "n").html,
      PublicWidget(picture: picture, language: .english).render(nonce: "n").html,
    ]
    let tones: [(Badge.Tone, String)] = [
      (.up, "up"), (.degraded, "degraded"), (.down, "down"), (.unknown, "unknown"),
    ]
    for (tone, name) in tones {
      #expect(tone.name == name && tone.rawValue.count == 7)
      #expect(try 1.05 / (light(tone.rawValue) + 0.05) >= 4.5, "\(name)")
      for page in pages { #expect(page.contains(".t-\(name){background:\(tone.rawValue)}"), "\(name)") }
    }
    #expect(Set(tones.map(\.0.rawValue)).count == 4)
  }

  /// A badge says its own name and word, its median, and each window by its period.
  @Test func wordsOfBadges() async throws {
    var check = try #require(try await publicPicture([.maintenance]).checks.first)
    check.median = .microseconds(12_340)
    check.windows = [
      .init(period: .day, uptime: 99.5), .init(period: .week, uptime: 94),
      .init(period: .month, uptime: 100, thin: .seconds(7200)),
    ]
    let words = EnglishWords()
    func expect(_ kind: Badge.Kind, _ label: String, _ value: String, _ tone: Badge.Tone) {
      let badge = Badge(kind, of: check, words)
      #expect(badge.label == label && badge.value == value && badge.tone == tone, "\(label): \(badge.value)")
    }
    expect(.state, "Check 0", "Maintenance", .unknown)
    expect(.latency, "response time", "12.3 ms", .up)
    expect(.uptime(.day), "uptime 24h", "99.5%", .up)
    expect(.uptime(.week), "uptime 7d", "94%", .down)
    expect(.uptime(.month), "uptime 30d", "100% (2 h of data)", .unknown)
    expect(.uptime(.quarter), "uptime 90d", "no data", .unknown)
    check.median = nil
    check.windows = [.init(period: .day, uptime: 98.999), .init(period: .week, uptime: nil)]
    expect(.latency, "response time", "no data", .unknown)
    expect(.uptime(.day), "uptime 24h", "98.99%", .degraded)
    expect(.uptime(.week), "uptime 7d", "no data", .unknown)
  }

  /// A picture of a badge: both texts, the ground of the value, widths that add up, and it reads aloud.
  @Test func theDrawing() throws {
    let text = String(decoding: Badge(label: "ab", value: "99%", tone: .degraded).render(), as: UTF8.self)
    let widths = text.matches(of: #/ width="(\d+)"/#).compactMap { Int($0.1) }
    try #require(widths.count == 4)
    #expect(widths[0] == widths[1] && widths[0] == widths[2] + widths[3])
    #expect(text.contains("<rect x=\"\(widths[2])\" width=\"\(widths[3])\" height=\"20\" fill=\"#b45309\"/>"))
    #expect(text.contains("role=\"img\" aria-label=\"ab: 99%\"><title>ab: 99%</title>"))
    let lengths = text.matches(of: /textLength="(\d+)">([^<]*)</).map { (Int($0.1) ?? 0, String($0.2)) }
    #expect(lengths.map(\.1) == ["ab", "99%"])
    // Six on each side of a text.
    #expect(lengths.map(\.0) == [widths[2] - 12, widths[3] - 12])
    #expect(text.contains("<text x=\"6\" y=\"14\"") && text.contains("<text x=\"\(widths[2] + 6)\" y=\"14\""))
  }

  /// Beside its word each state has a mark and a style.
  @Test func marksOfStates() {
    let states: [(PublicCheck.State, String, String, Badge.Tone)] = [
      (.up, "●", "up", .up), (.degraded, "▲", "degraded", .degraded), (.down, "✕", "down", .down),
      (.unknown, "?", "unknown", .unknown), (.maintenance, "◆", "off", .unknown),
    ]
    for (state, mark, style, tone) in states {
      #expect(state.mark == mark && state.style == style && Badge.Tone(state) == tone)
    }
  }

  /// The worst is said first, with names; how many work is said where something does not.
  @Test func theBanner() async throws {
    let rows: [([PublicCheck.State], text: String, detail: String, tone: Badge.Tone, mark: String)] = [
      ([], "Nothing is shown here yet", "", .unknown, ""),
      (
        [.up, .down, .degraded, .unknown],
        "Check 1 is down, Check 2 is impaired, The state of Check 3 is not known at present",
        "1 of 4 services work.", .down, "✕"
      ),
      ([.down, .down, .up], "Check 0 and Check 1 are down", "1 of 3 services work.", .down, "✕"),
      ([.down], "Check 0 is down", "0 of 1 service works.", .down, "✕"),
      (
        [.up, .degraded, .unknown], "Check 1 is impaired, The state of Check 2 is not known at present",
        "1 of 3 services work.", .degraded, "▲"
      ),
      (
        [.degraded, .degraded, .up, .up, .up], "Check 0 and Check 1 are impaired", "3 of 5 services work.",
        .degraded, "▲"
      ),
      ([.maintenance, .up, .down], "Check 2 is down", "1 of 3 services work.", .down, "✕"),
      (
        [.unknown, .up, .up], "The state of Check 0 is not known at present", "2 of 3 services work.",
        .unknown, "?"
      ),
      (
        [.maintenance, .unknown],
        "The state of Check 1 is not known at present, Check 0 is under maintenance", "", .unknown, "?"
      ),
      ([.up, .maintenance], "Check 1 is under maintenance", "1 of 2 services work.", .unknown, "◆"),
      ([.up], "All services work", "", .up, "●"),
      ([.maintenance], "Check 0 is under maintenance", "", .unknown, "◆"),
      (
        [.down, .down, .down, .down, .degraded],
        "Check 0, Check 1, Check 2 and Check 3 are down, Check 4 is impaired", "0 of 5 services work.",
        .down, "✕"
      ),
      (
        [.down, .down, .down, .down, .down], "Check 0, Check 1, Check 2 and 2 more are down",
        "0 of 5 services work.", .down, "✕"
      ),
    ]
    let words = EnglishWords()
    for row in rows {
      let picture = try await publicPicture(row.0)
      let found = PublicHeadline(picture, words)
      #expect(found.sentence.text(words) == row.text)
      #expect(found.detail.map { $0.text(words) }.joined() == row.detail, "\(row.text)")
      #expect(found.tone == row.tone && found.mark == row.mark, "\(row.text)")
      let html = PublicPage(picture: picture).render(nonce: "n").html
      // A tab says what is the matter, and otherwise whose page it is.
      let title = row.detail.isEmpty ? "Services" : row.text + " · Services"
      #expect(html.contains("<title>\(title)</title>"), "\(row.text)")
      #expect(html.contains("<section class=\"hero t-\(row.tone.name)\">"), "\(row.text)")
      let badge = Badge(found, title: "Services", words)
      #expect(badge.label == "Services" && badge.value == row.text && badge.tone == row.tone)
    }
  }

  /// Long names are cut in a badge, so that its state is still said.
  @Test func longNamesInABadge() async throws {
    var picture = try await publicPicture([.down, .down])
    for (place, letter) in ["a", "b"].enumerated() {
      picture.sections[0].checks[place].name = String(repeating: letter, count: 62)
    }
    let words = EnglishWords()
    let badge = Badge(PublicHeadline(picture, words), title: "B", words)
    // 57 letters and three bytes for the sign of each are 60; with 14 of " and " and " are down" that is more than 120.
    let (first, second) = (String(repeating: "a", count: 37) + "…", String(repeating: "b", count: 37) + "…")
    #expect(badge.value == "\(first) and \(second) are down")
    let svg = String(decoding: badge.render(), as: UTF8.self)
    #expect(svg.contains("aria-label=\"B: \(first) and \(second) are down\""))
  }

  /// Since the earliest of those that do not work, whatever began before of others.
  @Test func sinceTheFirst() async throws {
    var picture = try await publicPicture([.up, .down, .degraded])
    let ages = [100 * 3600, 180, 26 * 3600]
    for (place, age) in ages.enumerated() {
      picture.sections[0].checks[place].since = now.advanced(by: .seconds(-age))
    }
    let words = EnglishWords()
    func detail() -> [String] { PublicHeadline(picture, words).detail.map { $0.text(words) } }
    #expect(detail() == ["1 of 3 services work.", "Since Wed 31 Dec, 00:00 UTC, 1 d 2 h."])
    picture.sections[0].checks[2].state = .unknown
    #expect(detail() == ["1 of 3 services work.", "Since 01:57 UTC, 3 min."])
    let html = PublicPage(picture: picture).render(nonce: "n").html
    #expect(
      html.contains("Since <time datetime=\"2026-01-01T01:57:00.000Z\" data-own>01:57 UTC</time>, 3 min."))
  }

  /// Sections in the order of the face: named checks first, then a section for each tag that has any.
  @Test func sections() async throws {
    var source = try sampleStatus()
    let tags = ["Mail <b>gateway</b>": ["prod", "edge"], "Old site": ["edge"]]
    for place in source.status.checks.indices {
      source.status.checks[place].tags = tags[source.status.checks[place].name, default: []]
    }
    var face = publicFace
    face.groups = ["prod", "none", .init(tag: "edge", title: "At the edge")]
    var picture = await PublicPicture(face, from: source)
    #expect(picture.sections.map(\.heading) == [nil, "Prod", "At the edge"])
    let mail = ["Mail <b>gateway</b>"]
    #expect(picture.sections.map { $0.checks.map(\.name) } == [["Search"], mail, mail])
    #expect(picture.checks.map(\.name) == ["Search", "Mail <b>gateway</b>"])
    #expect(picture.checks.allSatisfy { $0.target == nil })
    let shop = try #require(source.status.checks.first { $0.name == "Shop front" })
    (face.checks, face.groups, face.hidesTargets) = ([shop.id.description, "Old site"], ["none"], false)
    picture = await PublicPicture(face, from: source)
    #expect(picture.sections.map { $0.checks.map(\.name) } == [["Shop front"]])
    let shown = try #require(picture.checks.first)
    #expect(shown.target == shop.target && shown.median == shop.window(.day).latency?.p50)
    #expect(shown.state == .down && shown.since == started.advanced(by: .seconds(117 * 60)))
    #expect(shown.days.count == 90 && shown.windows.map(\.period) == UptimePeriod.allCases)
    // Two hours are little of 90 days, and enough of one.
    #expect(shown.window(.day)?.thin == nil && shown.window(.day)?.uptime == shop.window(.day).uptime)
    #expect(shown.window(.quarter)?.thin == .microseconds(shop.window(.quarter).data.judged))
    // The latest outage first: it lasts, and began three minutes before the end.
    let lengths: [Duration] = [.seconds(180), .seconds(60)]
    #expect(shown.outages.map(\.length) == lengths)
    #expect(shown.outages.map { $0.end == nil } == [true, false])
  }

  /// A window of maintenance hides every state, and what was not looked at for long is not known.
  @Test func statesOfChecks() throws {
    let source = try sampleStatus()
    let base = try #require(source.status.checks.first { $0.name == "Search" })
    let rows: [(CheckState, isStale: Bool, isMaintained: Bool, PublicCheck.State)] = [
      (.up, false, false, .up), (.degraded, false, false, .degraded), (.down, false, false, .down),
      (.unknown, false, false, .unknown), (.up, true, false, .unknown), (.down, true, false, .unknown),
      (.down, false, true, .maintenance), (.up, true, true, .maintenance),
    ]
    let end = now.advanced(by: .seconds(600))
    for row in rows {
      var check = base
      (check.state, check.stale) = (row.0, row.isStale)
      if row.isMaintained { check.maintenance = CheckMaintenance(name: "secret", until: end, skip: false) }
      let found = PublicCheck(check, now, hidesTarget: true, days: [], outages: [])
      #expect(found.state == row.3, "\(row)")
      #expect((found.since != nil) == [.down, .degraded].contains(row.3), "\(row)")
      #expect(found.isSlow == (row.3 == .degraded), "\(row)")
      #expect(found.maintenanceUntil == (row.isMaintained ? end : nil), "\(row)")
    }
  }

  /// Only what takes long is slow; degraded for another reason, such as a certificate, is impaired.
  @Test func slowOrImpaired() throws {
    let source = try sampleStatus()
    var check = try #require(source.status.checks.first { $0.name == "Search" })
    let words = EnglishWords()
    #expect(PublicCheck(check, now, hidesTarget: true, days: [], outages: []).word(words) == "Slow")
    check.last?.reason = .httpStatus
    #expect(PublicCheck(check, now, hidesTarget: true, days: [], outages: []).word(words) == "Impaired")
  }
}
