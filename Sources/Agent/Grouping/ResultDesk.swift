// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import Scheduler

/// From a run's result to what counts: at once, or when the places of `confirm` have spoken.
struct ResultDesk: Sendable {
  let recorder: Recorder
  /// `nil` where this agent is in no group.
  let quorum: QuorumDesk?

  func take(_ result: CheckResult, of check: MonitoringCheck, spanned: SlotRange?) {
    guard let quorum, quorum.concerns(check) else {
      recorder.record(result, of: check, spanned: spanned)
      return
    }
    quorum.take(result, of: check) { [recorder] settled in
      recorder.record(settled.result, of: check, spanned: spanned, tells: settled.isOurs)
    }
  }
}
