// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// One judgement and the task that waits for it. Cancelling ends the wait at once and lets go of the work.
final class JudgeTurn<Value: Sendable>: Sendable {
  private struct State {
    var work: (@Sendable (CPUBudget) -> Value)?
    var waiter: CheckedContinuation<Value?, Never>?
    var isCancelled = false
  }

  /// Raised by the cancellation: work under way ends soon.
  let stop = StopFlag()
  private let state: Mutex<State>

  init(_ work: @escaping @Sendable (CPUBudget) -> Value) { state = Mutex(State(work: work)) }

  /// False when it is cancelled already; the waiter has been resumed then.
  func begin(_ waiter: CheckedContinuation<Value?, Never>) -> Bool {
    let isWanted = state.withLock { state in
      if !state.isCancelled { state.waiter = waiter }
      return !state.isCancelled
    }
    if !isWanted { waiter.resume(returning: nil) }
    return isWanted
  }

  /// Does the work, unless it was cancelled, on the calling thread.
  func run(_ budget: CPUBudget) {
    guard let work = state.withLock({ $0.work.take() }) else { return }
    let value = work(budget)
    state.withLock { $0.waiter.take() }?.resume(returning: value)
  }

  func cancel() {
    stop.raise()
    let waiter = state.withLock { state in
      (state.isCancelled, state.work) = (true, nil)
      return state.waiter.take()
    }
    waiter?.resume(returning: nil)
  }
}
