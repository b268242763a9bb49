// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What fails together, as one: it has an identity, a begin, members that join and leave, somebody who knows of it, and
/// an end.
package struct Incident: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var trouble: Trouble
    package var joined: Timestamp
    /// Nil: it is one still.
    package var left: Timestamp?
    package var end: TroubleEnd?

    package init(_ trouble: Trouble, joined: Timestamp) { (self.trouble, self.joined) = (trouble, joined) }

    package var isActive: Bool { left == nil }
  }

  package struct Acknowledgement: Hashable, Sendable {
    package var at: Timestamp
    /// As they named themselves.
    package var by: String
    package var note: String?

    package init(at: Timestamp, by: String, note: String? = nil) {
      (self.at, self.by, self.note) = (at, by, note)
    }
  }

  package let id: UniqueID
  package var subject: AlertSubject
  /// When the first of its troubles began.
  package var begin: Timestamp
  /// When somebody noticed.
  package var opened: Timestamp
  /// Nil while it lasts.
  package var end: Timestamp?
  /// Since when nothing is wrong any more; it ends when that has lasted.
  package var quietSince: Timestamp?
  /// In the order in which they joined; each trouble once.
  package private(set) var members: [Member] = []
  package var acknowledged: Acknowledgement?
  /// What was told of it, by channel.
  package var told: [String: Told] = [:]  // own text: channels
  /// Where the group's store has it, by check; empty: nowhere, or it is done with.
  package var kept: [UniqueID: KeptMark] = [:]
  /// Another agent of the group has told that it is over.
  package var isClosedElsewhere = false
  /// Its end stands in the group's store: nothing joins it any more.
  package var isClosing = false
  private var places: [Trouble.Key: Int] = [:]
  package private(set) var activeCount = 0

  package init(id: UniqueID, subject: AlertSubject, begin: Timestamp, opened: Timestamp) {
    (self.id, self.subject, self.begin, self.opened) = (id, subject, begin, opened)
    lastJoined = opened
  }

  package var isOpen: Bool { end == nil }

  /// Of all that were ever in it.
  package var severity: AlertSeverity { members.map(\.trouble.severity).max() ?? .low }

  package private(set) var lastJoined: Timestamp

  /// Every channel that was told of it knows that it is over.
  package var isTold: Bool { told.values.allSatisfy(\.isOver) }

  package var level: Int { members.map(\.trouble.level).max() ?? 1 }

  package func member(_ key: Trouble.Key) -> Member? { places[key].map { members[$0] } }

  /// A trouble is new in it, is there again, or has other words.
  package mutating func take(_ trouble: Trouble, at now: Timestamp) {
    quietSince = nil
    begin = min(begin, trouble.since)
    guard let place = places[trouble.key] else {
      places[trouble.key] = members.count
      members.append(Member(trouble, joined: now))
      activeCount += 1
      lastJoined = now
      return
    }
    let since = members[place].isActive ? min(members[place].trouble.since, trouble.since) : trouble.since
    if !members[place].isActive { activeCount += 1 }
    members[place].trouble = trouble
    members[place].trouble.since = since
    (members[place].left, members[place].end) = (nil, nil)
  }

  package mutating func leave(_ key: Trouble.Key, at now: Timestamp, _ end: TroubleEnd) {
    guard let place = places[key], members[place].isActive else { return }
    (members[place].left, members[place].end) = (now, end)
    activeCount -= 1
    if activeCount == 0 { quietSince = max(now, quietSince ?? now) }
  }

  mutating func restore(_ members: [Member]) {
    self.members = members
    activeCount = members.count { $0.isActive }
    lastJoined = members.map(\.joined).max() ?? opened
    places = Dictionary(
      members.enumerated().map { ($1.trouble.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// What one channel was told of an incident.
package struct Told: Hashable, Sendable {
  package var first: Timestamp
  package var last: Timestamp
  package var severity: AlertSeverity
  package var level: Int
  /// Only in a digest.
  package var isDigest = false
  /// Nothing more is to be told.
  package var isOver = false

  package init(first: Timestamp, last: Timestamp, severity: AlertSeverity, level: Int) {
    (self.first, self.last, self.severity, self.level) = (first, last, severity, level)
  }
}

extension Incident {
  /// The last letters of its id: enough to tell it from the others.
  package var short: String { String(id.description.suffix(6)) }

  /// In one line, such as `Shop front and 3 more are down`.
  package var title: String {
    let (who, first, isPlural) = subjectOfTitle
    let be = isPlural ? "are" : "is"
    switch subject {
    case .availability: return "\(who) \(be) \(first?.state?.rawValue ?? "down")"
    case .performance: return "\(who) \(be) slow"
    case .certificate:
      return "\(who) \(isPlural ? "have certificates that end" : "has a certificate that ends") soon"
    case .budget: return "\(who) \(isPlural ? "were" : "was") down for too long"
    case .agent: return "\(who) \(isPlural ? "have problems" : "has a problem")"
    }
  }

  /// The same once it is over.
  package var overTitle: String {
    let resting = members.filter { $0.end == .maintenance }
    let moved = members.filter { $0.end == .moved }
    // Each is told as what became of it: who reads that something is well again looks no further.
    let well = members.filter { $0.end != .maintenance && $0.end != .moved }
    var words: [String] = []
    if !well.isEmpty || members.isEmpty { words.append(wellAgain(well)) }
    if !resting.isEmpty {
      let (who, _, isPlural) = Self.naming(resting)
      words.append("\(who) \(isPlural ? "are" : "is") in maintenance now")
    }
    if !moved.isEmpty {
      words.append("\(Self.naming(moved).who): the group goes on with this in another incident")
    }
    return words.joined(separator: "; ")
  }

  private func wellAgain(_ well: [Member]) -> String {
    let (who, _, isPlural) = Self.naming(well)
    let be = isPlural ? "are" : "is"
    switch subject {
    case .availability: return "\(who) \(be) up again"
    case .performance: return "\(who) \(be) fast again"
    case .certificate: return "\(who) \(isPlural ? "have" : "has") a new certificate"
    case .budget, .agent: return "\(who) \(be) well again"
    }
  }

  /// Of those that are still wrong, else of all.
  private var subjectOfTitle: (who: String, first: Trouble?, isPlural: Bool) {
    let active = members.filter(\.isActive)
    return Self.naming(active.isEmpty ? members : active)
  }

  /// The worst, and how many besides.
  private static func naming(_ shown: [Member]) -> (who: String, first: Trouble?, isPlural: Bool) {
    let first = shown.max { left, right in
      (left.trouble.severity, right.joined) < (right.trouble.severity, left.joined)
    }?.trouble
    guard let first else { return ("nothing", nil, false) }
    let others = Set(shown.map { ByteText($0.trouble.name) }).count - 1
    return (others > 0 ? "\(first.name) and \(others) more" : first.name, first, others > 0)
  }
}
