// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// French. A space before a percent sign does not break.
struct FrenchWords: PublicWords {
  let language = PublicLanguage.french
  let ownName = "Français"

  let point = ","
  let percentGap = "\u{a0}"
  var units: [String] { [" j", " h", " min", " s"] }
  let unitGap = " "
  let dayGap = " à "
  let yourTime = " (heure locale)"
  let timesAreUTC = "Les heures sont en UTC."
  let timesAreYours = "Les heures sont dans votre fuseau horaire."
  let daysAreUTC = "Les jours commencent à 00:00 UTC."

  private static let months = [
    "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
  ]
  private static let weekdays = ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(Self.weekdays[date.weekday]) \(day == 1 ? "1er" : String(day)) \(Self.months[Int(month) - 1])"
  }

  func asOf(_ moment: Sentence) -> Sentence { "Mis à jour\u{a0}: \(moment)" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    if more > 0 {
      return "\(Sentence.joined(names, by: ", ")) et \(more) \(plural("autre", more))"
    }
    guard names.count > 1, let last = names.last else { return .joined(names, by: ", ") }
    return "\(Sentence.joined(names.dropLast(), by: ", ")) et \(last)"
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) \(isOne ? "est" : "sont") en panne" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "répond" : "répondent") lentement"
  }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "est" : "sont") en fonctionnement dégradé"
  }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(isOne ? "État actuellement inconnu" : "États actuellement inconnus")\u{a0}: \(names)"
  }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "est" : "sont") en maintenance"
  }
  let clauseGap = ", "
  let allWork = "Tous les services fonctionnent"
  let nothingShown = "Rien n’est encore affiché ici"
  func working(_ count: Int, of total: Int) -> String {
    "\(count) \(count < 2 ? "service" : "services") sur \(total) \(count < 2 ? "fonctionne" : "fonctionnent")."
  }
  func since(_ moment: Sentence, length: String) -> Sentence { "Début\u{a0}: \(moment) (\(length))." }

  let services = "Services"
  let isUp = "Opérationnel"
  let isSlow = "Lent"
  let isImpaired = "Dégradé"
  let isDown = "En panne"
  let isUnknown = "Inconnu"
  let isInMaintenance = "Maintenance"
  // A preposition would take an article before a day and none before a time, and a script may make one of the other.
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · début\u{a0}: \(moment)" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · fin\u{a0}: \(moment)" }

  let ninetyDaysAgo = "il y a 90 jours"
  let today = "aujourd’hui"
  let noData = "pas de données"
  let maintenance = "maintenance"
  let outage = "panne"
  let impairment = "dégradé"
  func downFor(_ length: String) -> String { "\(length) de panne" }
  func impairedFor(_ length: String) -> String { "\(length) de fonctionnement dégradé" }
  func ofData(_ length: String) -> String { "\(length) de données" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "90 derniers jours\u{a0}: \(days(withOutage)) avec une panne, \(days(withoutData)) sans données"
  }
  private func days(_ count: Int) -> String { "\(count) \(count < 2 ? "jour" : "jours")" }
  func more(_ count: Int) -> String { "et \(count) \(plural("autre", count))" }
  let andMore = "et d’autres"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "Analyse en cours"
    case .identified: "Cause identifiée"
    case .monitoring: "Sous surveillance"
    case .resolved: "Résolu"
    }
  }
  let pastPosts = "Incidents résolus"
  let plannedMaintenance = "Maintenance prévue"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) – \(to)" }

  let pastOutages = "Pannes des 90 derniers jours"
  let noOutages = "Aucune panne au cours des 90 derniers jours."
  func lasting(_ length: String) -> String { "en panne depuis \(length)" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "\(count) pannes en \(span), \(length) au total"
  }
  func earlier(_ count: Int) -> String { "et \(count) auparavant" }

  func began(_ name: Sentence) -> Sentence { "\(name) est en panne" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name)\u{a0}: panne de \(length), terminée" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name)\u{a0}: \(count) pannes, \(length) au total"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "Depuis le \(moment)." }

  let subscribe = "S’abonner"
  let languages = "Langue"
  let imprint = "Mentions légales"
  let updatesItself = "Cette page se met à jour chaque minute."
  let isNotUpdated =
    "Cette page n’est plus mise à jour : ce qu’elle affiche peut être dépassé."

  let latency = "temps de réponse"
  func uptime(_ period: UptimePeriod) -> String {
    let span =
      switch period {
      case .day: "24 h"
      case .week: "7 j"
      case .month: "30 j"
      case .quarter: "90 j"
      }
    return "disponibilité \(span)"
  }
  let status = "état"
  let notFound = "introuvable"
  let noSuchBadge = "badge inconnu"
}
