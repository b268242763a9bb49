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

  private(set) var keys: [Trouble.Key: UniqueID] = [:]
  private var incidents: [Name: Set<UniqueID>] = [:]
  private var names: [UniqueID: Set<Name>] = [:]
  private var keysOf: [UniqueID: [Trouble.Key]] = [:]
  private var keysOfCheck: [UniqueID: Set<Trouble.Key>] = [:]

  func incident(of key: Trouble.Key) -> UniqueID? { keys[key] }

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

  mutating func add(_ trouble: Trouble, _ ancestors: [UniqueID], to incident: UniqueID) {
    if keys.updateValue(incident, forKey: trouble.key) == nil {
      keysOf[incident, default: []].append(trouble.key)
      if let check = trouble.key.check { keysOfCheck[check, default: []].insert(trouble.key) }
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

  mutating func remove(_ incident: UniqueID) {
    for key in keysOf.removeValue(forKey: incident) ?? [] where keys[key] == incident {
      keys[key] = nil
      guard let check = key.check else { continue }
      keysOfCheck[check]?.remove(key)
      if keysOfCheck[check]?.isEmpty == true { keysOfCheck[check] = nil }
    }
    for name in names.removeValue(forKey: incident) ?? [] {
      incidents[name]?.remove(incident)
      if incidents[name]?.isEmpty == true { incidents[name] = nil }
    }
  }
}
