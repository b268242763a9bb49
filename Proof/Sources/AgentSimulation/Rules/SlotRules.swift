// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler

/// Slots of the checks of one life: each is run once, spanned, left out or counted as missed. Pure: it is told what
/// happened, in order, and says what must not be.
struct SlotRules {
  private struct Watch {
    /// The last slot that is accounted for.
    var last: Timestamp?
    /// Slot to slot from there, and before its last change; microseconds.
    var pace: Int64
    var before: Int64
    /// A run of this life has shown it. Until then the verdict from the last life decides, which the rules do not know.
    var isPaceKnown = false
    /// A run of this life has left a result. Until then it is tried between its slots, too.
    var hasResult = false
    /// How many slots may still be anywhere: after a start, a change of the interval, or of the clock.
    var free = 1
    var isRunning = false
    /// The slot of a run that came to nothing, which is missed as well.
    var given: Timestamp?
    /// Since when it waits for a slot.
    var since: Instant
    let check: MonitoringCheck

    /// A check without a result is tried at steps that are no slots.
    func isFirstStep(_ instant: Timestamp) -> Bool {
      guard !hasResult, let last else { return false }
      let gap = instant.microseconds - last.microseconds
      return gap > 0 && gap % Timeline.firstStep == 0 && gap % pace != 0
    }
  }

  /// A slot of a group is run however late, within its interval.
  private let isShared: Bool
  private var watches: [UniqueID: Watch] = [:]

  init(isShared: Bool = false) { self.isShared = isShared }

  /// The list in force. A check that is in both with the same pace keeps its place.
  mutating func apply(_ checks: [MonitoringCheck], now: Instant) {
    var new: [UniqueID: Watch] = [:]
    for check in checks where check.plan.enabled {
      let pace = check.interval.microseconds
      if let old = watches[check.id], old.check == check {
        new[check.id] = old
      } else {
        new[check.id] = Watch(pace: pace, before: pace, free: 3, since: now, check: check)
        new[check.id]?.isRunning = watches[check.id]?.isRunning ?? false
      }
    }
    watches = new
  }

  /// The wall clock was set: the plan moves, by at most an interval.
  mutating func clockStepped(now: Instant) {
    for id in watches.keys {
      watches[id]?.free = 3
      watches[id]?.since = now
    }
  }

  /// The process stood still: what is due is told late.
  mutating func resumed(now: Instant) { for id in watches.keys { watches[id]?.since = now } }

  mutating func began(_ due: DueCheck, now: Instant) -> Violation.Found? {
    guard let watch = watches[due.check.id] else { return nil }
    let name = due.check.name
    if watch.isRunning { return (.once, "\(name) begins at \(due.scheduledAt) while a run of it goes on") }
    watches[due.check.id]?.isRunning = true
    let grace = isShared ? watch.pace : min(max(watch.pace / 20, 1_000_000), 30_000_000)
    let most = grace + 100_000
    if due.late.microseconds > most {
      return (
        .late,
        "\(name) runs its slot \(due.scheduledAt) \(due.late) late, at most \(Duration.microseconds(most))"
      )
    }
    if watch.isFirstStep(due.scheduledAt) {
      watches[due.check.id]?.since = now
      return nil
    }
    return account(due.check.id, due.scheduledAt, count: 1, step: watch.pace, "begins", now)
  }

  /// A run that was to begin came too late for that, was cancelled or found no room in any budget.
  mutating func abandoned(_ due: DueCheck) {
    watches[due.check.id]?.isRunning = false
    watches[due.check.id]?.given = due.scheduledAt
  }

  /// - Parameter state: what a run found; nil: it left no result.
  mutating func ended(
    _ check: MonitoringCheck, _ state: CheckState?, spanned: SlotRange?, now: Instant
  ) -> Violation.Found? {
    guard let watch = watches[check.id] else { return nil }
    watches[check.id]?.isRunning = false
    if state != nil {
      // The steps before a first result need not be slots of the check's own grid.
      if !watch.hasResult { watches[check.id]?.free = max(watch.free, 1) }
      watches[check.id]?.hasResult = true
    }
    if let state, state != .unknown {
      watches[check.id]?.isPaceKnown = true
      let pace = (state == .down ? check.plan.intervalFailing ?? check.interval : check.interval).microseconds
      // Until then it may have gone by the pace of the last life.
      if pace != watch.pace || !watch.isPaceKnown && check.plan.intervalFailing != nil {
        watches[check.id]?.before = watch.pace
        watches[check.id]?.pace = pace
        watches[check.id]?.free = max(watch.free, 1)
      }
    }
    guard let spanned else { return nil }
    return account(
      check.id, spanned.first, count: spanned.count, step: spanned.interval.microseconds, "is spanned", now)
  }

  mutating func skipped(_ due: DueCheck, now: Instant) -> Violation.Found? {
    guard let watch = watches[due.check.id] else { return nil }
    if watch.isFirstStep(due.scheduledAt) {
      // What is left out leaves no result: from here on its slots are to be there all the same.
      watches[due.check.id]?.last = due.scheduledAt
      watches[due.check.id]?.since = now
      return nil
    }
    return account(due.check.id, due.scheduledAt, count: 1, step: watch.pace, "is left out", now)
  }

  mutating func missed(_ check: UniqueID, _ slots: SlotRange, now: Instant) -> Violation.Found? {
    if let watch = watches[check], watch.given == slots.first, slots.count == 1 {
      watches[check]?.given = nil
      return nil
    }
    return account(
      check, slots.first, count: slots.count, step: slots.interval.microseconds, "is missed", now)
  }

  private mutating func account(
    _ id: UniqueID, _ first: Timestamp, count: Int, step: Int64, _ what: String, _ now: Instant
  ) -> Violation.Found? {
    guard var watch = watches[id] else { return nil }
    defer { watches[id] = watch }
    let last = watch.last
    watch.last = Timestamp(microseconds: first.microseconds + Int64(count - 1) * step)
    watch.since = now
    let isFree = watch.free > 0
    if isFree { watch.free -= 1 }
    guard let last else { return nil }
    let gap = first.microseconds - last.microseconds
    let name = watch.check.name
    if isFree {
      // The first slots after a change may be anywhere within the wider interval, but not over and over.
      return gap <= max(watch.pace, watch.before) * 2 || watch.free > 0
        ? nil : (.slots, "\(name) \(what) at \(first), and \(last) was its slot before: too far")
    }
    let failing = watch.check.plan.intervalFailing?.microseconds
    if !watch.isPaceKnown, gap == failing { (watch.pace, watch.isPaceKnown) = (gap, true) }
    if gap == watch.pace { return nil }
    if gap <= 0 { return (.once, "\(name) \(what) at \(first), and had \(last) before") }
    let between = Duration.microseconds(gap), pace = Duration.microseconds(watch.pace)
    return (
      .slots,
      "\(name) \(what) at \(first), \(between) after \(last), every \(pace): nothing says what became of the slots between"
    )
  }

  /// Whether any check has been forgotten.
  ///
  /// - Parameter isCrowded: there was no room for answers a moment ago: a run waits for up to an interval, and its attempts for their time.
  func sweep(now: Instant, isCrowded: Bool = false) -> Violation.Found? {
    for (_, watch) in watches.sorted(by: { $0.key < $1.key }) {
      let most =
        Duration.microseconds((isCrowded ? 3 : 2) * max(watch.pace, watch.before))
        + watch.check.longestRun * (isCrowded ? 2 : 1)
      let waits = watch.since.duration(to: now)
      if waits > most { return (.slots, "nothing has been heard of \(watch.check.name) for \(waits)") }
    }
    return nil
  }

  /// Whether those of one interval are spread over it: of six and more, no seven eighths in one twentieth, where chance puts them
  /// once in half a million lists.
  func spread() -> Violation.Found? {
    for (pace, group) in Dictionary(grouping: watches.values, by: \.pace) where group.count >= 6 {
      let phases = group.compactMap { $0.last.map { $0.microseconds % pace } }.sorted()
      guard phases.count >= 6 else { continue }
      for first in phases.indices {
        let near = phases.indices.count { (phases[$0] - phases[first] + pace) % pace <= pace / 20 }
        if near * 8 >= phases.count * 7 {
          return (
            .lockStep,
            "\(near) of \(phases.count) checks every \(Duration.microseconds(pace)) start within a twentieth of it"
          )
        }
      }
    }
    return nil
  }
}

extension Violation {
  typealias Found = (rule: Violation.Rule, words: String)
}
