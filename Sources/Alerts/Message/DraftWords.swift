// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The title of a notification of one incident: what is so now, and first what has changed. It counts and names checks, each
/// once, however many rules fire for it.
struct DraftWords {
  private let draft: Draft
  private let now: Timestamp
  private let names: CheckNames

  init(_ draft: Draft, now: Timestamp) {
    (self.draft, self.now) = (draft, now)
    names = CheckNames(draft.incident.members)
  }

  private var incident: Incident { draft.incident }
  private var members: [Incident.Member] { names.apply(draft.members) }
  private var firing: [Incident.Member] { names.apply(draft.firing) }
  private var active: [Incident.Member] { names.apply(incident.members.filter(\.isActive)) }

  var title: String {
    switch draft.trigger {
    case .opened: opened
    case .reminder, .keepAlive: incident.firingTitle(firing)
    case .acknowledged:
      "acknowledged by \(incident.acknowledged?.by ?? "an operator"): \(incident.firingTitle(firing))"
    case .joined: joined
    case .rose: risen
    case .eased: rose(firing)
    case .flapping: flapping
    case .rootRecovered: (recovered.isEmpty ? "" : over(recovered) + "; ") + left
    case .belowSeverity:
      "\(recovered.isEmpty ? "" : over(recovered) + "; ")what is left is \(draft.exclusion): "
        + Self.list(active.map(\.trouble.name))
    case .channelRemoved:
      "channel removed"
        + (firing.isEmpty ? "" : "; the incident is still open: \(incident.firingTitle(firing))")
    case .resolved: draft.fireAgain.isEmpty ? resolved : again(isDated: false)
    case .past: past(isDated: false)
    }
  }

  /// As a line of a digest.
  var digestTitle: String {
    if !draft.fireAgain.isEmpty { return again(isDated: true) }
    if draft.trigger == .past { return past(isDated: true) }
    return incident.isOpen ? incident.firingTitle(firing.isEmpty ? members : firing) : over(members)
  }

  private var fresh: [Incident.Member] { names.apply(draft.firing.filter(draft.isNew)) }

  /// Alerts that the channel takes for firing, of checks for which none fires.
  private var recovered: [Incident.Member] {
    let firing = Set(active.map(\.trouble.key.source))
    return names.apply(incident.members).filter { member in
      let key = member.trouble.key
      return !member.isActive && !firing.contains(key.source)
        && draft.record.heard.alerts[key].map { $0.end == nil } ?? false
    }
  }

  private func over(_ members: [Incident.Member]) -> String {
    Incident.overTitle(members, incident.subject)
  }

  private var left: String {
    let count = firing.checkCount
    let state = Incident.adjective(firing, incident.subject) ?? "affected"
    guard count > 0 else { return "what still fires is held" }
    let list = Self.list(firing.map(\.trouble.name))
    return count <= 3 ? "still \(state): \(list)" : "\(count) still \(state): \(list)"
  }

  /// A check joins; another rule for one that the channel knows only says more of it.
  private var joined: String {
    var known: [Trouble.Key: AlertSeverity] = [:]
    for (key, alert) in draft.record.heard.alerts where alert.end == nil {
      known[key.source] = max(known[key.source] ?? .low, alert.severity)
    }
    let new = fresh.filter { known[$0.trouble.key.source] == nil }
    if !new.isEmpty {
      return "\(Self.phrase(new.map(\.trouble.name))) joined: \(incident.firingTitle(firing))"
    }
    let worse = fresh.filter { $0.trouble.severity > known[$0.trouble.key.source] ?? .low }
    if !worse.isEmpty { return rose(worse) }
    // The check is in another state: what fired for it before does not any more.
    if fresh.allSatisfy({ !isFiringStill($0.trouble.key.source) }) { return rose(fresh) }
    let rules = Self.phrase(fresh.map(\.trouble.key.rule.text))
    let isOne = Set(fresh.map(\.trouble.key.rule)).count == 1
    return
      "\(isOne ? "rule" : "rules") \(rules) \(isOne ? "fires" : "fire") too: \(incident.firingTitle(fresh))"
  }

  /// Whether an alert of the check fires that the channel has as it is.
  private func isFiringStill(_ source: Trouble.Key) -> Bool {
    incident.members.contains { member in
      let key = member.trouble.key
      return member.isActive && key.source == source
        && draft.record.heard.alerts[key].map { $0.end == nil } ?? false
    }
  }

  private var risen: String {
    if fresh.isEmpty { return rose(firing) }
    // What rose may be muted, and what joined with it not.
    let isAll = fresh.contains { $0.trouble.severity == draft.severity }
    return isAll ? rose(fresh) : joined
  }

  private func rose(_ members: [Incident.Member]) -> String {
    let severity = members.map(\.trouble.severity).max() ?? draft.severity
    return "now \(severity.rawValue): \(incident.firingTitle(members))"
  }

  /// Where the failures before it were incidents of their own, the first title says how often it failed.
  private var opened: String {
    guard incident.subject == .availability, firing.checkCount == 1,
      let member = Incident.root(of: firing), member.isFlapping, let count = Self.openings(of: member)
    else { return incident.firingTitle(firing) }
    let text = member.trouble.text.map { ": \($0)" } ?? ""
    return "\(member.trouble.name) is flapping, \(Incident.openings(count, of: member))\(text)"
  }

  private var flapping: String {
    // Of its alerts the one that was found to flap may not fire now.
    let flapping = firing.first(where: \.isFlapping) ?? members.first { $0.isFlapping && isFiring($0) }
    guard let member = flapping ?? firing.first else { return "" }
    let count = Self.openings(of: member) ?? 1
    return "\(member.trouble.name) is flapping: \(Incident.openings(count, of: member))"
  }

  /// An alert fires of the same check.
  private func isFiring(_ member: Incident.Member) -> Bool {
    draft.firing.contains { $0.trouble.key.source == member.trouble.key.source }
  }

  /// Openings of an alert in this incident and of late; `nil` where only one is known.
  private static func openings(of member: Incident.Member) -> Int? {
    let count = max(member.openings, member.opens.count)
    return count > 1 ? count : nil
  }

  private var resolved: String {
    let end = incident.end ?? now
    guard let member = draft.members.first(where: \.isFlapping) else { return over(members) }
    let flapped = "\(over(members)): it was flapping"
    guard let count = Self.openings(of: member) else { return flapped }
    let openings = Incident.openings(count, of: member)
    guard member.opens.count > member.openings else {
      return "\(flapped), \(openings), for \(StatusFormat.span(member.down(until: end).microseconds)) in all"
    }
    // Openings in incidents before count, and how long those lasted is not known here.
    guard let first = member.opens.first, let last = member.leftAt else { return "\(flapped), \(openings)" }
    let span = max(.zero, first.duration(to: last))
    return "\(flapped), \(openings) within \(StatusFormat.span(span.microseconds))"
  }

  /// An end that is sent while a check of it fires again: "up again" would be said of what is down.
  private func again(isDated: Bool) -> String {
    let names = members.filter { draft.fireAgain.contains($0.trouble.key.source) }.map(\.trouble.name)
    return "\(past(isDated: isDated)); a new incident of \(Self.phrase(names)) is open"
  }

  /// - Parameter isDated: with the date, for a message of many days.
  private func past(isDated: Bool) -> String {
    let end = draft.end ?? now
    let begin = min(draft.begin, end)
    let length = StatusFormat.span(begin.duration(to: end).microseconds)
    let be = plural("was", members.checkCount, "were")
    let what = Incident.pastAdjective(members, incident.subject) ?? "affected"
    let span = MessageText.span(begin, end, isDated: isDated)
    let outcomes = Incident.overTitle(
      members, incident.subject, naming: TroubleEnd.allCases.filter { $0 != .recovered })
    return "\(Self.phrase(members.map(\.trouble.name))) \(be) \(what) \(span) (\(length))"
      + (outcomes.isEmpty ? "" : "; \(outcomes)")
  }

  /// Names as part of a sentence, such as `web, db and ssh`.
  static func phrase(_ names: [String]) -> String {
    let names = names.withoutRepetitions { ByteText($0) }
    guard (2...3).contains(names.count), let last = names.last else { return list(names) }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  /// Three names, and how many more; each once.
  static func list(_ names: [String]) -> String {
    names.withoutRepetitions { ByteText($0) }.andMore(after: 3)
  }
}

/// Names of an incident's checks: where two checks have one name, such as one of the file and one of the API, the target is
/// behind it.
private struct CheckNames {
  private var shared: Set<ByteText> = []

  init(_ members: [Incident.Member]) {
    var sources: [ByteText: Trouble.Key] = [:]
    for trouble in members.lazy.map(\.trouble) {
      let name = ByteText(trouble.name)
      if let known = sources.updateValue(trouble.key.source, forKey: name), known != trouble.key.source {
        shared.insert(name)
      }
    }
  }

  func apply(_ members: [Incident.Member]) -> [Incident.Member] {
    guard !shared.isEmpty else { return members }
    return members.map { member in
      guard shared.contains(ByteText(member.trouble.name)), let target = member.trouble.target else {
        return member
      }
      var named = member
      named.trouble.name += " (\(target))"
      return named
    }
  }
}

extension Draft {
  /// The channel has not heard of it as it is.
  func isNew(_ member: Incident.Member) -> Bool {
    trigger != .opened && member.isActive && fresh.contains(member.trouble.key)
  }

  /// The channel takes it for firing, and for less severe than it is.
  func isWorse(_ member: Incident.Member) -> Bool {
    guard isNew(member), !record.heard.isOver, let known = record.heard.alerts[member.trouble.key] else {
      return false
    }
    return known.end == nil
  }
}

extension Trouble.Relation {
  /// As people write it, such as `192.0.2.0/24`.
  var networkText: String? {
    guard let parts = network?.split(separator: ":", maxSplits: 1), parts.count == 2 else { return nil }
    let bytes = parts[1].split(separator: ".").compactMap { UInt8($0) }
    if parts[0] == "4" { return bytes.map { String($0) }.joined(separator: ".") + ".0/24" }
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
    }
    return words.joined(separator: ":") + "::/48"
  }
}

extension AlertSubject {
  /// Noun for an incident about the subject.
  var noun: String {
    switch self {
    case .availability: "outage"
    case .performance: "slow"
    case .certificate: "certificate"
    case .budget: "downtime"
    case .agent: "problem of the agent"
    }
  }
}
