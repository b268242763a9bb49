// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Checks that wait for their first scheduled result. That is no state of the target, which is unknown until then.
extension CheckStatus {
  /// Enabled, and without a scheduled result so far, from this process or before.
  package var isPending: Bool { history.enabled && history.last == nil }

  /// When its first run comes, in words: `in 12s`, `now` once it is due; nil for a check that is not pending, or whose
  /// schedule is not known.
  package func firstRun(now: Timestamp) -> String? {
    guard isPending, let nextRun else { return nil }
    // Cut, as every age; one that is due within the second is due.
    let wait = now.duration(to: nextRun)
    return wait < .seconds(1) ? "now" : "in \(StatusFormat.length(wait.microseconds))"
  }
}

extension StatusSnapshot {
  static let pendingMark = "◌"
  static let pendingWord = "PENDING"

  /// Checks that have no result yet.
  package var pending: Set<UniqueID> { Set(checks.lazy.filter(\.isPending).map(\.id)) }

  /// Tells each pending check when it runs.
  package mutating func mark(nextRuns: [UniqueID: Timestamp]) {
    guard !nextRuns.isEmpty else { return }
    for index in checks.indices where checks[index].isPending {
      checks[index].nextRun = nextRuns[checks[index].id]
    }
  }
}
