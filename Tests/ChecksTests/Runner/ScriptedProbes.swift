// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization
import TestSupport

@testable import Checks

/// Answers as it was told, one outcome an attempt, and notes the deadlines it was given.
final class ScriptedProbe: Probe {
  private struct State {
    var outcomes: [ProbeOutcome]
    var deadlines: [Instant] = []
    var secondLooks: [Bool] = []
  }

  private let state: Mutex<State>
  private let time: FakeClock
  private let takes: Duration

  var deadlines: [Instant] { state.withLock { $0.deadlines } }
  /// Of each attempt, whether it was to wait for all addresses.
  var secondLooks: [Bool] { state.withLock { $0.secondLooks } }

  init(_ outcomes: [ProbeOutcome], time: FakeClock, takes: Duration = .milliseconds(100)) {
    self.state = Mutex(State(outcomes: outcomes))
    self.time = time
    self.takes = takes
  }

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    time.advance(by: takes)
    return state.withLock { state in
      state.deadlines.append(attempt.deadline)
      state.secondLooks.append(attempt.scope == .both)
      return .done(state.outcomes.count > 1 ? state.outcomes.removeFirst() : state.outcomes[0])
    }
  }
}

/// Says of each attempt what it was told to, from the first on; the last word stands.
final class ProbeOfWords: Probe {
  private let words: Mutex<[Probed]>

  init(_ words: [Probed]) { self.words = Mutex(words) }

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    words.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
  }
}

/// Waits until it is cancelled, and then says that all is well.
struct StubbornProbe: Probe {
  let begun: @Sendable () -> Void

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    begun()
    while !Task.isCancelled { await Task.yield() }
    return .done(ProbeOutcome(.ok))
  }
}
