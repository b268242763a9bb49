// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Every text of the public page, its feeds, badges and widget in one language. Each language is a type in a file of its own;
/// a text that one of them lacks does not compile.
protocol PublicWords: Sendable {
  var language: PublicLanguage { get }
  /// The language as its readers call it.
  var ownName: String { get }

  // Numbers and times
  /// Between whole and fraction.
  var point: String { get }
  /// Between a number and its percent sign.
  var percentGap: String { get }
  /// Units of a length: days, hours, minutes, seconds, each with the gap before it.
  var units: [String] { get }
  /// Between two units.
  var unitGap: String { get }
  /// A date with its weekday and no year, such as `Sat 14 Nov`.
  func day(_ date: LocalTime) -> String
  /// Between a day and a time of day.
  var dayGap: String { get }
  /// Behind a time that a script has made the reader's own, with the gap before it.
  var yourTime: String { get }
  var timesAreUTC: String { get }
  var timesAreYours: String { get }
  var daysAreUTC: String { get }
  func asOf(_ moment: Sentence) -> Sentence

  // The headline
  /// `A`, `A and B`, `A, B and 3 more`.
  func names(_ names: [Sentence], more: Int) -> Sentence
  func down(_ names: Sentence, isOne: Bool) -> Sentence
  func slow(_ names: Sentence, isOne: Bool) -> Sentence
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence
  /// Between two of these.
  var clauseGap: String { get }
  var allWork: String { get }
  var nothingShown: String { get }
  func working(_ count: Int, of total: Int) -> String
  func since(_ moment: Sentence, length: String) -> Sentence

  // One service
  var services: String { get }
  var isUp: String { get }
  var isSlow: String { get }
  var isImpaired: String { get }
  var isDown: String { get }
  var isUnknown: String { get }
  var isInMaintenance: String { get }
  func since(_ state: String, _ moment: Sentence) -> Sentence
  func until(_ state: String, _ moment: Sentence) -> Sentence

  // Its days
  var ninetyDaysAgo: String { get }
  var today: String { get }
  var noData: String { get }
  var maintenance: String { get }
  var outage: String { get }
  var impairment: String { get }
  func downFor(_ length: String) -> String
  func impairedFor(_ length: String) -> String
  func ofData(_ length: String) -> String
  func daysLabel(withOutage: Int, withoutData: Int) -> String
  func more(_ count: Int) -> String
  /// Where the number is not known.
  var andMore: String { get }

  // Posts and maintenance
  func word(_ state: PostState) -> String
  var pastPosts: String { get }
  var plannedMaintenance: String { get }
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence

  // Past outages
  var pastOutages: String { get }
  var noOutages: String { get }
  func lasting(_ length: String) -> String
  /// Outages shortly after one another, told as one.
  func repeated(_ count: Int, within span: String, down length: String) -> String
  func earlier(_ count: Int) -> String

  // Feeds
  func began(_ name: Sentence) -> Sentence
  func ended(_ name: Sentence, length: String) -> Sentence
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence
  /// - Parameter moment: with its day, always.
  func sinceMoment(_ moment: Sentence) -> Sentence

  // The frame
  var subscribe: String { get }
  var languages: String { get }
  var imprint: String { get }
  var updatesItself: String { get }
  /// Instead of the headline's state, where the page's server has not answered for two minutes.
  var isNotUpdated: String { get }

  // Badges
  var latency: String { get }
  func uptime(_ period: UptimePeriod) -> String
  var status: String { get }
  var notFound: String { get }
  var noSuchBadge: String { get }
}

extension PublicLanguage {
  var words: any PublicWords {
    switch self {
    case .english: EnglishWords()
    case .german: GermanWords()
    case .french: FrenchWords()
    case .spanish: SpanishWords()
    case .portuguese: PortugueseWords()
    case .japanese: JapaneseWords()
    }
  }
}

extension PublicWords {
  /// `16:52 UTC`, `Sat 14 Nov, 16:52 UTC`.
  func moment(_ moment: Sentence.Moment) -> String {
    let (local, other) = (LocalTime(moment.instant), LocalTime(moment.reference))
    let isSameDay = floorDivide(local.seconds, 86_400).quotient == floorDivide(other.seconds, 86_400).quotient
    return (isSameDay ? "" : day(local) + dayGap) + clock(local) + " UTC"
  }

  /// `16:52`.
  func clock(_ time: LocalTime) -> String {
    let minutes = time.timeOfDay / 60
    return "\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
  }

  /// Cut, never rounded up, as everywhere: `99.987%`; without a figure the words for no data.
  func percent(_ value: Double?) -> String {
    guard let value else { return noData }
    let text = StatusFormat.percent(value)
    return text.dropLast().replacing(".", with: point) + percentGap + "%"
  }

  /// In the two greatest units, of which seconds only stand alone: `38 min`, `2 h 5 min`, `50 s`.
  func length(_ duration: Duration) -> String {
    let seconds = max(0, duration.microseconds / 1_000_000)
    guard seconds >= 60 else { return "\(seconds)\(units[3])" }
    let parts: [(size: Int64, unit: String)] = [(86_400, units[0]), (3600, units[1]), (60, units[2])]
    let first = parts.firstIndex { seconds >= $0.size } ?? 2
    let whole = "\(seconds / parts[first].size)\(parts[first].unit)"
    guard first + 1 < parts.count else { return whole }
    let rest = seconds % parts[first].size / parts[first + 1].size
    return rest == 0 ? whole : "\(whole)\(unitGap)\(rest)\(parts[first + 1].unit)"
  }

  /// Names for the headline, at most four of them.
  func names(of checks: [PublicCheck]) -> Sentence { names(of: checks.map(\.name)) }

  func names(of all: [String]) -> Sentence {
    let shown = all.prefix(all.count > 4 ? 3 : 4).map { Sentence(name: $0) }
    return names(shown, more: all.count - shown.count)
  }
}
