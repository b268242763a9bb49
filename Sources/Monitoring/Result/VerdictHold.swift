// SPDX-License-Identifier: MIT

import Basics

/// Time that a verdict of the schedule holds, as it was planned when it ran: a later configuration changes none of it.
package struct VerdictHold: Hashable, Sendable {
  /// From its slot to the next one.
  package var interval: Duration
  /// Slots that passed during the run and took its verdict; `nil` without any.
  package var spanned: SlotRange?

  package init(interval: Duration, spanned: SlotRange? = nil) {
    (self.interval, self.spanned) = (interval, spanned)
  }
}
