// SPDX-License-Identifier: MIT

import Agent
import Alerts
import Monitoring
import Synchronization

/// Delivers a message, keeps it, and ends the sending.
final class OneDelivery: MessageSending {
  private let state = Mutex((messages: [AlertMessage](), task: Task<Void, Never>?.none))
  var messages: [AlertMessage] { state.withLock { $0.messages } }
  func end(_ task: Task<Void, Never>) { state.withLock { $0.task = task } }

  func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async -> SendOutcome
  {
    state.withLock { state in
      state.messages.append(message)
      state.task?.cancel()
    }
    return .delivered
  }
}
