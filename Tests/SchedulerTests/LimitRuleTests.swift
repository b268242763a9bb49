// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Scheduler

/// Both sides of each bound of the schedule, and what the scheduler does with an outcome.
@Suite(.timeLimit(.minutes(1))) struct LimitRuleTests {
  private let source = ManualWakeSource()

  /// A slot is run as late as its grace, and a microsecond later it is missed.
  @Test(arguments: [(1, 1), (60, 3), (3600, 30), (86_400, 30)] as [(Int64, Int64)])
  func aSlotIsRunUpToItsGrace(interval: Int64, grace: Int64) throws {
    // A check of a second that is a second late is due again.
    for (late, runs) in [(grace * 1_000_000 - (interval == 1 ? 1 : 0), 1), (grace * 1_000_000 + 1, 0)] {
      guard interval > 1 || runs == 1 else { continue }
      let check = try makeCheck("Shop front", every: .seconds(interval))
      var schedule = Schedule(testOptions(), at: newYear)
      _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
      let slot = try #require(schedule.runs(of: [check.id])[check.id])
      var now = newYear
      now.advance(by: newYear.wall.duration(to: slot) + .microseconds(late))
      let begun = schedule.begin(at: now)
      let missed = SlotRange(first: slot, count: 1, interval: .seconds(interval))
      #expect(begun.starts.map(\.scheduledAt) == (runs == 1 ? [slot] : []))
      #expect(begun.events == (runs == 1 ? [] : [.missed(check: check.id, slots: missed, cause: .gap)]))
      // As late as the grace, it is our own slowness, and counts as that.
      guard let start = begun.starts.first else { continue }
      _ = schedule.conclude(start.run, .works, at: now.boot)
      _ = schedule.finish(start.run, late: .microseconds(late), at: now.boot)
      #expect(schedule.status(at: now.boot).lateMax == .microseconds(late))
      #expect(schedule.status(at: now.boot).missedBy == [:])
    }
  }

  /// What waited for a place is late for another's sake: it is not in the figures of our own lateness.
  @Test func whatWaitedForAPlaceIsNotOurLateness() throws {
    // The slot of the second lies 10 to 50 s after that of the first.
    func slot(_ check: MonitoringCheck) -> Timestamp {
      Timeline(agent: "london-1", check: check.id, interval: .seconds(60)).slot(after: newYear.wall)
    }
    let checks = try (0..<20).map { try makeCheck("check-\($0)", host: "one.example") }
    let first = try #require(checks.min { slot($0) < slot($1) })
    let near = Duration.seconds(10)...Duration.seconds(50)
    let second = try #require(checks.first { near.contains(slot(first).duration(to: slot($0))) })
    var simulation = Simulation([first, second], testOptions(perHost: 1))
    simulation.takes = { _ in .seconds(60) }
    simulation.run(for: .seconds(119))
    #expect(simulation.runs.count == 2)
    #expect(try #require(simulation.runs.last).late >= .seconds(10))
    simulation.run(for: .seconds(61))
    #expect(simulation.schedule.status(at: simulation.clock.boot).lateMax == .zero)
  }

  /// A step of 50 ms waits until it adds up; one of a microsecond more moves the plan.
  @Test(arguments: [50_000, 50_001, -50_000, -50_001] as [Int64])
  func aStepMovesThePlanFrom50Milliseconds(step: Int64) throws {
    let check = try makeCheck("Shop front")
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    let planned = try #require(schedule.nextDue)
    schedule.realign(
      to: ClockReading(boot: newYear.boot, wall: newYear.wall.advanced(by: .microseconds(step))))
    let moved = planned.advanced(by: .microseconds(-step))
    #expect(schedule.nextDue == (step.magnitude > 50_000 ? moved : planned))
  }

  /// Wake-ups are on every second millisecond, at the slot or after it.
  @Test(
    arguments: [
      (0, 0), (1, 2000), (1999, 2000), (2000, 2000), (2001, 4000), (3999, 4000), (4000, 4000),
      (1_000_000_001, 1_000_002_000),
    ] as [(Int64, Int64)])
  func aWakeUpIsOnAWholePairOfMilliseconds(microseconds: Int64, tick: Int64) {
    #expect(Instant(microseconds: microseconds).tick == Instant(microseconds: tick))
  }

  /// Two periods: a value is in the figures until the period after its own has ended.
  @Test func lateness() {
    let start = Instant(microseconds: 7)
    for (seconds, rest, isKnown) in [
      (599, 0, true), (600, 0, true), (1199, 999_999, true), (1200, 0, false),
    ] {
      var lateness = Lateness()
      lateness.record(.milliseconds(3), at: start)
      let now = start.advanced(by: .seconds(seconds) + .microseconds(rest))
      let figures = lateness.figures(at: now)
      #expect((figures != nil) == isKnown, "\(seconds)")
      if let figures {
        let three = Duration.milliseconds(3)
        #expect(figures.p50 == three && figures.p99 == three && figures.max == three)
      }
    }
  }

  /// The median, the 99th percentile and the maximum are three figures.
  @Test func theThreeFiguresOfLateness() {
    var lateness = Lateness()
    for _ in 0..<97 { lateness.record(.microseconds(10), at: newYear.boot) }
    for late in [20, 30, 40] { lateness.record(.microseconds(late), at: newYear.boot) }
    let figures = lateness.figures(at: newYear.boot)
    #expect(figures?.p50 == .microseconds(10) && figures?.p99 == .microseconds(30))
    #expect(figures?.max == .microseconds(40))
  }

  @Test func anOutcomeByItself() {
    for finding in [RunOutcome.Finding.works, .fails, .unknown] {
      let outcome = RunOutcome(finding)
      #expect(outcome.finding == finding && outcome.hasResult && outcome.missed == nil)
    }
    #expect(!RunOutcome(.works, hasResult: false).hasResult)
    for cause in MissCause.allCases {
      let outcome = RunOutcome(missed: cause)
      #expect(outcome.finding == .unknown && !outcome.hasResult && outcome.missed == cause)
    }
    #expect(MissCause.allCases.map(\.rawValue) == ["limit", "gap", "budget", "failover"])
  }

  /// Once, at the instant; all zero would disarm.
  @Test func theTimerOfAnInstant() {
    for (nanoseconds, seconds, rest) in [
      (nil, 0, 0), (-5, 0, 1), (0, 0, 1), (1, 0, 1), (999_999_999, 0, 999_999_999), (1_000_000_000, 1, 0),
      (1_000_000_001, 1, 1), (8_640_000_000_001_500, 8_640_000, 1500),
    ] as [(Int64?, Int, Int)] {
      let timer = TimerWakeSource.setting(nanoseconds.map { Instant(nanoseconds: $0) })
      #expect(timer.seconds == seconds && timer.nanoseconds == rest)
    }
  }

  @Test func aWakeSourceThatCannotBeMade() {
    #expect(
      WakeSourceFailure(what: "a timer", code: EMFILE).description
        == "cannot create a timer for the scheduler: Too many open files; "
        + "raise the limit of open files or threads (LimitNOFILE, TasksMax)")
  }

  /// A run that a budget held back: its slot is told as missed for that, and there is no verdict to settle.
  @Test func aRunWithoutAnEndOfItsOwn() async throws {
    let diary = Diary()
    let scheduler = CheckScheduler(testOptions(), source: source) { due in
      diary.write(.started(due.check.name, due.scheduledAt))
      return RunOutcome(missed: .budget)
    } events: {
      diary.write(.event($0))
    }
    let check = try makeCheck("Shop front")
    scheduler.apply([check], recalling: settled([check]))
    let task = Task { await scheduler.run() }
    source.advanceToDeadline()
    await until { diary.all.count == 2 && scheduler.status().inFlight == 0 }
    task.cancel()
    await task.value
    let slot = Timeline(agent: "london-1", check: check.id, interval: .seconds(60)).slot(after: newYear.wall)
    let slots = SlotRange(first: slot, count: 1, interval: .seconds(60))
    #expect(
      diary.all
        == [.started("Shop front", slot), .event(.missed(check: check.id, slots: slots, cause: .budget))])
    #expect(scheduler.status().missedBy == [.budget: 1] && scheduler.status().lateMax != nil)
  }

  /// What waits at a full host and moves to another starts with the list, not with the next slot. While it
  /// runs it is said to.
  @Test func aListStartsWhatItSetsFree() async throws {
    let (diary, gate) = (Diary(), Gate())
    let scheduler = CheckScheduler(testOptions(perHost: 1), source: source) { due in
      diary.write(.started(due.check.name, due.scheduledAt))
      await gate.wait()
      return RunOutcome(.works)
    } events: { _ in
    }
    let pair = try (0..<2).map { try makeCheck("check-\($0)", every: .seconds(3600), host: "one.example") }
    scheduler.apply(pair, recalling: settled(pair))
    let task = Task { await scheduler.run() }
    source.advanceToDeadline()
    await until { diary.all.count == 1 }
    source.advanceToDeadline()
    await until { scheduler.status().waiting == 1 }
    let going = pair[diary.starts(of: "check-0") == 1 ? 0 : 1]
    #expect(pair.map { scheduler.isRunning($0.id) } == pair.map { $0.id == going.id })
    let moved = try pair.map { $0 == going ? $0 : try makeCheck($0.name, every: .seconds(3600)) }
    scheduler.apply(moved, recalling: settled(moved))
    await until { diary.all.count == 2 }
    #expect(pair.allSatisfy { scheduler.isRunning($0.id) })
    #expect(scheduler.runs(of: Set(pair.map(\.id))).count == 2 && scheduler.runs(of: []) == [:])
    gate.open()
    await until { scheduler.status().inFlight == 0 }
    #expect(!pair.contains { scheduler.isRunning($0.id) })
    task.cancel()
    await task.value
  }
}
