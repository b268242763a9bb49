// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Which troubles are one incident: a pure machine.
///
/// A trouble belongs to the oldest open incident of its subject that has a member which it depends on or which depends on
/// it, has the same host or the same resource; that somebody joined within ten minutes who depends on the same; or that
/// began within a minute of it in the same network. Incidents that turn out to be one later stay two.
package struct IncidentBook: Sendable {
  /// By id, which is by age.
  package internal(set) var open: [UniqueID: Incident] = [:]
  /// The latest that are over, oldest first.
  package internal(set) var over: [Incident]
  /// What the group's incidents are called; nil: this agent shares nothing.
  var names: IncidentNames?
  var places = IncidentPlaces()
  private var graph = DependencyGraph()
  private let patience: Duration
  private var generator: any RandomNumberGenerator & Sendable

  /// Within this of an incident's begin its network is enough.
  static let together: Duration = .seconds(60)
  /// Within this of the last who joined, to depend on the same is enough.
  static let siblings: Duration = .seconds(600)
  /// Incidents that are over and are kept.
  package static let kept = 200
  /// Members that an incident which is over keeps.
  package static let keptMembers = 50

  /// - Parameter patience: how long an incident must be over.
  package init(
    patience: Duration, open: [Incident] = [], over: [Incident] = [],
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.patience = patience
    self.over = over
    self.generator = generator
    for incident in open {
      self.open[incident.id] = incident
      for member in incident.members { places.add(member.trouble, [], to: incident.id) }
    }
  }

  /// Takes over other dependencies.
  package mutating func apply(_ graph: DependencyGraph) {
    self.graph = graph
    for incident in open.values {
      for member in incident.members {
        places.add(member.trouble, ancestors(member.trouble), to: incident.id)
      }
    }
  }

  /// Oldest first.
  package var opened: [Incident] { open.values.sorted { $0.id < $1.id } }

  /// What holds, with the level that was told: where the rules go on after a restart.
  package var troubles: [Trouble.Key: Int] {
    var troubles: [Trouble.Key: Int] = [:]
    for incident in open.values {
      for member in incident.members where member.isActive {
        troubles[member.trouble.key] = member.trouble.level
      }
    }
    return troubles
  }

  func ancestors(_ trouble: Trouble) -> [UniqueID] {
    trouble.key.check.map { graph.ancestors(of: $0).map(\.id) } ?? []
  }

  package mutating func take(_ event: TroubleEvent, now: Timestamp) {
    switch event {
    case .holds(let trouble):
      if let known = places.incident(of: trouble.key) {
        open[known]?.take(trouble, at: now)
        return
      }
      let ancestors = ancestors(trouble)
      let id = place(for: trouble, ancestors, now: now) ?? name(trouble, now: now)
      open[
        id, default: Incident(id: id, subject: trouble.subject, begin: trouble.since, opened: now)
      ].take(trouble, at: now)
      places.add(trouble, ancestors, to: id)
    case .ended(let key, let at, let end):
      if let id = places.incident(of: key) { open[id]?.leave(key, at: at, end) }
    }
  }

  private mutating func name(_ trouble: Trouble, now: Timestamp) -> UniqueID {
    if let id = names?.id(trouble), open[id] == nil, !over.contains(where: { $0.id == id }) { return id }
    return .v7(at: now, using: &generator)
  }

  private func place(for trouble: Trouble, _ ancestors: [UniqueID], now: Timestamp) -> UniqueID? {
    let parents = trouble.key.check.map { graph.parents(of: $0).map(\.id) } ?? []
    let kin = places.kin(of: trouble, ancestors)
    let siblings = places.siblings(of: trouble, parents).filter { id in
      (open[id]?.lastJoined ?? .epoch).duration(to: now) <= Self.siblings
    }
    let neighbours = places.neighbours(of: trouble).filter { id in
      guard let begin = open[id]?.begin else { return false }
      return begin.duration(to: max(trouble.since, begin)) <= Self.together
    }
    return (kin + siblings + neighbours).filter { canJoin(trouble, $0) }.min()
  }

  /// As time passes: incidents in which nothing has been wrong for long enough are over.
  package mutating func advance(to now: Timestamp) {
    let ended = open.values.filter { incident in
      incident.quietSince.map { $0.duration(to: now) >= patience } ?? false
    }
    for var incident in ended.sorted(by: { $0.id < $1.id }) {
      incident.end = incident.quietSince
      open[incident.id] = nil
      places.remove(incident.id)
      over.append(incident)
    }
  }

  /// Lets go of the oldest that are over, and of what is more than anybody will read of them.
  package mutating func forget() {
    if over.count > Self.kept { over.removeFirst(over.count - Self.kept) }
    for place in over.indices where over[place].members.count > Self.keptMembers && over[place].isTold {
      over[place].restore(Array(over[place].members.prefix(Self.keptMembers)))
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

  /// What was told of each.
  package mutating func note(_ told: [UniqueID: [String: Told]]) {  // own text: channels
    for (id, channels) in told {
      if open[id] != nil { open[id]?.told = channels }
    }
    for place in over.indices {
      if let channels = told[over[place].id] { over[place].told = channels }
    }
  }
}

/// Where each trouble of the open incidents is, and what they can be found by, so that a storm of failures costs no more
/// than a failure each.
struct IncidentPlaces: Sendable {
  private enum Handle: Hashable {
    case check(UniqueID)
    /// Something depends on it.
    case ancestor(UniqueID)
    case host(String)
    case resource(UniqueID)
    case network(String)
    case agent
  }

  private struct Name: Hashable {
    var subject: AlertSubject
    var handle: Handle
  }

  private(set) var keys: [Trouble.Key: UniqueID] = [:]
  private var incidents: [Name: Set<UniqueID>] = [:]
  private var names: [UniqueID: Set<Name>] = [:]
  private var keysOf: [UniqueID: [Trouble.Key]] = [:]

  func incident(of key: Trouble.Key) -> UniqueID? { keys[key] }

  private func find(_ handles: [Handle], _ subject: AlertSubject) -> [UniqueID] {
    handles.flatMap { incidents[Name(subject: subject, handle: $0)] ?? [] }
  }

  func kin(of trouble: Trouble, _ ancestors: [UniqueID]) -> [UniqueID] {
    guard let check = trouble.key.check else { return [] }
    var handles: [Handle] = [.check(check), .ancestor(check)] + ancestors.map(Handle.check)
    if let host = trouble.relation.host { handles.append(.host(host)) }
    if let resource = trouble.relation.resource { handles.append(.resource(resource)) }
    return find(handles, trouble.subject)
  }

  func siblings(of trouble: Trouble, _ parents: [UniqueID]) -> [UniqueID] {
    find(parents.map(Handle.ancestor), trouble.subject)
  }

  func neighbours(of trouble: Trouble) -> [UniqueID] {
    guard trouble.key.check != nil else { return find([.agent], trouble.subject) }
    return find(trouble.relation.network.map { [.network($0)] } ?? [], trouble.subject)
  }

  mutating func add(_ trouble: Trouble, _ ancestors: [UniqueID], to incident: UniqueID) {
    if keys.updateValue(incident, forKey: trouble.key) == nil {
      keysOf[incident, default: []].append(trouble.key)
    }
    var handles = ancestors.map(Handle.ancestor)
    if let check = trouble.key.check { handles.append(.check(check)) } else { handles.append(.agent) }
    if let host = trouble.relation.host { handles.append(.host(host)) }
    if let resource = trouble.relation.resource { handles.append(.resource(resource)) }
    if let network = trouble.relation.network { handles.append(.network(network)) }
    for handle in handles {
      let name = Name(subject: trouble.subject, handle: handle)
      incidents[name, default: []].insert(incident)
      names[incident, default: []].insert(name)
    }
  }

  mutating func remove(_ key: Trouble.Key) {
    guard let incident = keys.removeValue(forKey: key) else { return }
    keysOf[incident]?.removeAll { $0 == key }
  }

  mutating func remove(_ incident: UniqueID) {
    for key in keysOf.removeValue(forKey: incident) ?? [] where keys[key] == incident { keys[key] = nil }
    for name in names.removeValue(forKey: incident) ?? [] {
      incidents[name]?.remove(incident)
      if incidents[name]?.isEmpty == true { incidents[name] = nil }
    }
  }
}
