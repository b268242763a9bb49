// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Incidents of the group, which the store has.
extension IncidentBook {
  /// Shared and unshared alerts never form one incident: their incidents may go different ways.
  func canJoin(_ trouble: Trouble, _ id: UniqueID) -> Bool {
    guard let incident = open[id] else { return false }
    guard let names else { return true }
    return (trouble.key.check.map(names.checks.contains) ?? false) == incident.isShared(names)
  }

  /// Incidents in which an alert may fire. In a group those are several where two members opened one each while the store was
  /// away.
  func holders(of key: Trouble.Key) -> [UniqueID] {
    let own = places.incident(of: key)
    return places.incidents(of: key).filter { $0 == own || open[$0]?.member(key)?.isActive == true }
  }

  /// The alert as it fires in its incident; `nil` when it does not.
  func firing(_ key: Trouble.Key) -> Trouble? {
    guard let id = places.incident(of: key), let member = open[id]?.member(key), member.isActive else {
      return nil
    }
    return member.trouble
  }

  func firing(of check: UniqueID) -> [Trouble.Key] {
    places.keys(of: check).filter { firing($0) != nil }.sorted()
  }

  /// The store's version of an incident is this agent's from now on. Deliveries here since stay known.
  mutating func replace(_ incident: Incident) {
    var incident = incident
    if let known = self[incident.id] { incident.merge(known) }
    drop(incident.id)
    if incident.isOpen {
      ended.remove(incident.id)
      open[incident.id] = incident
      for member in incident.members {
        places.add(
          member.trouble, ancestors(member.trouble), to: incident.id, fires: member.isActive)
      }
    } else {
      ended.add(incident)
    }
  }

  /// Merges incidents that two members opened for the same alert while they were partitioned: the alert leaves the incident
  /// that was not notified for the one that was. An incident without alerts left ends without a notification.
  mutating func giveUpTwins(at now: ClockReading) {
    let unknown = open.values.filter { !$0.log.values.contains(where: \.mayBeKnown) }
    guard !unknown.isEmpty, unknown.count < open.count else { return }
    var known: [Trouble.Key: UniqueID] = [:]
    // Of two that have it, the older, whatever the order in memory.
    for incident in opened.reversed() where incident.isNotified && incident.isShared(names) {
      for member in incident.members where member.isActive { known[member.trouble.key] = incident.id }
    }
    for incident in unknown.sorted(by: { $0.id < $1.id }) where incident.isShared(names) {
      for member in incident.members where member.isActive {
        guard let other = known[member.trouble.key] else { continue }
        update(incident.id) { incident in
          incident.leave(member.trouble.key, at: now, .moved)
          if incident.activeCount == 0 { incident.log = [:] }
        }
        places.add(member.trouble, ancestors(member.trouble), to: other)
      }
    }
  }

  mutating func drop(_ id: UniqueID) {
    guard open[id] != nil else { return }
    open[id] = nil
    places.remove(id)
  }

  /// It is over.
  mutating func close(_ id: UniqueID, at now: ClockReading) {
    guard var incident = open[id] else { return }
    for member in incident.members where member.isActive {
      incident.leave(member.trouble.key, at: now, .recovered)
    }
    incident.end = incident.quietSince ?? now.wall
    drop(id)
    ended.add(incident)
  }

  /// It is over, and every channel knows.
  mutating func finish(_ id: UniqueID, at now: ClockReading) {
    close(id, at: now)
    update(id) { incident in
      for channel in incident.log.keys { incident.log[channel]?.heard.isOver = true }
    }
  }
}

extension Incident {
  func isFiring(_ check: UniqueID) -> Bool {
    members.contains { $0.isActive && $0.trouble.key.check == check }
  }
}
