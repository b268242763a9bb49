// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// German.
struct GermanWords: PublicWords {
  let language = PublicLanguage.german
  let ownName = "Deutsch"

  let point = ","
  let percentGap = "\u{a0}"
  var units: [String] { [" Tg.", " Std.", " Min.", " Sek."] }
  let unitGap = " "
  let dayGap = ", "
  let yourTime = " Ihrer Zeit"
  let timesAreUTC = "Alle Zeiten in UTC."
  let timesAreYours = "Alle Zeiten in Ihrer Zeitzone."
  let daysAreUTC = "Tage beginnen um 00:00 UTC."

  private static let months = [
    "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
  ]
  private static let weekdays = ["Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa.", "So."]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(Self.weekdays[date.weekday]), \(day). \(Self.months[Int(month) - 1])"
  }

  func asOf(_ moment: Sentence) -> Sentence { "Stand: \(moment)" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    if more > 0 {
      return "\(Sentence.joined(names, by: ", ")) und \(more) \(plural("weiterer", more, "weitere"))"
    }
    guard names.count > 1, let last = names.last else { return .joined(names, by: ", ") }
    return "\(Sentence.joined(names.dropLast(), by: ", ")) und \(last)"
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) \(isOne ? "ist" : "sind") ausgefallen" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "reagiert" : "reagieren") langsam"
  }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "ist" : "sind") beeinträchtigt"
  }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence {
    "Der Zustand von \(names) ist derzeit nicht bekannt"
  }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "wird" : "werden") gerade gewartet"
  }
  let clauseGap = ", "
  let allWork = "Alle Dienste funktionieren"
  let nothingShown = "Hier wird noch nichts angezeigt"
  func working(_ count: Int, of total: Int) -> String {
    "\(count) von \(total) \(plural("Dienst", total, "Diensten")) \(plural("funktioniert", count, "funktionieren"))."
  }
  func since(_ moment: Sentence, length: String) -> Sentence { "Seit \(moment) (\(length))." }

  let services = "Dienste"
  let isUp = "In Betrieb"
  let isSlow = "Langsam"
  let isImpaired = "Beeinträchtigt"
  let isDown = "Ausgefallen"
  let isUnknown = "Nicht bekannt"
  let isInMaintenance = "Wartung"
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state) seit \(moment)" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state) bis \(moment)" }

  let ninetyDaysAgo = "vor 90 Tagen"
  let today = "heute"
  let noData = "keine Daten"
  let maintenance = "Wartung"
  let outage = "Ausfall"
  let impairment = "beeinträchtigt"
  func downFor(_ length: String) -> String { "\(length) ausgefallen" }
  func impairedFor(_ length: String) -> String { "\(length) beeinträchtigt" }
  func ofData(_ length: String) -> String { "Daten von \(length)" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "Letzte 90 Tage: \(counted(withOutage, "Tag", "Tage")) mit Ausfall, "
      + "\(counted(withoutData, "Tag", "Tage")) ohne Daten"
  }
  func more(_ count: Int) -> String { "und \(count) \(plural("weiterer", count, "weitere"))" }
  let andMore = "und weitere"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "Wird untersucht"
    case .identified: "Ursache gefunden"
    case .monitoring: "Wird beobachtet"
    case .resolved: "Behoben"
    }
  }
  let pastPosts = "Behoben"
  let plannedMaintenance = "Geplante Wartung"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) bis \(to)" }

  let pastOutages = "Ausfälle der letzten 90 Tage"
  let noOutages = "In den letzten 90 Tagen gab es keinen Ausfall."
  func lasting(_ length: String) -> String { "bisher \(length) ausgefallen" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "\(count)-mal innerhalb von \(span) ausgefallen, zusammen \(length)"
  }
  func earlier(_ count: Int) -> String { "und \(count) davor" }

  func began(_ name: Sentence) -> Sentence { "\(name) ist ausgefallen" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name) war \(length) ausgefallen" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name) war \(count)-mal ausgefallen, zusammen \(length)"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "Seit \(moment)." }

  let subscribe = "Abonnieren"
  let languages = "Sprache"
  let imprint = "Impressum"
  let updatesItself = "Diese Seite aktualisiert sich jede Minute."
  let isNotUpdated =
    "Diese Seite wird zurzeit nicht aktualisiert: Was sie zeigt, kann veraltet sein."

  let latency = "Antwortzeit"
  func uptime(_ period: UptimePeriod) -> String {
    let span =
      switch period {
      case .day: "24 Std."
      case .week: "7 Tage"
      case .month: "30 Tage"
      case .quarter: "90 Tage"
      }
    return "Verfügbarkeit \(span)"
  }
  let status = "Status"
  let notFound = "nicht gefunden"
  let noSuchBadge = "Badge nicht bekannt"
}
