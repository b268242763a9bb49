// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Feeds, outages that are folded, and the languages of both.
@Suite struct PublicNewsTableTests {
  /// A feed says when an outage that is over began and ended, and since when one lasts.
  @Test func entriesOfTheFeed() async throws {
    var picture = try await publicPicture([.up, .down], title: "A & B")
    let begin = started.advanced(by: .seconds(60))
    picture.sections[0].checks[0].outages = [
      .init(begin: begin, end: begin.advanced(by: .seconds(90)), length: .seconds(90))
    ]
    picture.sections[0].checks[1].outages = [
      .init(begin: begin.advanced(by: .seconds(30)), end: nil, length: .seconds(30))
    ]
    func atom(_ language: PublicLanguage = .english) -> String {
      AtomFeed(feed: PublicFeed(picture: picture, language: language)).render().html
    }
    let text = atom()
    let over = """
      <title>Check 0 was down for 1 min</title>
      <published>2026-01-01T00:01:00.000Z</published>
      <updated>2026-01-01T00:02:30.000Z</updated>
      <link rel="alternate" href="/?lang=en"/>
      <content type="text">Thu 1 Jan, 00:01 UTC to 00:02 UTC</content>
      """
    let lasting = """
      <title>Check 1 is down</title>
      <published>2026-01-01T00:01:30.000Z</published>
      <updated>2026-01-01T00:01:30.000Z</updated>
      <link rel="alternate" href="/?lang=en"/>
      <content type="text">Since Thu 1 Jan, 00:01 UTC.</content>
      """
    let (first, second) = (text.range(of: over), text.range(of: lasting))
    #expect((first?.lowerBound ?? text.endIndex) < (second?.lowerBound ?? text.startIndex))
    #expect(text.contains("<title>A &amp; B</title>\n<updated>2026-01-01T00:02:30.000Z</updated>"))
    picture.face.path = "/partners"
    let german = atom(.german)
    #expect(german.contains("<link rel=\"self\" href=\"/partners/feed.atom?lang=de\"/>"))
    #expect(
      german.components(separatedBy: "<link rel=\"alternate\" href=\"/partners/?lang=de\"/>").count == 4)
    #expect(
      german.contains("xml:lang=\"de\"") && german.contains("<title>Check 0 war 1 Min. ausgefallen</title>"))
    picture.sections = []
    #expect(atom().contains("<updated>\(now.rfc3339)</updated>") && !atom().contains("<entry>"))
  }

  /// Of many the latest hundred, in both feeds.
  @Test func aHundredEntries() async throws {
    var picture = try await publicPicture([.up])
    // An hour apart, so that each is told by itself; the newest first.
    picture.sections[0].checks[0].outages = (0...100).reversed().map { publicOutage($0 * 60, 1) }
    let feed = PublicFeed(picture: picture, language: .english)
    #expect(feed.items.map(\.published) == (1...100).reversed().map { publicOutage($0 * 60, 1).begin })
    let atom = AtomFeed(feed: feed).render().html
    #expect(atom.components(separatedBy: "<entry>").count == 101)
    let json = try JSONValue.parse(JSONFeed(feed: feed).render())
    #expect(json["items"]?.array?.count == 100)
    #expect(json["items"]?[0]?["date_published"]?.string == "2026-01-05T04:00:00.000Z")
    #expect(json["items"]?[0]?["date_modified"]?.string == "2026-01-05T04:01:00.000Z")
    #expect(json["items"]?[0]?["content_text"]?.string == "Mon 5 Jan, 04:00 UTC to 04:01 UTC")
  }

  /// A feed is the same one in every language, and another one for another title or another page.
  @Test func idsOfFeeds() async throws {
    let picture = try await publicPicture([.up])
    func id(_ title: String, _ path: String, _ language: PublicLanguage = .english) -> UniqueID {
      var other = picture
      (other.face.title, other.face.path) = (title, path)
      return PublicFeed(picture: other, language: language).id
    }
    #expect(Set(PublicLanguage.allCases.map { id("A", "", $0) }).count == 1)
    #expect(Set([id("A", ""), id("B", ""), id("A", "/a"), id("A", "/b")]).count == 4)
  }

  /// Outages less than half an hour apart are one; half an hour apart they are two.
  @Test(
    arguments: [
      (29 * 60, [2], "down 2 times within 31 min, 2 min in all"), (1799, [2], "within 31 min"),
      (1800, [1, 1], "down 1 min"), (31 * 60, [1, 1], "down 1 min"), (0, [2], "within 2 min, 2 min in all"),
    ] as [(Int, [Int], String)])
  func gaps(seconds: Int, counts: [Int], words: String) async throws {
    var picture = try await publicPicture([.up, .up])
    let first = publicOutage(0, 1)
    let begin = started.advanced(by: .seconds(60 + seconds))
    let second = PublicCheck.Downtime(
      begin: begin, end: begin.advanced(by: .seconds(60)), length: .seconds(60))
    picture.sections[0].checks[0].outages = [second, first]
    let folds = OutageFold.all(of: picture.checks[0])
    #expect(folds.map(\.count) == counts)
    #expect(folds.map(\.begin) == (counts == [2] ? [first.begin] : [begin, first.begin]))
    #expect(folds.first?.end == second.end && folds.first?.changed == second.end)
    let html = PublicPage(picture: picture).render(nonce: "n").html
    #expect(html.contains(words))
    // Those of two checks are never one.
    picture.sections[0].checks[0].outages = [first]
    picture.sections[0].checks[1].outages = [second]
    #expect(PublicFeed(picture: picture, language: .english).items.count == 2)
  }

  /// Counted from the end of the last one, not from the begin of the first.
  @Test func aLongRowOfFlaps() async throws {
    var picture = try await publicPicture([.down])
    picture.sections[0].checks[0].outages = [0, 30, 60, 90].reversed().map { publicOutage($0, 2) }
    let fold = try #require(OutageFold.all(of: picture.checks[0]).first)
    #expect(fold.count == 4 && fold.length == .seconds(480) && fold.span == .seconds(92 * 60))
    #expect(fold.words(GermanWords()) == "4-mal innerhalb von 1 Std. 32 Min. ausgefallen, zusammen 8 Min.")
    // The last of them lasts: it is down, and no news that is over.
    picture.sections[0].checks[0].outages[0].end = nil
    let item = try #require(PublicFeed(picture: picture, language: .english).items.first)
    #expect(item.title == "Check 0 is down")
    #expect(item.text == "Since Thu 1 Jan, 01:30 UTC.\ndown 4 times within 1 h 32 min, 8 min in all")
    #expect(item.published == started)
  }

  /// An entry keeps its id while its outage ends and others follow.
  @Test func idsOfEntries() async throws {
    var picture = try await publicPicture([.down, .down])
    func ids(_ outages: [PublicCheck.Downtime], check: Int = 0) -> [UniqueID] {
      for place in 0..<2 { picture.sections[0].checks[place].outages = place == check ? outages : [] }
      return PublicFeed(picture: picture, language: .english).items.map(\.id)
    }
    let first = ids([publicOutage(0, nil)])
    #expect(first.count == 1 && ids([publicOutage(0, 1)]) == first)
    #expect(ids([publicOutage(20, 1), publicOutage(0, 1)]) == first)
    #expect(ids([publicOutage(1, 1)]) != first && ids([publicOutage(0, 1)], check: 1) != first)
  }

  /// A list of outages tells how long each lasted or has lasted, and of which day it was.
  @Test func outagesOfThePage() async throws {
    var picture = try await publicPicture([.up])
    func html() -> String { PublicPage(picture: picture).render(nonce: "n").html }
    #expect(html().contains("There was no outage in the last 90 days."))
    let before = started.advanced(by: .seconds(-86_400 - 600))
    picture.sections[0].checks[0].outages = [
      .init(begin: started, end: nil, length: .seconds(3700)),
      .init(begin: before, end: before.advanced(by: .seconds(600)), length: .seconds(600)),
    ]
    let lasting =
      "<time datetime=\"2026-01-01T00:00:00.000Z\">00:00 UTC</time> · down for 1 h 1 min so far</span>"
    let over = "<time datetime=\"2025-12-30T23:50:00.000Z\">Tue 30 Dec, 23:50 UTC</time> · down 10 min</span>"
    let name = "<li><bdi>Check 0</bdi> <span class=\"dim\">"
    #expect(html().contains("\(name)\(lasting)</li>\(name)\(over)</li></ul>"))
    picture.sections = []
    #expect(!html().contains("Outages of the last 90 days") && !html().contains("There was no outage"))
  }

  /// Began, ended and flapped as titles; lasting, over and folded on the page.
  private static let outages: [PublicLanguage: [String]] = [
    .english: [
      "A is down", "A was down for 5 min", "A was down 3 times, 5 min in all", "down for 5 min so far",
      "down 5 min", "down 3 times within 9 min, 5 min in all", "and 7 before",
    ],
    .german: [
      "A ist ausgefallen", "A war 5 Min. ausgefallen", "A war 3-mal ausgefallen, zusammen 5 Min.",
      "bisher 5 Min. ausgefallen", "5 Min. ausgefallen",
      "3-mal innerhalb von 9 Min. ausgefallen, zusammen 5 Min.", "und 7 davor",
    ],
    .french: [
      "A est en panne", "A\u{a0}: panne de 5 min, terminée", "A\u{a0}: 3 pannes, 5 min au total",
      "en panne depuis 5 min", "5 min de panne", "3 pannes en 9 min, 5 min au total", "et 7 auparavant",
    ],
    .spanish: [
      "A no funciona", "A estuvo 5 min sin servicio", "A: 3 caídas, 5 min en total",
      "5 min sin servicio hasta ahora", "5 min sin servicio", "3 caídas en 9 min, 5 min en total",
      "y 7 anteriores",
    ],
    .portuguese: [
      "A está fora do ar", "A ficou 5 min fora do ar", "A: 3 interrupções, 5 min no total",
      "5 min fora do ar até agora", "5 min fora do ar", "3 interrupções em 9 min, 5 min no total",
      "e 7 anteriores",
    ],
    .japanese: [
      "Aが停止しています", "Aが5分停止しました", "Aが3回停止しました（合計5分）", "停止中、現在までに5分", "停止 5分",
      "9分の間に3回停止、合計5分", "それ以前に7件",
    ],
  ]

  @Test(arguments: PublicLanguage.allCases) func wordsOfOutages(language: PublicLanguage) async throws {
    let words = language.words
    let texts = try #require(Self.outages[language])
    var picture = try await publicPicture([.down])
    picture.sections[0].checks[0].name = "A"
    var lasting = publicOutage(100, nil)
    lasting.length = .seconds(300)
    let flaps = [publicOutage(7, 2), publicOutage(4, 2), publicOutage(0, 1)]
    var (titles, lines): ([String], [String]) = ([], [])
    for outages in [[lasting], [publicOutage(100, 5)], flaps] {
      picture.sections[0].checks[0].outages = outages
      titles += PublicFeed(picture: picture, language: language).items.map(\.title)
      lines += OutageFold.all(of: picture.checks[0]).map { $0.words(words) }
    }
    #expect(titles + lines + [words.earlier(7)] == texts)
  }

  /// The text of an entry: from when to when, and since when.
  @Test(
    arguments: [
      (.english, "Thu 1 Jan, 01:10 UTC to 01:15 UTC", "Since Thu 1 Jan, 01:10 UTC."),
      (.german, "Do., 1. Jan., 01:10 UTC bis 01:15 UTC", "Seit Do., 1. Jan., 01:10 UTC."),
      (.french, "jeu. 1er janv. à 01:10 UTC – 01:15 UTC", "Depuis le jeu. 1er janv. à 01:10 UTC."),
      (.spanish, "jue, 1 ene, 01:10 UTC – 01:15 UTC", "Desde el jue, 1 ene, 01:10 UTC."),
      (.portuguese, "qui., 1 de jan., 01:10 UTC – 01:15 UTC", "Desde qui., 1 de jan., 01:10 UTC."),
      (.japanese, "1月1日(木) 01:10 UTC ～ 01:15 UTC", "1月1日(木) 01:10 UTC から。"),
    ] as [(PublicLanguage, String, String)])
  func textsOfEntries(language: PublicLanguage, over: String, lasting: String) async throws {
    var picture = try await publicPicture([.down])
    func text(_ outage: PublicCheck.Downtime) -> String? {
      picture.sections[0].checks[0].outages = [outage]
      return PublicFeed(picture: picture, language: language).items.first?.text
    }
    #expect(text(publicOutage(70, 5)) == over && text(publicOutage(70, nil)) == lasting)
  }

  /// Status, response time, uptime of a month, no data, not found, no such badge; then figures.
  @Test(
    arguments: [
      (
        .english, ["status", "response time", "uptime 30d", "no data", "not found", "no such badge"],
        "12.3 ms",
        "99.5%", "100% (2 h of data)"
      ),
      (
        .german,
        [
          "Status", "Antwortzeit", "Verfügbarkeit 30 Tage", "keine Daten", "nicht gefunden",
          "Badge nicht bekannt",
        ],
        "12,3 ms", "99,5\u{a0}%", "100\u{a0}% (Daten von 2 Std.)"
      ),
      (
        .french,
        ["état", "temps de réponse", "disponibilité 30 j", "pas de données", "introuvable", "badge inconnu"],
        "12,3 ms", "99,5\u{a0}%", "100\u{a0}% (2 h de données)"
      ),
      (
        .spanish,
        [
          "estado", "tiempo de respuesta", "disponibilidad 30 d", "sin datos", "no encontrado",
          "insignia desconocida",
        ],
        "12,3 ms", "99,5\u{a0}%", "100\u{a0}% (2 h de datos)"
      ),
      (
        .portuguese,
        [
          "estado", "tempo de resposta", "disponibilidade 30 d", "sem dados", "não encontrado",
          "selo desconhecido",
        ],
        "12,3 ms", "99,5%", "100% (2 h de dados)"
      ),
      (
        .japanese, ["状態", "応答時間", "稼働率 30日間", "データなし", "見つかりません", "該当するバッジがありません"],
        "12.3 ms", "99.5%", "100% (2時間分のデータ)"
      ),
    ] as [(PublicLanguage, [String], String, String, String)])
  func badges(language: PublicLanguage, texts: [String], median: String, percent: String, thin: String)
    async throws
  {
    let words = language.words
    var check = try #require(try await publicPicture([.up]).checks.first)
    check.median = .microseconds(12_340)
    check.windows = [
      .init(period: .day, uptime: 99.5), .init(period: .week, uptime: 100, thin: .seconds(7200)),
    ]
    let latency = Badge(.latency, of: check, words)
    let none = Badge(.uptime(.month), of: check, words)
    #expect(
      [words.status, latency.label, none.label, none.value, words.notFound, words.noSuchBadge] == texts)
    #expect(latency.value == median && latency.tone == .up && none.tone == .unknown)
    #expect(Badge(.uptime(.day), of: check, words).value == percent)
    let little = Badge(.uptime(.week), of: check, words)
    #expect(little.value == thin && little.tone == .unknown)
  }

  /// The span of an uptime, from a day to a quarter.
  @Test func spansOfUptime() {
    func labels(_ words: any PublicWords) -> [String] { UptimePeriod.allCases.map(words.uptime) }
    let short = ["24 h", "7 d", "30 d", "90 d"]
    #expect(
      labels(GermanWords()) == ["24 Std.", "7 Tage", "30 Tage", "90 Tage"].map { "Verfügbarkeit \($0)" })
    #expect(labels(FrenchWords()) == ["24 h", "7 j", "30 j", "90 j"].map { "disponibilité \($0)" })
    #expect(labels(SpanishWords()) == short.map { "disponibilidad \($0)" })
    #expect(labels(PortugueseWords()) == short.map { "disponibilidade \($0)" })
    #expect(labels(JapaneseWords()) == ["24時間", "7日間", "30日間", "90日間"].map { "稼働率 \($0)" })
  }
}
