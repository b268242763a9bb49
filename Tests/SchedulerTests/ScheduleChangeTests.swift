// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// The list of checks changes while the schedule runs.
@Suite struct ScheduleChangeTests {
  @Test func unchangedChecksKeepTheirSlots() throws {
    let checks = try makeChecks(20)
    let added = try makeCheck("New")
    var simulation = Simulation(checks)
    for number in 0..<60 {
      simulation.run(for: .seconds(10))
      simulation.apply(number.isMultiple(of: 2) ? [added] + checks.reversed() : checks)
    }
    for check in checks {
      let runs = simulation.runs(of: check)
      #expect(runs.count == 10)
      #expect(runs.allSatisfy { $0.late == .zero })
      let slots = zip(runs, runs.dropFirst()).map { $0.scheduledAt.duration(to: $1.scheduledAt) }
      #expect(slots.allSatisfy { $0 == .seconds(60) })
    }
    #expect(simulation.events.isEmpty)
  }

  @Test func aRemovedCheckStopsAndItsRunIsForgotten() throws {
    let stays = try makeCheck("Stays", every: .seconds(10))
    let goes = try makeCheck("Goes", every: .seconds(10), retries: 5)
    var simulation = Simulation([stays, goes])
    simulation.takes = { $0.name == "Goes" ? .seconds(45) : .zero }
    simulation.run(for: .seconds(15))
    let before = simulation.runs(of: goes).count
    #expect(before == 1)
    simulation.apply([stays])
    simulation.run(for: .seconds(120))
    #expect(simulation.runs(of: goes).count == before)
    #expect(simulation.slots(spanned: goes) == 0 && simulation.slots(missed: goes) == 0)
    #expect(simulation.schedule.runs.isEmpty && simulation.schedule.limit.inFlight == 0)
    #expect(simulation.runs(of: stays).count >= 13)
  }

  @Test func aCheckThatComesBackDoesNotOverlapItsOldRun() throws {
    let check = try makeCheck("Back", every: .seconds(10), retries: 5)
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(35) }
    simulation.run(for: .seconds(12))
    simulation.apply([])
    simulation.run(for: .seconds(1))
    simulation.apply([check])
    simulation.run(for: .seconds(120))
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.runs(of: check).count == 4 || simulation.runs(of: check).count == 3)
    #expect(simulation.slots(spanned: check) > 0)
  }

  @Test func anotherIntervalMeansAnotherTimeline() throws {
    let before = try makeCheck("Shop front", every: .seconds(60))
    let after = try makeCheck("Shop front", every: .seconds(10))
    var simulation = Simulation([before])
    simulation.run(for: .seconds(300))
    simulation.forgetRecords()
    simulation.apply([after])
    simulation.run(for: .seconds(300))
    let timeline = Timeline(agent: "london-1", check: after.id, interval: .seconds(10))
    let runs = simulation.runs(of: after)
    #expect(runs.count == 30)
    #expect(runs.allSatisfy { timeline.slot(atOrBefore: $0.scheduledAt) == $0.scheduledAt })
    #expect(runs.allSatisfy { $0.late == .zero })
  }

  @Test func anotherIntervalDuringARunDoesNotOverlapIt() throws {
    let before = try makeCheck("Slow", every: .seconds(60), retries: 5)
    let after = try makeCheck("Slow", every: .seconds(10), retries: 5)
    var simulation = Simulation([before])
    simulation.takes = { _ in .seconds(45) }
    let due = try #require(simulation.schedule.nextDue)
    simulation.run(for: simulation.clock.boot.duration(to: due) + .seconds(5))
    simulation.apply([after])
    simulation.run(for: .seconds(44))
    // 40 s of the run were left, with four slots of the new timeline in them.
    #expect(simulation.slots(spanned: after) == 4)
    #expect(simulation.worstOverlap == 1)
    simulation.run(for: .seconds(10))
    #expect(simulation.runs(of: after).count == 2)
  }

  @Test func waitersKeepTheirOrderAndMoveToTheirNewHost() throws {
    let checks = try (0..<6).map { try makeCheck("check-\($0)", every: .seconds(3600), host: "one.example") }
    var simulation = Simulation(checks, testOptions(perHost: 1))
    simulation.takes = { _ in .seconds(7200) }
    simulation.run(for: .seconds(3599))
    let going = try #require(simulation.runs.first).check
    #expect(simulation.runs.count == 1)
    let moved = try checks.map { $0.id == going ? $0 : try makeCheck($0.name, every: .seconds(3600)) }
    simulation.apply(moved.reversed())
    simulation.run(for: .seconds(1))
    // All start now, the earliest slot first.
    #expect(simulation.runs.count == 6)
    let slots = simulation.runs.map(\.scheduledAt)
    #expect(slots == slots.sorted())
  }

  @Test func ofTwoChecksWithOneIDTheFirstCounts() throws {
    let first = try makeCheck("Twin", every: .seconds(10))
    let second = try makeCheck("Twin", every: .seconds(1))
    var simulation = Simulation([first, second])
    simulation.run(for: .seconds(60))
    #expect(simulation.runs.count == 6)
    #expect(simulation.schedule.status(at: simulation.clock.boot).checks == 1)
  }
}
