// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// English.
struct EnglishWords: PublicWords {
  let language = PublicLanguage.english
  let ownName = "English"

  let point = "."
  let percentGap = ""
  var units: [String] { [" d", " h", " min", " s"] }
  let unitGap = " "
  let dayGap = ", "
  let yourTime = " your time"
  let timesAreUTC = "Times are in UTC."
  let timesAreYours = "Times are in your time zone."
  let daysAreUTC = "Days begin at 00:00 UTC."

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(Self.weekdays[date.weekday]) \(day) \(Self.months[Int(month) - 1])"
  }

  func asOf(_ moment: Sentence) -> Sentence { "As of \(moment)" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    if more > 0 { return "\(Sentence.joined(names, by: ", ")) and \(more) more" }
    guard names.count > 1, let last = names.last else { return .joined(names, by: ", ") }
    return "\(Sentence.joined(names.dropLast(), by: ", ")) and \(last)"
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) \(isOne ? "is" : "are") down" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence { "\(names) \(isOne ? "is" : "are") slow" }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "is" : "are") impaired"
  }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence {
    "The state of \(names) is not known at present"
  }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence {
    "\(names) \(isOne ? "is" : "are") under maintenance"
  }
  let clauseGap = ", "
  let allWork = "All services work"
  let nothingShown = "Nothing is shown here yet"
  func working(_ count: Int, of total: Int) -> String {
    "\(count) of \(total) \(plural("service works", total, "services work"))."
  }
  func since(_ moment: Sentence, length: String) -> Sentence { "Since \(moment), \(length)." }

  let services = "Services"
  let isUp = "Operational"
  let isSlow = "Slow"
  let isImpaired = "Impaired"
  let isDown = "Down"
  let isUnknown = "Not known"
  let isInMaintenance = "Maintenance"
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state) since \(moment)" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state) until \(moment)" }

  let ninetyDaysAgo = "90 days ago"
  let today = "today"
  let noData = "no data"
  let maintenance = "maintenance"
  let outage = "outage"
  let impairment = "impaired"
  func downFor(_ length: String) -> String { "down \(length)" }
  func impairedFor(_ length: String) -> String { "impaired \(length)" }
  func ofData(_ length: String) -> String { "\(length) of data" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "Last 90 days: \(counted(withOutage, "day")) with an outage, \(counted(withoutData, "day")) without data"
  }
  func more(_ count: Int) -> String { "and \(count) more" }
  let andMore = "and more"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "Investigating"
    case .identified: "Identified"
    case .monitoring: "Monitoring"
    case .resolved: "Resolved"
    }
  }
  let pastPosts = "Resolved"
  let plannedMaintenance = "Planned maintenance"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) to \(to)" }

  let pastOutages = "Outages of the last 90 days"
  let noOutages = "There was no outage in the last 90 days."
  func lasting(_ length: String) -> String { "down for \(length) so far" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "down \(count) times within \(span), \(length) in all"
  }
  func earlier(_ count: Int) -> String { "and \(count) before" }

  func began(_ name: Sentence) -> Sentence { "\(name) is down" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name) was down for \(length)" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name) was down \(count) times, \(length) in all"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "Since \(moment)." }

  let subscribe = "Subscribe"
  let languages = "Language"
  let imprint = "Legal notice"
  let updatesItself = "This page updates itself every minute."
  let isNotUpdated =
    "This page is not being updated: what it shows may be out of date."

  let latency = "response time"
  func uptime(_ period: UptimePeriod) -> String { "uptime \(period.rawValue)" }
  let status = "status"
  let notFound = "not found"
  let noSuchBadge = "no such badge"
}
