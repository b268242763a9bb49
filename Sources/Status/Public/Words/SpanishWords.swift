// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Spanish.
struct SpanishWords: PublicWords {
  let language = PublicLanguage.spanish
  let ownName = "Español"

  let point = ","
  let percentGap = "\u{a0}"
  var units: [String] { [" d", " h", " min", " s"] }
  let unitGap = " "
  let dayGap = ", "
  let yourTime = ", hora local"
  let timesAreUTC = "Las horas están en UTC."
  let timesAreYours = "Las horas están en su zona horaria."
  let daysAreUTC = "Los días empiezan a las 00:00 UTC."

  private static let months = [
    "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic",
  ]
  private static let weekdays = ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(Self.weekdays[date.weekday]), \(day) \(Self.months[Int(month) - 1])"
  }

  func asOf(_ moment: Sentence) -> Sentence { "Actualizado: \(moment)" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    if more > 0 { return "\(Sentence.joined(names, by: ", ")) y \(more) más" }
    guard names.count > 1, let last = names.last else { return .joined(names, by: ", ") }
    return "\(Sentence.joined(names.dropLast(), by: ", ")) \(Self.and(last.firstName)) \(last)"
  }

  /// `e` before the sound of an i: `Login e Inicio`, but `Agua y Hielo`.
  static func and(_ name: String) -> String {
    let start = name.lowercased()
    let isSound = start.hasPrefix("i") || start.hasPrefix("í") || start.hasPrefix("hi")
    return isSound && !start.hasPrefix("hie") && !start.hasPrefix("hia") ? "e" : "y"
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) no \(isOne ? "funciona" : "funcionan")" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "responde" : "responden") con lentitud"
  }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "funciona" : "funcionan") con problemas"
  }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence {
    "Por ahora se desconoce el estado de \(names)"
  }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "está" : "están") en mantenimiento"
  }
  let clauseGap = ", "
  let allWork = "Todos los servicios funcionan"
  let nothingShown = "Aquí todavía no se muestra nada"
  func working(_ count: Int, of total: Int) -> String {
    "\(plural("Funciona", count, "Funcionan")) \(count) de \(counted(total, "servicio"))."
  }
  func since(_ moment: Sentence, length: String) -> Sentence { "Desde: \(moment) (\(length))." }

  let services = "Servicios"
  let isUp = "Operativo"
  let isSlow = "Lento"
  let isImpaired = "Con problemas"
  let isDown = "Fuera de servicio"
  let isUnknown = "Desconocido"
  let isInMaintenance = "Mantenimiento"
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · desde: \(moment)" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state) · hasta: \(moment)" }

  let ninetyDaysAgo = "hace 90 días"
  let today = "hoy"
  let noData = "sin datos"
  let maintenance = "mantenimiento"
  let outage = "caída"
  let impairment = "con problemas"
  func downFor(_ length: String) -> String { "\(length) sin servicio" }
  func impairedFor(_ length: String) -> String { "\(length) con problemas" }
  func ofData(_ length: String) -> String { "\(length) de datos" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "Últimos 90 días: \(counted(withOutage, "día")) con caídas, \(counted(withoutData, "día")) sin datos"
  }
  func more(_ count: Int) -> String { "y \(count) más" }
  let andMore = "y más"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "En investigación"
    case .identified: "Causa identificada"
    case .monitoring: "En observación"
    case .resolved: "Resuelto"
    }
  }
  let pastPosts = "Incidencias resueltas"
  let plannedMaintenance = "Mantenimiento previsto"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) – \(to)" }

  let pastOutages = "Caídas de los últimos 90 días"
  let noOutages = "No hubo caídas en los últimos 90 días."
  func lasting(_ length: String) -> String { "\(length) sin servicio hasta ahora" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "\(count) caídas en \(span), \(length) en total"
  }
  func earlier(_ count: Int) -> String { "y \(count) anteriores" }

  func began(_ name: Sentence) -> Sentence { "\(name) no funciona" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name) estuvo \(length) sin servicio" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name): \(count) caídas, \(length) en total"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "Desde el \(moment)." }

  let subscribe = "Suscribirse"
  let languages = "Idioma"
  let imprint = "Aviso legal"
  let updatesItself = "Esta página se actualiza cada minuto."
  let isNotUpdated =
    "Esta página no se está actualizando: lo que muestra puede estar desfasado."

  let latency = "tiempo de respuesta"
  func uptime(_ period: UptimePeriod) -> String {
    let span =
      switch period {
      case .day: "24 h"
      case .week: "7 d"
      case .month: "30 d"
      case .quarter: "90 d"
      }
    return "disponibilidad \(span)"
  }
  let status = "estado"
  let notFound = "no encontrado"
  let noSuchBadge = "insignia desconocida"
}
