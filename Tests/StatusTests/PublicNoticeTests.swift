// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Posts and maintenance: which are shown, in which order, and what the feeds say of them.
@Suite struct PublicNoticeTests {
  private func at(_ minute: Int) -> Timestamp { started.advanced(by: .seconds(60 * minute)) }

  /// A post with these states, an update every five minutes.
  private func post(
    _ id: UInt64, _ states: [PostState], _ target: OperatorTarget = .everything, minute: Int
  ) throws -> StatusPost {
    let updates = states.enumerated().map { number, state in
      StatusPost.Update(
        at: at(minute + 5 * number), state: state, text: number == 1 ? nil : "Text \(number)", by: "ann")
    }
    var post = StatusPost(
      id: UniqueID(high: 9, low: id), title: "Post \(id)", target: target, first: try #require(updates.first))
    post.updates = updates
    return post
  }

  private func picture(_ change: (inout SampleStatus) throws -> Void) async throws -> PublicPicture {
    var source = try sampleStatus()
    try change(&source)
    return await PublicPicture(publicFace, from: source)
  }

  /// The newest first, whatever changed last; a post that was resolved and goes on is open.
  @Test func whichPostsAreShown() async throws {
    let source = try sampleStatus()
    func id(_ name: String) throws -> String {
      try #require(source.status.checks.first { $0.name == name }).id.description
    }
    let week = 7 * 1440
    let posts = [
      // Old, and open all the same.
      try post(1, [.investigating], minute: -60 * 1440),
      try post(2, [.investigating, .resolved, .monitoring], minute: -2 * week),
      // Resolved a week less a minute ago, then a week ago: now is minute 120.
      try post(3, [.identified, .resolved], minute: 120 - week - 4),
      try post(4, [.identified, .resolved], minute: 120 - week - 5),
      try post(5, [.identified], .check(try id("Search")), minute: 1),
      try post(6, [.identified], .check(try id("Never ran yet")), minute: 2),
      try post(7, [.identified], .check("search"), minute: 3),
      try post(8, [.identified], .tag("pro"), minute: 4),
      try post(9, [.identified], .check("Old site"), minute: 5),
      try post(10, [.resolved], .tag("prod"), minute: 6),
    ]
    let picture = try await picture { $0.status.posts = posts }
    #expect(picture.posts.map(\.id.low) == [10, 5, 3, 2, 1])
    let html = PublicPage(picture: picture).render(nonce: "n").html
    let order = [
      "Post 5", "Post 2", "Post 1", "Services", "Outages of the last 90 days", "Post 10", "Post 3",
    ]
    // Behind the title of the page, which is Services, too.
    let main = try #require(html.components(separatedBy: "<main>").last)
    let places = try order.map { words in
      try #require(main.range(of: words.hasPrefix("O") ? "<h2>\(words)</h2>" : "<bdi>\(words)</bdi>"))
        .lowerBound
    }
    // Open ones, services, outages, resolved ones.
    #expect(places == places.sorted())
    #expect(html.components(separatedBy: "<details id=\"p-").count == 3)
  }

  /// The newest update first, each with its word, its line and its time; one without a text has none.
  @Test func updatesOfAPost() async throws {
    let post = try post(1, [.investigating, .identified, .monitoring], minute: 10)
    let picture = try await picture { $0.status.posts = [post] }
    let html = PublicPage(picture: picture).render(nonce: "n").html
    func update(_ state: String, _ words: String, _ minute: String) -> String {
      let time = "<time datetime=\"2026-01-01T00:\(minute):00.000Z\">00:\(minute) UTC</time>"
      return "<div class=\"post s-\(state)\"><p>\(words)</p><p class=\"dim\">\(time)</p></div>"
    }
    let all =
      update("monitoring", "<b>Monitoring</b> <bdi>Text 2</bdi>", "20")
      + update("identified", "<b>Identified</b>", "15")
      + update("investigating", "<b>Investigating</b> <bdi>Text 0</bdi>", "10")
    #expect(html.contains("<h2><bdi>Post 1</bdi></h2>\(all)</section>"))
    let feed = PublicFeed(picture: picture, language: .english)
    let item = try #require(feed.items.first { $0.id == post.id })
    #expect(item.title == "Monitoring: Post 1" && item.published == at(10) && item.updated == at(20))
    let lines = [
      "Thu 1 Jan, 00:20 UTC · Monitoring: Text 2", "Thu 1 Jan, 00:15 UTC · Identified",
      "Thu 1 Jan, 00:10 UTC · Investigating: Text 0",
    ]
    #expect(item.text == lines.joined(separator: "\n"))
    let atom = AtomFeed(feed: feed).render().html
    #expect(atom.contains("<content type=\"text\">" + lines.map { $0 + "\n" }.joined() + "</content>"))
  }

  /// Investigating, identified, monitoring, resolved, and the headings of posts and windows.
  @Test(
    arguments: [
      (
        .english, ["Investigating", "Identified", "Monitoring", "Resolved"], "Resolved", "Planned maintenance"
      ),
      (
        .german, ["Wird untersucht", "Ursache gefunden", "Wird beobachtet", "Behoben"], "Behoben",
        "Geplante Wartung"
      ),
      (
        .french, ["Analyse en cours", "Cause identifiée", "Sous surveillance", "Résolu"], "Incidents résolus",
        "Maintenance prévue"
      ),
      (
        .spanish, ["En investigación", "Causa identificada", "En observación", "Resuelto"],
        "Incidencias resueltas", "Mantenimiento previsto"
      ),
      (
        .portuguese, ["Em investigação", "Causa identificada", "Em observação", "Resolvido"],
        "Incidentes resolvidos", "Manutenção programada"
      ),
      (.japanese, ["調査中", "原因特定", "経過観察中", "解決済み"], "解決済みのお知らせ", "メンテナンスの予定"),
    ] as [(PublicLanguage, [String], String, String)])
  func wordsOfPosts(language: PublicLanguage, states: [String], resolved: String, planned: String)
    async throws
  {
    var picture = try await picture { source in
      source.status.posts = try PostState.allCases.enumerated().map { number, state in
        try post(UInt64(number), [state], minute: 100 + number)
      }
    }
    picture.windows = [
      .init(
        from: at(7000), until: at(7060), title: nil, names: ["A"], isActive: false,
        id: UniqueID(high: 8, low: 1))
    ]
    let html = PublicPage(picture: picture, language: language).render(nonce: "n").html
    for (state, text) in zip(PostState.allCases, states) {
      #expect(html.contains("<div class=\"post s-\(state.rawValue)\"><p><b>\(text)</b>"), "\(text)")
    }
    #expect(html.contains("<h2>\(resolved)</h2><details") && html.contains("<h2>\(planned)</h2><ul"))
    let titles = PublicFeed(picture: picture, language: language).items.map(\.title)
    // The last changed first, behind the outage that began after them; the window was announced before.
    #expect(titles.dropFirst().prefix(4) == zip(states, 0...).map { "\($0): Post \($1)" }.reversed()[...])
    #expect(titles.contains("\(planned): A"))
  }

  /// An open post that is not only watched any more is the sentence, unless the checks themselves see a failure.
  @Test func postsInTheHeadline() async throws {
    let rows: [([PublicCheck.State], [PostState], text: String, detail: String, Badge.Tone, mark: String)] = [
      ([.up, .up], [.investigating], "Post 0", "Investigating", .degraded, "▲"),
      ([.up, .up], [.monitoring, .identified], "Post 1", "Identified", .degraded, "▲"),
      ([.up], [.monitoring, .resolved], "All services work", "", .up, "●"),
      (
        [.up, .maintenance], [.identified, .investigating], "Post 0 and Post 1, Check 1 is under maintenance",
        "Identified", .degraded, "▲"
      ),
      ([.up, .down], [.investigating], "Check 1 is down", "1 of 2 services work.", .down, "✕"),
      ([], [.investigating], "Post 0", "Investigating", .degraded, "▲"),
    ]
    let words = EnglishWords()
    for row in rows {
      var picture = try await publicPicture(row.0)
      picture.posts = try row.1.enumerated().map { try post(UInt64($0), [$1], minute: 100) }
      let found = PublicHeadline(picture, words)
      #expect(found.sentence.text(words) == row.text)
      #expect(found.detail.map { $0.text(words) }.joined() == row.detail, "\(row.text)")
      #expect(found.tone == row.4 && found.mark == row.mark, "\(row.text)")
    }
  }

  /// Outages, posts and maintenance in one row, by when each was last news.
  @Test func theOrderOfTheFeed() async throws {
    var picture = try await publicPicture([.down, .up])
    picture.sections[0].checks[0].outages = [publicOutage(50, nil)]
    picture.sections[0].checks[1].outages = [publicOutage(85, 5), publicOutage(10, 5)]
    picture.posts = [
      try post(1, [.investigating, .resolved], minute: 55), try post(2, [.monitoring], minute: 95),
    ]
    picture.face.announce = .seconds(600 * 60)
    func window(_ number: UInt64, _ minute: Int, isActive: Bool = false) -> PublicPicture.Window {
      .init(
        from: at(minute), until: at(minute + 90), title: nil, names: ["Window \(number)"], isActive: isActive,
        id: UniqueID(high: 8, low: number))
    }
    picture.windows = [window(1, 70, isActive: true), window(2, 670), window(3, 700)]
    let items = PublicFeed(picture: picture, language: .english).items
    #expect(
      items.map(\.title) == [
        "Planned maintenance: Window 3", "Monitoring: Post 2", "Check 1 was down for 5 min",
        "Planned maintenance: Window 2", "Resolved: Post 1", "Check 0 is down", "Check 1 was down for 5 min",
      ])
    #expect(items.map(\.updated) == [100, 95, 90, 70, 60, 50, 15].map(at))
    #expect(items.map(\.published) == [100, 95, 85, 70, 55, 50, 10].map(at))
  }

  private func window(_ id: UInt64, _ seconds: Int, lasting length: Int = 3600) -> MaintenanceWindow {
    let from = now.advanced(by: .seconds(seconds))
    return MaintenanceWindow(
      id: UniqueID(high: 8, low: id), name: "window \(id)", selection: MaintenanceSelection(), from: from,
      until: from.advanced(by: .seconds(length)), skip: false)
  }

  /// The windows that the face shows of these, by the numbers of their names.
  private func shown(_ windows: [MaintenanceWindow], announce: Duration) async throws -> [String] {
    let checks = [
      try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"]),
      try makeCheck("Mail <b>gateway</b>", host: "mail.example"),
      try makeCheck("Search", host: "search.example"),
    ]
    var source = try sampleStatus()
    source.status.mark(MaintenancePlan(windows, checks: checks))
    var face = publicFace
    (face.announce, face.namesMaintenance) = (announce, true)
    let picture = await PublicPicture(face, from: source)
    for window in picture.windows { #expect(window.names.sorted() == ["Search", "Shop front"]) }
    return picture.windows.map { "\(($0.title ?? "?").dropFirst(7)) \($0.isActive ? "now" : "soon")" }
  }

  /// From `announce` before it begins until it ends.
  @Test func whenMaintenanceIsShown() async throws {
    let week: Duration = .seconds(7 * 86_400)
    #expect(PublicFace(title: "", groups: [], checks: [], hidesTargets: true).announce == week)
    let windows = [
      window(1, 7 * 86_400), window(2, 7 * 86_400 + 1), window(3, 1), window(4, 0), window(5, -3599),
      window(6, -3600),
    ]
    #expect(try await shown(windows, announce: week) == ["5 now", "4 now", "3 soon", "1 soon"])
    #expect(try await shown(windows, announce: .zero) == ["5 now", "4 now"])
    #expect(try await shown(windows, announce: .seconds(1)) == ["5 now", "4 now", "3 soon"])
    #expect(
      try await shown(windows, announce: .seconds(7 * 86_400 + 1))
        == ["5 now", "4 now", "3 soon", "1 soon", "2 soon"])
  }

  /// Ten at most, those that begin first.
  @Test func atMostTenWindows() async throws {
    let windows = (1...12).reversed().map { window(UInt64($0), $0 * 60) }
    let found = try await shown(windows, announce: .seconds(86_400))
    #expect(found == (1...10).map { "\($0) soon" })
  }

  /// Five names and how many more; one that goes on says so and leaves the feed.
  @Test func linesOfMaintenance() async throws {
    var picture = try await publicPicture([.up])
    func line(_ count: Int, isActive: Bool) -> String {
      picture.windows = [
        .init(
          from: at(115), until: at(1440 + 30), title: "Upgrade",
          names: (0..<count).map { String(UnicodeScalar(UInt8(65 + $0))) }, isActive: isActive,
          id: UniqueID(high: 8, low: 1))
      ]
      let html = PublicPage(picture: picture).render(nonce: "n").html
      return
        (html.components(separatedBy: "<ul class=\"news\">")[1].components(separatedBy: "</ul>").first ?? "")
        .replacing(/<\/?(time|bdi)[^>]*>/, with: "")
    }
    let hours = "<span class=\"dim\">01:55 UTC to Fri 2 Jan, 00:30 UTC</span></li>"
    #expect(line(1, isActive: false) == "<li><b>A</b>: Upgrade \(hours)")
    #expect(line(5, isActive: false) == "<li><b>A, B, C, D and E</b>: Upgrade \(hours)")
    #expect(
      line(7, isActive: true)
        == "<li><span class=\"badge\">Maintenance</span> <b>A, B, C, D, E and 2 more</b>: Upgrade \(hours)")
    #expect(PublicFeed(picture: picture, language: .english).items.isEmpty)
    picture.windows[0].isActive = false
    let item = try #require(PublicFeed(picture: picture, language: .english).items.first)
    #expect(item.title == "Planned maintenance: A, B, C, D, E and 2 more")
    #expect(item.text == "Thu 1 Jan, 01:55 UTC to Fri 2 Jan, 00:30 UTC · Upgrade")
  }

  /// The begin of the newest outage is news while that lasts, and its end is.
  @Test func whenAFoldWasNews() async throws {
    var picture = try await publicPicture([.down])
    func changed(_ outages: [PublicCheck.Downtime]) -> [Timestamp] {
      picture.sections[0].checks[0].outages = outages
      return OutageFold.all(of: picture.checks[0]).map(\.changed)
    }
    #expect(changed([publicOutage(0, nil)]) == [publicOutage(0, 1).begin])
    #expect(changed([publicOutage(0, 5)]) == [publicOutage(5, 1).begin])
    #expect(changed([publicOutage(20, nil), publicOutage(0, 5)]) == [publicOutage(20, 1).begin])
    #expect(changed([publicOutage(20, 2), publicOutage(0, 5)]) == [publicOutage(22, 1).begin])
  }
}
