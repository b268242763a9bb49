// SPDX-License-Identifier: MIT

import Basics

extension Tally {
  /// Results that say something about the target: unknown says something about this machine only.
  package var judged: Int64 { up + degraded + down }

  /// Of time, in percent; `nil` where nothing says anything about the target, which is no data and not 100.
  package var uptime: Double? {
    guard judged > 0 else { return nil }
    return Double(up + degraded) * 100 / Double(judged)
  }

  /// Of time: percent of the enabled time outside maintenance that has a verdict; `nil` when there was no such time.
  ///
  /// - Parameter enabled: microseconds in which the check was enabled.
  package func coverage(enabled: Int64) -> Double? {
    let due = enabled - maintenance
    guard due > 0 else { return nil }
    // Time that was lived twice, because the clock was set back, counts twice.
    return min(100, Double(judged) * 100 / Double(due))
  }
}
