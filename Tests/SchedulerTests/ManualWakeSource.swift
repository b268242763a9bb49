// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler
import Synchronization
import TestSupport

/// A wake source on a fake clock: it wakes when the test has moved the clock to what it is armed for.
final class ManualWakeSource: WakeSource {
  let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let clock = FakeClock(at: newYear.wall, boot: newYear.boot)
  private let armed = Mutex<Instant?>(nil)

  init() {
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// What it was armed with last.
  var deadline: Instant? { armed.withLock { $0 } }

  func now() -> ClockReading { clock.reading }

  func arm(at deadline: Instant?) {
    armed.withLock { $0 = deadline }
    wakeIfDue()
  }

  func wake() { continuation.yield() }

  func advance(by duration: Duration) {
    clock.advance(by: duration)
    wakeIfDue()
  }

  /// To the instant it is armed for.
  func advanceToDeadline() {
    guard let deadline else { return }
    advance(by: now().boot.duration(to: deadline))
  }

  private func wakeIfDue() {
    if let deadline, deadline <= now().boot { continuation.yield() }
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
