// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Who notifies, and what goes into the group's store.
extension AlertBook {
  /// The context with what the group says of each incident.
  func grouped(_ context: NotifyContext) -> NotifyContext {
    guard let share, let names = incidents.names else { return context }
    var context = context
    let now = context.now
    let (isOutside, unconfirmed) = (isOutside(now), unconfirmed)
    context.heldByGroup = { incident in
      guard share.isShared(incident, names) else { return nil }
      switch share.view.touch {
      case .settling:
        // It told of the begin while it was alone, and no other member knows of it.
        return isOutside && !incident.isOpen && share.isOwed(incident)
          ? nil : "the group's store is being read"
      // Twice is better than not at all.
      case .away:
        if share.delivered.contains(incident.id) { return nil }
        let own = incident.checks.filter { share.own[$0] != nil }
        if own.isEmpty { return "its checks are run by another member" }
        return own.isSubset(of: unconfirmed) ? "this member has no result of its checks yet" : nil
      case .fresh: break
      }
      if share.view.isDivided {
        return
          "the members' lists of checks differ; it is sent within \(AlertShare.settling.text) all the same"
      }
      guard share.view.notifies else {
        return "\(share.view.notifier?.printable(maxBytes: 100) ?? "another member of the group") notifies"
      }
      if share.isDone(incident.id) { return "it is over, and every channel knows" }
      if share.incident(incident.id) != nil {
        // A store that was set back has incidents that are over: the members that run the checks say what still fires.
        let isDoubtful =
          !incident.isNotified
          && incident.checks.contains { share.missing[$0] != nil || share.isOfCopy($0) }
        return isDoubtful ? "the members that run its checks have not confirmed it yet" : nil
      }
      let since = share.waiting[incident.id] ?? now.boot
      return since.duration(to: now.boot) >= AlertShare.patience
        ? nil : "the group's store has not got it yet"
    }
    return context
  }

  /// Writes to the store that are due now.
  package mutating func writes(now: ClockReading, role: Role) -> [ShareWrite] {
    guard let share, share.view.touch == .fresh, let names = incidents.names else { return [] }
    var changes: [ShareWrite.Change] = []
    for (check, entry) in share.view.entries {
      guard case .alerts(let there)? = entry.value, share.own[check] == nil else { continue }
      let isOwn = there.writer == share.writer || share.tenure[check] == entry.changed
      let isStray =
        share.view.notifies && role(check) == .unlisted && there.writer != share.writer
        && !share.view.apart.contains(ByteText(there.writer))
        && share.missing[check].map { $0.duration(to: now.boot) >= AlertShare.settling * 2.0 } ?? false
      guard isStray || isOwn && (role(check) == .owner || role(check) == .unlisted) else { continue }
      changes.append(.init(check, nil, replacing: entry.changed))
    }
    for (check, own) in share.own where role(check) == .owner || role(check) == .unlisted {
      var alerts = own
      // What was found before the first look at the group has no name yet.
      alerts.writer = share.writer
      if let there = share.alerts(check), there.says(alerts) || share.leaves(alerts, to: there) { continue }
      changes.append(.init(check, alerts.json, replacing: share.view.entries[check]?.changed ?? 0))
    }
    var writes = changes.sorted { $0.id < $1.id }.map { ShareWrite([$0]) }
    var waiting: [UniqueID: Instant] = [:]
    for incident in incidents.all where share.isShared(incident, names) {
      if share.incident(incident.id) == nil { waiting[incident.id] = share.waiting[incident.id] ?? now.boot }
      if let change = change(incident, share, now) { writes.append(ShareWrite([change])) }
    }
    writes += reportWrites(share)
    self.share?.waiting = waiting
    let compared = (self.share?.compared ?? [:]).filter { share.view.entries[$0.key] != nil }
    self.share?.compared = compared
    let resting = (self.share?.resting ?? [:]).filter { share.view.entries[$0.key] != nil }
    self.share?.resting = resting
    return writes
  }

  /// The new value of an incident's entry. `nil` where it is right already, or is not this agent's to change.
  private mutating func change(
    _ incident: Incident, _ share: AlertShare, _ now: ClockReading
  ) -> ShareWrite.Change? {
    let there = share.incident(incident.id)
    let replacing = share.view.entries[incident.id]?.changed ?? 0
    if !share.view.notifies { return contribution(incident, there, replacing, share, now) }
    if notifier.isSettled(incident) {
      self.share?.delivered.remove(incident.id)
      guard let there else { return nil }
      // Every member reads that it is over before the entry goes: one that missed it would take it for lost.
      if notifier.isSettled(there.incident) {
        let since = share.resting[incident.id] ?? now.boot
        self.share?.resting[incident.id] = since
        guard since.duration(to: now.boot) >= AlertShare.rest else { return nil }
        return .init(incident.id, nil, replacing: replacing)
      }
    } else if share.isDone(incident.id) {
      return nil
    }
    if let there {
      let pair = AlertShare.Compared(incident: incident, changed: replacing)
      if share.compared[incident.id] == pair { return nil }
      if there.incident.withoutInstants == incident.asShared(now: now) {
        self.share?.compared[incident.id] = pair
        self.share?.delivered.remove(incident.id)
        return nil
      }
    }
    return .init(
      incident.id, SharedIncident.json(incident, by: share.writer, now: now), replacing: replacing)
  }

  /// Deliveries and acknowledgements here, of an incident that another agent notifies about.
  private mutating func contribution(
    _ incident: Incident, _ there: SharedIncident?, _ replacing: Int64, _ share: AlertShare,
    _ now: ClockReading
  ) -> ShareWrite.Change? {
    let hasAck = incident.acknowledged != nil && incident.acknowledged != there?.incident.acknowledged
    let isOwed = share.isOwed(incident) || share.isOrphan(incident, now)
    guard there == nil ? isOwed : hasAck || share.delivered.contains(incident.id) else {
      return nil
    }
    guard let there else {
      return .init(
        incident.id, SharedIncident.json(incident, by: share.writer, now: now), replacing: replacing)
    }
    var merged = there.incident
    merged.merge(incident)
    // As it would be read there: a time of this machine has more digits than the store keeps.
    if merged == there.incident || merged.asShared(now: now) == there.incident.withoutInstants {
      self.share?.delivered.remove(incident.id)
      return nil
    }
    // Without a writer: the agent that notifies reads it like any other's.
    return .init(incident.id, SharedIncident.json(merged, by: "", now: now), replacing: replacing)
  }

  /// Entries that must be in the store before these are sent: that they are on their way, under which id.
  package func commitment(_ notification: Notification, now: ClockReading) -> [ShareWrite] {
    guard let share, share.view.touch == .fresh, share.view.notifies, let names = incidents.names else {
      return []
    }
    if case .report(let schedule, _) = notification.form {
      return [
        ShareWrite([reportChange(schedule.name, notifier.reports.channels(of: schedule.name), share)])
      ]
    }
    let changes = notification.parts.compactMap { draft -> ShareWrite.Change? in
      guard let incident = incidents[draft.incident.id], share.isShared(incident, names) else { return nil }
      return .init(
        incident.id, SharedIncident.json(incident, by: share.writer, now: now),
        replacing: share.view.entries[incident.id]?.changed ?? 0)
    }
    return ShareWrite.split(changes)
  }

  /// It is not sent: another agent was first, or the store cannot be asked.
  package mutating func abandon(_ notification: Notification, _ answer: ShareAnswer, now: ClockReading) {
    notifier.release(notification)
    guard answer == .unreachable else { return }
    for draft in notification.parts {
      let since = share?.waiting[draft.incident.id] ?? now.boot
      share?.waiting[draft.incident.id] = since
    }
  }

  /// Whether a notification has waited for the store for long enough.
  package func hasWaited(_ notification: Notification, now: ClockReading) -> Bool {
    notification.parts.contains { draft in
      share?.waiting[draft.incident.id].map { $0.duration(to: now.boot) >= AlertShare.patience } ?? false
    }
  }

  /// Remembers what was delivered without the store, until the store has it.
  mutating func noteDelivery(_ notification: Notification) {
    guard let share else { return }
    for draft in notification.parts where share.isShared(draft.incident, incidents.names) {
      self.share?.delivered.insert(draft.incident.id)
    }
  }
}
