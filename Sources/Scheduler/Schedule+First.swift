// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// First runs: a check without a result does not wait for its slot, which may be a day away.
///
/// It runs at the soonest step of 30 s on its grid, once. Such an instant is no slot: one that passes without a run,
/// because a limit held it or the machine slept, is no missed slot, and the next one takes its place. Slots that pass
/// meanwhile count as ever. With its first result the check is on its grid, and nothing tells it from any other.
extension Schedule {
  /// The check waits for its next slot, or for its first run.
  mutating func planNext(_ position: Int, after now: Timestamp) {
    if entries[position].isNew {
      planFirst(position, on: ownTimeline(position), after: now)
    } else {
      entries[position].slot += entries[position].interval
      entries[position].steps = 0
    }
    planWake(position)
  }

  mutating func planFirst(_ position: Int, on timeline: Timeline, after now: Timestamp) {
    let first = timeline.firstRun(after: now)
    entries[position].slot = first.slot.microseconds
    entries[position].steps = first.steps
  }

  /// A slot has come before the first run could begin: the check is at that slot now.
  mutating func leaveFirstRun(_ position: Int, at now: Timestamp) {
    let entry = entries[position]
    guard entry.steps > 0, now.microseconds >= entry.slot + entry.interval else { return }
    entries[position].slot += entry.interval
    entries[position].steps = 0
  }

  /// The last step after the entry's slot that has passed, for a run that goes or waits.
  mutating func stepUp(_ position: Int, to now: Timestamp) {
    let past = max(0, now.microseconds - entries[position].slot)
    entries[position].steps = UInt32(clamping: past / Timeline.firstStep)
  }

  /// When those of these checks that are on run next, or since when they wait or run; UTC.
  func runs(of ids: Set<UniqueID>) -> [UniqueID: Timestamp] {
    var instants: [UniqueID: Timestamp] = [:]
    for (check, entry) in zip(checks, entries) where entry.state != .off && ids.contains(check.id) {
      instants[check.id] = Timestamp(microseconds: entry.instant)
    }
    return instants
  }

  /// The grid of the present pace.
  func ownTimeline(_ position: Int) -> Timeline {
    grid.timeline(checks[position], .microseconds(entries[position].interval))
  }
}
