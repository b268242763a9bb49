// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

@testable import Scheduler

/// Clocks that stand still until the test moves them.
final class ManualWakeSource: WakeSource {
  private struct State {
    var clock: ClockReading
    var deadline: BootInstant?
  }

  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let state: Mutex<State>

  init(_ clock: ClockReading = newYear) {
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(State(clock: clock))
  }

  /// What it was armed with last.
  var deadline: BootInstant? { state.withLock { $0.deadline } }

  func now() -> ClockReading { state.withLock { $0.clock } }

  func arm(at deadline: BootInstant?) { change { $0.deadline = deadline } }

  func wake() { continuation.yield() }

  func advance(by duration: Duration) { change { $0.clock.advance(by: duration) } }

  /// To the instant it is armed for.
  func advanceToDeadline() {
    change { state in
      guard let deadline = state.deadline else { return }
      state.clock.advance(by: state.clock.boot.duration(to: deadline))
    }
  }

  private func change(_ body: (inout sending State) -> Void) {
    let due = state.withLock { state in
      body(&state)
      return state.deadline.map { $0 <= state.clock.boot } ?? false
    }
    if due { continuation.yield() }
  }
}

/// What a scheduler did, in order.
final class Diary: Sendable {
  enum Line: Hashable {
    case started(String, Timestamp)
    case ended(String, cancelled: Bool)
    case event(ScheduleEvent)
    case spanned(String, SlotRange)
  }

  private let lines = Mutex<[Line]>([])

  var all: [Line] { lines.withLock { $0 } }

  func write(_ line: Line) { lines.withLock { $0.append(line) } }

  func starts(of name: String) -> Int {
    all.count { if case .started(name, _) = $0 { true } else { false } }
  }
}

/// Something to wait for. It opens once; cancellation does not open it.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func open() { continuation.finish() }

  func wait() async {
    let stream = stream
    await Task { for await _ in stream {} }.value
  }
}

/// Gives way to others until the condition holds. The time limit of the test is the only other way out.
func until(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}
