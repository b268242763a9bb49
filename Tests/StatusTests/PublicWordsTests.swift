// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The texts of the public page in each language.
@Suite struct PublicWordsTests {
  @Test(
    arguments: [
      ("de", .german), ("de-AT,de;q=0.9,en;q=0.8", .german), ("fr;q=0.5, en;q=0.4", .french),
      ("en;q=0.4,fr;q=0.5", .french), ("nl, pt-BR;q=0.9", .portuguese), ("JA-jp", .japanese),
      ("es, en", .spanish), ("de;q=0, en;q=0.1", .english), ("de;q=x, es;q=0.2", .spanish),
      ("nl,it", nil), ("*", nil), ("", nil), (";q=1", nil), ("den", nil), ("de;q=2", nil), (nil, nil),
    ] as [(String?, PublicLanguage?)])
  func theReadersChoice(header: String?, language: PublicLanguage?) {
    #expect(PublicLanguage(accepted: header) == language)
  }

  /// A header of thousands of entries is not read to its end.
  @Test func aLongHeader() {
    let header = String(repeating: "nl,", count: 40) + "de"
    #expect(PublicLanguage(accepted: header) == nil)
  }

  private let checkout = Sentence(name: "Checkout")
  private let login = Sentence(name: "Login")

  @Test(
    arguments: [
      (.english, "Checkout is down, Checkout and Login are slow"),
      (.german, "Checkout ist ausgefallen, Checkout und Login reagieren langsam"),
      (.french, "Checkout est en panne, Checkout et Login répondent lentement"),
      (.spanish, "Checkout no funciona, Checkout y Login responden con lentitud"),
      (.portuguese, "Checkout está fora do ar, Checkout e Login estão com lentidão"),
      (.japanese, "Checkoutが停止しています。Checkout、Loginの応答が遅くなっています"),
    ] as [(PublicLanguage, String)])
  func sentences(language: PublicLanguage, text: String) {
    let words = language.words
    let both = words.names([checkout, login], more: 0)
    let sentence = Sentence.joined(
      [words.down(checkout, isOne: true), words.slow(both, isOne: false)], by: words.clauseGap)
    #expect(sentence.text(words) == text)
  }

  /// Dates, percent and lengths as each language writes them; a figure is cut, never rounded up.
  @Test(
    arguments: [
      (.english, "Sat 14 Nov, 09:40 UTC", "99.89%", "1 d 2 h", "38 min"),
      (.german, "Sa., 14. Nov., 09:40 UTC", "99,89\u{a0}%", "1 Tg. 2 Std.", "38 Min."),
      (.french, "sam. 14 nov. à 09:40 UTC", "99,89\u{a0}%", "1 j 2 h", "38 min"),
      (.spanish, "sáb, 14 nov, 09:40 UTC", "99,89\u{a0}%", "1 d 2 h", "38 min"),
      (.portuguese, "sáb., 14 de nov., 09:40 UTC", "99,89%", "1 d 2 h", "38 min"),
      (.japanese, "11月14日(土) 09:40 UTC", "99.89%", "1日2時間", "38分"),
    ] as [(PublicLanguage, String, String, String, String)])
  func figures(language: PublicLanguage, moment: String, percent: String, long: String, short: String) throws
  {
    let words = language.words
    let instant = try #require(Timestamp(rfc3339: "2026-11-14T09:40:59Z"))
    let later = instant.advanced(by: .seconds(86_400))
    #expect(Sentence(at: instant, now: later).text(words) == moment)
    #expect(Sentence(at: instant, now: instant).text(words) == "09:40 UTC")
    #expect(words.percent(99.89) == percent)
    #expect(words.length(.seconds(86_400 + 2 * 3600 + 600)) == long)
    #expect(words.length(.seconds(38 * 60 + 59)) == short)
  }

  /// Every date of a year is one, in every language, and no text is empty.
  @Test(arguments: PublicLanguage.allCases) func noTextIsMissing(language: PublicLanguage) throws {
    let words = language.words
    #expect(words.language == language)
    var days: Set<String> = []
    for day in 0..<365 { days.insert(words.day(LocalTime(seconds: 1_767_225_600 + Int64(day) * 86_400))) }
    #expect(days.count == 365)
    let states = PostState.allCases.map(words.word)
    let texts =
      [
        words.ownName, words.point, words.yourTime, words.timesAreUTC, words.timesAreYours, words.daysAreUTC,
        words.allWork, words.nothingShown, words.services, words.isUp, words.isSlow, words.isImpaired,
        words.isDown, words.isUnknown, words.isInMaintenance, words.ninetyDaysAgo, words.today, words.noData,
        words.maintenance, words.outage, words.impairment, words.pastPosts, words.plannedMaintenance,
        words.pastOutages, words.noOutages, words.subscribe, words.languages, words.imprint,
        words.updatesItself, words.isNotUpdated, words.latency, words.status, words.notFound,
        words.noSuchBadge,
      ] + words.units + states + UptimePeriod.allCases.map(words.uptime)
    #expect(texts.allSatisfy { !$0.isEmpty })
    #expect(Set(states).count == 4 && words.units.count == 4)
  }

  /// `y` is `e` before the sound of an i.
  @Test func spanishAnd() {
    #expect(
      ["Inicio", "Índice", "Hilo", "Hielo", "Login", "متجر"].map(SpanishWords.and) == [
        "e", "e", "e", "y", "y", "y",
      ])
  }

  /// A name is text wherever it goes: escaped, apart from the direction of the words, with soft hyphens and joiners kept.
  @Test func hostileNames() {
    let words = EnglishWords()
    let sentence = words.down(Sentence(name: "<b onload=\"x\">\u{ad}a\u{202e}\u{200c}b"), isOne: true)
    #expect(
      sentence.markup(words).html
        == "<bdi>&lt;b onload=&quot;x&quot;&gt;\u{ad}a\\u{202e}\u{200c}b</bdi> is down")
    #expect(sentence.text(words) == "<b onload=\"x\">a\\u{202e}\u{200c}b is down")
    let long = Sentence.plain(String(repeating: "é", count: 200))
    #expect(long.utf8.count == 119 && long.hasSuffix("é…"))
  }

  /// More than four names are three and a number.
  @Test func manyNames() {
    let words = EnglishWords()
    func text(_ count: Int) -> String {
      words.names(
        (0..<min(count, count > 4 ? 3 : 4)).map { Sentence(name: "\($0)") }, more: count > 4 ? count - 3 : 0
      )
      .text(words)
    }
    #expect(text(1) == "0" && text(4) == "0, 1, 2 and 3" && text(12) == "0, 1, 2 and 9 more")
  }
}
