// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Who tells people, and what goes into the group's store.
extension AlertBook {
  /// Whether this agent is the one that tells people of an incident, and may by now: its begin and its end are in the store
  /// before anybody is told, unless the store does not take them.
  package mutating func speaks(_ incident: Incident, now: Timestamp, role: Role) -> Bool {
    guard let names = incidents.names else { return true }
    if incident.isClosedElsewhere { return false }
    let checks = incident.checks.filter { names.checks.contains($0) || incident.kept[$0] != nil }
    guard !checks.isEmpty else { return true }
    switch sharing.view.touch {
    case .settling: return false
    // Told twice is better than not at all.
    case .away: return checks.contains { role($0).isRunHere }
    case .fresh: break
    }
    guard let entries = sharing.entries[incident.id] else { return speaksUnkept(incident, checks, now, role) }
    guard speaker(of: incident.id, role) else { return false }
    let isEnded = entries.allSatisfy { sharing.view.entries[$0]?.part?.incident.end != nil }
    // What joins it while its end is written is told with another one.
    if incident.isOpen ? !incident.isClosing : isEnded {
      sharing.waiting[incident.id] = nil
      return true
    }
    return hasWaited(incident.id, now)
  }

  private mutating func speaksUnkept(
    _ incident: Incident, _ checks: Set<UniqueID>, _ now: Timestamp, _ role: Role
  ) -> Bool {
    if !incident.isOpen { return endsUnkept(incident, checks, role) }
    guard checks.contains(where: { role($0) == .owner }) else { return !incident.told.isEmpty }
    return hasWaited(incident.id, now)
  }

  /// It is done with, was never there and nobody else knows of it, or the store has lost it: then all know of it, and one
  /// tells.
  func endsUnkept(_ incident: Incident, _ checks: Set<UniqueID>, _ role: Role) -> Bool {
    if incident.kept.isEmpty { return true }
    guard let first = checks.sorted().first(where: { role($0) != .unlisted }) else {
      return sharing.view.cleans
    }
    return role(first) == .owner
  }

  private mutating func hasWaited(_ id: UniqueID, _ now: Timestamp) -> Bool {
    let since = min(sharing.waiting[id] ?? now, now)
    sharing.waiting[id] = since
    return since.duration(to: now) >= ShareLedger.patience
  }

  /// The agent that has the check whose entry came first; where nobody has any of them, the one that cleans.
  func speaker(of id: UniqueID, _ role: Role) -> Bool {
    guard let first = sharing.entries[id]?.first(where: { role($0) != .unlisted }) else {
      return sharing.view.cleans
    }
    return role(first) == .owner
  }

  /// What is to be done with a message that waits.
  package enum Turn: Hashable, Sendable {
    case send
    case wait
    /// Another agent tells it, or has.
    case drop
  }

  package mutating func turn(
    of message: AlertMessage, to channel: String, now: Timestamp, role: Role
  ) -> Turn {
    guard incidents.names != nil, message.kind != .digest, message.kind != .test,
      let incident = incidents[message.incident]
    else { return .send }
    if hasBeenTold(message, channel) { return .drop }
    if incident.isClosedElsewhere { return .drop }
    if speaks(incident, now: now, role: role) { return .send }
    switch sharing.view.touch {
    case .settling: return .wait
    // Its checks are not run here: that is for whoever runs them.
    case .away: return .drop
    case .fresh: break
    }
    return sharing.entries[incident.id] == nil || speaker(of: incident.id, role) ? .wait : .drop
  }

  /// By what the store knows of what receivers have.
  private func hasBeenTold(_ message: AlertMessage, _ channel: String) -> Bool {
    guard sharing.view.touch == .fresh else { return false }
    return (sharing.entries[message.incident] ?? []).contains { check in
      guard let told = sharing.view.entries[check]?.part?.incident.told[channel] else { return false }
      switch message.kind {
      case .opened: return true
      case .update: return told.last >= message.at
      case .recovered: return told.isOver
      case .digest, .test: return false
      }
    }
  }

  /// A receiver has it. The store is to know, also where the check has another agent meanwhile.
  package mutating func delivered(_ message: AlertMessage, to channel: String) {
    guard incidents.names != nil, message.kind != .digest, message.kind != .test,
      var told = incidents[message.incident]?.told[channel]
    else { return }
    told.isOver = message.kind == .recovered
    sharing.delivered[message.incident, default: [:]][channel] = told
  }

  /// What was delivered here and the store does not know, of incidents that another agent speaks for by now.
  private mutating func notes(_ writer: String, _ role: Role) -> [ShareWrite] {
    var writes: [ShareWrite] = []
    for (id, mine) in sharing.delivered.sorted(by: { $0.key < $1.key }) {
      guard let first = parts(of: id).first else { continue }
      var part = first.part
      part.incident.hear(mine)
      if part.incident.told == first.part.incident.told {
        sharing.delivered[id] = nil
      } else if !speaker(of: id, role) {
        part.writer = writer
        writes.append(ShareWrite([.init(first.check, part, replacing: first.changed)]))
      }
    }
    return writes
  }

  /// What the store should be told now.
  ///
  /// - Parameters:
  ///   - writer: this agent.
  ///   - isWaiting: a channel has not got yet what it was to be told of an incident.
  package mutating func writes(
    by writer: String, now: Timestamp, role: Role, isWaiting: (UniqueID, String) -> Bool
  ) -> [ShareWrite] {
    sharing.writer = writer
    guard sharing.view.touch == .fresh, let names = incidents.names else { return [] }
    let living = Set(incidents.open.keys).union(incidents.over.map(\.id))
    sharing.waiting = sharing.waiting.filter { living.contains($0.key) }
    sharing.delivered = sharing.delivered.filter { living.contains($0.key) }
    var writes = notes(writer, role)
    for incident in incidents.opened {
      let told = told(incident, isWaiting, role)
      for check in incident.checks.sorted() where names.checks.contains(check) && role(check) == .owner {
        if let write = write(incident, check, told, writer, now) { writes.append(write) }
      }
      if let write = acknowledge(incident, writer, role) { writes.append(write) }
      if incident.isClosing { writes += close(incident, writer, role) }
    }
    for incident in incidents.over where sharing.entries[incident.id] != nil {
      guard speaker(of: incident.id, role) else { continue }
      writes += end(incident, told(incident, isWaiting, role), writer, role, isWaiting, now)
    }
    return writes
  }

  /// What receivers have: not what waits for them still.
  private func told(
    _ incident: Incident, _ isWaiting: (UniqueID, String) -> Bool, _ role: Role
  ) -> [String: Told] {  // own text: channels
    guard sharing.entries[incident.id] == nil || speaker(of: incident.id, role) else { return [:] }
    var told = incident.told
    for channel in incident.told.keys where isWaiting(incident.id, channel) {
      told[channel] =
        (sharing.entries[incident.id] ?? []).lazy
        .compactMap { self.sharing.view.entries[$0]?.part?.incident.told[channel] }.first
    }
    return told
  }

  private mutating func write(
    _ incident: Incident, _ check: UniqueID, _ told: [String: Told],  // own text: channels
    _ writer: String, _ now: Timestamp
  ) -> ShareWrite? {
    let entry = sharing.view.entries[check]
    // Of one that is not there yet, or not any more, each says it.
    let isFirst = sharing.entries[incident.id].map { $0.first == check } ?? true
    let old = entry?.part?.incident.id == incident.id ? entry?.part : nil
    let part = SharedPart(incident, of: check, told: isFirst ? told : old?.incident.told ?? [:], by: writer)
    guard !part.incident.members.isEmpty else { return nil }
    guard let entry, let there = entry.part else {
      return ShareWrite([.init(check, part, replacing: entry?.changed ?? 0)])
    }
    guard there.incident.id == incident.id else {
      // Its end is to be told first, by whoever tells it; what was closed while it came is nobody's.
      let isOrphan = there.incident.end == nil && (incidents[there.incident.id]?.isClosing ?? true)
      return isOrphan ? ShareWrite([.init(check, part, replacing: entry.changed)]) : nil
    }
    guard there.incident.end == nil, !there.says(part, of: check) else { return nil }
    if there.writer != writer {
      // Two that both believe it theirs do not write against one another without an end.
      if let last = sharing.rewritten[check], last <= now, last.duration(to: now) < .seconds(30) {
        return nil
      }
      sharing.rewritten[check] = now
    }
    return ShareWrite([.init(check, part, replacing: entry.changed)])
  }

  /// Somebody said here that they know, of an incident of others.
  private func acknowledge(_ incident: Incident, _ writer: String, _ role: Role) -> ShareWrite? {
    guard let known = incident.acknowledged, let checks = sharing.entries[incident.id],
      !speaker(of: incident.id, role),
      let first = checks.first, let entry = sharing.view.entries[first], var part = entry.part,
      part.incident.acknowledged == nil, part.incident.end == nil
    else { return nil }
    part.incident.acknowledged = known
    part.writer = writer
    return ShareWrite([.init(first, part, replacing: entry.changed)])
  }

  /// Its end was written while somebody joined it: it ends for that one, too.
  private func close(_ incident: Incident, _ writer: String, _ role: Role) -> [ShareWrite] {
    let entries = parts(of: incident.id)
    guard speaker(of: incident.id, role), let end = entries.compactMap(\.part.incident.end).max() else {
      return []
    }
    return groups(
      entries.filter { $0.part.incident.end == nil }.map { check, part, changed in
        var closed = part
        (closed.incident.end, closed.writer) = (end, writer)
        return .init(check, closed, replacing: changed)
      })
  }

  private func parts(of id: UniqueID) -> [(check: UniqueID, part: SharedPart, changed: Int64)] {
    (sharing.entries[id] ?? []).compactMap { check in
      sharing.view.entries[check].flatMap { entry in entry.part.map { (check, $0, entry.changed) } }
    }
  }

  /// First its end, then, when that was told, nothing of it any more.
  private mutating func end(
    _ incident: Incident, _ told: [String: Told], _ writer: String,  // own text: channels
    _ role: Role, _ isWaiting: (UniqueID, String) -> Bool, _ now: Timestamp
  ) -> [ShareWrite] {
    let entries = parts(of: incident.id)
    if entries.contains(where: { $0.part.incident.end == nil }) {
      return groups(
        entries.map { check, part, changed in
          var closed = part
          if role(check) == .owner {
            closed = SharedPart(incident, of: check, told: part.incident.told, by: writer)
          }
          closed.incident.end = incident.end
          closed.incident.isClosing = false
          return .init(check, closed, replacing: changed)
        })
    }
    if isDone(incident, isWaiting, now) {
      incidents.update(incident.id) { $0.kept = [:] }
      return groups(entries.map { .init($0.check, nil, replacing: $0.changed) })
    }
    guard let (check, part, changed) = entries.first, part.incident.told != told else { return [] }
    var fresh = part
    (fresh.incident.told, fresh.writer) = (told, writer)
    return [ShareWrite([.init(check, fresh, replacing: changed)])]
  }

  private func groups(_ changes: [ShareWrite.Change]) -> [ShareWrite] {
    stride(from: 0, to: changes.count, by: ShareWrite.most).map {
      ShareWrite(Array(changes[$0..<min($0 + ShareWrite.most, changes.count)]))
    }
  }

  /// Whoever was to hear that it is over has. What waits for a digest waits in the store for a day.
  private func isDone(_ incident: Incident, _ isWaiting: (UniqueID, String) -> Bool, _ now: Timestamp) -> Bool
  {
    let channels = settings.channels.map(\.name)
    guard incident.isTold, !channels.contains(where: { isWaiting(incident.id, $0) }) else { return false }
    if channels.allSatisfy({ incident.told[$0] != nil }) { return true }
    guard let end = incident.end else { return false }
    let isBlink = incident.opened.duration(to: end) < .seconds(60) && incident.severity > .low
    return isBlink || !incident.told.isEmpty || end.duration(to: now) > .seconds(26 * 3600)
  }
}
