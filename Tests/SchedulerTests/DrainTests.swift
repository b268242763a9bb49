// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// What happens when the scheduler's task is cancelled.
@Suite(.timeLimit(.minutes(1))) struct DrainTests {
  private let source = ManualWakeSource()
  private let diary = Diary()

  private func makeScheduler(
    _ options: SchedulerOptions = testOptions(), work: @escaping @Sendable () async -> Void
  ) throws -> CheckScheduler {
    let scheduler = CheckScheduler(options, source: source) { [diary] due in
      diary.write(.started(due.check.name, due.scheduledAt))
      await work()
      diary.write(.ended(due.check.name, cancelled: Task.isCancelled))
      return RunOutcome(.unknown)
    } events: { _ in
    }
    let other = try makeCheck("other", every: .seconds(3600))
    scheduler.apply([try makeCheck("slow", every: .seconds(10)), other], recalling: settled([other]))
    return scheduler
  }

  /// One run is going when it returns.
  private func start(_ scheduler: CheckScheduler) async -> Task<Void, Never> {
    let task = Task { await scheduler.run() }
    source.advanceToDeadline()
    await until { diary.all.count == 1 }
    return task
  }

  @Test func runsMayEndInTheGracePeriodAndNothingStarts() async throws {
    let gate = Gate()
    let scheduler = try makeScheduler { await gate.wait() }
    let task = await start(scheduler)
    task.cancel()
    source.advance(by: .milliseconds(4900))
    source.wake()
    #expect(scheduler.status().inFlight == 1)
    gate.open()
    await task.value
    #expect(diary.all.last == .ended("slow", cancelled: false))
    #expect(diary.all.count == 2)
  }

  @Test func whatIsLeftAfterTheGracePeriodIsCancelled() async throws {
    let scheduler = try makeScheduler { try? await Task.sleep(for: .seconds(86_400)) }
    let task = await start(scheduler)
    task.cancel()
    await until { source.deadline == source.now().boot.advanced(by: .seconds(5)) }
    source.advance(by: .seconds(5))
    await task.value
    #expect(diary.all.last == .ended("slow", cancelled: true))
    #expect(diary.all.count == 2)
  }

  /// The grace period is what the options say, to its last moment.
  @Test func theGracePeriodIsAsLongAsItIsSaid() async throws {
    var options = testOptions()
    options.drainGrace = .milliseconds(1500)
    let scheduler = try makeScheduler(options) { try? await Task.sleep(for: .seconds(86_400)) }
    let task = await start(scheduler)
    task.cancel()
    await until { source.deadline == source.now().boot.advanced(by: .milliseconds(1500)) }
    source.advance(by: .milliseconds(1499))
    source.wake()
    #expect(scheduler.status().inFlight == 1 && diary.all.count == 1)
    source.advance(by: .milliseconds(1))
    await task.value
    #expect(diary.all.last == .ended("slow", cancelled: true))
  }

  @Test func withoutRunsItEndsAtOnce() async throws {
    let scheduler = try makeScheduler {}
    let task = Task { await scheduler.run() }
    task.cancel()
    await task.value
    #expect(diary.all.isEmpty)
  }

  @Test func aNewListDuringTheDrainStartsNothing() async throws {
    let gate = Gate()
    let scheduler = try makeScheduler { await gate.wait() }
    let task = await start(scheduler)
    task.cancel()
    await until { source.deadline == source.now().boot.advanced(by: .seconds(5)) }
    scheduler.apply([try makeCheck("added", every: .seconds(1))])
    source.advance(by: .seconds(3))
    source.wake()
    gate.open()
    await task.value
    #expect(diary.starts(of: "added") == 0)
  }
}
