// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Scheduler

/// The real clocks. Only "not before it is due" can be asserted: the machine may always be slow.
@Suite(.timeLimit(.minutes(1))) struct TimerWakeSourceTests {
  @Test func wakesNotBeforeItIsDue() async throws {
    let source = try TimerWakeSource(time: .system)
    var wakes = source.wakes.makeAsyncIterator()
    for milliseconds in [0, 1, 5, 20] {
      let deadline = source.now().boot.advanced(by: .milliseconds(milliseconds))
      source.arm(at: deadline)
      await wakes.next()
      #expect(source.now().boot >= deadline)
    }
  }

  @Test func anInstantThatHasPassedWakesAtOnce() async throws {
    let source = try TimerWakeSource(time: .system)
    var wakes = source.wakes.makeAsyncIterator()
    for instant in [0, -5, 1] {
      source.arm(at: Instant(microseconds: Int64(instant)))
      #expect(await wakes.next() != nil)
    }
  }

  @Test func theLastInstantCounts() async throws {
    let source = try TimerWakeSource(time: .system)
    var wakes = source.wakes.makeAsyncIterator()
    let start = source.now().boot
    source.arm(at: start.advanced(by: .seconds(3600)))
    source.arm(at: start.advanced(by: .seconds(1800)))
    source.arm(at: nil)
    source.arm(at: start.advanced(by: .milliseconds(30)))
    await wakes.next()
    #expect(source.now().boot >= start.advanced(by: .milliseconds(30)))
  }

  @Test func wakesWhenTold() async throws {
    let source = try TimerWakeSource(time: .system)
    var wakes = source.wakes.makeAsyncIterator()
    source.arm(at: source.now().boot.advanced(by: .seconds(3600)))
    source.wake()
    #expect(await wakes.next() != nil)
  }

  /// More sources than the descriptors of most processes would allow, each ended before the next one.
  @Test func endsItsThreadAndClosesItsDescriptors() async throws {
    for _ in 0..<1000 {
      var source: TimerWakeSource? = try TimerWakeSource(time: .system)
      let wakes = source?.wakes
      source = nil
      if let wakes { for await _ in wakes {} }
    }
  }

  @Test func theClocksAreReadAsOne() {
    let first = ClockReading.now()
    let second = ClockReading.now()
    #expect(first.boot <= second.boot)
    let drift = abs(second.offset - first.offset)
    #expect(drift < 50_000)
  }

  @Test func aSchedulerOnTheRealClockRunsOnTime() async throws {
    let source = try TimerWakeSource(time: .system)
    let (starts, continuation) = AsyncStream.makeStream(of: (due: DueCheck, at: Instant).self)
    let scheduler = CheckScheduler(testOptions(), source: source) { due in
      continuation.yield((due, source.now().boot))
      return RunOutcome(.works)
    } events: { _ in
    }
    scheduler.apply([try makeCheck("Shop front", every: .seconds(1))])
    let task = Task { await scheduler.run() }
    var seen: [(due: DueCheck, at: Instant)] = []
    for await start in starts {
      seen.append(start)
      if seen.count == 2 { break }
    }
    task.cancel()
    await task.value
    #expect(seen.allSatisfy { $0.at >= $0.due.due && $0.due.late >= .zero })
    #expect(seen[0].due.scheduledAt < seen[1].due.scheduledAt)
  }
}
