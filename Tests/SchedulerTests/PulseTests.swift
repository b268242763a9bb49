// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Scheduler

/// The sign of life comes from the loop that schedules, and from nobody else.
@Suite(.timeLimit(.minutes(1))) struct PulseTests {
  private let source = ManualWakeSource()

  private func scheduler(
    _ beats: Counter, events: @escaping @Sendable (ScheduleEvent) -> Void = { _ in }
  ) -> CheckScheduler {
    var options = testOptions()
    options.pulse = SchedulerOptions.Pulse(every: .seconds(15)) { beats.add() }
    return CheckScheduler(options, source: source) { _ in
      RunOutcome(.works)
    } events: {
      events($0)
    }
  }

  @Test func anIdleLoopBeatsInTime() async {
    let beats = Counter()
    let scheduler = scheduler(beats)
    let task = Task { await scheduler.run() }
    await until { beats.value == 1 }
    for count in 2...5 {
      // The loop tells its next deadline after the beat.
      await until { source.deadline == source.now().boot.advanced(by: .seconds(15)) }
      source.advanceToDeadline()
      await until { beats.value == count }
    }
    task.cancel()
    await task.value
  }

  /// A loop that is stuck is behind by what has passed since the instant it was to wake; one that only waits, or was
  /// never begun, is not behind.
  @Test func howLongTheLoopHasBeenBehind() async throws {
    let gate = ThreadGate()
    let scheduler = CheckScheduler(testOptions(), source: source) { _ in
      RunOutcome(.works)
    } events: { _ in
      gate.wait()
    }
    let check = try makeCheck("Shop front")
    scheduler.apply([check], recalling: settled([check]))
    source.advance(by: .seconds(3600))
    #expect(scheduler.overdue == .zero, "nobody runs it")
    let task = Task { await scheduler.run() }
    await until { gate.isWaiting }
    let armed = try #require(source.deadline)
    #expect(armed > source.now().boot && scheduler.overdue == .zero)
    source.advanceToDeadline()
    #expect(scheduler.overdue == .zero)
    source.advance(by: .milliseconds(7250))
    #expect(scheduler.overdue == .milliseconds(7250))
    gate.open()
    task.cancel()
    await task.value
    #expect(scheduler.overdue == .zero, "it has ended")
  }

  @Test func aLoopThatStandsStillDoesNotBeat() async throws {
    let beats = Counter()
    let gate = ThreadGate()
    let scheduler = scheduler(beats) { _ in gate.wait() }
    let check = try makeCheck("Shop front")
    scheduler.apply([check], recalling: settled([check]))
    let task = Task { await scheduler.run() }
    await until { beats.value == 1 }
    // A gap is told, and whoever is told does not return: the loop is stuck, the process lives.
    source.advance(by: .seconds(3600))
    await until { gate.isWaiting }
    let stuck = beats.value
    for _ in 0..<10 {
      source.advance(by: .seconds(15))
      source.wake()
    }
    #expect(beats.value == stuck)
    gate.open()
    await until { beats.value > stuck }
    task.cancel()
    await task.value
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// Blocks the thread that waits, as a loop that hangs does.
private final class ThreadGate: Sendable {
  private let state = Mutex((isOpen: false, isWaiting: false))

  var isWaiting: Bool { state.withLock { $0.isWaiting } }

  func open() { state.withLock { $0.isOpen = true } }

  func wait() {
    state.withLock { $0.isWaiting = true }
    while !state.withLock({ $0.isOpen }) { sched_yield() }
  }
}
