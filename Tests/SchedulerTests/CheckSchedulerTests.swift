// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import Scheduler

@Suite(.timeLimit(.minutes(1))) struct CheckSchedulerTests {
  private let source = ManualWakeSource()
  private let diary = Diary()

  private func makeScheduler(
    _ options: SchedulerOptions = testOptions(),
    work: @escaping @Sendable (DueCheck) async -> Void = { _ in }
  ) -> CheckScheduler {
    CheckScheduler(options, source: source) { [diary] due in
      diary.write(.started(due.check.name, due.scheduledAt))
      await work(due)
      diary.write(.ended(due.check.name, cancelled: Task.isCancelled))
      return RunOutcome(.works) { slots in
        if let slots { diary.write(.spanned(due.check.name, slots)) }
      }
    } events: { [diary] in
      diary.write(.event($0))
    }
  }

  /// Runs the scheduler as long as the body, then cancels it and waits for its end.
  private func running(_ scheduler: CheckScheduler, _ body: () async throws -> Void) async rethrows {
    let task = Task { await scheduler.run() }
    do { try await body() } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    await task.value
  }

  @Test func anHourOfSlots() async throws {
    let scheduler = makeScheduler()
    let checks = try (0..<5).map { try makeCheck("check-\($0)", every: .seconds(60 * ($0 + 1))) }
    scheduler.apply(checks, recalling: settled(checks))
    await running(scheduler) {
      let end = newYear.boot.advanced(by: .seconds(3600))
      while let deadline = source.deadline, deadline <= end {
        let started = scheduler.status().started
        source.advanceToDeadline()
        await until { scheduler.status().started > started && scheduler.status().inFlight == 0 }
      }
    }
    #expect((0..<5).map { diary.starts(of: "check-\($0)") } == [60, 30, 20, 15, 12])
    let status = scheduler.status()
    #expect(status.started == 137 && status.missed == 0 && status.spanned == 0)
    // Wake-ups are on every second millisecond, never before the slot.
    #expect(try #require(status.lateMax) < .milliseconds(2))
  }

  @Test func tellsTheWorkItsSlotAndHowLateItIs() async throws {
    let told = Mutex<[DueCheck]>([])
    let scheduler = makeScheduler { due in told.withLock { $0.append(due) } }
    let check = try makeCheck("Shop front", every: .seconds(3600))
    scheduler.apply([check], recalling: settled([check]))
    let timeline = Timeline(agent: "london-1", check: check.id, interval: .seconds(3600))
    let slot = timeline.slot(after: newYear.wall)
    let boot = newYear.boot.advanced(by: newYear.wall.duration(to: slot))
    await running(scheduler) {
      source.advance(by: newYear.wall.duration(to: slot) + .milliseconds(1500))
      await until { scheduler.status().started == 1 && scheduler.status().inFlight == 0 }
    }
    let due = try #require(told.withLock { $0.first })
    #expect(due.check == check && due.scheduledAt == slot && due.due == boot)
    #expect(due.late == .milliseconds(1500))
    #expect(scheduler.status().lateMax == .milliseconds(1500))
  }

  @Test func spannedSlotsAreToldAfterTheirRun() async throws {
    let gate = Gate()
    let scheduler = makeScheduler { _ in await gate.wait() }
    let check = try makeCheck("Slow", every: .seconds(10), retries: 2)
    scheduler.apply([check], recalling: settled([check]))
    await running(scheduler) {
      source.advanceToDeadline()
      await until { diary.starts(of: "Slow") == 1 }
      #expect(source.deadline == nil)
      source.advance(by: .seconds(25))
      source.wake()
      gate.open()
      await until { scheduler.status().spanned == 2 && diary.all.count == 3 }
    }
    guard case .started(_, let slot) = diary.all[0] else { return }
    let slots = SlotRange(first: slot.advanced(by: .seconds(10)), count: 2, interval: .seconds(10))
    let expected: [Diary.Line] = [
      .started("Slow", slot), .ended("Slow", cancelled: false),
      .spanned("Slow", slots),
    ]
    #expect(diary.all == expected)
  }

  @Test func whoWaitsStartsWhenARunEnds() async throws {
    let gate = Gate()
    let scheduler = makeScheduler(testOptions(total: 1)) { due in
      if due.check.name == "first" { await gate.wait() }
    }
    let checks = [try makeCheck("first"), try makeCheck("second")]
    scheduler.apply(checks, recalling: settled(checks))
    await running(scheduler) {
      while diary.starts(of: "first") == 0 {
        let started = scheduler.status().started
        source.advanceToDeadline()
        await until { scheduler.status().started > started }
        await until { diary.starts(of: "first") + diary.starts(of: "second") > started }
      }
      let before = diary.starts(of: "second")
      source.advanceToDeadline()
      await until { scheduler.status().waiting == 1 }
      #expect(diary.starts(of: "second") == before)
      gate.open()
      await until { diary.starts(of: "second") == before + 1 && scheduler.status().inFlight == 0 }
    }
    #expect(scheduler.status().missed == 0)
  }

  @Test func aLongSleepIsToldAsMissed() async throws {
    let scheduler = makeScheduler()
    let check = try makeCheck("Shop front")
    scheduler.apply([check], recalling: settled([check]))
    let slot = Timeline(agent: "london-1", check: check.id, interval: .seconds(60)).slot(after: newYear.wall)
    await running(scheduler) {
      source.advance(by: newYear.wall.duration(to: slot) + .seconds(8 * 3600 + 30))
      await until { scheduler.status().missed > 0 }
    }
    let slots = SlotRange(first: slot, count: 481, interval: .seconds(60))
    #expect(diary.all == [.event(.missed(check: check.id, slots: slots, cause: .gap))])
  }

  @Test func aNewListTakesEffectAtOnce() async throws {
    let scheduler = makeScheduler()
    try await running(scheduler) {
      #expect(source.deadline == nil)
      scheduler.apply([try makeCheck("added", every: .seconds(1))])
      for count in 1...3 {
        source.advanceToDeadline()
        await until { diary.starts(of: "added") == count && scheduler.status().inFlight == 0 }
      }
      scheduler.apply([])
      #expect(source.deadline == nil)
      #expect(scheduler.status().checks == 0)
    }
    #expect(diary.starts(of: "added") == 3)
  }
}
