// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// An alert book's state of its group: the alerts of the checks that it runs, the store's answers, and the incidents in
/// the store. A drawing of it all is in docs/groups.md.
package struct AlertShare: Sendable {
  /// Where the store had an incident.
  struct Mark: Hashable, Sendable {
    var world: UInt64
    var changed: Int64
    /// A channel had been notified by then.
    var isTold: Bool
  }

  struct Compared: Hashable, Sendable {
    var incident: Incident
    var changed: Int64
  }

  package internal(set) var writer: String
  var view = ShareView()
  /// Alerts of checks that this agent runs, by check.
  var own: [UniqueID: SharedAlerts] = [:]
  /// The entry of a check that this agent has taken over.
  var tenure: [UniqueID: Int64] = [:]
  var marks: [UniqueID: Mark] = [:]
  /// Since when alerts are in no entry, and an incident waits for the store.
  var missing: [UniqueID: Instant] = [:]
  var waiting: [UniqueID: Instant] = [:]
  /// Since when an incident is over in the store too, for every channel.
  var resting: [UniqueID: Instant] = [:]
  /// The revision of a store that was set back, or is another, until every member has read it.
  var copyRevision: Int64?
  /// Since when this member reads the store as it is.
  var worldSince: Instant?
  /// Since when the store is being read: a member whose name another one has stays outside for good.
  var outsideSince: Instant?
  /// Incidents as they were found to be what the store has, and the entry that they were compared with.
  var compared: [UniqueID: Compared] = [:]
  /// Deliveries here while another agent, or none, kept the log, until the store has them.
  var delivered: Set<UniqueID> = []

  init(writer: String) { self.writer = writer }

  /// People wait so long for a store that does not take an entry.
  static let patience: Duration = .seconds(10)
  /// An agent that takes over a check, or a store that was wiped, has so long to write its entries, and members have so long to
  /// get the same list of checks, one after the other.
  package static let settling: Duration = .seconds(60)
  /// Every member reads a store that was set back within this, and takes out what has ended since the copy.
  static let rereading: Duration = .seconds(25)
  /// Members have so long to read that an incident is over, before its entry goes.
  static let rest: Duration = .seconds(15)

  /// It was in this store, and is not any more: it is over, and every channel knows.
  func isDone(_ id: UniqueID) -> Bool {
    guard let mark = marks[id], view.entries[id] == nil else { return false }
    return mark.world == view.world && mark.changed <= view.revision
  }

  /// The store has to learn of it: a channel has, or may have, a notification that was sent without the store.
  func isOwed(_ incident: Incident) -> Bool {
    delivered.contains(incident.id)
      || marks[incident.id] == nil && incident.log.values.contains(where: \.isOwedEnd)
  }

  /// Notified of in a store that is no more, and still not in the one that is: the agent that notifies had time to write it,
  /// so it does not know of it, as one that was dead meanwhile.
  func isOrphan(_ incident: Incident, _ now: ClockReading) -> Bool {
    guard let mark = marks[incident.id], mark.world != view.world, view.entries[incident.id] == nil,
      let since = worldSince, since.duration(to: now.boot) >= AlertShare.settling / 2
    else { return false }
    return incident.log.values.contains(where: \.isOwedEnd)
  }

  /// The group's: a check that it shares, or shared until now.
  func isShared(_ check: UniqueID, _ names: IncidentNames?) -> Bool {
    names?.checks.contains(check) == true || own[check] != nil || view.entries[check] != nil
  }

  func isShared(_ incident: Incident, _ names: IncidentNames?) -> Bool {
    // Of a check that is in another member's list alone, its entry says so.
    incident.isShared(names) || marks[incident.id] != nil || view.entries[incident.id] != nil
      || incident.members.contains { $0.trouble.key.check.map { view.entries[$0] != nil } ?? false }
  }

  /// Whether the alerts of this check are from before the store was set back, and their member may not have read it yet.
  func isOfCopy(_ check: UniqueID) -> Bool {
    guard let copyRevision, own[check] == nil, let entry = view.entries[check] else { return false }
    return entry.changed <= copyRevision
  }

  /// Whether the entry of a check stays as it is: an agent with another list runs the check as well, and what fails here fails
  /// there, too. Both would write over each other's otherwise.
  func leaves(_ own: SharedAlerts, to there: SharedAlerts) -> Bool {
    view.apart.contains(ByteText(there.writer)) && own.firing.keys.allSatisfy { there.firing[$0] != nil }
  }

  func incident(_ id: UniqueID) -> SharedIncident? {
    if case .incident(let shared)? = view.entries[id]?.value { shared } else { nil }
  }

  func alerts(_ check: UniqueID) -> SharedAlerts? {
    if case .alerts(let alerts)? = view.entries[check]?.value { alerts } else { nil }
  }
}

extension AlertBook {
  package typealias Role = (UniqueID) -> ShareRole

  /// One event of the rules. An event of a shared check goes to the group first.
  mutating func take(_ event: TroubleEvent, _ now: ClockReading) {
    let key: Trouble.Key
    switch event {
    case .holds(let trouble): key = trouble.key
    case .ended(let ended, _, _, _): key = ended
    }
    guard let share, let check = key.check, share.isShared(check, incidents.names) else {
      return incidents.take(event, now: now)
    }
    var alerts = share.own[check] ?? SharedAlerts(by: share.writer)
    alerts.writer = share.writer
    switch event {
    case .holds(let trouble): (alerts.firing[key], alerts.ended[key]) = (trouble, nil)
    case .ended(_, let at, let end, let note):
      alerts.firing[key] = nil
      alerts.ended[key] = .init(at: at, end: end, note: note)
    }
    self.share?.own[check] = alerts
  }

  /// Goes on with the alerts of checks that are here now, as the group knows them.
  mutating func adopt(_ here: Set<UniqueID>, _ names: IncidentNames, _ now: ClockReading) {
    for incident in incidents.opened where incident.isShared(names) {
      for member in incident.members where member.isActive {
        guard let check = member.trouble.key.check, here.contains(check) else { continue }
        if !watch.hold(member.trouble) {
          take(.ended(member.trouble.key, at: now.wall, .ruleChanged), now)
        } else if share?.own[check]?.firing[member.trouble.key] == nil {
          unconfirmed.insert(check)
          take(.holds(member.trouble), now)
        }
      }
    }
  }

  /// Brings together what is known here and what the store has.
  package mutating func follow(_ view: ShareView, writer: String, now: ClockReading, role: Role) {
    if share == nil { share = AlertShare(writer: writer) }
    share?.writer = writer
    noteSetBack(view, now)
    share?.view = view
    let own = (share?.own ?? [:]).filter { role($0.key).isRunHere || role($0.key) == .unlisted }
    share?.own = own
    unconfirmed = unconfirmed.filter { own[$0] != nil || incidents.names?.checks.contains($0) != true }
    let wasOutside = isOutside(now)
    let outsideSince = view.touch == .settling ? share?.outsideSince ?? now.boot : nil
    share?.outsideSince = outsideSince
    switch view.touch {
    case .settling: if isOutside(now) { leaveToGroup(now, role) }
    case .away: judge(own.filter { role($0.key).isRunHere }, now)
    case .fresh:
      if wasOutside { dropUntold() }
      takeOver(now, role)
      readIncidents(now)
      readReports()
      if view.notifies {
        incidents.giveUpTwins(at: now)
        readAlerts(now, role)
      }
      acknowledgeEnds()
    }
  }

  /// A copy has alerts of before. Those of other members are true once they have read it.
  private mutating func noteSetBack(_ view: ShareView, _ now: ClockReading) {
    guard let before = share?.view, view.revision > 0 else { return }
    if before.revision > 0, view.world != before.world || view.revision < before.revision {
      share?.copyRevision = view.revision
      share?.worldSince = now.boot
    }
    let since = share?.worldSince ?? now.boot
    share?.worldSince = since
    if since.duration(to: now.boot) >= AlertShare.rereading { share?.copyRevision = nil }
  }

  /// Whether this member has been kept out of its group for longer than any read of the store takes: another agent has its
  /// name.
  func isOutside(_ now: ClockReading) -> Bool {
    share?.outsideSince.map { $0.duration(to: now.boot) >= AlertShare.settling * 2.0 } ?? false
  }

  /// Drops incidents from before this member was kept out that are not in the store and were not notified: the group has
  /// resolved them. An alert that still fires opens a new incident, not one under a resolved id.
  private mutating func dropUntold() {
    guard let share else { return }
    for incident in incidents.opened where share.isShared(incident, incidents.names) {
      guard share.incident(incident.id) == nil, !share.isOwed(incident) else { continue }
      forget(incident.id)
      incidents.drop(incident.id)
    }
  }

  /// Resolves incidents that this member notified of while it was alone, for checks that it no longer runs: the group reports
  /// them under another id.
  private mutating func leaveToGroup(_ now: ClockReading, _ role: Role) {
    guard let share else { return }
    // One that the store had is the group's under that id, and its end is the group's to tell.
    for incident in incidents.opened
    where share.isShared(incident, incidents.names) && share.marks[incident.id] == nil
      && share.isOwed(incident)
    {
      for member in incident.members where member.isActive {
        guard let check = member.trouble.key.check, !role(check).isRunHere else { continue }
        incidents.take(.ended(member.trouble.key, at: now.wall, .moved), now: now)
      }
    }
  }

  /// Checks that came to this agent: it goes on with what the one before it wrote, which may be itself, without its state.
  private mutating func takeOver(_ now: ClockReading, _ role: Role) {
    let writer = share?.writer ?? ""
    // In one order: which incident an alert joins depends on those before it.
    let entries = (share?.view.entries ?? [:]).filter { check, entry in
      share?.tenure[check] != entry.changed && role(check) == .owner
    }.sorted { $0.key < $1.key }
    for (check, entry) in entries {
      guard case .alerts(let alerts)? = entry.value else { continue }
      // Its writer runs the check, too.
      if share?.view.apart.contains(ByteText(alerts.writer)) == true { continue }
      share?.tenure[check] = entry.changed
      // An own word of before, as in a store that was set back, says less than a result of since.
      if alerts.writer == writer, watch.works(check) { continue }
      for (key, trouble) in alerts.firing.sorted(by: { $0.key < $1.key })
      where share?.own[check]?.firing[key] == nil {
        // It has ended here since, and the entry is older.
        if share?.own[check]?.ended[key] != nil { continue }
        if watch.hold(trouble) {
          unconfirmed.insert(check)
          take(.holds(trouble), now)
        } else {
          take(.ended(key, at: now.wall, .ruleChanged), now)
        }
      }
      for (key, ended) in alerts.ended where share?.own[check]?.firing[key] == nil {
        share?.own[check, default: SharedAlerts(by: writer)].ended[key] = ended
      }
    }
    let tenure = (share?.tenure ?? [:]).filter { role($0.key) == .owner }
    share?.tenure = tenure
  }

  /// The group's incidents, as the store has them.
  private mutating func readIncidents(_ now: ClockReading) {
    guard let share else { return }
    for (id, entry) in share.view.entries.sorted(by: { $0.key < $1.key }) {
      guard case .incident(let shared)? = entry.value else { continue }
      let mark = AlertShare.Mark(
        world: share.view.world, changed: entry.changed, isTold: shared.incident.isNotified)
      guard share.marks[id] != mark else { continue }
      self.share?.marks[id] = mark
      hasChanged = true
      if shared.writer == share.writer, incidents[id] != nil {
        // What it wrote itself it knows, but for what a crash took from the disk.
        guard var merged = incidents[id] else { continue }
        merged.merge(shared.incident)
        if merged != incidents[id] { incidents.replace(merged) }
      } else if let mine = incidents[id], mine.isEndHeard, !shared.incident.isEndHeard {
        // An outdated entry, from a member that was away or a store that was restored: the end is written into it.
        self.share?.delivered.insert(id)
      } else {
        incidents.replace(shared.incident)
      }
    }
    for (id, mark) in share.marks where share.isDone(id) {
      self.share?.marks[id] = nil
      forget(id)
      // It went before another member read it, and this member told of its begin alone: its end is told yet.
      if !mark.isTold, share.delivered.contains(id), incidents[id]?.isOpen == true {
        incidents.close(id, at: now)
      } else {
        self.share?.delivered.remove(id)
        incidents.finish(id, at: now)
      }
    }
    // Known here alone, and another agent notifies: an incident of the group stands in the store or is none.
    guard !share.view.notifies else { return }
    giveUpOther(share, now)
    for incident in incidents.opened where share.isShared(incident, incidents.names) {
      guard share.incident(incident.id) == nil, share.marks[incident.id] == nil,
        !share.isOwed(incident)
      else { continue }
      incidents.drop(incident.id)
    }
  }

  /// Gives up incidents of a store that is no more: the agent that notifies has had time to write those that go on.
  private mutating func giveUpOther(_ share: AlertShare, _ now: ClockReading) {
    guard let since = share.worldSince, since.duration(to: now.boot) >= AlertShare.settling else { return }
    for (id, mark) in share.marks {
      guard mark.world != share.view.world, share.view.entries[id] == nil, !share.delivered.contains(id),
        !(incidents[id].map { share.isOrphan($0, now) } ?? false)
      else { continue }
      self.share?.marks[id] = nil
      if incidents[id]?.isOpen == true { incidents.drop(id) } else { incidents.finish(id, at: now) }
    }
  }

  /// It was over before this agent knew: what it took for firing begins again, if it does.
  private mutating func forget(_ id: UniqueID) {
    for member in incidents[id]?.members ?? [] where member.isActive {
      guard let check = member.trouble.key.check else { continue }
      watch.release([member.trouble.key])
      share?.own[check]?.firing[member.trouble.key] = nil
      if share?.own[check]?.isEmpty == true { share?.own[check] = nil }
    }
  }

  /// The group's alerts, as the agents that run the checks wrote them.
  private mutating func readAlerts(_ now: ClockReading, _ role: Role) {
    guard let share else { return }
    var known: [UniqueID: SharedAlerts] = [:]
    var missing: [UniqueID: Instant] = [:]
    for (id, entry) in share.view.entries {
      guard case .alerts(var alerts)? = entry.value else { continue }
      // In no list: what the agent that ran it wrote is not true any more, once all have the same list.
      if role(id) == .unlisted, !alerts.firing.isEmpty, !share.view.apart.contains(ByteText(alerts.writer)) {
        let since = share.missing[id] ?? now.boot
        missing[id] = since
        if since.duration(to: now.boot) >= AlertShare.settling * 2.0 {
          for key in alerts.firing.keys { alerts.ended[key] = .init(at: now.wall, end: .removed, note: nil) }
          alerts.firing = [:]
        }
      }
      known[id] = alerts
    }
    // What it found itself is true before the store has it.
    for (check, mine) in share.own where role(check) == .owner {
      for (key, ended) in mine.ended where known[check]?.firing[key] != nil {
        known[check]?.firing[key] = nil
        known[check]?.ended[key] = ended
      }
    }
    judge(known, now)
    for incident in incidents.opened where share.isShared(incident, incidents.names) {
      for check in incident.checks where known[check] == nil && incident.isFiring(check) {
        if share.view.entries[check] != nil { continue }
        let since = share.missing[check] ?? now.boot
        missing[check] = since
        guard since.duration(to: now.boot) >= AlertShare.settling else { continue }
        // A watch that died without a word tells of no entry: the store itself must have said so.
        if let readAt = share.view.readAt, readAt < since + AlertShare.settling / 2 { continue }
        // No agent reports it any more: it is in no list, or its entry is lost and the check fires no more.
        let end: TroubleEnd = role(check) == .unlisted ? .removed : .recovered
        for member in incident.members where member.isActive && member.trouble.key.check == check {
          incidents.take(.ended(member.trouble.key, at: now.wall, end), now: now)
        }
      }
    }
    self.share?.missing = missing
  }

  /// Makes incidents of alerts: what fires joins or opens one, what fires no more leaves its own.
  private mutating func judge(_ alerts: [UniqueID: SharedAlerts], _ now: ClockReading) {
    for (check, alerts) in alerts.sorted(by: { $0.key < $1.key }) {
      for (key, trouble) in alerts.firing.sorted(by: { $0.key < $1.key }) {
        if incidents.firing(key) != trouble { incidents.take(.holds(trouble), now: now) }
      }
      for key in incidents.firing(of: check) where alerts.firing[key] == nil {
        let ended = alerts.ended[key] ?? .init(at: now.wall, end: .recovered, note: nil)
        incidents.take(.ended(key, at: ended.at, ended.end, note: ended.note), now: now)
      }
    }
  }

  /// Ends that the incidents say, or that no incident waits for, need not be kept any longer.
  private mutating func acknowledgeEnds() {
    guard let share else { return }
    for (check, alerts) in share.own where !alerts.ended.isEmpty {
      // What the store has not got yet is not known to the agent that notifies.
      guard share.alerts(check)?.says(alerts) == true || share.view.entries[check] == nil else { continue }
      let waits = alerts.ended.filter { incidents.firing($0.key) != nil }
      self.share?.own[check]?.ended = waits
      if waits.isEmpty, alerts.firing.isEmpty { self.share?.own[check] = nil }
    }
  }
}
