// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Lets one task sleep until a time or until it is woken, whichever comes first. A wake-up while no task sleeps is kept
/// for the next sleep.
final class Doorbell: Sendable {
  private struct State: Sendable {
    var hasRung = false
    var sleeper: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring() {
    let sleeper = state.withLock { state in
      defer { state.sleeper = nil }
      if state.sleeper == nil { state.hasRung = true }
      return state.sleeper
    }
    sleeper?.resume()
  }

  /// - Throws: when the task is cancelled; a ring or the time just ends it.
  func sleep(until time: Timestamp, of steady: SteadyTime) async throws(CancellationError) {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await steady.sleep(until: time) }
      group.addTask { await self.waitForRing() }
      await group.next()
      group.cancelAll()
    }
    if Task.isCancelled { throw CancellationError() }
  }

  private func waitForRing() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          // A cancelled wait must not be stored: its handler may have run already.
          if state.hasRung || Task.isCancelled {
            state.hasRung = false
            return true
          }
          state.sleeper = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.sleeper = nil }
        return state.sleeper
      }?.resume()
    }
  }
}
