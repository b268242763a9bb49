// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A check whose turn has come.
package struct DueCheck: Sendable {
  package let check: MonitoringCheck
  /// The slot, on the check's timeline in UTC; of a first run, a step of 30 s after one.
  package let scheduledAt: Timestamp
  /// When that was by the clock that is never set.
  package let due: Instant
  /// From the slot to the start of the run by the boot clock: our own delay, never the target's. Not negative.
  package let late: Duration
}

/// A run's outcome, as the schedule needs it.
package struct RunOutcome: Sendable {
  package enum Finding: Hashable, Sendable {
    /// Up or degraded.
    case works
    case fails
    /// Neither works nor fails: pace and standing of the check stay as they were.
    case unknown
  }

  package var finding: Finding
  /// False: the run left no result behind, and a check without one is still without.
  package var hasResult: Bool
  /// The run came to no end for a reason of our own, so that its slot is missed; `nil` when it did.
  package var missed: MissCause?
  /// Called once, before the check can run again, with the slots that passed while this run was going and take its
  /// verdict: the keeper of the verdict learns of its slots at the same time.
  package var settle: @Sendable (SlotRange?) -> Void

  package init(
    _ finding: Finding, hasResult: Bool = true,
    settle: @escaping @Sendable (SlotRange?) -> Void = { _ in }
  ) {
    self.finding = finding
    self.hasResult = hasResult
    self.settle = settle
  }

  /// A run that ended without an end of its own.
  package init(missed cause: MissCause) {
    self.init(.unknown, hasResult: false)
    missed = cause
  }
}

/// Slots without a run of their own.
package enum ScheduleEvent: Hashable, Sendable {
  /// Not run for our own reasons: there is no data for these slots.
  case missed(check: UniqueID, slots: SlotRange, cause: MissCause)
}

package enum MissCause: String, Hashable, Sendable, CaseIterable {
  /// Held by `InFlightLimits` until the next slot passed.
  case limit
  /// The agent did not run: suspend, a stopped process, or a stall.
  case gap
  /// Held back by a budget of the process, or of the pace of checks from the API, for as long as the slot lasted.
  case budget
  /// Of a check of a group whose member died: too old to be run when it was taken over.
  case failover
}
