// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension Incident {
  package struct Acknowledgement: Hashable, Sendable {
    /// The last one that a person made at an agent.
    package struct Hand: Hashable, Sendable {
      package var at: Timestamp
      package var by: String
      package var note: String?
      /// Alerts that fired then.
      package var keys: Set<Trouble.Key> = []
    }

    /// When an acknowledgement was made, by whom, and why.
    package struct Act: Hashable, Sendable {
      package var at: Timestamp
      package var by: String
      package var note: String?

      fileprivate var identity: [String] { [at.rfc3339, by] }
    }

    /// Acknowledgements before the latest that are kept: the first and the latest of them.
    static let keptEarlier = 10

    package var at: Timestamp
    /// As they named themselves.
    package var by: String
    package var note: String?
    /// The alerts that fired then, and how severe each was.
    package private(set) var seen: [Trouble.Key: AlertSeverity] = [:]
    /// Steps of the alerts of `seen` that had passed more than the first.
    private(set) var levels: [Trouble.Key: Int] = [:]
    /// `nil` when all of it was made in the Quartz apps.
    package private(set) var hand: Hand?
    /// Acknowledgements before this one, oldest first.
    package private(set) var earlier: [Act] = []
    /// The highest severity of each check that a person at an agent saw: another rule for it says nothing new unless it is worse.
    private var checks: [Trouble.Key: AlertSeverity] = [:]

    package init(at: Timestamp, by: String, note: String? = nil) {
      // Members of a group, and an agent after a restart, read it so.
      (self.at, self.by, self.note) = (Timestamp(milliseconds: at.milliseconds), by, note)
    }

    /// All of them, oldest first: the last one counts.
    package var acts: [Act] { earlier + [Act(at: at, by: by, note: note)] }

    /// Keeps those that were made before this one, each once.
    mutating func keep(_ acts: [Act]) {
      var seen: Set = [Act(at: at, by: by, note: note).identity]
      let all = (earlier + acts).filter { seen.insert($0.identity).inserted }
      earlier = all.sorted { $0.identity.lexicographicallyPrecedes($1.identity) }
      // bounded: more than one
      if earlier.count > Self.keptEarlier { earlier.removeSubrange(1...(earlier.count - Self.keptEarlier)) }
    }

    mutating func cover(_ key: Trouble.Key, _ severity: AlertSeverity, level: Int = 1) {
      seen[key] = max(seen[key] ?? .low, severity)
      if level > levels[key] ?? 1 { levels[key] = level }
    }

    /// A person at an agent saw the alerts of `hand.keys`, as far as it covers them.
    mutating func make(by hand: Hand) {
      self.hand = hand
      checks = [:]
      for key in hand.keys {
        guard let severity = seen[key] else { continue }
        checks[key.source] = max(checks[key.source] ?? .low, severity)
      }
    }

    /// A check that it did not see, or one that is worse than it was or at a later step, is not covered. One that was made in the apps is about one
    /// alert there.
    func covers(_ trouble: Trouble) -> Bool {
      if seen[trouble.key] != nil, trouble.level > levels[trouble.key] ?? 1 { return false }
      return [checks[trouble.key.source], seen[trouble.key]].contains {
        $0.map { $0 >= trouble.severity } ?? false
      }
    }

    /// Combines the acknowledgements of two members: the alerts of both are covered, independent of their clocks; the later one
    /// is shown.
    func joined(with other: Self) -> Self {
      var joined = (other.at, other.by) > (at, by) ? other : self
      for one in [self, other] {
        for (key, severity) in one.seen { joined.cover(key, severity, level: one.levels[key] ?? 1) }
      }
      if let hand = hand.map({ $0.joined(with: other.hand) }) ?? other.hand { joined.make(by: hand) }
      joined.keep(acts + other.acts)
      return joined
    }
  }

  /// Whether the acknowledgement covers an alert as it is now.
  package func isAcknowledged(_ trouble: Trouble) -> Bool {
    acknowledged?.covers(trouble) ?? false
  }

  /// All that fires is acknowledged.
  package var isAcknowledged: Bool {
    acknowledged != nil && members.allSatisfy { !$0.isActive || isAcknowledged($0.trouble) }
  }

  /// A person at this agent acknowledges all that fires: of a check that is flapping also where it is up at the moment, and where
  /// nothing fires at the moment what fired last.
  package mutating func acknowledge(by: String, note: String?, at now: Timestamp) {
    var known = Acknowledgement(at: now, by: by, note: note)
    let last = activeCount > 0 ? nil : members.compactMap(\.leftAt).max()
    for member in members where member.isActive || member.isFlapping || last != nil && member.leftAt == last {
      known.cover(member.trouble.key, member.trouble.severity, level: member.trouble.level)
    }
    known.make(by: .init(at: known.at, by: by, note: note, keys: Set(known.seen.keys)))
    known.keep(acknowledged?.acts ?? [])
    acknowledged = known
  }

  /// An acknowledgement of the Quartz apps is about one alert there: it covers the same alert here, and no other.
  mutating func acknowledge(_ troubles: [Trouble], by: String, note: String?, at: Timestamp) {
    var known = Acknowledgement(at: at, by: by, note: note)
    for trouble in troubles { known.cover(trouble.key, trouble.severity, level: trouble.level) }
    acknowledged = acknowledged?.joined(with: known) ?? known
  }
}

extension Incident.Acknowledgement.Hand {
  fileprivate func joined(with other: Self?) -> Self {
    guard let other else { return self }
    var joined = (other.at, other.by) > (at, by) ? other : self
    joined.keys = keys.union(other.keys)
    return joined
  }
}
