// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Scheduler

/// The slots that hold a check's verdict, which its record keeps: a replay of the store of results counts as the live agent did.
/// Pure.
struct SlotHold {
  /// Whose name is part of a check's phase.
  let grid: SlotGrid

  init(grid: SlotGrid) { self.grid = grid }
  init(agent: String) { self.init(grid: SlotGrid(agent: agent)) }

  /// As planned when the record's run began; of a record of an earlier version, by the configuration of today.
  ///
  /// - Parameter check: `nil` where it is not configured.
  func hold(_ record: DeliveryRecord, of check: MonitoringCheck?) -> VerdictHold {
    if let hold = record.hold { return hold }
    guard let check else { return VerdictHold(interval: .seconds(60)) }
    return VerdictHold(
      interval: interval(of: check, record.state, slot: record.scheduledAt),
      spanned: spanned(by: record, of: check))
  }

  /// From the verdict's slot to the next one the check then plans.
  ///
  /// A first run is no slot, and its verdict holds until the first one. Any other instant off the check's grids was planned
  /// when it had another interval: that verdict holds for one interval of today.
  func interval(of check: MonitoringCheck, _ state: CheckState, slot: Timestamp) -> Duration {
    let pace = pace(of: check, state)
    let grids = [check.interval, check.plan.intervalFailing].compactMap(\.self).map { timeline(check, $0) }
    guard grids.contains(where: { $0.slot(atOrBefore: slot) == slot || $0.isFirstRun(slot) }) else {
      return pace
    }
    return slot.duration(to: timeline(check, pace).slot(after: slot))
  }

  /// The slots that passed between a stored run's own and its end, which its id knows: they took its verdict.
  func spanned(by record: DeliveryRecord, of check: MonitoringCheck) -> SlotRange? {
    guard record.trigger == .schedule, let end = record.id.time else { return nil }
    let pace = pace(of: check, record.state)
    let timeline = timeline(check, pace)
    // No run answers for more than it can last; one that says so slept through a suspend or a step of the clock.
    let latest = min(end, record.scheduledAt.advanced(by: check.longestRun))
    let count = timeline.slots(after: record.scheduledAt, through: latest)
    guard count > 0 else { return nil }
    return SlotRange(first: timeline.slot(after: record.scheduledAt), count: count, interval: pace)
  }

  private func pace(of check: MonitoringCheck, _ state: CheckState) -> Duration {
    state == .down ? check.plan.intervalFailing ?? check.interval : check.interval
  }

  private func timeline(_ check: MonitoringCheck, _ interval: Duration) -> Timeline {
    grid.timeline(check, interval)
  }
}

extension RunOutcome.Finding {
  init(_ state: CheckState) {
    switch state {
    case .up, .degraded: self = .works
    case .down: self = .fails
    case .unknown: self = .unknown
    }
  }
}

extension UniqueID {
  /// When an id of version 7 was made, to the millisecond; nil for other versions.
  fileprivate var time: Timestamp? {
    high >> 12 & 0xf == 7 ? Timestamp(milliseconds: Int64(high >> 16)) : nil
  }
}
