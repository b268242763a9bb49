// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

@testable import Checks

/// Time that passes only when somebody sleeps or a probe says so.
final class ManualTime: Sendable {
  private let state = Mutex((elapsed: Duration.zero, sleeps: [Duration]()))
  private let base = ContinuousClock.now
  static let start = Timestamp(seconds: 1_767_492_000)

  var elapsed: Duration { state.withLock { $0.elapsed } }
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  func pass(_ duration: Duration) { state.withLock { $0.elapsed += duration } }

  var runnerTime: RunnerTime {
    RunnerTime(
      now: { Self.start.advanced(by: self.elapsed) }, instant: { self.base + self.elapsed },
      sleep: { (duration: Duration) async throws(CancellationError) in
        if Task.isCancelled { throw CancellationError() }
        self.state.withLock { state in
          state.sleeps.append(duration)
          state.elapsed += duration
        }
      })
  }

  func instant(_ offset: Duration) -> ContinuousClock.Instant { base + offset }
}

/// Answers as it was told, one outcome an attempt, and notes the deadlines it was given.
final class ScriptedProbe: Probe {
  private struct State {
    var outcomes: [ProbeOutcome]
    var deadlines: [ContinuousClock.Instant] = []
    var secondLooks: [Bool] = []
  }

  private let state: Mutex<State>
  private let time: ManualTime
  private let takes: Duration

  var deadlines: [ContinuousClock.Instant] { state.withLock { $0.deadlines } }
  /// Of each attempt, whether it was to wait for all addresses.
  var secondLooks: [Bool] { state.withLock { $0.secondLooks } }

  init(_ outcomes: [ProbeOutcome], time: ManualTime, takes: Duration = .milliseconds(100)) {
    self.state = Mutex(State(outcomes: outcomes))
    self.time = time
    self.takes = takes
  }

  func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    time.pass(takes)
    return state.withLock { state in
      state.deadlines.append(deadline)
      state.secondLooks.append(check.isSecondLook)
      return state.outcomes.count > 1 ? state.outcomes.removeFirst() : state.outcomes[0]
    }
  }
}

/// Waits until it is cancelled, and then says that all is well.
struct StubbornProbe: Probe {
  let begun: @Sendable () -> Void

  func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    begun()
    while !Task.isCancelled { await Task.yield() }
    return ProbeOutcome(.ok)
  }
}
