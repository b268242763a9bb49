// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Scheduler

/// The rows "clock and scheduling" of the fault list, by their numbers. Details are in the suites of their subjects.
@Suite struct FaultRowTests {
  private func gaps(_ runs: [Simulation.Record]) -> [Duration] {
    zip(runs, runs.dropFirst()).map { $0.started.boot.duration(to: $1.started.boot) }
  }

  /// A schedule in which the first run of the check has just begun.
  private func begun(_ check: MonitoringCheck) throws -> (Schedule, ClockReading, Schedule.Start) {
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    var clock = newYear
    clock.advance(by: newYear.boot.duration(to: try #require(schedule.nextDue)))
    let start = try #require(schedule.begin(at: clock).starts.first)
    return (schedule, clock, start)
  }

  @Test(
    "C1: a wall clock set by days or decades moves no interval and makes no latency negative",
    arguments: [Duration.seconds(86_400), .seconds(-86_400), .seconds(-50 * 31_557_600)])
  func wallClockSet(_ step: Duration) throws {
    let checks = try makeChecks(100)
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(300))
    simulation.stepWall(by: step)
    simulation.run(for: .seconds(300))
    for check in checks {
      let runs = simulation.runs(of: check)
      #expect(runs.allSatisfy { $0.late >= .zero })
      #expect(gaps(runs).count { $0 != .seconds(60) } <= 1)
      #expect(gaps(runs).allSatisfy { $0 < .seconds(120) })
    }
  }

  @Test("C2: a clock set back by an hour neither stalls nor floods")
  func setBackAnHour() throws {
    let checks = try makeChecks(300)
    var simulation = Simulation(checks, testOptions(total: 50))
    simulation.run(for: .seconds(600))
    simulation.stepWall(by: .seconds(-3600))
    simulation.forgetRecords()
    simulation.run(for: .seconds(600))
    #expect((2700...3300).contains(simulation.runs.count))
    let perSecond = Dictionary(grouping: simulation.runs) { $0.started.boot.microseconds / 1_000_000 }
    #expect(perSecond.values.map(\.count).max() ?? 0 <= 20)
    #expect(simulation.events.isEmpty)
  }

  /// The process is stopped after the slot was taken up and before its run began.
  @Test(
    "C3: a slot that was slept through is missed, and nothing is run in its name",
    arguments: [(0, 0), (59, 0), (60, 2), (150, 3)])
  func sleptThrough(seconds: Int, expected: Int) throws {
    let check = try makeCheck("Shop")
    let (first, instant, start) = try begun(check)
    var (schedule, clock) = (first, instant)
    clock.advance(by: .seconds(seconds))
    let end = schedule.abandon(start, late: .seconds(seconds), at: clock.boot)
    let missed = (end?.events ?? []).reduce(0) { sum, event in
      guard case .missed(_, let slots, .gap) = event else { return sum }
      return sum + slots.count
    }
    #expect(missed == expected)
    #expect(schedule.status(at: clock.boot).missed == expected)
    #expect(schedule.status(at: clock.boot).inFlight == (end == nil ? 1 : 0))
  }

  /// A budget held the run back until its slot, or two, were over.
  @Test(arguments: [(59, 1), (60, 2), (150, 3)]) func heldBack(seconds: Int, expected: Int) throws {
    let check = try makeCheck("Shop")
    let (first, instant, start) = try begun(check)
    var (schedule, clock) = (first, instant)
    clock.advance(by: .seconds(seconds))
    let end = schedule.forgo(start, .budget, late: .zero, at: clock.boot)
    let missed = end.events.reduce(0) { sum, event in
      guard case .missed(check.id, let slots, .budget) = event else { return sum }
      return sum + slots.count
    }
    #expect(missed == expected)
    let status = schedule.status(at: clock.boot)
    #expect(status.missedBy == [.budget: expected] && status.inFlight == 0 && status.spanned == 0)
    #expect(schedule.nextDue != nil, "it goes on")
  }

  /// The same of a check that was removed and came back while its run waited: its slot is missed, once.
  @Test func heldBackOverAChangeOfTheList() throws {
    let check = try makeCheck("Shop")
    let (first, instant, start) = try begun(check)
    var (schedule, clock) = (first, instant)
    clock.advance(by: .seconds(20))
    var events = schedule.apply(CheckList([]), recalling: [:], at: clock)
    events += schedule.apply(CheckList([check]), recalling: settled([check]), at: clock)
    clock.advance(by: .seconds(20))
    events += schedule.forgo(start, .budget, late: .zero, at: clock.boot).events
    var missed: [Timestamp] = []
    for case .missed(_, let slots, _) in events { missed += slots }
    #expect(missed == [start.scheduledAt])
  }

  @Test("C3: eight hours of suspend are at most one run a check, spread, and the rest is missed")
  func suspend() throws {
    let checks = try makeChecks(300)
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(120))
    simulation.forgetRecords()
    simulation.sleep(for: .seconds(8 * 3600))
    #expect(simulation.runs.count <= 30)
    simulation.run(for: .seconds(60))
    for check in checks {
      let runs = simulation.runs(of: check)
      #expect((1...2).contains(runs.count))
      #expect(runs.count + simulation.slots(missed: check) == 481)
    }
  }

  @Test("C4: a loop that stands still for five seconds counts what it missed and bursts nothing")
  func blockedLoop() throws {
    let checks = try makeChecks(100, every: .seconds(1))
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(10))
    simulation.forgetRecords()
    simulation.sleep(for: .seconds(5))
    #expect(simulation.runs.count <= 100)
    simulation.run(for: .seconds(10))
    for check in checks {
      // Whoever was running when it stopped has its slots spanned; nobody has more than his own.
      let (missed, spanned) = (simulation.slots(missed: check), simulation.slots(spanned: check))
      #expect((4...5).contains(missed + spanned))
      #expect(simulation.runs(of: check).count + missed + spanned == 15)
    }
    #expect(simulation.worstOverlap == 1)
  }

  @Test("C5: a probe slower than its interval never overlaps itself, and its slots take its verdict")
  func slowProbe() throws {
    let check = try makeCheck("Slow", every: .seconds(10), retries: 3)
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(37) }
    simulation.run(for: .seconds(4000))
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.runs(of: check).count == 100)
    #expect(simulation.slots(spanned: check) >= 3 * 99 && simulation.slots(missed: check) == 0)
  }

  @Test("C6: 2,000 checks of one interval start evenly, and at the same instants after a restart")
  func evenStarts() throws {
    let checks = try makeChecks(2000)
    var first = Simulation(checks)
    first.run(for: .seconds(60))
    let perSecond = Dictionary(grouping: first.runs) { $0.started.boot.microseconds / 1_000_000 }
    #expect(first.runs.count == 2000)
    // 33 expected a second; six standard deviations.
    #expect(perSecond.values.allSatisfy { (1...68).contains($0.count) })
    #expect(perSecond.count >= 60)
    var restarted = newYear
    restarted.advance(by: .seconds(7200))
    var second = Simulation(checks.shuffled(), at: restarted)
    second.run(for: .seconds(60))
    for check in checks {
      let before = try #require(first.runs(of: check).first).scheduledAt
      let after = try #require(second.runs(of: check).first).scheduledAt
      #expect(before.duration(to: after).microseconds % 60_000_000 == 0)
    }
  }

  @Test("C7: in a day nothing adds up, whatever wake-ups and runs take")
  func drift() throws {
    let check = try makeCheck("Shop front", every: .seconds(30))
    var random = SeededGenerator(seed: 7)
    var simulation = Simulation([check])
    simulation.takes = { _ in .microseconds(Int64(random.next() % 9_000_000)) }
    for _ in 0..<2880 {
      simulation.run(for: .seconds(29) + .microseconds(Int64(random.next() % 2_000_000)))
      // A wake-up that comes late by up to half a second.
      simulation.sleep(for: .microseconds(Int64(random.next() % 500_000)))
    }
    let runs = simulation.runs(of: check)
    #expect(runs.count >= 2800)
    let slots = runs.map(\.scheduledAt)
    #expect(slots.allSatisfy { slots[0].duration(to: $0).microseconds % 30_000_000 == 0 })
    #expect(runs.allSatisfy { $0.late < .milliseconds(501) })
    #expect(runs.allSatisfy { $0.scheduledAt.duration(to: $0.started.wall) == $0.late })
  }

  @Test(
    "C8: slots are UTC: changes of local time, leap seconds, 2038 and 2100 are ordinary",
    arguments: [
      "2026-03-29T00:59:30Z", "2026-10-25T00:59:30Z", "2016-12-31T23:59:30Z", "2038-01-19T03:13:38Z",
      "2100-02-28T23:59:30Z", "2106-02-07T06:27:45Z",
    ])
  func calendar(_ text: String) throws {
    let wall = try #require(Timestamp(rfc3339: text))
    let checks = try makeChecks(60, every: .seconds(20))
    var simulation = Simulation(checks, at: ClockReading(boot: newYear.boot, wall: wall))
    simulation.run(for: .seconds(3600))
    for check in checks {
      let runs = simulation.runs(of: check)
      #expect(runs.count == 180)
      #expect(gaps(runs).allSatisfy { $0 == .seconds(20) })
      #expect(
        zip(runs, runs.dropFirst()).allSatisfy { $0.scheduledAt.duration(to: $1.scheduledAt) == .seconds(20) }
      )
    }
  }
}
