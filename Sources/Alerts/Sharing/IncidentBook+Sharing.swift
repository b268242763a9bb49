// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Incidents that other agents of the group found, or have by now.
extension IncidentBook {
  /// What the group shares, and what it does not, are never one incident: they may go different ways.
  func canJoin(_ trouble: Trouble, _ id: UniqueID) -> Bool {
    guard let incident = open[id], !incident.isClosing else { return false }
    guard let names else { return true }
    return isShared(trouble, names) == (incident.members.first.map { isShared($0.trouble, names) } ?? true)
  }

  private func isShared(_ trouble: Trouble, _ names: IncidentNames) -> Bool {
    trouble.key.check.map(names.checks.contains) ?? false
  }

  /// The members of this check are what the store says, in this incident and in no other one.
  mutating func put(_ part: Incident, of check: UniqueID, now: Timestamp) {
    let id = part.id
    if open[id] == nil {
      if let place = over.firstIndex(where: { $0.id == id }) {
        // It is wrong again, or was never over.
        var back = over.remove(at: place)
        (back.end, back.isClosedElsewhere) = (nil, false)
        open[id] = back
        for member in back.members { places.add(member.trouble, [], to: id) }
      } else {
        var fresh = Incident(id: id, subject: part.subject, begin: part.begin, opened: part.opened)
        (fresh.acknowledged, fresh.told) = (part.acknowledged, part.told)
        open[id] = fresh
      }
    }
    for member in part.members { leaveOther(member.trouble.key, but: id, at: now) }
    guard var incident = open[id] else { return }
    incident.replace(check, by: part.members, at: now)
    open[id] = incident
    for member in part.members {
      places.add(member.trouble, ancestors(member.trouble), to: id)
    }
  }

  /// A trouble that is this incident's from now on: the one that it was in goes without a word, unless people were told of
  /// it.
  private mutating func leaveOther(_ key: Trouble.Key, but id: UniqueID, at now: Timestamp) {
    guard let other = places.incident(of: key), other != id, var incident = open[other] else { return }
    places.remove(key)
    if incident.told.isEmpty {
      incident.remove([key], at: now)
      open[other] = incident
      dropIfEmpty(other)
    } else {
      incident.leave(key, at: now, .moved)
      open[other] = incident
    }
  }

  /// One that was over when it came.
  mutating func putOver(_ part: Incident, of check: UniqueID, now: Timestamp) {
    if open[part.id] != nil { return }
    guard let place = over.firstIndex(where: { $0.id == part.id }) else { return over.append(part) }
    if over[place].member(part.members.first?.trouble.key) == nil {
      over[place].replace(check, by: part.members, at: now)
    }
  }

  /// The check's troubles are no business of this incident any more.
  ///
  /// - Returns: those that held.
  mutating func detach(_ check: UniqueID, from id: UniqueID, at now: Timestamp) -> [Trouble.Key] {
    guard var incident = open[id] else { return [] }
    let own = incident.members.filter { $0.trouble.key.check == check }
    incident.remove(Set(own.map(\.trouble.key)), at: now)
    incident.kept[check] = nil
    open[id] = incident
    for member in own where places.incident(of: member.trouble.key) == id {
      places.remove(member.trouble.key)
    }
    dropIfEmpty(id)
    return own.filter(\.isActive).map(\.trouble.key)
  }

  private mutating func dropIfEmpty(_ id: UniqueID) {
    guard open[id]?.members.isEmpty == true else { return }
    open[id] = nil
    places.remove(id)
  }

  /// It is over in the store, and nothing of it is wrong here.
  mutating func end(_ id: UniqueID, at end: Timestamp) {
    guard var incident = open[id], incident.activeCount == 0 else { return }
    incident.end = end
    open[id] = nil
    places.remove(id)
    over.append(incident)
  }

  /// Somebody else has told that it is over.
  mutating func close(_ id: UniqueID, at now: Timestamp) {
    if var incident = open[id] {
      for member in incident.members where member.isActive {
        incident.leave(member.trouble.key, at: now, .recovered)
      }
      incident.close(at: now)
      open[id] = nil
      places.remove(id)
      over.append(incident)
    } else if let place = over.firstIndex(where: { $0.id == id }) {
      over[place].close(at: now)
    }
  }

  /// Changes one, open or over.
  mutating func update(_ id: UniqueID, _ body: (inout Incident) -> Void) {
    if open[id] != nil {
      if var incident = open[id] {
        body(&incident)
        open[id] = incident
      }
    } else if let place = over.firstIndex(where: { $0.id == id }) {
      body(&over[place])
    }
  }

  subscript(id: UniqueID) -> Incident? { open[id] ?? over.first { $0.id == id } }
}

extension Incident {
  package func member(_ key: Trouble.Key?) -> Member? { key.flatMap { member($0) } }

  /// Checks of its members, each once.
  package var checks: Set<UniqueID> { Set(members.compactMap(\.trouble.key.check)) }

  mutating func remove(_ keys: Set<Trouble.Key>, at now: Timestamp) {
    restore(members.filter { !keys.contains($0.trouble.key) })
    settle(at: now)
  }

  mutating func replace(_ check: UniqueID, by fresh: [Member], at now: Timestamp) {
    // In their places, so that the order in which they joined stays.
    var rest = fresh
    var next: [Member] = []
    for member in members {
      guard member.trouble.key.check == check else {
        next.append(member)
        continue
      }
      if let place = rest.firstIndex(where: { $0.trouble.key == member.trouble.key }) {
        next.append(rest.remove(at: place))
      }
    }
    restore(next + rest)
    settle(at: now)
  }

  private mutating func settle(at now: Timestamp) {
    if activeCount > 0 {
      quietSince = nil
    } else {
      quietSince = quietSince ?? members.compactMap(\.left).max() ?? now
    }
  }

  fileprivate mutating func close(at now: Timestamp) {
    end = end ?? quietSince ?? now
    isClosedElsewhere = true
    kept = [:]
    for channel in told.keys { told[channel]?.isOver = true }
  }

  /// What each channel was told, by all that is known.
  mutating func hear(_ other: [String: Told]) {  // own text: channels
    for (channel, entry) in other {
      guard let known = told[channel] else {
        told[channel] = entry
        continue
      }
      var newer = known.last >= entry.last ? known : entry
      newer.first = min(known.first, entry.first)
      newer.severity = max(known.severity, entry.severity)
      newer.level = max(known.level, entry.level)
      newer.isOver = known.isOver || entry.isOver
      told[channel] = newer
    }
  }
}
