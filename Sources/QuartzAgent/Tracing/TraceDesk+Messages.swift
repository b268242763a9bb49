// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Synchronization

extension TraceDesk {
  /// A first message waits so long for a trace that is under way.
  static let patience: Duration = .seconds(10)

  /// The message with what is known of the ways to its members' targets, and whether that is all: an incident's first
  /// message may wait a moment for a trace.
  func completed(_ message: AlertMessage) -> (message: AlertMessage, isComplete: Bool) {
    let whole = message.with { line(of: $0, since: $1) }
    guard message.kind == .opened else { return (whole, true) }
    let isWaiting = whole.members.contains { member in
      guard let check = member.checkID, member.path == nil, member.until == nil else { return false }
      return state.withLock { $0.planner.isPending(check) }
    }
    return (whole, !isWaiting)
  }
}
