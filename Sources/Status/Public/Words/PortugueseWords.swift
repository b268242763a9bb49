// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Portuguese, in words that readers of both sides of the ocean use.
struct PortugueseWords: PublicWords {
  let language = PublicLanguage.portuguese
  let ownName = "Português"

  let point = ","
  let percentGap = ""
  var units: [String] { [" d", " h", " min", " s"] }
  let unitGap = " "
  let dayGap = ", "
  let yourTime = ", hora local"
  let timesAreUTC = "Os horários estão em UTC."
  let timesAreYours = "Os horários estão no seu fuso horário."
  let daysAreUTC = "Os dias começam às 00:00 UTC."

  private static let months = [
    "jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez.",
  ]
  private static let weekdays = ["seg.", "ter.", "qua.", "qui.", "sex.", "sáb.", "dom."]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(Self.weekdays[date.weekday]), \(day) de \(Self.months[Int(month) - 1])"
  }

  func asOf(_ moment: Sentence) -> Sentence { "Atualizado: \(moment)" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    if more > 0 { return "\(Sentence.joined(names, by: ", ")) e mais \(more)" }
    guard names.count > 1, let last = names.last else { return .joined(names, by: ", ") }
    return "\(Sentence.joined(names.dropLast(), by: ", ")) e \(last)"
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) \(isOne ? "está" : "estão") fora do ar" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "está" : "estão") com lentidão"
  }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "está" : "estão") com problemas"
  }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence {
    "No momento não se conhece o estado de \(names)"
  }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "está" : "estão") em manutenção"
  }
  let clauseGap = ", "
  let allWork = "Todos os serviços funcionam"
  let nothingShown = "Ainda não há nada para mostrar"
  func working(_ count: Int, of total: Int) -> String {
    "\(count) de \(counted(total, "serviço")) \(plural("funciona", count, "funcionam"))."
  }
  func since(_ moment: Sentence, length: String) -> Sentence { "Desde: \(moment) (\(length))." }

  let services = "Serviços"
  let isUp = "Operacional"
  let isSlow = "Lento"
  let isImpaired = "Com problemas"
  let isDown = "Fora do ar"
  let isUnknown = "Desconhecido"
  let isInMaintenance = "Manutenção"
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · desde: \(moment)" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · até: \(moment)" }

  let ninetyDaysAgo = "há 90 dias"
  let today = "hoje"
  let noData = "sem dados"
  let maintenance = "manutenção"
  let outage = "interrupção"
  let impairment = "com problemas"
  func downFor(_ length: String) -> String { "\(length) fora do ar" }
  func impairedFor(_ length: String) -> String { "\(length) com problemas" }
  func ofData(_ length: String) -> String { "\(length) de dados" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "Últimos 90 dias: \(counted(withOutage, "dia")) com interrupção, \(counted(withoutData, "dia")) sem dados"
  }
  func more(_ count: Int) -> String { "e mais \(count)" }
  let andMore = "e mais"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "Em investigação"
    case .identified: "Causa identificada"
    case .monitoring: "Em observação"
    case .resolved: "Resolvido"
    }
  }
  let pastPosts = "Incidentes resolvidos"
  let plannedMaintenance = "Manutenção programada"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) – \(to)" }

  let pastOutages = "Interrupções dos últimos 90 dias"
  let noOutages = "Não houve interrupções nos últimos 90 dias."
  func lasting(_ length: String) -> String { "\(length) fora do ar até agora" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "\(count) interrupções em \(span), \(length) no total"
  }
  func earlier(_ count: Int) -> String { "e \(count) anteriores" }

  func began(_ name: Sentence) -> Sentence { "\(name) está fora do ar" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name) ficou \(length) fora do ar" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name): \(count) interrupções, \(length) no total"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "Desde \(moment)." }

  let subscribe = "Assinar"
  let languages = "Idioma"
  let imprint = "Aviso legal"
  let updatesItself = "Esta página é atualizada a cada minuto."
  let isNotUpdated =
    "Esta página não está sendo atualizada: o que ela mostra pode estar desatualizado."

  let latency = "tempo de resposta"
  func uptime(_ period: UptimePeriod) -> String {
    let span =
      switch period {
      case .day: "24 h"
      case .week: "7 d"
      case .month: "30 d"
      case .quarter: "90 d"
      }
    return "disponibilidade \(span)"
  }
  let status = "estado"
  let notFound = "não encontrado"
  let noSuchBadge = "selo desconhecido"
}
