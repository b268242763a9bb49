// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What an incident is called.
extension Incident {
  /// The last letters of its id: enough to tell it from the others.
  package var short: String { String(id.description.suffix(6)) }

  /// In one line, such as `Shop front and 3 more are down: status 503`; what has become of it, once nothing fires.
  package var title: String {
    let active = members.filter(\.isActive)
    return active.isEmpty ? overTitle : firingTitle(active)
  }

  /// The same on surfaces: an incident that is open while nothing fires is not resolved yet.
  package var shownTitle: String {
    guard isOpen else { return overTitle }
    return activeCount == 0 && !members.isEmpty ? "recovering: \(overTitle)" : title
  }

  /// The same of some of its members, which fire.
  func firingTitle(_ shown: [Member]) -> String {
    guard let root = Self.root(of: shown) else { return "nothing" }
    let trouble = root.trouble
    let others = shown.checkCount - 1
    let who = others > 0 ? "\(trouble.name) and \(others) more" : trouble.name
    let be = others > 0 ? "are" : "is"
    let why = trouble.text.map { ": \($0)" } ?? ""
    switch subject {
    case .availability:
      let isFlapping = root.isFlapping && (others == 0 || shown.allSatisfy(\.isFlapping))
      let state = others == 0 ? trouble.state?.rawValue ?? "down" : Self.states(of: shown)
      return "\(who) \(be) \(isFlapping ? "flapping" : state)\(why)"
    case .performance: return "\(who) \(be) slow\(why)"
    // Of several the one that ends first: it is the most severe.
    case .certificate: return "\(who): \(trouble.text ?? "a certificate ends soon")"
    case .budget: return "\(who): \(trouble.text ?? "down for too long")"
    case .agent: return "\(who) \(others > 0 ? "have problems" : "has a problem")\(why)"
    }
  }

  /// The same once nothing fires. Each member is named with what became of it: "up again" is said of nothing else.
  package var overTitle: String { Self.overTitle(members, subject) }

  /// - Parameter ends: outcomes that are named.
  static func overTitle(
    _ members: [Member], _ subject: AlertSubject, naming ends: [TroubleEnd] = TroubleEnd.allCases
  ) -> String {
    let last = lastOfEach(members)
    let words = ends.flatMap { end -> [String] in
      let ended = last.filter { ($0.end ?? .recovered) == end }
      let isUp = end == .recovered && subject == .availability
      return (isUp ? Self.byState(ended) : [ended].filter { !$0.isEmpty }).map {
        Self.words(end, $0, subject)
      }
    }
    return words.joined(separator: "; ")
  }

  /// Grouped by the state that their rules are about, down first.
  private static func byState(_ members: [Member]) -> [[Member]] {
    named.compactMap { state in
      let own = members.filter { stateOfRule($0) == state }
      return own.isEmpty ? nil : own
    }
  }

  /// States that an alert about availability is about, the worst first.
  private static let named: [CheckState] = [.down, .degraded, .unknown]

  private static func stateOfRule(_ member: Member) -> CheckState {
    member.trouble.state.flatMap { named.contains($0) ? $0 : nil } ?? .down
  }

  /// States of alerts about availability, such as `down` or `down or degraded`; of each check the worst.
  private static func states(of members: [Member]) -> String {
    var worst: [Trouble.Key: Int] = [:]
    for member in members {
      let place = named.firstIndex(of: stateOfRule(member)) ?? 0
      worst[member.trouble.key.source] = min(worst[member.trouble.key.source] ?? place, place)
    }
    return states(Set(worst.values))
  }

  private static func states(_ places: Set<Int>) -> String {
    named.indices.filter(places.contains).map { named[$0].rawValue }.joined(separator: " or ")
  }

  /// State of alerts in one word, such as `down` or `slow`; `nil` where there is none.
  static func adjective(_ members: [Member], _ subject: AlertSubject) -> String? {
    switch subject {
    case .availability: states(of: members)
    case .performance: "slow"
    case .certificate, .budget, .agent: nil
    }
  }

  /// The same of a span of time: every state that a check had in it, and not the worst alone.
  static func pastAdjective(_ members: [Member], _ subject: AlertSubject) -> String? {
    guard subject == .availability else { return adjective(members, subject) }
    return states(Set(members.compactMap { named.firstIndex(of: stateOfRule($0)) }))
  }

  /// How often an alert opened, such as `went down 3 times`, by the state that its rule is about.
  static func openings(_ count: Int, of member: Member) -> String {
    let times = counted(count, "time")
    switch member.trouble.subject {
    case .availability:
      let state = stateOfRule(member)
      return state == .down ? "went down \(times)" : "was \(state.rawValue) \(times)"
    case .performance: return "was slow \(times)"
    case .certificate, .budget, .agent: return "opened \(times)"
    }
  }

  /// Noun for it in the subject of a mail. It is by the alert that opened it, so that it stays the same.
  var noun: String {
    let opener = opening.flatMap { opening in members.first { $0.trouble.name == opening.name } }
    guard subject == .availability, let first = opener ?? members.first else { return subject.noun }
    let state = Self.stateOfRule(first)
    return state == .down ? subject.noun : state.rawValue
  }

  /// Of each check the alert that ended last: what became of that one became of the check.
  private static func lastOfEach(_ members: [Member]) -> [Member] {
    var places: [Trouble.Key: Int] = [:]
    var last: [Member] = []
    for member in members {
      guard let place = places[member.trouble.key.source] else {
        places[member.trouble.key.source] = last.count
        last.append(member)
        continue
      }
      let severity = max(member.trouble.severity, last[place].trouble.severity)
      if member.left ?? .epoch >= last[place].left ?? .epoch { last[place] = member }
      last[place].trouble.severity = severity
    }
    return last
  }

  private static func words(_ end: TroubleEnd, _ ended: [Member], _ subject: AlertSubject) -> String {
    let others = ended.checkCount - 1
    let first = root(of: ended)?.trouble.name ?? "nothing"
    let who = others > 0 ? "\(first) and \(others) more" : first
    let be = others > 0 ? "are" : "is"
    switch end {
    case .recovered:
      switch subject {
      // A rule about another state ends with that state, whatever follows: the check may be down now.
      case .availability:
        let state = ended.first.map(stateOfRule) ?? .down
        return state == .down ? "\(who) \(be) up again" : "\(who) \(be) no longer \(state.rawValue)"
      case .performance: return "\(who) \(be) fast again"
      case .certificate: return "\(who) \(others > 0 ? "have" : "has") a new certificate"
      case .budget: return "\(who) \(be) within \(others > 0 ? "their limits" : "its limit") again"
      case .agent: return "\(who) \(be) fine again"
      }
    case .maintenance: return "\(who): maintenance began"
    case .removed: return "\(who) \(be) not monitored any more: removed from the configuration"
    case .disabled: return "\(who) \(be) not monitored any more: disabled"
    case .renamed:
      let name = ended.first?.note.map { " to \($0)" } ?? ""
      return others > 0 ? "\(who) were renamed" : "\(who) was renamed\(name)"
    case .moved: return "\(who) \(be) reported in another incident of the group"
    case .ruleChanged: return "\(who): the alerting rule was changed or removed"
    }
  }

  /// Of the highest severity the one that fires longest.
  static func root(of members: [Member]) -> Member? {
    members.max { left, right in
      (left.trouble.severity, right.trouble.since, right.joined)
        < (right.trouble.severity, left.trouble.since, left.joined)
    }
  }

  /// Those that fire first, then the most severe, then the oldest.
  package var ranked: [Member] {
    members.sorted { left, right in
      if left.isActive != right.isActive { return left.isActive }
      return (right.trouble.severity, left.joined) < (left.trouble.severity, right.joined)
    }
  }
}
