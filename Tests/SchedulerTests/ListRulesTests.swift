// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// What a new list does to checks that wait, run, or are taken over.
@Suite struct ListRulesTests {
  private func timeline(_ check: MonitoringCheck, _ interval: Duration) -> Timeline {
    Timeline(agent: "london-1", check: check.id, interval: interval)
  }

  /// One of two at a host runs, the other waits. An interval that changes takes the slot from the one that
  /// waits, and from none that is planned or runs; it is not started before its new slot.
  @Test func anotherIntervalTakesTheSlotFromTheOneThatWaits() throws {
    let pair = try (0..<2).map { try makeCheck("check-\($0)", host: "one.example") }
    let planned = try makeCheck("Shop front", every: .seconds(3600))
    var simulation = Simulation(pair + [planned], testOptions(perHost: 1))
    simulation.takes = { _ in .seconds(7200) }
    simulation.run(for: .seconds(60))
    let going = try #require(simulation.runs.first).check
    let waits = try #require(pair.first { $0.id != going })
    let slot = try #require(simulation.schedule.runs(of: [waits.id])[waits.id])
    #expect(timeline(waits, .seconds(60)).slot(atOrBefore: slot) == slot)
    let changed = try pair.map { try makeCheck($0.name, every: .seconds(90), host: "one.example") }
    let slower = try makeCheck("Shop front", every: .seconds(600))
    let list = changed + [slower]
    let now = simulation.clock
    let events = simulation.schedule.apply(CheckList(list), recalling: settled(list), at: now)
    let lost = SlotRange(first: slot, count: 1, interval: .seconds(60))
    #expect(events == [.missed(check: waits.id, slots: lost, cause: .limit)])
    #expect(simulation.schedule.counts.missedBy == [.limit: 1])
    #expect(simulation.schedule.limit.waiting == 0)
    let next = simulation.schedule.runs(of: [waits.id, planned.id])
    #expect(next[waits.id] == timeline(waits, .seconds(90)).slot(after: now.wall))
    #expect(next[planned.id] == timeline(planned, .seconds(600)).slot(after: now.wall))
  }

  /// A check that waits for its first run, off the grid, loses no slot.
  @Test func aFirstRunThatWaitsLosesNoSlot() throws {
    let day = Duration.seconds(86_400)
    let pair = try (0..<2).map { try makeCheck("check-\($0)", every: day, host: "one.example") }
    var simulation = Simulation(pair, testOptions(perHost: 1), recalling: [:])
    simulation.takes = { _ in .seconds(300) }
    simulation.run(for: .seconds(30))
    #expect(simulation.schedule.limit.waiting == 1)
    let changed = try pair.map { try makeCheck($0.name, every: day * 2, host: "one.example") }
    #expect(simulation.schedule.apply(CheckList(changed), at: simulation.clock).isEmpty)
    #expect(simulation.schedule.counts.missedBy == [:])
  }

  /// A list that comes during a run takes nothing from the run: the slots it spans are the ones after its
  /// own.
  @Test func aListDuringARunLeavesTheRunItsSlots() throws {
    let check = try makeCheck("Slow", every: .seconds(10), retries: 2)
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(25) }
    let due = try #require(simulation.schedule.nextDue)
    simulation.run(for: simulation.clock.boot.duration(to: due))
    for _ in 0..<3 {
      simulation.run(for: .seconds(6))
      simulation.apply([check])
    }
    simulation.run(for: .seconds(7))
    let run = try #require(simulation.runs.first)
    let slots = SlotRange(
      first: run.scheduledAt.advanced(by: .seconds(10)), count: 2, interval: .seconds(10))
    #expect(simulation.spans == [run.run: slots])
    #expect(simulation.runs.count == 1 && simulation.events.isEmpty)
  }

  /// A check that is removed and comes back during its run: the slots from then on are the run's to answer
  /// for, by the steps of 30 s that have passed, and none before.
  @Test func whatPassedWhileItWasGoneIsNotSpanned() throws {
    let check = try makeCheck("Back", every: .seconds(86_400), retries: 10, failing: .seconds(10))
    let slot = timeline(check, .seconds(86_400)).slot(after: newYear.wall)
    let begin = newYear.wall.duration(to: slot)
    func at(_ seconds: Int64) -> ClockReading {
      var reading = newYear
      reading.advance(by: begin + .seconds(seconds))
      return reading
    }
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    let start = try #require(schedule.begin(at: at(0)).starts.first)
    _ = schedule.apply(CheckList([]), at: at(40))
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: at(80))
    #expect(schedule.runs.count == 1 && schedule.runs[start.run]?.entry == 0)
    let slots = schedule.conclude(start.run, .fails, at: at(100).boot)
    // Steps of 30 s: 60 s of the 80 have passed for good.
    let pace = timeline(check, .seconds(10))
    let first = pace.slot(after: slot.advanced(by: .seconds(60)))
    #expect(slots == SlotRange(first: first, count: 4, interval: .seconds(10)))
    #expect(schedule.counts.spanned == 4)
  }

  /// The clock was set before the list came: its slots are those of the new time.
  @Test(arguments: [3617, -3617] as [Int64]) func aListAfterAStepOfTheClock(step: Int64) throws {
    let check = try makeCheck("Shop front", every: .seconds(600))
    var schedule = Schedule(testOptions(), at: newYear)
    let stepped = ClockReading(boot: newYear.boot, wall: newYear.wall.advanced(by: .seconds(step)))
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: stepped)
    let slot = timeline(check, .seconds(600)).slot(after: stepped.wall)
    #expect(schedule.runs(of: [check.id]) == [check.id: slot])
    #expect(schedule.nextDue == newYear.boot.advanced(by: stepped.wall.duration(to: slot)))
  }

  /// What was taken over and given away again is this agent's own when it comes back: late is late.
  @Test func whatWasTakenOverAndWentIsNotTakenOverAnyMore() throws {
    let check = try makeCheck("Shop", every: .seconds(600))
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), taking: [check.id], at: newYear)
    #expect(schedule.takenOver == [check.id])
    _ = schedule.apply(CheckList([]), at: newYear)
    #expect(schedule.takenOver == [])
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    let due = try #require(schedule.nextDue)
    var now = newYear
    now.advance(by: newYear.boot.duration(to: due) + .milliseconds(500))
    let start = try #require(schedule.begin(at: now).starts.first)
    _ = schedule.conclude(start.run, .works, at: now.boot)
    _ = schedule.finish(start.run, late: .milliseconds(500), at: now.boot)
    #expect(schedule.status(at: now.boot).lateMax == .milliseconds(500))
  }

  /// The last slot within the time is run at once; it is the ones before that are lost.
  @Test(arguments: [(0, 0), (1, 0), (9, 0), (10, 0), (11, 1), (20, 1), (21, 2)] as [(Int64, Int)])
  func theSlotsOfTheDeadBeforeTheLast(before: Int64, lost: Int) throws {
    let check = try makeCheck("Shop", every: .seconds(10))
    let last = timeline(check, .seconds(10)).slot(atOrBefore: newYear.wall)
    let span = last.advanced(by: .seconds(-before)).duration(to: newYear.wall)
    var schedule = Schedule(testOptions(), at: newYear)
    let events = schedule.apply(
      CheckList([check]), taking: [check.id], orphaned: [check.id: span], at: newYear)
    let first = last.advanced(by: .seconds(Int64(lost) * -10))
    let slots = SlotRange(first: first, count: lost, interval: .seconds(10))
    #expect(events == (lost == 0 ? [] : [.missed(check: check.id, slots: slots, cause: .failover)]))
    #expect(schedule.counts.missedBy == (lost == 0 ? [:] : [.failover: lost]))
  }

  /// What is remembered of a check that comes sets its standing and its pace; what this process has seen
  /// itself stays.
  @Test(
    arguments: [
      (.works, .works, 60), (.fails, .fails, 10), (.unknown, .never, 60),
    ] as [(RunOutcome.Finding, Schedule.Seen, Int64)])
  func whatIsRememberedSetsStandingAndPace(
    finding: RunOutcome.Finding, seen: Schedule.Seen, seconds: Int64
  ) throws {
    let check = try makeCheck("Shop", failing: .seconds(10))
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), recalling: [check.id: finding], at: newYear)
    let entry = schedule.entries[0]
    #expect(entry.seen == seen && !entry.isNew && entry.interval == seconds * 1_000_000)
    #expect(!entry.hasBegun && entry.steps == 0)
    let pace = timeline(check, .seconds(seconds))
    #expect(schedule.runs(of: [check.id])[check.id] == pace.slot(after: newYear.wall))
    let standings: [Schedule.Seen: InFlightLimit.Standing] = [
      .works: .trusted, .fails: .suspect, .never: .unseen,
    ]
    #expect(entry.standing == standings[seen])
  }

  @Test(arguments: [(.works, .works), (.fails, .fails)] as [(RunOutcome.Finding, Schedule.Seen)])
  func whatWasSeenHereCountsMoreThanWhatIsRemembered(
    finding: RunOutcome.Finding, seen: Schedule.Seen
  ) throws {
    let other: RunOutcome.Finding = finding == .works ? .fails : .works
    let before = try makeCheck("Shop", failing: .seconds(10))
    var simulation = Simulation([before])
    simulation.finds = { _, _ in finding }
    simulation.run(for: .seconds(61))
    let after = try makeCheck("Shop", every: .seconds(120), failing: .seconds(20))
    simulation.apply([after], recalling: [after.id: other])
    let entry = simulation.schedule.entries[0]
    #expect(entry.seen == seen && entry.interval == (finding == .fails ? 20_000_000 : 120_000_000))
  }

  /// Only those that are asked for, and of them only those that are on.
  @Test func theNextRunsOfSomeChecks() throws {
    let (one, two) = (try makeCheck("One"), try makeCheck("Two"))
    let off = try makeCheck("Off", enabled: false)
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([one, off, two]), recalling: settled([one, two, off]), at: newYear)
    let slot = timeline(two, .seconds(60)).slot(after: newYear.wall)
    #expect(schedule.runs(of: [two.id, off.id]) == [two.id: slot])
    #expect(schedule.runs(of: [UniqueID(high: 1, low: 1)]) == [:])
    #expect(schedule.runs(of: [one.id, two.id]).count == 2)
  }

  /// The clock is set while first runs go and wait: they have begun, and go on as what they are.
  @Test(arguments: [7200, -7200] as [Int64]) func firstRunsThatGoOnThroughAStep(step: Int64) throws {
    let pair = try (0..<2).map { try makeCheck("check-\($0)", every: .seconds(86_400), host: "one.example") }
    var simulation = Simulation(pair, testOptions(perHost: 1), recalling: [:])
    simulation.takes = { _ in .seconds(100) }
    simulation.run(for: .seconds(31))
    #expect(simulation.runs.count == 1 && simulation.schedule.limit.waiting == 1)
    simulation.stepWall(by: .seconds(step))
    let now = simulation.clock.wall
    let begun = simulation.schedule.runs(of: Set(pair.map(\.id)))
    for (_, instant) in begun {
      #expect(instant <= now && instant.duration(to: now) < .seconds(30))
    }
    #expect(begun.count == 2 && simulation.schedule.limit.waiting == 1)
    simulation.run(for: .seconds(200))
    #expect(pair.allSatisfy { simulation.runs(of: $0).count == 1 } && simulation.worstOverlap == 1)
  }

  /// A run on the grid stays one when the clock is set: held back to its end, its slot is missed.
  @Test func aRunThatIsHeldBackThroughAStepMissesItsSlot() throws {
    let check = try makeCheck("Shop front", every: .seconds(3600))
    var schedule = Schedule(testOptions(), at: newYear)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    var now = newYear
    now.advance(by: newYear.boot.duration(to: try #require(schedule.nextDue)))
    let start = try #require(schedule.begin(at: now).starts.first)
    now.advance(by: .seconds(100))
    now.wall = now.wall.advanced(by: .seconds(10))
    schedule.realign(to: now)
    let events = schedule.forgo(start, .budget, late: .zero, at: now.boot).events
    let slots = SlotRange(first: start.scheduledAt, count: 1, interval: .seconds(3600))
    #expect(events == [.missed(check: check.id, slots: slots, cause: .budget)])
  }

  /// An interval of nothing is one of a microsecond: no time is divided by nothing.
  @Test func anIntervalOfNothing() {
    let line = Timeline(agent: "a", check: UniqueID(high: 1, low: 2), interval: .zero)
    #expect(line.slot(after: newYear.wall) == newYear.wall.advanced(by: .microseconds(1)))
    #expect(line.slot(atOrAfter: newYear.wall) == newYear.wall)
  }
}
