// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Synchronization
import Tracing

extension TraceDesk {
  /// The message with what is known of the paths to its members' targets.
  func completed(_ message: AlertMessage) -> AlertMessage { message.with { line(of: $0, since: $1) } }

  /// A trace of a check is under way.
  func isTracing(_ check: UniqueID) -> Bool { state.withLock { $0.planner.isPending(check) } }
}
