// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// What the public page says of services, days, posts and maintenance.
@Suite struct PublicPageTests {
  private let face = PublicFace(
    title: "Example", groups: [.init(tag: "team:shop", title: "The shop")], checks: ["Search"],
    hidesTargets: true)

  private func picture(_ change: (inout SampleStatus) -> Void = { _ in }) async throws -> PublicPicture {
    var source = try sampleStatus()
    change(&source)
    return await PublicPicture(face, from: source)
  }

  private func headline(_ picture: PublicPicture) -> (text: String, detail: String, tone: Badge.Tone) {
    let words = EnglishWords()
    let headline = PublicHeadline(picture, words)
    return (
      headline.sentence.text(words), headline.detail.map { $0.text(words) }.joined(separator: " "),
      headline.tone
    )
  }

  /// Names with what is the matter, how many work, and since when the first does not.
  @Test func theHeadline() async throws {
    var picture = try await picture()
    var found = headline(picture)
    #expect(found.text == "Shop front is down, Search is slow" && found.tone == .down)
    #expect(found.detail == "0 of 2 services work. Since 01:51 UTC, 9 min.")
    picture.sections[1].checks[0].state = .up
    picture.sections[0].checks[0].isSlow = false
    found = headline(picture)
    #expect(found.text == "Search is impaired" && found.tone == .degraded)
    #expect(found.detail == "1 of 2 services work. Since 01:51 UTC, 9 min.")
    picture.sections[0].checks[0].state = .unknown
    found = headline(picture)
    #expect(found.text == "The state of Search is not known at present" && found.tone == .unknown)
    picture.sections[0].checks[0].state = .maintenance
    found = headline(picture)
    #expect(found.text == "Search is under maintenance" && found.tone == .unknown)
    #expect(found.detail == "1 of 2 services work.")
    picture.sections[1].checks[0].state = .maintenance
    #expect(headline(picture).text == "Search and Shop front are under maintenance")
    picture.sections = []
    #expect(headline(picture).text == "Nothing is shown here yet")
  }

  /// Headings of sections: their titles, else what follows the colon of the tag.
  @Test func headings() async throws {
    #expect(try await picture().sections.map(\.heading) == [nil, "The shop"])
    #expect(
      ["service:shop", "group=Mail", "web", "a:"].map { PublicFace.Group(tag: $0).heading } == [
        "Shop", "Mail", "Web", "A:",
      ])
  }

  private func point(
    _ day: Int64, up: Int64 = 0, degraded: Int64 = 0, down: Int64 = 0, maintenance: Int64 = 0
  )
    -> SeriesPoint
  {
    var time = Tally()
    (time.up, time.degraded) = (up * 1_000_000, degraded * 1_000_000)
    (time.down, time.maintenance) = (down * 1_000_000, maintenance * 1_000_000)
    let start = started.advanced(by: .seconds(day * 86_400))
    return SeriesPoint(start: start, width: .seconds(86_400), time: time)
  }

  /// A day with downtime says which, how much of it worked, and when it did not; the others are one path for each kind.
  @Test func days() async throws {
    var picture = try await picture()
    func outage(_ begin: Int, _ length: Int) -> PublicCheck.Downtime {
      let from = started.advanced(by: .seconds(begin))
      return .init(
        begin: from, end: from.advanced(by: .seconds(length)), length: .seconds(length))
    }
    // Over midnight from the second day to the third, and four times on the second.
    picture.sections[0].checks[0].outages = [
      outage(86_400 * 2 - 600, 1800), outage(86_400 + 9000, 60), outage(86_400 + 6000, 60),
      outage(86_400 + 3600, 60),
    ]
    picture.sections[0].checks[0].days = [
      point(0, up: 86_400), point(1, up: 85_620, down: 780), point(2, up: 85_200, down: 1200),
      point(3, up: 82_800, degraded: 3600), point(4, maintenance: 86_400), point(5),
    ]
    picture.sections.removeLast()
    let html = PublicPage(picture: picture).render(nonce: "n").html
    let titles = html.matches(of: /<g data-i="(\d)"><title>([^<]*)<\/title>/).map { "\($0.1) \($0.2)" }
    #expect(
      titles == [
        "1 Fri 2 Jan · 99.097% · down 13 min (01:00–01:01, 01:40–01:41, 02:30–02:31 UTC, and 1 more)",
        "2 Sat 3 Jan · 98.61% · down 20 min (00:00–00:20 UTC)", "3 Sun 4 Jan · 100% · impaired 1 h",
      ])
    #expect(html.contains("data-days=\"uxxxmn\"") && html.contains("data-from=\"\(started.rfc3339)\""))
    #expect(html.contains("<path class=\"f-up\" d=\"M0 0h3v24h-3z\"/>"))
    #expect(html.contains("<path class=\"f-maintenance\" d=\"M16 8h3v8h-3z\"/>"))
    #expect(html.contains("<path class=\"f-none\" d=\"M20 21h3v3h-3z\"/>"))
    #expect(html.contains("aria-label=\"Last 90 days: 2 days with an outage, 1 day without data\""))
  }

  /// Outages within half an hour of one another are one entry, in the list and in the feed.
  @Test func flapsAreFolded() async throws {
    var picture = try await picture()
    func outage(_ minute: Int, _ minutes: Int?) -> PublicCheck.Downtime {
      let begin = started.advanced(by: .seconds(60 * minute))
      return .init(
        begin: begin, end: minutes.map { begin.advanced(by: .seconds(60 * $0)) },
        length: .seconds(60 * (minutes ?? 1)))
    }
    picture.sections[1].checks[0].outages = []
    picture.sections[0].checks[0].outages = [
      outage(119, nil), outage(80, 2), outage(75, 2), outage(72, 1), outage(41, 1), outage(10, 1),
    ]
    let folds = OutageFold.all(of: picture.sections[0].checks[0])
    #expect(folds.map(\.count) == [1, 3, 1, 1])
    let lengths: [Duration] = [.seconds(60), .seconds(300), .seconds(60), .seconds(60)]
    #expect(folds.map(\.length) == lengths)
    #expect(folds[1].span == .seconds(600) && folds[0].end == nil)
    #expect(
      PublicFeed(picture: picture, language: .english).items.map(\.title) == [
        "Search is down", "Search was down 3 times, 5 min in all", "Search was down for 1 min",
        "Search was down for 1 min",
      ])
    #expect(
      PublicPage(picture: picture).render(nonce: "n").html.contains(
        "down 3 times within 10 min, 5 min in all"))
  }

  private func post(_ id: UInt64, _ target: OperatorTarget, _ state: PostState, minute: Int) -> StatusPost {
    let at = started.advanced(by: .seconds(60 * minute))
    return StatusPost(
      id: UniqueID(high: 9, low: id), title: "Post <\(id)>", target: target,
      first: .init(at: at, state: state, text: "Text <\(id)>", by: "ann"))
  }

  /// Posts are shown where their checks are, without their authors; those that are resolved fold away and go after a week.
  @Test func posts() async throws {
    let picture = try await picture { source in
      source.status.posts = [
        post(1, .check("Shop front"), .resolved, minute: -7 * 1440 + 121),
        post(2, .tag("team:shop"), .resolved, minute: -7 * 1440 + 120),
        post(3, .check("Mail <b>gateway</b>"), .identified, minute: 5),
        post(4, .tag("prod"), .investigating, minute: 6), post(5, .everything, .monitoring, minute: 7),
      ]
    }
    #expect(picture.posts.map(\.id.low) == [5, 4, 1])
    let html = PublicPage(picture: picture).render(nonce: "n").html
    #expect(html.contains("<b>Investigating</b> <bdi>Text &lt;4&gt;</bdi>"))
    #expect(html.contains("<summary><bdi>Post &lt;1&gt;</bdi></summary>"))
    #expect(!html.contains(">ann"))
    #expect(!html.contains("&lt;2&gt;") && !html.contains("&lt;3&gt;") && !html.contains("gateway"))
    let items = PublicFeed(picture: picture, language: .german).items
    let item = try #require(items.first { $0.id.low == 4 })
    #expect(item.title == "Wird untersucht: Post <4>")
    #expect(item.text == "Do., 1. Jan., 00:06 UTC · Wird untersucht: Text <4>")
  }

  /// A window of shown checks is announced a week before it begins, and of no other checks at all.
  @Test func maintenanceIsAnnounced() async throws {
    let checks = [
      try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"]),
      try makeCheck("Mail <b>gateway</b>", host: "mail.example"),
    ]
    func window(_ name: String, _ target: OperatorTarget, day: Int64) -> MaintenanceWindow {
      let from = started.advanced(by: .seconds(day * 86_400 + 7200))
      return MaintenanceWindow(
        id: UniqueID(high: 8, low: UInt64(day)), name: name, selection: target.selection, from: from,
        until: from.advanced(by: .seconds(7200)), skip: false)
    }
    let windows = [
      window("soon", .tag("prod"), day: 7), window("late", .tag("prod"), day: 8),
      window("mail", .check("Mail <b>gateway</b>"), day: 1),
    ]
    var picture = try await picture { $0.status.mark(MaintenancePlan(windows, checks: checks)) }
    #expect(picture.windows.map(\.names) == [["Shop front"]] && picture.windows.first?.title == nil)
    let html = PublicPage(picture: picture).render(nonce: "n").html
    let start = started.advanced(by: .seconds(7 * 86_400 + 7200))
    #expect(html.contains("Planned maintenance") && html.contains("Thu 8 Jan, 02:00 UTC</time> to <time"))
    #expect(html.contains("data-from=\"\(start.rfc3339)\">04:00 UTC</time>"))
    #expect(!html.contains("soon") && !html.contains("mail"))
    let item = try #require(
      PublicFeed(picture: picture, language: .english).items.first { $0.title.hasPrefix("Planned") })
    #expect(item.title == "Planned maintenance: Shop front" && item.published == now)
    // It stays where it was announced at another time than the settings say.
    picture.windows[0].announced = started
    #expect(
      PublicFeed(picture: picture, language: .english).items.first { $0.title.hasPrefix("Planned") }?
        .published
        == started)
    picture.windows[0].title = "Database <upgrade>"
    #expect(
      PublicPage(picture: picture).render(nonce: "n").html.contains("<bdi>Database &lt;upgrade&gt;</bdi>"))
  }

  /// Names of windows are shown where that is wanted; reasons that people gave for windows by hand never are.
  @Test func namesOfWindows() async throws {
    let shop = try makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"])
    let windows = (1...2).map { number in
      MaintenanceWindow(
        id: UniqueID(high: 8, low: number), name: "window \(number)", selection: MaintenanceSelection(),
        from: now.advanced(by: .seconds(-60 * Int(number))), until: now.advanced(by: .seconds(600)),
        skip: false)
    }
    var source = try sampleStatus()
    source.status.mark(MaintenancePlan(windows, checks: [shop]))
    source.status.byHand = [
      HandBook.Order(
        id: windows[0].id ?? shop.id, target: .everything, from: now, until: now, why: "window 1",
        by: "ann")
    ]
    var named = face
    named.namesMaintenance = true
    let picture = await PublicPicture(named, from: source)
    #expect(picture.windows.map(\.title) == ["window 2", nil] && picture.windows.allSatisfy(\.isActive))
    #expect(picture.sections[1].checks.map(\.state) == [.maintenance])
    #expect(
      PublicFeed(picture: picture, language: .english).items.count { $0.title.hasPrefix("Planned") } == 0)
  }

  /// Colours, logo, links, notice and footer of the face; each is text, none is markup.
  @Test func ownLooks() async throws {
    var own = face
    (own.color, own.darkColor) = ("#0f766e", "#5eead4")
    own.links = [.init(title: "Help <me>", url: "https://a.example/?a=1&b=\"2\"")]
    (own.imprint, own.footer) = ("https://a.example/imprint", "Example & Co")
    own.logo = PublicFace.Logo([0x89, 0x50, 0x4e, 0x47, 1])
    let picture = await PublicPicture(own, from: try sampleStatus())
    let html = PublicPage(picture: picture, language: .german).render(nonce: "n").html
    #expect(html.contains(":root{--own:#0f766e}@media(prefers-color-scheme:dark){:root{--own:#5eead4}}"))
    #expect(
      html.contains("href=\"https://a.example/?a=1&amp;b=&quot;2&quot;\"><bdi>Help &lt;me&gt;</bdi></a>"))
    #expect(html.contains(">Impressum</a>") && html.contains("<bdi>Example &amp; Co</bdi>"))
    #expect(html.contains("<img src=\"/logo\" alt=\"\">") && html.contains("<html lang=\"de\">"))
    #expect(PublicFace.Logo(Array("<html>".utf8)) == nil)
    #expect(PublicFace.Logo([UInt8](repeating: 0xff, count: 65_537)) == nil)
  }
}
