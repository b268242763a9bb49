// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// Every state in each language, in every place where it is said.
@Suite struct PublicLanguageTableTests {
  /// Up, slow, impaired, down, unknown and maintenance.
  private static let states: [PublicLanguage: [String]] = [
    .english: ["Operational", "Slow", "Impaired", "Down", "Not known", "Maintenance"],
    .german: ["In Betrieb", "Langsam", "Beeinträchtigt", "Ausgefallen", "Nicht bekannt", "Wartung"],
    .french: ["Opérationnel", "Lent", "Dégradé", "En panne", "Inconnu", "Maintenance"],
    .spanish: ["Operativo", "Lento", "Con problemas", "Fuera de servicio", "Desconocido", "Mantenimiento"],
    .portuguese: ["Operacional", "Lento", "Com problemas", "Fora do ar", "Desconhecido", "Manutenção"],
    .japanese: ["稼働中", "応答遅延", "一部障害", "停止", "不明", "メンテナンス中"],
  ]

  private let order:
    [(state: PublicCheck.State, isSlow: Bool, mark: String, style: String, tone: Badge.Tone)] =
      [
        (.up, false, "●", "up", .up), (.degraded, true, "▲", "degraded", .degraded),
        (.degraded, false, "▲", "degraded", .degraded), (.down, false, "✕", "down", .down),
        (.unknown, false, "?", "unknown", .unknown), (.maintenance, false, "◆", "off", .unknown),
      ]

  /// On the page and on the badge, with its mark, its style and its colour.
  @Test(arguments: PublicLanguage.allCases) func wordsOfStates(language: PublicLanguage) async throws {
    let texts = try #require(Self.states[language])
    try #require(texts.count == order.count)
    for (row, text) in zip(order, texts) {
      var picture = try await publicPicture([row.state])
      picture.sections[0].checks[0].isSlow = row.isSlow
      let html = PublicPage(picture: picture, language: language).render(nonce: "n").html
      let mark = "<i aria-hidden=\"true\">\(row.mark)</i>"
      #expect(html.contains("<span class=\"state \(row.style)\">\(mark) \(text)</span>"), "\(text)")
      #expect(html.contains("<html lang=\"\(language.rawValue)\">"))
      let badge = Badge(.state, of: picture.checks[0], language.words)
      #expect(badge.label == "Check 0" && badge.value == text && badge.tone == row.tone)
    }
  }

  /// A state that began, and one that ends, on this day and on another.
  @Test(
    arguments: [
      (.english, "Down since 01:57 UTC", "Maintenance until Fri 2 Jan, 02:30 UTC"),
      (.german, "Ausgefallen seit 01:57 UTC", "Wartung bis Fr., 2. Jan., 02:30 UTC"),
      (
        .french, "En panne · début\u{a0}: 01:57 UTC",
        "Maintenance · fin\u{a0}: ven. 2 janv. à 02:30 UTC"
      ),
      (.spanish, "Fuera de servicio · desde: 01:57 UTC", "Mantenimiento · hasta: vie, 2 ene, 02:30 UTC"),
      (.portuguese, "Fora do ar · desde: 01:57 UTC", "Manutenção · até: sex., 2 de jan., 02:30 UTC"),
      (.japanese, "停止（01:57 UTC から）", "メンテナンス中（1月2日(金) 02:30 UTC まで）"),
    ] as [(PublicLanguage, String, String)])
  func sinceAndUntil(language: PublicLanguage, since: String, until: String) async throws {
    var picture = try await publicPicture([.down, .maintenance])
    picture.sections[0].checks[0].since = now.advanced(by: .seconds(-180))
    picture.sections[0].checks[1].maintenanceUntil = now.advanced(by: .seconds(86_400 + 1800))
    let html = PublicPage(picture: picture, language: language).render(nonce: "n").html
    let plain = html.replacing(/<\/?time[^>]*>/, with: "")
    #expect(plain.contains("<i aria-hidden=\"true\">✕</i> \(since)</span>"))
    #expect(plain.contains("<i aria-hidden=\"true\">◆</i> \(until)</span>"))
    #expect(html.contains("<time datetime=\"2026-01-01T01:57:00.000Z\">01:57 UTC</time>"))
    #expect(html.contains("<time datetime=\"2026-01-02T02:30:00.000Z\">"))
  }

  /// Down, slow, impaired, unknown and under maintenance: of one service, then of two.
  private static let clauses: [PublicLanguage: [[String]]] = [
    .english: [
      ["A is down", "A and B are down"], ["A is slow", "A and B are slow"],
      ["A is impaired", "A and B are impaired"],
      ["The state of A is not known at present", "The state of A and B is not known at present"],
      ["A is under maintenance", "A and B are under maintenance"],
    ],
    .german: [
      ["A ist ausgefallen", "A und B sind ausgefallen"], ["A reagiert langsam", "A und B reagieren langsam"],
      ["A ist beeinträchtigt", "A und B sind beeinträchtigt"],
      ["Der Zustand von A ist derzeit nicht bekannt", "Der Zustand von A und B ist derzeit nicht bekannt"],
      ["A wird gerade gewartet", "A und B werden gerade gewartet"],
    ],
    .french: [
      ["A est en panne", "A et B sont en panne"], ["A répond lentement", "A et B répondent lentement"],
      ["A est en fonctionnement dégradé", "A et B sont en fonctionnement dégradé"],
      ["État actuellement inconnu\u{a0}: A", "États actuellement inconnus\u{a0}: A et B"],
      ["A est en maintenance", "A et B sont en maintenance"],
    ],
    .spanish: [
      ["A no funciona", "A y B no funcionan"], ["A responde con lentitud", "A y B responden con lentitud"],
      ["A funciona con problemas", "A y B funcionan con problemas"],
      ["Por ahora se desconoce el estado de A", "Por ahora se desconoce el estado de A y B"],
      ["A está en mantenimiento", "A y B están en mantenimiento"],
    ],
    .portuguese: [
      ["A está fora do ar", "A e B estão fora do ar"], ["A está com lentidão", "A e B estão com lentidão"],
      ["A está com problemas", "A e B estão com problemas"],
      ["No momento não se conhece o estado de A", "No momento não se conhece o estado de A e B"],
      ["A está em manutenção", "A e B estão em manutenção"],
    ],
    .japanese: [
      ["Aが停止しています", "A、Bが停止しています"], ["Aの応答が遅くなっています", "A、Bの応答が遅くなっています"],
      ["Aに問題が発生しています", "A、Bに問題が発生しています"],
      ["Aの状態は現在確認できません", "A、Bの状態は現在確認できません"],
      ["Aはメンテナンス中です", "A、Bはメンテナンス中です"],
    ],
  ]

  @Test(arguments: PublicLanguage.allCases) func headlines(language: PublicLanguage) async throws {
    let rows = try #require(Self.clauses[language])
    let states = order.dropFirst().map { ($0.state, $0.isSlow) }
    // Slow comes before down in the order of states, and after it among the clauses.
    let kinds = [states[2], states[0], states[1], states[3], states[4]]
    try #require(rows.count == kinds.count)
    for ((state, isSlow), texts) in zip(kinds, rows) {
      for (count, text) in zip(1...2, texts) {
        var picture = try await publicPicture(Array(repeating: state, count: count))
        for place in 0..<count {
          picture.sections[0].checks[place].isSlow = isSlow
          picture.sections[0].checks[place].name = ["A", "B"][place]
        }
        let headline = PublicHeadline(picture, language.words)
        #expect(headline.sentence.text(language.words) == text)
      }
    }
  }

  /// All, none, and how many of how many.
  @Test(
    arguments: [
      (
        .english, "All services work", "Nothing is shown here yet",
        ["0 of 1 service works.", "1 of 2 services work.", "2 of 3 services work."]
      ),
      (
        .german, "Alle Dienste funktionieren", "Hier wird noch nichts angezeigt",
        [
          "0 von 1 Dienst funktionieren.", "1 von 2 Diensten funktioniert.",
          "2 von 3 Diensten funktionieren.",
        ]
      ),
      (
        .french, "Tous les services fonctionnent", "Rien n’est encore affiché ici",
        [
          "0 service sur 1 fonctionne.", "1 service sur 2 fonctionne.", "2 services sur 3 fonctionnent.",
        ]
      ),
      (
        .spanish, "Todos los servicios funcionan", "Aquí todavía no se muestra nada",
        ["Funcionan 0 de 1 servicio.", "Funciona 1 de 2 servicios.", "Funcionan 2 de 3 servicios."]
      ),
      (
        .portuguese, "Todos os serviços funcionam", "Ainda não há nada para mostrar",
        ["0 de 1 serviço funcionam.", "1 de 2 serviços funciona.", "2 de 3 serviços funcionam."]
      ),
      (
        .japanese, "すべてのサービスが正常に稼働しています", "表示する項目はまだありません",
        [
          "1件中0件のサービスが稼働しています。", "2件中1件のサービスが稼働しています。",
          "3件中2件のサービスが稼働しています。",
        ]
      ),
    ] as [(PublicLanguage, String, String, [String])])
  func counts(language: PublicLanguage, all: String, none: String, some: [String]) async throws {
    let words = language.words
    func headline(_ states: [PublicCheck.State]) async throws -> PublicHeadline {
      PublicHeadline(try await publicPicture(states), words)
    }
    #expect(try await headline([.up, .up]).sentence.text(words) == all)
    #expect(try await headline([]).sentence.text(words) == none)
    for (count, text) in some.enumerated() {
      let found = try await headline(Array(repeating: .up, count: count) + [.down])
      #expect(found.detail.map { $0.text(words) } == [text])
    }
  }

  /// The first of each month: every month, every weekday.
  @Test(
    arguments: [
      (
        .english,
        "Thu 1 Jan|Sun 1 Feb|Sun 1 Mar|Wed 1 Apr|Fri 1 May|Mon 1 Jun|Wed 1 Jul|Sat 1 Aug|Tue 1 Sep|Thu 1 Oct|"
          + "Sun 1 Nov|Tue 1 Dec"
      ),
      (
        .german,
        "Do., 1. Jan.|So., 1. Feb.|So., 1. März|Mi., 1. Apr.|Fr., 1. Mai|Mo., 1. Juni|Mi., 1. Juli|"
          + "Sa., 1. Aug.|Di., 1. Sept.|Do., 1. Okt.|So., 1. Nov.|Di., 1. Dez."
      ),
      (
        .french,
        "jeu. 1er janv.|dim. 1er févr.|dim. 1er mars|mer. 1er avr.|ven. 1er mai|lun. 1er juin|mer. 1er juil.|"
          + "sam. 1er août|mar. 1er sept.|jeu. 1er oct.|dim. 1er nov.|mar. 1er déc."
      ),
      (
        .spanish,
        "jue, 1 ene|dom, 1 feb|dom, 1 mar|mié, 1 abr|vie, 1 may|lun, 1 jun|mié, 1 jul|sáb, 1 ago|mar, 1 sept|"
          + "jue, 1 oct|dom, 1 nov|mar, 1 dic"
      ),
      (
        .portuguese,
        "qui., 1 de jan.|dom., 1 de fev.|dom., 1 de mar.|qua., 1 de abr.|sex., 1 de mai.|seg., 1 de jun.|"
          + "qua., 1 de jul.|sáb., 1 de ago.|ter., 1 de set.|qui., 1 de out.|dom., 1 de nov.|ter., 1 de dez."
      ),
      (
        .japanese,
        "1月1日(木)|2月1日(日)|3月1日(日)|4月1日(水)|5月1日(金)|6月1日(月)|7月1日(水)|8月1日(土)|9月1日(火)|"
          + "10月1日(木)|11月1日(日)|12月1日(火)"
      ),
    ] as [(PublicLanguage, String)])
  func dates(language: PublicLanguage, text: String) throws {
    let days = try (1...12).map { month in
      let digits = month < 10 ? "0\(month)" : "\(month)"
      return language.words.day(LocalTime(try #require(Timestamp(rfc3339: "2026-\(digits)-01T23:59:59Z"))))
    }
    #expect(days.joined(separator: "|") == text)
  }

  /// French says first, and then two.
  @Test func theSecondInFrench() throws {
    let second = LocalTime(started.advanced(by: .seconds(86_400)))
    #expect(FrenchWords().day(second) == "ven. 2 janv.")
  }

  /// Two units at most, cut, both sides of each bound; a clock that was set back gives no negative length.
  @Test func lengths() {
    let rows: [(seconds: Int, english: String, german: String, japanese: String)] = [
      (-5, "0 s", "0 Sek.", "0秒"), (0, "0 s", "0 Sek.", "0秒"), (59, "59 s", "59 Sek.", "59秒"),
      (60, "1 min", "1 Min.", "1分"), (119, "1 min", "1 Min.", "1分"), (3599, "59 min", "59 Min.", "59分"),
      (3600, "1 h", "1 Std.", "1時間"), (3659, "1 h", "1 Std.", "1時間"),
      (3660, "1 h 1 min", "1 Std. 1 Min.", "1時間1分"),
      (86_399, "23 h 59 min", "23 Std. 59 Min.", "23時間59分"), (86_400, "1 d", "1 Tg.", "1日"),
      (89_999, "1 d", "1 Tg.", "1日"), (90_000, "1 d 1 h", "1 Tg. 1 Std.", "1日1時間"),
      (90 * 86_400, "90 d", "90 Tg.", "90日"),
    ]
    for row in rows {
      let length = Duration.seconds(row.seconds)
      #expect(EnglishWords().length(length) == row.english)
      #expect(GermanWords().length(length) == row.german)
      #expect(JapaneseWords().length(length) == row.japanese)
    }
    #expect(EnglishWords().length(.microseconds(59_999_999)) == "59 s")
    #expect(FrenchWords().length(.seconds(90_000)) == "1 j 1 h")
    #expect(SpanishWords().length(.seconds(90_061)) == "1 d 1 h")
    #expect(PortugueseWords().length(.seconds(3661)) == "1 h 1 min")
  }

  /// A day is left out where it is the present's, or that of the begin.
  @Test func daysOfMoments() throws {
    let words = EnglishWords()
    let midnight = try #require(Timestamp(rfc3339: "2026-03-01T00:00:00Z"))
    func text(_ seconds: Int, _ other: Int) -> String {
      Sentence(at: midnight.advanced(by: .seconds(seconds)), now: midnight.advanced(by: .seconds(other)))
        .text(words)
    }
    #expect(text(0, 86_399) == "00:00 UTC" && text(86_399, 0) == "23:59 UTC")
    #expect(text(-1, 0) == "Sat 28 Feb, 23:59 UTC" && text(86_400, 86_399) == "Mon 2 Mar, 00:00 UTC")
    #expect(text(0, 365 * 86_400) == "Sun 1 Mar, 00:00 UTC")
    let end = Sentence(at: midnight.advanced(by: .seconds(3600)), after: midnight)
    #expect(end.text(words) == "01:00 UTC")
    #expect(
      end.markup(words).html
        == "<time datetime=\"2026-03-01T01:00:00.000Z\" data-from=\"2026-03-01T00:00:00.000Z\">01:00 UTC</time>"
    )
    let before = Sentence(
      at: midnight.advanced(by: .seconds(3600)), after: midnight.advanced(by: .seconds(-60)))
    #expect(before.text(words) == "Sun 1 Mar, 01:00 UTC")
  }

  /// In French none is singular, as one is.
  @Test(
    arguments: [
      (0, 1, "0 jour", "1 jour"), (1, 2, "1 jour", "2 jours"), (2, 0, "2 jours", "0 jour"),
      (90, 90, "90 jours", "90 jours"),
    ])
  func daysInFrench(outage: Int, none: Int, with: String, without: String) {
    #expect(
      FrenchWords().daysLabel(withOutage: outage, withoutData: none)
        == "90 derniers jours\u{a0}: \(with) avec une panne, \(without) sans données")
  }

  /// What is down is so since its outage began, though a window or time without a verdict came between; what is impaired, since
  /// that state did.
  @Test func sinceWhen() throws {
    let source = try sampleStatus()
    var check = try #require(source.status.checks.first { $0.name == "Shop front" })
    func since() -> Timestamp? { PublicCheck(check, now, hidesTarget: true, days: [], outages: []).since }
    let (began, later) = (started.advanced(by: .seconds(117 * 60)), started.advanced(by: .seconds(119 * 60)))
    check.since = later
    #expect(check.state == .down && since() == began)
    check.state = .degraded
    #expect(since() == later)
    check.state = .up
    #expect(since() == nil)
  }
}
