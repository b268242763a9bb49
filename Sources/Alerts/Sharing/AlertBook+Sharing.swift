// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What an alert book remembers of the group's store.
struct ShareLedger: Sendable {
  /// This agent.
  var writer = ""
  /// The newest view.
  var view = ShareView()
  /// By incident, which of the entries are its own.
  var entries: [UniqueID: [UniqueID]] = [:]
  /// Checks of this agent: the entry that it has taken over, or written; 0: there was none.
  var tenure: [UniqueID: Int64] = [:]
  /// Checks of others: the entry that is known.
  var known: [UniqueID: Int64] = [:]
  /// Since when nobody has a check's troubles.
  var stray: [UniqueID: Timestamp] = [:]
  /// When an entry of somebody else's was last written over.
  var rewritten: [UniqueID: Timestamp] = [:]
  /// What receivers took of this agent, by incident, until the store has it.
  var delivered: [UniqueID: [String: Told]] = [:]  // own text: channels
  /// Since when an incident waits for the store.
  var waiting: [UniqueID: Timestamp] = [:]

  /// People wait so long for a store that does not take an entry.
  static let patience: Duration = .seconds(10)
  /// Whose check it is may not be known everywhere yet.
  static let settling: Duration = .seconds(60)
  /// A check that is in no list: one agent reads its file before the other.
  static let removal: Duration = .seconds(120)
  /// After so long without the store the checks of others hold up no recovery.
  static let longest: Duration = .seconds(600)
}

// The troubles of the group's checks, as they come and go between the agents.
extension AlertBook {
  package typealias Role = (UniqueID) -> ShareRole

  /// Goes on with what is wrong with checks that are here now.
  mutating func adopt(_ here: Set<UniqueID>, _ names: IncidentNames, _ now: Timestamp) {
    for (check, changed) in sharing.known where here.contains(check) {
      guard let entry = sharing.view.entries[check], entry.changed == changed else { continue }
      sharing.tenure[check] = entry.created
    }
    for incident in incidents.opened {
      for member in incident.members where member.isActive {
        guard let check = member.trouble.key.check, names.checks.contains(check), here.contains(check)
        else { continue }
        if !watch.hold(member.trouble) {
          take([.ended(member.trouble.key, at: now, .removed)], now)
        }
      }
    }
  }

  /// Brings together what is known here and what the group's store has: the store is right about the checks of others, this
  /// agent about its own from the moment on in which it has taken them over.
  package mutating func follow(_ view: ShareView, now: Timestamp, role: Role) {
    let isNew = view.version != sharing.view.version || view.touch != sharing.view.touch
    sharing.view = view
    switch view.touch {
    case .settling: break
    case .away(let span):
      sharing.tenure = [:]
      if span > ShareLedger.longest { forsake(now, role) }
    case .fresh:
      if isNew {
        read(now, role)
        hear(role)
      }
      compare(now, role)
    }
  }

  private mutating func read(_ now: Timestamp, _ role: Role) {
    var entries: [UniqueID: [UniqueID]] = [:]
    for (check, entry) in sharing.view.entries {
      if let id = entry.part?.incident.id { entries[id, default: []].append(check) }
    }
    // The one that came first is the first.
    let all = sharing.view.entries
    sharing.entries = entries.mapValues { checks in
      checks.sorted { (all[$0]?.created ?? 0, $0) < (all[$1]?.created ?? 0, $1) }
    }
    sharing.known = sharing.known.filter { all[$0.key] != nil }
    for (check, entry) in all.sorted(by: { ($0.value.created, $0.key) < ($1.value.created, $1.key) }) {
      guard let part = entry.part else { continue }
      switch role(check) {
      case .own: continue
      case .owner: readOwn(check, entry, part.incident, now)
      case .assistant, .elsewhere, .unlisted:
        sharing.tenure[check] = nil
        guard sharing.known[check] != entry.changed else { continue }
        sharing.known[check] = entry.changed
        take(part.incident, of: check, now)
      }
      let mark = KeptMark(world: sharing.view.world, created: entry.created)
      let isClosing = part.incident.end != nil
      guard let known = incidents[part.incident.id], !known.isClosedElsewhere,
        known.kept[check] != mark || isClosing && !known.isClosing
      else { continue }
      // On the disk, too: who starts after the end would take it for one that the store never had.
      isDirty = true
      incidents.update(part.incident.id) { incident in
        incident.kept[check] = mark
        if isClosing { incident.isClosing = true }
      }
    }
    for (id, checks) in sharing.entries {
      let ends = checks.compactMap { all[$0]?.part?.incident.end }
      if ends.count == checks.count, let end = ends.max() { incidents.end(id, at: end) }
    }
  }

  private mutating func take(_ said: Incident, of check: UniqueID, _ now: Timestamp) {
    isDirty = true
    var part = said
    if let end = part.end {
      // Who joined it while its end was written goes on with another one.
      for member in part.members where member.isActive { part.leave(member.trouble.key, at: end, .recovered) }
    } else if incidents.over.contains(where: { $0.id == part.id && $0.isClosing }) {
      return
    }
    if part.end != nil, incidents.open[part.id] == nil {
      incidents.putOver(part, of: check, now: now)
    } else if incidents.over.contains(where: { $0.id == part.id }), part.activeCount == 0 {
      return
    } else {
      incidents.put(part, of: check, now: now)
    }
  }

  /// A check that is this agent's: once, when it comes or its entry does.
  private mutating func readOwn(
    _ check: UniqueID, _ entry: ShareEntry, _ part: Incident, _ now: Timestamp
  ) {
    sharing.known[check] = nil
    guard sharing.tenure[check] != entry.created else { return }
    sharing.tenure[check] = entry.created
    let own = incidents.open[part.id]?.checks.contains(check) ?? false
    // What this agent wrote itself it knows better by now.
    if own, entry.part?.writer == sharing.writer { return }
    // It was over here, and the store has not heard of it.
    if incidents.over.contains(where: { $0.id == part.id }) { return }
    take(part, of: check, now)
    guard part.end == nil else { return }
    for member in part.members where member.isActive {
      if !watch.hold(member.trouble) { take([.ended(member.trouble.key, at: now, .removed)], now) }
    }
    watch.release(part.members.filter { !$0.isActive }.map(\.trouble.key))
  }

  /// What receivers were told, and who knows of it.
  private mutating func hear(_ role: Role) {
    for (id, checks) in sharing.entries {
      var told: [String: Told] = [:]  // own text: channels
      var all = Incident(id: id, subject: .availability, begin: .epoch, opened: .epoch)
      var acknowledged: Incident.Acknowledgement?
      for check in checks {
        guard let part = sharing.view.entries[check]?.part?.incident else { continue }
        all.hear(part.told)
        acknowledged = acknowledged ?? part.acknowledged
      }
      told = all.told
      let speaks = speaker(of: id, role)
      guard let incident = incidents[id] else { continue }
      var fresh = incident
      // Who speaks has said what is on its way, too.
      if speaks { fresh.hear(told) } else { fresh.told = told }
      fresh.hear(sharing.delivered[id] ?? [:])
      fresh.acknowledged = fresh.acknowledged ?? acknowledged
      guard fresh.told != incident.told || fresh.acknowledged != incident.acknowledged else { continue }
      isDirty = true
      incidents.update(id) { ($0.told, $0.acknowledged) = (fresh.told, fresh.acknowledged) }
    }
  }

  /// What is known here against what there is.
  private mutating func compare(_ now: Timestamp, _ role: Role) {
    guard let names = incidents.names else { return }
    var strays: Set<UniqueID> = []
    for incident in incidents.opened {
      let checks = incident.checks.filter { names.checks.contains($0) || incident.kept[$0] != nil }
      guard !checks.isEmpty else { continue }
      if isFinishedElsewhere(incident) {
        finish(incident, now, role)
        continue
      }
      for check in checks.sorted() { compare(incident, check, role(check), &strays, now) }
    }
    for incident in incidents.over
    where !incident.isClosedElsewhere && (isFinishedElsewhere(incident) || isForgotten(incident, now, role)) {
      isDirty = true
      incidents.close(incident.id, at: now)
    }
    sharing.stray = sharing.stray.filter { strays.contains($0.key) }
  }

  /// The store has lost it, and who has its check by now has long told the end.
  private func isForgotten(_ incident: Incident, _ now: Timestamp, _ role: Role) -> Bool {
    guard sharing.entries[incident.id] == nil, let end = incident.end,
      end.duration(to: now) >= ShareLedger.settling
    else { return false }
    return !incident.kept.isEmpty && !endsUnkept(incident, incident.checks, role)
  }

  /// It was in this store, and is not any more.
  private func isFinishedElsewhere(_ incident: Incident) -> Bool {
    !incident.kept.isEmpty && sharing.entries[incident.id] == nil
      && !incident.kept.keys.contains(where: isGarbled)
      && incident.kept.values.contains {
        $0.world == sharing.view.world && $0.created <= sharing.view.revision
      }
  }

  /// What stands there is no entry, and says nothing.
  private func isGarbled(_ check: UniqueID) -> Bool {
    sharing.view.entries[check].map { $0.part == nil } ?? false
  }

  /// Somebody else has told that it is over. What is wrong all the same begins anew.
  private mutating func finish(_ incident: Incident, _ now: Timestamp, _ role: Role) {
    isDirty = true
    for check in incident.checks.sorted() where role(check) == .owner && incident.isWrong(check) {
      watch.release(incidents.detach(check, from: incident.id, at: now))
      sharing.tenure[check] = nil
    }
    incidents.close(incident.id, at: now)
  }

  private mutating func compare(
    _ incident: Incident, _ check: UniqueID, _ role: ShareRole, _ strays: inout Set<UniqueID>,
    _ now: Timestamp
  ) {
    if isGarbled(check) { return }
    let entry = sharing.view.entries[check]
    let isThere = entry?.part?.incident.id == incident.id
    if role == .owner {
      compareOwn(incident, check, isThere, now)
    } else if isThere {
      guard role == .unlisted, sharing.view.cleans, isOld(check, ShareLedger.removal, &strays, now) else {
        return
      }
      for member in incident.members where member.trouble.key.check == check && member.isActive {
        take([.ended(member.trouble.key, at: now, .removed)], now)
      }
    } else if role != .assistant, incident.isWrong(check) {
      // It may be on its way into the store.
      guard isOld(check, ShareLedger.settling, &strays, now) || entry?.part != nil else { return }
      isDirty = true
      if incident.told.isEmpty || incident.kept[check] != nil {
        _ = incidents.detach(check, from: incident.id, at: now)
      } else {
        for member in incident.members where member.trouble.key.check == check && member.isActive {
          take([.ended(member.trouble.key, at: now, .moved)], now)
        }
      }
    }
  }

  private mutating func isOld(
    _ check: UniqueID, _ span: Duration, _ strays: inout Set<UniqueID>, _ now: Timestamp
  ) -> Bool {
    strays.insert(check)
    let since = sharing.stray[check] ?? now
    sharing.stray[check] = min(since, now)
    return since.duration(to: now) >= span
  }

  private mutating func compareOwn(
    _ incident: Incident, _ check: UniqueID, _ isThere: Bool, _ now: Timestamp
  ) {
    if isThere {
      // Its end stands there, and something is wrong: that is another incident.
      guard incident.isClosing, incident.isWrong(check) else { return }
      isDirty = true
      watch.release(incidents.detach(check, from: incident.id, at: now))
      return
    }
    guard let mark = incident.kept[check] else { return }
    isDirty = true
    if mark.world != sharing.view.world || mark.created > sharing.view.revision {
      // The store was wiped: it is put there again.
      incidents.update(incident.id) { $0.kept[check] = nil }
      sharing.tenure[check] = nil
    } else {
      watch.release(incidents.detach(check, from: incident.id, at: now))
      sharing.tenure[check] = nil
    }
  }

  /// Without the store for long: what others know of their checks is not to be had.
  private mutating func forsake(_ now: Timestamp, _ role: Role) {
    guard let names = incidents.names else { return }
    for incident in incidents.opened {
      let isOver = !incident.members.contains { member in
        member.isActive && member.trouble.key.check.map { role($0).isRunHere } ?? true
      }
      guard isOver, incident.checks.contains(where: { role($0).isRunHere }) else { continue }
      for member in incident.members where member.isActive {
        guard let check = member.trouble.key.check, names.checks.contains(check) else { continue }
        take([.ended(member.trouble.key, at: now, .recovered)], now)
      }
    }
  }
}

extension Incident {
  func isWrong(_ check: UniqueID) -> Bool {
    members.contains { $0.isActive && $0.trouble.key.check == check }
  }
}
