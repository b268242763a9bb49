// SPDX-License-Identifier: MIT

import Basics
import Monitoring

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

  private var keys: [Trouble.Key: UniqueID] = [:]
  /// Of an alert that is in several incidents, those that `keys` does not name: two members of a group opened one each.
  private var others: [Trouble.Key: Set<UniqueID>] = [:]
  private var incidents: [Name: Set<UniqueID>] = [:]
  private var names: [UniqueID: Set<Name>] = [:]
  private var keysOf: [UniqueID: Set<Trouble.Key>] = [:]
  private var keysOfCheck: [UniqueID: Set<Trouble.Key>] = [:]

  /// The incident that an alert joined last.
  func incident(of key: Trouble.Key) -> UniqueID? { keys[key] }

  /// Every open incident that an alert is or was in.
  func incidents(of key: Trouble.Key) -> [UniqueID] {
    [keys[key]].compactMap(\.self) + (others[key] ?? []).sorted()
  }

  /// Alerts of a check, in open incidents.
  func keys(of check: UniqueID) -> Set<Trouble.Key> { keysOfCheck[check] ?? [] }

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

  /// - Parameter fires: what does not fire here stays where it is, if it is in another incident.
  mutating func add(
    _ trouble: Trouble, _ ancestors: [UniqueID], to incident: UniqueID, fires: Bool = true
  ) {
    name(trouble.key, in: incident, fires: fires)
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

  private mutating func name(_ key: Trouble.Key, in incident: UniqueID, fires: Bool) {
    keysOf[incident, default: []].insert(key)
    if let check = key.check { keysOfCheck[check, default: []].insert(key) }
    if !fires, let known = keys[key] {
      if known != incident { others[key, default: []].insert(incident) }
      return
    }
    guard let before = keys.updateValue(incident, forKey: key), before != incident else { return }
    others[key, default: []].insert(before)
    leave(key, incident)
  }

  private mutating func leave(_ key: Trouble.Key, _ incident: UniqueID) {
    others[key]?.remove(incident)
    if others[key]?.isEmpty == true { others[key] = nil }
  }

  mutating func remove(_ incident: UniqueID) {
    for key in keysOf.removeValue(forKey: incident) ?? [] {
      leave(key, incident)
      guard keys[key] == incident else { continue }
      // Where the other incident of it is still open, it is in that one.
      keys[key] = others[key]?.min()
      if let heir = keys[key] {
        leave(key, heir)
      } else if let check = key.check {
        keysOfCheck[check]?.remove(key)
        if keysOfCheck[check]?.isEmpty == true { keysOfCheck[check] = nil }
      }
    }
    for name in names.removeValue(forKey: incident) ?? [] {
      incidents[name]?.remove(incident)
      if incidents[name]?.isEmpty == true { incidents[name] = nil }
    }
  }
}
