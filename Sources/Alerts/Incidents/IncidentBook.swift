// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Correlates alerts into incidents: a pure machine.
///
/// An alert belongs to the oldest open incident of its subject that has a member which it depends on or which depends
/// on it, has the same host or the same resource; that an alert with the same dependency joined within ten minutes; or
/// that began within a minute of it in the same network. Incidents that turn out to be one later stay two.
package struct IncidentBook: Sendable {
  /// By id, which is by age.
  package internal(set) var open: [UniqueID: Incident] = [:] { didSet { version &+= 1 } }
  /// The latest that are over, oldest first.
  package var over: [Incident] { ended.all }
  var ended: EndedIncidents { didSet { version &+= 1 } }
  /// Another one: something changed.
  private(set) var version = 0
  /// Names of the group's incidents. `nil` where this agent shares none.
  var names: IncidentNames?
  var places = IncidentPlaces()
  private var graph = DependencyGraph()
  private(set) var groupWait: Duration
  private(set) var flap: FlapSettings
  /// When alerts of incidents that are over opened, for flapping.
  private var opens: [Trouble.Key: [Instant]] = [:]
  private var generator: any RandomNumberGenerator & Sendable

  /// Within this of an incident's begin its network is enough.
  static let together: Duration = .seconds(60)
  /// Within this of the last who joined, to depend on the same is enough.
  static let siblings: Duration = .seconds(600)
  /// Incidents that are over and are kept.
  package static let kept = 200
  /// Members that an incident which is over keeps.
  static let keptMembers = 50

  /// - Parameter groupWait: how long an incident must be well until it is over.
  package init(
    groupWait: Duration, flap: FlapSettings = FlapSettings(), open: [Incident] = [], over: [Incident] = [],
    generator: any RandomNumberGenerator & Sendable = RandomPool()
  ) {
    (self.groupWait, self.flap, ended) = (groupWait, flap, EndedIncidents(over))
    self.generator = generator
    for incident in over { noteOpens(of: incident) }
    for incident in open {
      self.open[incident.id] = incident
      for member in incident.members {
        places.add(member.trouble, [], to: incident.id, fires: member.isActive)
      }
    }
  }

  package mutating func apply(_ settings: AlertSettings) {
    (groupWait, flap) = (settings.groupWait, settings.flap)
  }

  /// Takes over other dependencies.
  package mutating func apply(_ graph: DependencyGraph) {
    self.graph = graph
    for incident in opened {
      for member in incident.members {
        places.add(
          member.trouble, ancestors(member.trouble), to: incident.id, fires: member.isActive)
      }
    }
  }

  /// Oldest first.
  package var opened: [Incident] { open.values.sorted { $0.id < $1.id } }

  /// Firing alerts: where the rules go on after a restart.
  package var troubles: [Trouble.Key: Trouble] {
    var troubles: [Trouble.Key: Trouble] = [:]
    for incident in open.values {
      for member in incident.members where member.isActive { troubles[member.trouble.key] = member.trouble }
    }
    return troubles
  }

  func ancestors(_ trouble: Trouble) -> [UniqueID] {
    trouble.key.check.map { graph.ancestors(of: $0).map(\.id) } ?? []
  }

  package mutating func take(_ event: TroubleEvent, now: ClockReading) {
    let flap = flap
    switch event {
    case .holds(let trouble):
      if let known = places.incident(of: trouble.key) {
        // Each result of what is down says so: it is written down where it says something new.
        if open[known]?.says(trouble) != true { open[known]?.take(trouble, at: now, flap) }
        return
      }
      let ancestors = ancestors(trouble)
      let id = place(for: trouble, ancestors, now: now.boot) ?? name(trouble, now: now.wall)
      open[
        id,
        default: Incident(
          id: id, subject: trouble.subject, begin: trouble.since, opened: now.wall, at: now.boot)
      ].take(trouble, at: now, flap)
      places.add(trouble, ancestors, to: id)
      judgeFlapping(trouble.key, in: id, now.boot)
    case .ended(let key, let at, let end, let note):
      for id in holders(of: key) {
        open[id]?.leave(key, at: ClockReading(boot: now.boot, wall: at), end, note: note)
      }
    }
  }

  /// An alert that opened often of late flaps, in whichever incidents it opened.
  private mutating func judgeFlapping(_ key: Trouble.Key, in id: UniqueID, _ now: Instant) {
    let flap = flap
    guard let before = opens.removeValue(forKey: key) else { return }
    let recent = (before + [now]).filter { $0.duration(to: now) <= flap.within }.suffix(flap.opens)
    open[id]?.note(key, opens: Array(recent), isFlapping: recent.count >= flap.opens)
  }

  private mutating func name(_ trouble: Trouble, now: Timestamp) -> UniqueID {
    if let id = names?.id(trouble), self[id] == nil { return id }
    return .v7(at: now, using: &generator)
  }

  private func place(for trouble: Trouble, _ ancestors: [UniqueID], now: Instant) -> UniqueID? {
    let parents = trouble.key.check.map { graph.parents(of: $0).map(\.id) } ?? []
    let kin = places.kin(of: trouble, ancestors)
    let siblings = places.siblings(of: trouble, parents).filter { id in
      open[id].map { $0.lastJoinedAt.duration(to: now) <= Self.siblings } ?? false
    }
    let neighbours = places.neighbours(of: trouble).filter { id in
      guard let begin = open[id]?.begin else { return false }
      return begin.duration(to: max(trouble.since, begin)) <= Self.together
    }
    return (kin + siblings + neighbours).filter { canJoin(trouble, $0) }.min()
  }

  /// As time passes: incidents in which nothing has fired for long enough are over.
  ///
  /// - Parameter shadowed: checks that failed with what they depend on and have had no verdict of their own since: an incident
  ///   about what they depend on waits for them, as one of them may still be down.
  package mutating func advance(to now: Instant, shadowed: Set<UniqueID> = []) {
    opens = opens.filter { $0.value.last.map { $0.duration(to: now) <= flap.within } ?? false }
    let quiet = open.values.filter { $0.isOver(at: now, groupWait, flap) }
    guard !quiet.isEmpty else { return }
    var causes: Set<UniqueID> = []
    for check in shadowed { causes.formUnion(graph.ancestors(of: check).map(\.id)) }
    for var incident in quiet.sorted(by: { $0.id < $1.id }) {
      let waits = incident.members.contains { $0.trouble.key.check.map(causes.contains) ?? false }
      if waits, let quietAt = incident.quietAt, quietAt.duration(to: now) < Self.longestShadow { continue }
      incident.end = incident.quietSince
      open[incident.id] = nil
      places.remove(incident.id)
      noteOpens(of: incident)
      ended.add(incident)
    }
  }

  private mutating func noteOpens(of incident: Incident) {
    for member in incident.members {
      // What flapped was well for long enough when its incident ended: it begins again.
      opens[member.trouble.key] = member.hasRecovered && !member.isFlapping ? member.opens : nil
    }
  }

  /// How long an incident waits at most for checks that failed with it.
  static let longestShadow: Duration = .seconds(600)

  /// More members of incidents that are over than are kept.
  var needsForgetting: Bool { over.contains { $0.members.count > Self.keptMembers } }

  /// Lets go of the oldest that are over, and of members beyond those that are kept.
  ///
  /// - Parameter isSettled: no channel has anything to be sent of it: the others stay.
  package mutating func forget(isSettled: (Incident) -> Bool) {
    // What cannot go yet is no change: nothing is written for it.
    if over.count > Self.kept, over.contains(where: isSettled) {
      ended.removeFirst(over.count - Self.kept, where: isSettled)
    }
    func isLong(_ incident: Incident) -> Bool {
      incident.members.count > Self.keptMembers && isSettled(incident)
    }
    if over.contains(where: isLong) {
      ended.updateAll(where: isLong) { $0.restore(Array($0.members.prefix(Self.keptMembers))) }
    }
  }

  /// Changes one open incident by its id, or by the last letters of it (four or more) where no other has the same.
  ///
  /// - Returns: as it is now; nil: none is meant, or several are.
  package mutating func change(_ word: String, _ body: (inout Incident) -> Void) -> Incident? {
    let wanted = word.lowercased()
    let found = open.keys.filter { $0.description.hasSuffix(wanted) }
    guard wanted.utf8.count >= 4, found.count == 1, let id = found.first else { return nil }
    if var incident = open[id] {
      body(&incident)
      open[id] = incident
    }
    return open[id]
  }

  /// Open, or over.
  package subscript(id: UniqueID) -> Incident? { open[id] ?? ended[id] }

  /// Number of an incident's content; 0 where there is no such incident.
  func edition(of id: UniqueID) -> Int { open[id]?.edition.number ?? ended[id]?.edition.number ?? 0 }

  /// Changes one, open or over.
  package mutating func update(_ id: UniqueID, _ body: (inout Incident) -> Void) {
    if let place = open.index(forKey: id) {
      body(&open.values[place])
    } else if ended[id] != nil {
      ended.update(id, body)
    }
  }

  /// Those that are over, then those that are open, each by age.
  package var all: [Incident] { over + opened }
}
