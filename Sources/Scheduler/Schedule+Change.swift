// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A list of checks with the place of each id, made before the schedule's lock is taken.
struct CheckList: Sendable {
  let checks: [MonitoringCheck]
  /// Enabled checks only. Of two with one id the first counts: a check never overlaps itself.
  let positions: [UniqueID: Int]

  init(_ checks: [MonitoringCheck]) {
    self.checks = checks
    var positions: [UniqueID: Int] = [:]
    positions.reserveCapacity(checks.count)
    for (position, check) in checks.enumerated() where check.plan.enabled && positions[check.id] == nil {
      positions[check.id] = position
    }
    self.positions = positions
  }
}

extension Schedule {
  /// Takes a new list. A check whose id and pace are in both keeps its slot, its place in the queue and its run; with
  /// another pace it moves to its new timeline; one that is gone stops, its last run ends by itself. One that comes is
  /// new, and need not wait for its slot, unless something is known of it.
  ///
  /// - Parameter findings: the last result of a check, from before this process or before the check was gone: a check
  ///   that is known to work may take the reserved places at once, and a check that is known to fail is probed at its
  ///   pace for that.
  /// - Parameter taken: have come from another agent: their last slots are run at once.
  /// - Parameter orphaned: of those, the ones whose agent has died, and for how long they may not have run.
  mutating func apply(
    _ list: CheckList, recalling findings: [UniqueID: RunOutcome.Finding] = [:],
    taking taken: Set<UniqueID> = [], orphaned: [UniqueID: Duration] = [:], at reading: ClockReading
  ) -> [ScheduleEvent] {
    realign(to: reading)
    let now = wall(reading.boot)
    let old = (checks: checks, entries: entries)
    takenOver.formIntersection(list.positions.keys)
    checks = list.checks
    counts.checks = list.positions.count
    entries = checks.map { Entry(slot: 0, interval: $0.pace(.never), state: .off) }
    var events: [ScheduleEvent] = []
    for (entry, check) in zip(old.entries, old.checks) where entry.state != .off {
      guard let position = list.positions[check.id] else { continue }
      entries[position].seen = entry.seen
      entries[position].isNew = entry.isNew
      entries[position].interval = checks[position].pace(entry.seen)
      if entries[position].interval == entry.interval {
        entries[position] = entry
      } else if entry.state == .waiting, entry.steps == 0 {
        counts.miss(1, .limit)
        let slots = SlotRange(
          first: Timestamp(microseconds: entry.slot), count: 1, interval: .microseconds(entry.interval))
        events.append(.missed(check: check.id, slots: slots, cause: .limit))
      }
    }
    // The id from the dictionary: the checks lie all over the memory, and slots pass while we look at them.
    for (id, position) in list.positions where entries[position].state == .off {
      if let finding = findings[id] { recall(finding, of: position) }
      let interval = Duration.microseconds(entries[position].interval)
      let timeline = grid.timeline(checks[position], interval)
      if taken.contains(id) {
        takeOver(position, at: now)
        let last = Timestamp(microseconds: entries[position].slot)
        if let span = orphaned[id],
          let lost = lose(position, since: now.advanced(by: .zero - span), before: last)
        {
          events.append(lost)
        }
      } else if entries[position].isNew {
        planFirst(position, on: timeline, after: now)
      } else {
        entries[position].slot = timeline.slot(after: now).microseconds
      }
      entries[position].state = .planned
    }
    // It came before it was this agent's, from the slot after on: the one before may have had no run.
    for position in taken.compactMap({ list.positions[$0] })
    where entries[position].state == .planned && !entries[position].hasBegun {
      takeOver(position, at: now)
    }
    shareLimit(list)
    adoptRuns(list, at: now)
    requeue(list, waitedIn: old.checks)
    planAll()
    return events
  }

  /// Where there are checks of the file and of the API, neither takes all the places, in all and at a host.
  private mutating func shareLimit(_ list: CheckList) {
    let byOrigin = Dictionary(grouping: list.positions.values) { checks[$0].originKind }
    guard byOrigin.count > 1 else { return limit.share(false) }
    let hosts = byOrigin.values.map { positions in Set(positions.map { hostKey(checks[$0]) }) }
    limit.share(true, hosts: hosts.dropFirst().reduce(hosts[0]) { $0.intersection($1) })
  }

  /// Its last slot is run at once.
  private mutating func takeOver(_ position: Int, at now: Timestamp) {
    entries[position].slot = ownTimeline(position).slot(atOrBefore: now).microseconds
    entries[position].steps = 0
    takenOver.insert(checks[position].id)
  }

  /// The wall clock was set: the plan moves to where its slots are now.
  ///
  /// Each check goes to the slot nearest to the instant it was planned for, but never into the past. All checks of
  /// one interval move by the same amount, less than half an interval or, those that would have to go back before
  /// now, one slot more. So there is no burst, no check stalls for two intervals, and the phases stay those that a
  /// restart would find. Steps below 50 ms wait until they add up.
  mutating func realign(to reading: ClockReading) {
    let step = reading.offset &- offset
    guard step.magnitude > 50_000 else { return }
    offset = reading.offset
    let now = wall(reading.boot)
    for position in entries.indices where entries[position].state != .off {
      let entry = entries[position]
      let timeline = ownTimeline(position)
      let moved = Timestamp(microseconds: entry.slot &+ step &- entry.interval / 2)
      let slot =
        switch entry.state {
        case .planned: timeline.slot(atOrAfter: max(moved, now))
        case .waiting: timeline.slot(atOrBefore: now)
        case .running, .off: min(timeline.slot(atOrAfter: moved), timeline.slot(atOrBefore: now))
        }
      entries[position].slot = slot.microseconds
      if entry.state == .planned, entry.isNew {
        planFirst(position, on: timeline, after: now)
      } else if entry.steps > 0 {
        stepUp(position, to: now)
      }
    }
    planAll()
  }

  /// Counts slots as missed that no member is known to have run, and that are too old to be run now.
  private mutating func lose(_ position: Int, since: Timestamp, before last: Timestamp) -> ScheduleEvent? {
    let interval = Duration.microseconds(entries[position].interval)
    let timeline = ownTimeline(position)
    // Without the last one, which is run at once.
    let count = timeline.slots(after: since, through: last) - 1
    guard count > 0 else { return nil }
    counts.miss(count, .failover)
    let first = timeline.slot(after: since)
    return .missed(
      check: checks[position].id, slots: SlotRange(first: first, count: count, interval: interval),
      cause: .failover)
  }

  /// The check is not new: its last result is known.
  private mutating func recall(_ finding: RunOutcome.Finding, of position: Int) {
    entries[position].isNew = false
    switch finding {
    case .works where entries[position].seen == .never: entries[position].seen = .works
    case .fails where entries[position].seen == .never:
      entries[position].seen = .fails
      entries[position].interval = checks[position].pace(.fails)
    case .works, .fails, .unknown: break
    }
  }

  /// Finds the entries of the runs that are going, also of a check that was removed and has come back.
  private mutating func adoptRuns(_ list: CheckList, at now: Timestamp) {
    for (number, run) in runs {
      let position = list.positions[run.check]
      runs[number]?.entry = position
      guard let position, entries[position].state != .running else { continue }
      if entries[position].steps == 0 { entries[position].slot -= entries[position].interval }
      // Nothing between that slot and now is this run's to answer for.
      stepUp(position, to: now)
      entries[position].state = .running
    }
  }

  /// Keeps who waits in the order they came.
  private mutating func requeue(_ list: CheckList, waitedIn old: [MonitoringCheck]) {
    for position in limit.removeWaiting() {
      guard let position = list.positions[old[position].id], entries[position].state == .waiting else {
        continue
      }
      limit.enqueue(
        position, host: hostKey(checks[position]), entries[position].standing, of: checks[position].originKind
      )
    }
  }

  private mutating func planAll() {
    let (entries, offset) = (entries, offset)
    due = DueHeap(entries: entries.count) { entries[$0].wake(offset) }
  }
}
