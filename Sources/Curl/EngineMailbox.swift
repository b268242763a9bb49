// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// How tasks hand work to the engine. All of it lies in one lock; the loop's thread is woken only where it sleeps.
final class EngineMailbox: Sendable {
  private struct State {
    var starts: [TransferTicket] = []
    var cancels: [TransferTicket] = []
    var closing = false
  }

  private let bell: LoopBell
  /// Everything has ended and is freed.
  let ended = Latch()
  private let state = Mutex(State())

  init(bell: LoopBell) { self.bell = bell }

  /// Cancelled before it was submitted, or the engine is closing: the reply is given at once.
  func submit(_ ticket: TransferTicket, reply: CheckedContinuation<Void, Never>) {
    let accepted = state.withLock { state in
      guard !state.closing, ticket.begin(reply) else { return false }
      state.starts.append(ticket)
      return true
    }
    if accepted { bell.ring() } else { reply.resume() }
  }

  func cancel(_ ticket: TransferTicket) {
    // Under the same lock as the start: the thread never has the cancel without it.
    let isPosted = state.withLock { state in
      let isPosted = ticket.mustBeCancelled()
      if isPosted { state.cancels.append(ticket) }
      return isPosted
    }
    if isPosted { bell.ring() }
  }

  func close() {
    state.withLock { $0.closing = true }
    bell.ring()
  }

  /// Nothing was handed in that was not taken.
  var isIdle: Bool { state.withLock { $0.starts.isEmpty && $0.cancels.isEmpty && !$0.closing } }

  /// Gives all requests and cancels that came since the last call, oldest first, for empty lists. True: the engine is
  /// closing, and no transfer begins after these.
  func take(_ starts: inout [TransferTicket], _ cancels: inout [TransferTicket]) -> Bool {
    state.withLock { state in
      swap(&state.starts, &starts)
      if !state.cancels.isEmpty { swap(&state.cancels, &cancels) }
      return state.closing
    }
  }
}
