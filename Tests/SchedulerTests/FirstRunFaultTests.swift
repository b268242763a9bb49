// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// First runs when something comes between.
@Suite struct FirstRunFaultTests {
  private let day = Duration.seconds(86_400)

  private func timeline(_ check: MonitoringCheck, every interval: Duration) -> Timeline {
    Timeline(agent: "london-1", check: check.id, interval: interval)
  }

  /// The machine slept through it: the next step takes its place, and nothing was missed.
  @Test func aFirstRunThatPassedIsMovedAndNotMissed() throws {
    let checks = try (0..<20).map { try makeCheck("check-\($0)", every: day) }
    var simulation = Simulation(checks, recalling: [:])
    simulation.sleep(for: .seconds(3600))
    #expect(simulation.runs.count < 20)
    simulation.run(for: .seconds(30))
    for check in checks {
      #expect(simulation.runs(of: check).count == 1 || simulation.slots(missed: check) == 1)
      // Only who had a slot in that hour missed it.
      let due = timeline(check, every: day).slots(after: newYear.wall, through: simulation.clock.wall)
      #expect(simulation.slots(missed: check) <= due)
    }
    #expect(checks.allSatisfy { !simulation.runs(of: $0).isEmpty })
  }

  /// A limit holds it beyond the next slot: the slot takes over, and neither counts twice. A first run that is a step
  /// between two slots is nothing that could be missed.
  @Test(arguments: [true, false]) func aFirstRunThatALimitHoldsBecomesTheSlot(isStep: Bool) throws {
    let two = Duration.seconds(120)
    let checks = try (0..<60).map { try makeCheck("check-\($0)", every: two, host: "one.example") }
      .filter { (timeline($0, every: two).firstRun(after: newYear.wall).steps > 0) == isStep }.prefix(2)
    var simulation = Simulation(Array(checks), testOptions(perHost: 1), recalling: [:])
    simulation.takes = { _ in .seconds(260) }
    simulation.run(for: .seconds(259))
    let first = try #require(simulation.runs.first).check
    let waits = try #require(checks.first { $0.id != first })
    #expect(simulation.runs.count == 1)
    let passed = timeline(waits, every: two).slots(
      after: newYear.wall, through: simulation.clock.wall)
    // The slot it now waits for is not missed yet.
    #expect(simulation.slots(missed: waits) == passed - 1)
    simulation.run(for: .seconds(31))
    let run = try #require(simulation.runs(of: waits).first)
    #expect(timeline(waits, every: two).slot(atOrBefore: run.scheduledAt) == run.scheduledAt)
  }

  /// A first run that fails takes the pace of what fails from then on, and answers for no slot before it.
  @Test func aFirstRunThatFailsIsRepeatedAtThePaceOfFailing() throws {
    let check = try makeCheck("Down", every: day, failing: .seconds(60))
    var simulation = Simulation([check], recalling: [:])
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(630))
    let slots = simulation.runs(of: check).map(\.scheduledAt)
    #expect((11...12).contains(slots.count))
    let pace = timeline(check, every: .seconds(60))
    #expect(slots.dropFirst().allSatisfy { pace.slot(atOrBefore: $0) == $0 })
    #expect(simulation.slots(spanned: check) == 0 && simulation.slots(missed: check) == 0)
  }

  /// A first run that lasts beyond slots: they take its verdict.
  @Test func slotsThatPassDuringAFirstRunAreSpanned() throws {
    let check = try makeCheck("Slow", every: .seconds(60), retries: 10)
    var simulation = Simulation([check], recalling: [:])
    simulation.takes = { _ in .seconds(110) }
    simulation.run(for: .seconds(145))
    let first = try #require(simulation.runs(of: check).first).scheduledAt
    let end = first.advanced(by: .seconds(110))
    let due = timeline(check, every: .seconds(60)).slots(after: first, through: end)
    #expect(simulation.slots(spanned: check) == due && simulation.slots(missed: check) == 0)
  }

  /// A run without a result, as in a maintenance window that says not to probe: the check stays new, and its first
  /// verdict comes within 30 s of the window's end.
  @Test func aRunWithoutAResultLeavesTheCheckNew() throws {
    let check = try makeCheck("Daily", every: day)
    let end = newYear.wall.advanced(by: .seconds(600))
    var simulation = Simulation([check], recalling: [:])
    simulation.takes = { _ in .zero }
    simulation.leavesResult = { $0 >= end }
    simulation.run(for: .seconds(1200))
    let runs = simulation.runs(of: check).map(\.scheduledAt)
    #expect((20...22).contains(runs.count))
    #expect(end.duration(to: try #require(runs.last)) <= .seconds(30))
    #expect(runs.count { $0 >= end } == 1)
  }

  /// A wall clock that is set makes nobody wait for a day.
  @Test(arguments: [Duration.seconds(-7200), .seconds(7200), .seconds(50 * 31_557_600)])
  func aStepOfTheClockLeavesFirstRunsSoon(_ step: Duration) throws {
    let checks = try (0..<20).map { try makeCheck("check-\($0)", every: day) }
    var simulation = Simulation(checks, recalling: [:])
    simulation.stepWall(by: step)
    simulation.run(for: .seconds(30))
    #expect(checks.allSatisfy { simulation.runs(of: $0).count == 1 })
    #expect(simulation.events.isEmpty)
  }

  /// A check that was removed during its first run and comes back answers for no slot before it.
  @Test func aCheckThatComesBackDuringItsRunSpansNothingBeforeIt() throws {
    let check = try makeCheck("Back", every: day, retries: 10, failing: .seconds(60))
    var simulation = Simulation([check], recalling: [:])
    simulation.takes = { _ in .seconds(100) }
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(31))
    simulation.apply([])
    simulation.run(for: .seconds(5))
    simulation.apply([check], recalling: [:])
    simulation.run(for: .seconds(100))
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.slots(spanned: check) <= 2 && simulation.slots(missed: check) == 0)
    simulation.run(for: .seconds(60))
    #expect(simulation.runs(of: check).count == 2)
  }
}
