// SPDX-License-Identifier: MIT

import CCurl
import Synchronization

/// A request on its way to the engine's thread, with who waits for it.
struct TransferTicket: Sendable {
  typealias Reply = CheckedContinuation<Result<TransferReport, CancellationError>, Never>

  let id: UInt64
  let request: TransferRequest
  let submitted: ContinuousClock.Instant
  let reply: Reply
}

/// How tasks hand work to the engine's thread. All of it lies in one lock; the thread is woken only where it sleeps.
final class EngineMailbox: Sendable {
  enum Command: Sendable {
    case start(TransferTicket)
    case cancel(UInt64)
  }

  /// What the thread finds on a turn.
  struct Batch {
    var commands: [Command]
    var more: Bool
    var closing: Bool
  }

  private enum Progress { case reserved, cancelledEarly, submitted }

  private struct State {
    /// The multi handle as a number; zero once the thread is about to free it.
    var multi: UInt
    var commands: [Command] = []
    var progress: [UInt64: Progress] = [:]
    var nextID: UInt64 = 1
    /// The thread is about to poll or polls: only then is it worth the system calls to wake it.
    var asleep = false
    var closing = false
    var ended = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Called with the lock held, so that the handle cannot be freed under the call.
    mutating func wake() {
      guard asleep, let handle = UnsafeMutableRawPointer(bitPattern: multi) else { return }
      asleep = false
      curl_multi_wakeup(handle)
    }

    mutating func post(_ command: Command) {
      commands.append(command)
      wake()
    }
  }

  private let state: Mutex<State>

  init(multi: UnsafeMutableRawPointer) {
    state = Mutex(State(multi: UInt(bitPattern: multi)))
  }

  /// An id to cancel by, before there is anything to cancel.
  func reserve() -> UInt64 {
    state.withLock { state in
      defer { state.nextID += 1 }
      state.progress[state.nextID] = .reserved
      return state.nextID
    }
  }

  /// Cancelled before it was submitted, or the engine is closing: the reply is given at once.
  func submit(_ ticket: TransferTicket) {
    let accepted = state.withLock { state in
      guard !state.closing, state.progress[ticket.id] == .reserved else {
        state.progress[ticket.id] = nil
        return false
      }
      state.progress[ticket.id] = .submitted
      state.post(.start(ticket))
      return true
    }
    if !accepted { ticket.reply.resume(returning: .failure(CancellationError())) }
  }

  func cancel(_ id: UInt64) {
    state.withLock { state in
      switch state.progress[id] {
      case .reserved: state.progress[id] = .cancelledEarly
      case .submitted: state.post(.cancel(id))
      case .cancelledEarly, nil: break
      }
    }
  }

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

  /// At most `limit` commands, oldest first.
  func take(limit: Int) -> Batch {
    state.withLock { state in
      state.asleep = false
      let batch = Array(state.commands.prefix(limit))
      state.commands.removeFirst(batch.count)
      return Batch(commands: batch, more: !state.commands.isEmpty, closing: state.closing)
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

  func forget(_ id: UInt64) { state.withLock { $0.progress[id] = nil } }

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
