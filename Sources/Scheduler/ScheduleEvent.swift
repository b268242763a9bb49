// SPDX-License-Identifier: MIT

import Monitoring

/// A check whose turn has come.
package struct DueCheck: Sendable {
  package let check: MonitoringCheck
  /// The slot, on the check's timeline in UTC.
  package let scheduledAt: Timestamp
  /// When that was by the clock that is never set.
  package let due: BootInstant
  /// From the slot to the start of the run: our own delay, never the target's. Not negative.
  package let late: Duration
}

/// Slots without a run of their own.
package enum ScheduleEvent: Hashable, Sendable {
  /// Not run for our own reasons: there is no data for these slots.
  case missed(check: UniqueID, slots: SlotRange, cause: MissCause)
  /// They passed while a run of the same check was going, and take that run's verdict. Told after the run ended, so
  /// the verdict they belong to is the last one recorded.
  case spanned(check: UniqueID, slots: SlotRange)
}

package enum MissCause: String, Hashable, Sendable, CaseIterable {
  /// Held by `InFlightLimits` until the next slot passed.
  case limit
  /// The agent did not run: suspend, a stopped process, or a stall.
  case gap
}
