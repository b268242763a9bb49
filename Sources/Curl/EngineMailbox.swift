// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Synchronization

/// How tasks hand work to the engine's thread. All of it lies in one lock; the thread is woken only where it sleeps.
final class EngineMailbox: Sendable {
  enum Command: Sendable {
    case start(TransferTicket)
    case cancel(TransferTicket)
  }

  private struct State {
    /// The multi handle as a number; zero once the thread is about to free it.
    var multi: UInt
    /// Of the thread.
    let turns: ThreadClock
    var commands: [Command] = []
    /// The thread is about to poll or polls: only then is it worth the system calls to wake it.
    var asleep = false
    var closing = false
    var ended = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Called with the lock held, so that the handle cannot be freed under the call.
    mutating func wake() {
      guard asleep, let handle = UnsafeMutableRawPointer(bitPattern: multi) else { return }
      asleep = false
      turns.wake()
      curl_multi_wakeup(handle)
    }

    mutating func post(_ command: Command) {
      commands.append(command)
      wake()
    }
  }

  private let state: Mutex<State>

  init(multi: UnsafeMutableRawPointer, turns: ThreadClock) {
    state = Mutex(State(multi: UInt(bitPattern: multi), turns: turns))
  }

  /// Cancelled before it was submitted, or the engine is closing: the reply is given at once.
  func submit(_ ticket: TransferTicket, reply: CheckedContinuation<Void, Never>) {
    let accepted = state.withLock { state in
      guard !state.closing, ticket.begin(reply) else { return false }
      state.post(.start(ticket))
      return true
    }
    if !accepted { reply.resume() }
  }

  func cancel(_ ticket: TransferTicket) {
    // Under the same lock as the start, so that it is never overtaken.
    state.withLock { state in
      if ticket.mustBeCancelled() { state.post(.cancel(ticket)) }
    }
  }

  var isClosing: Bool { state.withLock { $0.closing } }

  func close() {
    state.withLock { state in
      state.closing = true
      state.wake()
    }
  }

  /// Returns once the thread has ended its loop and freed everything.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let ended = state.withLock { state in
        if !state.ended { state.waiters.append(continuation) }
        return state.ended
      }
      if ended { continuation.resume() }
    }
  }

  /// Gives all commands that came since the last call, oldest first, for an empty list. True: the engine is closing,
  /// and no transfer begins after these.
  func take(_ commands: inout [Command]) -> Bool {
    state.withLock { state in
      state.asleep = false
      swap(&state.commands, &commands)
      return state.closing
    }
  }

  /// False: there is something to do, and the thread must not sleep. True: whatever comes now wakes the poll that
  /// follows, also if it comes before the poll has begun.
  func prepareToSleep() -> Bool {
    state.withLock { state in
      state.asleep = state.commands.isEmpty && !state.closing
      return state.asleep
    }
  }

  /// From here on nobody touches the multi handle.
  func detachMulti() { state.withLock { $0.multi = 0 } }

  func markEnded() {
    let waiters = state.withLock { state in
      state.ended = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
