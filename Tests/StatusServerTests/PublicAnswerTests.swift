// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Synchronization
import Testing
@testable import Status
@testable import StatusServer

/// Answers of the public face: headers, languages, pages with names, and nothing of hidden checks.
@Suite struct PublicAnswerTests {
  private func answer(
    _ target: String, languages: String? = nil, _ change: (inout PublicFace) -> Void = { _ in }
  ) async throws -> Reply {
    var face = publicFace
    change(&face)
    let routes = PublicRoutes(face, source: try sampleSource())
    var request = StatusRequest(target: target)
    request.acceptLanguage = languages
    return await routes.reply(to: request)
  }

  private func header(_ reply: Reply, _ name: String) -> String? {
    reply.headers.first { $0.0 == name }?.1
  }

  /// How long an answer may be kept, by what it differs, and its language; none has a validator or a cookie.
  @Test(
    arguments: [
      ("/", 200, "text/html; charset=utf-8", true, "Accept-Language", "en"),
      ("/?lang=de", 200, "text/html; charset=utf-8", true, nil, "de"),
      ("/?lang=xx", 200, "text/html; charset=utf-8", true, "Accept-Language", "en"),
      ("/feed.atom", 200, "application/atom+xml; charset=utf-8", true, nil, "en"),
      ("/feed.atom?lang=fr", 200, "application/atom+xml; charset=utf-8", true, nil, "fr"),
      ("/feed.json?lang=ja", 200, "application/feed+json; charset=utf-8", true, nil, "ja"),
      ("/widget?lang=pt", 200, "text/html; charset=utf-8", true, nil, "pt"),
      ("/badge/state.svg", 200, "image/svg+xml", true, nil, nil),
      ("/badge/x/state.svg", 404, "image/svg+xml", true, nil, nil),
      ("/badge/x/secret.svg", 404, "image/svg+xml", true, nil, nil),
      ("/livez", 200, "text/plain; charset=utf-8", false, nil, nil),
      ("/nothing", 404, "text/plain; charset=utf-8", false, nil, nil),
      ("/badge", 404, "text/plain; charset=utf-8", false, nil, nil),
      ("/badge/x/y/state.svg", 404, "text/plain; charset=utf-8", false, nil, nil),
      ("/%zz", 400, "text/plain; charset=utf-8", false, nil, nil),
    ] as [(String, Int, String, Bool, String?, String?)])
  func headers(target: String, status: Int, type: String, shared: Bool, vary: String?, language: String?)
    async throws
  {
    let reply = try await answer(target)
    #expect(reply.status == status && header(reply, "Content-Type") == type)
    #expect(header(reply, "Cache-Control") == (shared ? "public, max-age=30" : "no-store"))
    #expect(header(reply, "Cross-Origin-Resource-Policy") == (shared ? "cross-origin" : "same-origin"))
    #expect(header(reply, "Vary") == vary && header(reply, "Content-Language") == language)
    let others = Set(reply.headers.map(\.0)).subtracting([
      "Server", "Content-Type", "Content-Security-Policy", "X-Content-Type-Options", "Cache-Control",
      "Cross-Origin-Resource-Policy", "Vary", "Content-Language",
    ])
    #expect(others.isEmpty)
  }

  /// A page that is sent smaller depends on both.
  @Test func bothThatItDependsOn() async throws {
    var reply = try await answer("/", languages: "de")
    reply.compress(for: "gzip")
    #expect(header(reply, "Vary") == "Accept-Language, Accept-Encoding")
    #expect(header(reply, "Content-Encoding") == "gzip" && header(reply, "Content-Language") == "de")
  }

  /// The address, then the browser by its weights, then the face, which is Spanish here.
  @Test(
    arguments: [
      ("/", nil, "es"), ("/", "de;q=0.3, fr;q=0.8, en;q=0.5", "fr"), ("/", "nl, de;q=0.1", "de"),
      ("/", "de;q=0.5,fr;q=0.5", "de"), ("/", "de ; Q=0.4 , fr ; q=0.6", "fr"), ("/", "de;q=0.001", "de"),
      ("/", "de;q=1.001, ja;q=0.2", "ja"), ("/", "de;q=0, nl", "es"), ("/", "*", "es"),
      ("/", "de;q=-1, en;q=0.1", "en"), ("/", "de;level=1;q=0.2, fr;q=0.3", "fr"), ("/", "pt_BR", "pt"),
      ("/?lang=de", "fr", "de"), ("/?lang=DE-at", "fr", "de"), ("/?lang=", "ja", "ja"),
      ("/?lang=deu", "fr", "fr"), ("/?lang=xx", nil, "es"), ("/?lang=en&lang=de", "fr", "en"),
      ("/?a=b&lang=ja", "fr", "ja"), ("/feed.atom", "de", "es"), ("/feed.atom?lang=de", "fr", "de"),
      ("/feed.json?lang=xx", "fr", "es"), ("/widget", "de", "es"), ("/widget?lang=ja", "de", "ja"),
    ] as [(String, String?, String)])
  func languages(target: String, accepted: String?, language: String) async throws {
    let reply = try await answer(target, languages: accepted) { $0.language = .spanish }
    #expect(reply.status == 200 && reply.language?.rawValue == language)
    let text = String(decoding: reply.body, as: UTF8.self)
    let place =
      target.hasPrefix("/feed.atom")
      ? "xml:lang=\"\(language)\""
      : target.hasPrefix("/feed.json") ? "\"language\":\"\(language)\"" : "<html lang=\"\(language)\">"
    #expect(text.contains(place))
  }

  /// Of thirty-two entries the last is read, of thirty-three it is not.
  @Test func theLastEntryOfAHeader() {
    let entries = String(repeating: "nl,", count: 31)
    #expect(PublicLanguage(accepted: entries + "de") == .german)
    #expect(PublicLanguage(accepted: "nl," + entries + "de") == nil)
  }

  /// Badges speak the language of the address or the face, those that are missing, too.
  @Test func languagesOfBadges() async throws {
    func text(_ target: String) async throws -> String {
      let reply = try await answer(target, languages: "fr") { $0.language = .spanish }
      return String(decoding: reply.body, as: UTF8.self)
    }
    #expect(try await text("/badge/x/state.svg").contains("<title>estado: no encontrado</title>"))
    #expect(
      try await text("/badge/x/latency.svg?lang=de").contains("<title>Antwortzeit: nicht gefunden</title>"))
    #expect(try await text("/badge/x/y.svg?lang=ja").contains("<title>状態: 該当するバッジがありません</title>"))
    let shop = try #require(try sampleSource().status.checks.first { $0.name == "Shop front" }).id
    #expect(
      try await text("/badge/\(shop)/state.svg").contains("<title>Shop front: Fuera de servicio</title>"))
    #expect(
      try await text("/badge/\(shop)/state.svg?lang=de").contains("<title>Shop front: Ausgefallen</title>"))
  }

  /// Below a page with a name there are its addresses alone, of its own checks.
  @Test func addressesBelowAPage() async throws {
    let source = try sampleSource()
    func id(_ name: String) throws -> String {
      try #require(source.status.checks.first { $0.name == name }).id.description
    }
    let (search, shop) = (try id("Search"), try id("Shop front"))
    let rows: [(String, Int)] = [
      ("/partners", 200), ("/partners/", 200), ("/%70artners", 200), ("/partners?lang=de", 200),
      ("/partners/feed.atom", 200), ("/partners/feed.json", 200), ("/partners/widget", 200),
      ("/partners/badge/state.svg", 200), ("/partners/badge/\(search)/state.svg", 200),
      ("/partners/badge/\(search)/latency.svg", 200), ("/partners/badge/\(search)/uptime-90d.svg", 200),
      ("/partners/badge/\(shop)/state.svg", 404), ("/badge/\(search)/state.svg", 404),
      ("/badge/\(shop)/state.svg", 200), ("/partners/nothing", 404), ("/partners/partners", 404),
      ("/partners/logo", 404), ("/Partners", 404), ("/partners2", 404), ("/feed.atom/partners", 404),
      ("/partners/metrics", 404), ("/other/feed.json", 200), ("/other/badge/\(search)/state.svg", 404),
    ]
    func pages(_ face: inout PublicFace) {
      face.checks = []
      face.pages = [("partners", ["Search"]), ("other", [])].map { name, checks in
        var page = PublicFace(title: "Page of \(name)", groups: [], checks: checks, hidesTargets: true)
        (page.path, page.language) = ("/\(name)", .german)
        return page
      }
    }
    for (target, status) in rows {
      let reply = try await answer(target, pages)
      #expect(reply.status == status, "\(target)")
      #expect(
        !String(decoding: reply.body, as: UTF8.self).contains("Page of other") || target.hasPrefix("/other"))
    }
    func text(_ target: String) async throws -> String {
      String(decoding: try await answer(target, pages).body, as: UTF8.self)
    }
    // Feeds and badges are in the language of their own page.
    #expect(
      try await text("/partners/feed.json").contains("\"title\":\"Page of partners\",\"language\":\"de\""))
    #expect(
      try await text("/partners/badge/state.svg")
        .contains("<title>Page of partners: Search reagiert langsam</title>"))
    #expect(
      try await text("/other/badge/state.svg").contains("Page of other: Hier wird noch nichts angezeigt"))
    #expect(try await text("/feed.json").contains("\"title\":\"Services\",\"language\":\"en\""))
    let feeds = try await [text("/feed.atom"), text("/partners/feed.atom"), text("/other/feed.atom")]
    let ids = feeds.compactMap { $0.firstMatch(of: /<id>([^<]*)<\/id>/).map { String($0.1) } }
    #expect(ids.count == 3 && Set(ids).count == 3)
  }

  /// Posts about hidden checks, their maintenance and their names are in no answer, in no language.
  @Test func hiddenChecksAreNowhere() async throws {
    var source = try sampleSource()
    let shown = ["Shop front", "Search"]
    let hidden = source.status.checks.filter { !shown.contains($0.name) }
    try #require(hidden.count == 3)
    source.status.posts = hidden.enumerated().map { number, check in
      StatusPost(
        id: UniqueID(high: 9, low: UInt64(number)), title: "About \(check.name)", target: .check(check.name),
        first: .init(at: started, state: .identified, text: "Secret text", by: "ann-operator"))
    }
    let mail = try makeCheck("Mail <b>gateway</b>", host: "mail.example")
    let search = try makeCheck("Search", host: "search.example")
    let windows = [OperatorTarget.everything, .check(mail.name)].enumerated().map { number, target in
      MaintenanceWindow(
        id: UniqueID(high: 8, low: UInt64(number)), name: "secret-window", selection: target.selection,
        from: now.advanced(by: .seconds(600)), until: now.advanced(by: .seconds(1200)), skip: false)
    }
    source.status.mark(MaintenancePlan(windows, checks: [mail, search]))
    var face = publicFace
    var page = PublicFace(title: "Partners", groups: [], checks: ["Search"], hidesTargets: true)
    page.path = "/partners"
    face.pages = [page]
    let routes = PublicRoutes(face, source: source)
    var all = ""
    for base in ["", "/partners"] {
      for language in PublicLanguage.allCases {
        for file in ["", "feed.atom", "feed.json", "widget", "badge/state.svg"] {
          let reply = await routes.reply(
            to: StatusRequest(target: "\(base)/\(file)?lang=\(language.rawValue)"))
          #expect(reply.status == 200)
          all +=
            reply.headers.map { "\($0.0): \($0.1)\n" }.joined() + String(decoding: reply.body, as: UTF8.self)
        }
      }
    }
    #expect(all.contains("Planned maintenance: Search") && all.contains("Geplante Wartung: Search"))
    let secrets =
      hidden.map(\.id.description) + windows.compactMap { $0.id?.description }
      + [
        "gateway", "Never ran", "Old site", "About ", "Secret text", "ann-operator", "secret-window",
        ".example",
        "team:shop", "london-1",
      ]
    for secret in secrets { #expect(!all.contains(secret), "\(secret) is shown") }
  }

  /// The same bytes for all readers of a language for five seconds, and at once where the clock was set back.
  @Test func forFiveSeconds() async throws {
    let source = TurningSource(source: try sampleSource())
    let desk = PublicDesk(publicFace, source: source)
    func page(_ milliseconds: Int, _ language: PublicLanguage = .english) async -> [UInt8] {
      source.time.withLock { $0 = now.advanced(by: .milliseconds(milliseconds)) }
      return await desk.page(language).body
    }
    let first = await page(0)
    let german = await page(0, .german)
    #expect(first != german)
    #expect(await page(4999) == first && source.count.withLock { $0 } == 1)
    #expect(await page(4999, .german) == german)
    let second = await page(5000)
    #expect(second != first && source.count.withLock { $0 } == 2)
    #expect(await page(5000, .german) != german && source.count.withLock { $0 } == 2)
    #expect(await page(4999) != second && source.count.withLock { $0 } == 3)
  }

  /// Days and outages are of the instant of the windows beside them, however long the picture takes.
  @Test func ofOneInstant() async throws {
    let source = TurningSource(source: try sampleSource(), step: .seconds(2))
    _ = await PublicDesk(publicFace, source: source).page(.english)
    #expect(source.now == now.advanced(by: .seconds(2)) && source.asked.withLock { $0 } == [now])
    let id = try #require(source.source.status.checks.first?.id)
    _ = await CheckPast(of: id, .day, from: source, at: now.advanced(by: .seconds(-7)))
    #expect(source.asked.withLock { $0 } == [now, now.advanced(by: .seconds(-7))])
  }
}

/// The sample agent at an instant that a test sets; it counts the pictures taken of it.
private final class TurningSource: StatusSource {
  let source: FixedSource
  let time = Mutex(StatusSupport.now)
  let count = Mutex(0)
  /// By which the time goes on after each picture.
  let step: Duration
  /// Instants of which outages and lines were asked.
  let asked = Mutex<Set<Timestamp>>([])

  init(source: FixedSource, step: Duration = .zero) { (self.source, self.step) = (source, step) }

  var now: Timestamp { time.withLock { $0 } }
  func snapshot() async -> StatusSnapshot {
    count.withLock { $0 += 1 }
    var status = source.status
    status.now = time.withLock { time in
      defer { time = time.advanced(by: step) }
      return time
    }
    return status
  }
  func recent(_ checkID: UniqueID) async -> [CheckResult]? { await source.recent(checkID) }
  func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]? {
    asked.withLock { _ = $0.insert(instant) }
    return await source.outages(checkID, at: instant)
  }
  func series(
    _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
  ) async -> [SeriesPoint]? {
    asked.withLock { _ = $0.insert(instant) }
    return await source.series(checkID, period, points: points, at: instant)
  }
  func metrics() async -> MetricsView { await source.metrics() }
  func runNow(_ checkID: UniqueID) async -> RunNowOutcome { .noSuchCheck }
  func isReady() async -> Bool { true }
}
