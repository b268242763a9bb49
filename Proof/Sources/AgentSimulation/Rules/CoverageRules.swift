// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler

/// The slots of a group's checks, whoever runs them: each has a run, as soon as what happened allows, and one only where
/// nothing did. Pure.
struct CoverageRules {
  private struct Run {
    var count = 0
    var first: Instant
    var seats: [Int] = []
  }

  private struct Watch {
    let check: MonitoringCheck
    let grid: Timeline
    var runs: [Timestamp: Run] = [:]
    /// Of which some member said that it did not run them, and why.
    var missed: Set<Timestamp> = []
    /// Up to here, by the true time.
    var judged: Timestamp
    var last: Instant
  }

  /// What the true wall clock shows more than the one that nobody sets, microseconds.
  private let offset: Int64
  /// The members' clocks differ, and so do the instants of one slot.
  private let isSkewed: Bool
  private var watches: [UniqueID: Watch] = [:]
  private(set) var doubled = 0
  private(set) var uncovered = 0
  private(set) var slots = 0

  init(_ checks: [MonitoringCheck], group: String, isSkewed: Bool, offset: Int64, now: Instant) {
    (self.isSkewed, self.offset) = (isSkewed, offset)
    for check in checks {
      watches[check.id] = Watch(
        check: check, grid: Timeline(agent: group, check: check.id, interval: check.interval),
        judged: Timestamp(microseconds: now.microseconds + offset), last: now)
    }
  }

  mutating func began(
    _ check: UniqueID, _ slot: Timestamp, by seat: Int, now: Instant, _ disturbances: Disturbances
  ) -> Violation.Found? {
    guard var watch = watches[check] else { return nil }
    defer { watches[check] = watch }
    watch.runs[slot, default: Run(first: now)].count += 1
    watch.runs[slot]?.seats.append(seat)
    defer { watch.last = now }
    return isSkewed ? judgeGap(watch, now, disturbances) : nil
  }

  /// A run of this check went on while these slots passed: they have its verdict. Such is the first run of who takes
  /// over shortly before a slot.
  mutating func spanned(_ check: UniqueID, _ slots: SlotRange, now: Instant) {
    watches[check]?.last = now
    for slot in slots {
      let due = instant(slot)
      watches[check]?.runs[slot, default: Run(first: due)].first = due
    }
  }

  /// A member says that these slots had no run with it.
  mutating func missed(_ check: UniqueID, _ slots: SlotRange) { watches[check]?.missed.formUnion(slots) }

  /// Where clocks differ a slot has no instant. What counts is the time without a run: a check that moves finds its next
  /// slot at most an interval later.
  private func judgeGap(_ watch: Watch, _ now: Instant, _ disturbances: Disturbances) -> Violation.Found? {
    let gap = watch.last.duration(to: now)
    let most: Duration
    switch disturbances.allowance(from: watch.last, to: now) {
    case .notCovered: return nil
    case .within(let allowed):
      guard watch.check.interval >= allowed else { return nil }
      let isCrowded = disturbances.isCrowded(from: watch.last, to: now)
      most = watch.check.interval * (isCrowded ? 3 : 2) + allowed
    }
    guard gap > most else { return nil }
    return (.covered, "nobody has run \(watch.check.name) for \(gap), at most \(most)")
  }

  /// Judges the slots whose interval is over.
  mutating func judge(now: Instant, _ disturbances: Disturbances) -> Violation.Found? {
    for id in watches.keys.sorted() {
      guard var watch = watches[id] else { continue }
      defer { watches[id] = watch }
      if isSkewed, let found = judgeGap(watch, now, disturbances) { return found }
      // A slot's label by a clock that is ahead or behind comes up to so much later.
      let late = watch.check.interval + (isSkewed ? .seconds(200) : .seconds(2))
      var slot = watch.grid.slot(after: watch.judged)
      while instant(slot) + late + wait(of: watch, slot, now, disturbances) < now {
        if let found = judge(slot, watch, disturbances) { return found }
        watch.judged = slot
        slots += 1
        slot = watch.grid.slot(after: slot)
      }
      let old = watch.judged.advanced(by: .seconds(-600))
      if watch.runs.count > 400 { watch.runs = watch.runs.filter { $0.key >= old } }
      if watch.missed.count > 400 { watch.missed = watch.missed.filter { $0 >= old } }
    }
    return nil
  }

  /// Until each attempt of a run has waited for room, and its member says what became of the slots meanwhile.
  private func wait(
    of watch: Watch, _ slot: Timestamp, _ now: Instant, _ disturbances: Disturbances
  ) -> Duration {
    guard disturbances.isCrowded(from: instant(slot), to: now) else { return .zero }
    return watch.check.interval * (2 + watch.check.plan.retries)
  }

  private func instant(_ slot: Timestamp) -> Instant { Instant(microseconds: slot.microseconds - offset) }

  private mutating func judge(
    _ slot: Timestamp, _ watch: Watch, _ disturbances: Disturbances
  ) -> Violation.Found? {
    let (due, run, interval) = (instant(slot), watch.runs[slot], watch.check.interval)
    let slack: Duration = isSkewed ? .seconds(200) : .zero
    let words = "the slot \(slot) of \(watch.check.name), every \(interval),"
    if let run, run.count > 1 { doubled += 1 }
    if disturbances.isCalm(from: due - slack, to: due + interval + slack) {
      guard let run else { return (.covered, "\(words) has no run, and nothing had happened") }
      if run.count > 1 {
        return (.alone, "\(words) was run \(run.count) times, by \(run.seats), and nothing had happened")
      }
    }
    guard !isSkewed else { return nil }
    switch disturbances.allowance(from: due, to: due + interval) {
    case .notCovered: uncovered += 1
    case .within(let allowed):
      guard interval >= allowed else {
        uncovered += 1
        return nil
      }
      let isCrowded = disturbances.isCrowded(from: due, to: due + interval)
      guard let run else {
        if isCrowded, watch.missed.contains(slot) {
          uncovered += 1
          return nil
        }
        return (.covered, "\(words) has no run, at most \(allowed) late")
      }
      // A run of it may have been under way elsewhere, and then its verdict came to nothing.
      let late = due.duration(to: run.first)
      let most = allowed + watch.check.longestRun + (isCrowded ? interval : .zero)
      if late > most { return (.covered, "\(words) was run \(late) late, at most \(most)") }
    }
    return nil
  }
}
