// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// A check without a result does not wait for its slot.
@Suite struct FirstRunTests {
  private let day = Duration.seconds(86_400)

  private func timeline(_ check: MonitoringCheck) -> Timeline {
    Timeline(agent: "london-1", check: check.id, interval: check.interval)
  }

  /// The first verdict comes within min(interval, 30 s) of the appearance, the next at the check's slot.
  @Test(arguments: [1, 10, 29, 30, 31, 45, 60, 90, 300, 3600, 86_400])
  func theFirstRunComesSoonAndThenTheSlots(seconds: Int) throws {
    let checks = try (0..<40).map { try makeCheck("check-\($0)", every: .seconds(seconds)) }
    var simulation = Simulation(checks, recalling: [:])
    simulation.run(for: .seconds(3 * seconds))
    for check in checks {
      let runs = simulation.runs(of: check)
      let first = try #require(runs.first)
      #expect(newYear.wall.duration(to: first.scheduledAt) <= .seconds(min(seconds, 30)))
      #expect(first.late == .zero && first.scheduledAt == first.started.wall)
      let slots = runs.dropFirst().map(\.scheduledAt)
      #expect(slots.allSatisfy { timeline(check).slot(atOrBefore: $0) == $0 })
      // No slot is left out and none is run twice.
      let due = timeline(check).slots(after: first.scheduledAt, through: simulation.clock.wall)
      #expect(slots.count == due && Set(slots).count == due)
    }
    #expect(simulation.events.isEmpty)
    #expect(checks.allSatisfy { simulation.slots(spanned: $0) == 0 })
  }

  /// It is later than now, at a slot and at a step as well, and at the next whole number of 30 s after the slot.
  @Test(arguments: [0, 1, 29_999_999, 30_000_000, 30_000_001, 86_370_000_000, 86_399_999_999] as [Int64])
  func aFirstRunIsLaterThanNow(past: Int64) throws {
    let grid = timeline(try makeCheck("Daily", every: day))
    let now = grid.slot(atOrBefore: newYear.wall).advanced(by: .microseconds(past))
    let first = grid.firstRun(after: now)
    let wait = now.duration(to: first.slot).microseconds + Int64(first.steps) * 30_000_000
    #expect(wait == 30_000_000 - past % 30_000_000)
  }

  /// A first run lies a whole number of 30 s after a slot, so that a history can tell it from a slot of another grid.
  @Test func aFirstRunIsAStepOfTheChecksGrid() throws {
    for number in 0..<200 {
      let check = try makeCheck("check-\(number)", every: day)
      var simulation = Simulation([check], recalling: [:])
      simulation.run(for: .seconds(30))
      let first = try #require(simulation.runs.first).scheduledAt
      let slot = timeline(check).slot(atOrBefore: first)
      #expect(slot.duration(to: first).microseconds % 30_000_000 == 0)
      #expect(timeline(check).isFirstRun(first) == (slot != first))
      #expect(!timeline(check).isFirstRun(slot))
      #expect(!timeline(check).isFirstRun(first.advanced(by: .seconds(1))))
    }
  }

  /// 10,000 checks that are new at one instant are spread over the 30 s, as evenly as their phases.
  @Test(arguments: [60, 86_400]) func aStartOfTenThousandIsNoBurst(seconds: Int) throws {
    let checks = try makeChecks(10_000, every: .seconds(seconds))
    var simulation = Simulation(checks, recalling: [:])
    simulation.takes = { _ in .milliseconds(1) }
    simulation.run(for: .seconds(30))
    #expect(simulation.runs.count == 10_000)
    #expect(Set(simulation.runs.map(\.check)).count == 10_000)
    let perSecond = Dictionary(grouping: simulation.runs) {
      newYear.boot.duration(to: $0.started.boot).microseconds / 1_000_000
    }
    // 333 expected a second; six standard deviations.
    #expect(perSecond.count >= 30 && perSecond.values.allSatisfy { $0.count <= 443 })
    #expect(perSecond.values.count { $0.count >= 223 } >= 30)
    #expect(simulation.runs.allSatisfy { $0.late == .zero })
  }

  /// A history says that there are results: nothing runs early, whatever the last one found.
  @Test(arguments: [RunOutcome.Finding.works, .fails, .unknown])
  func whatHasAResultWaitsForItsSlot(_ finding: RunOutcome.Finding) throws {
    let check = try makeCheck("Daily", every: day)
    var simulation = Simulation([check], recalling: [check.id: finding])
    simulation.run(for: day)
    #expect(simulation.runs.map(\.scheduledAt) == [timeline(check).slot(after: newYear.wall)])
  }

  /// A reload that adds checks spreads those and moves no other; a check that comes back with results waits.
  @Test func aReloadSpreadsWhatItAdds() throws {
    let old = try (0..<50).map { try makeCheck("old-\($0)", every: day) }
    let added = try (0..<300).map { try makeCheck("added-\($0)", every: day) }
    let back = try makeCheck("back", every: day)
    var simulation = Simulation(old, recalling: settled(old))
    simulation.run(for: .seconds(600))
    simulation.forgetRecords()
    simulation.apply(old + added + [back], recalling: settled(old + [back]))
    let reload = simulation.clock.boot
    simulation.run(for: .seconds(30))
    #expect(added.allSatisfy { simulation.runs(of: $0).count == 1 })
    #expect(simulation.runs(of: back).isEmpty)
    let tenths = Dictionary(grouping: simulation.runs) {
      reload.duration(to: $0.started.boot).microseconds / 3_000_000
    }
    // 30 expected in 3 s; six standard deviations.
    #expect(tenths.count == 10 && tenths.values.allSatisfy { $0.count <= 63 })
    simulation.run(for: day)
    for check in old { #expect(simulation.runs(of: check).count == 1) }
  }

  /// A definition that changes, its interval too, moves a check with a result to its slot and nowhere else; one that
  /// still waits for its first result goes on doing so.
  @Test func aChangedDefinitionKeepsThePhase() throws {
    let before = try makeCheck("Shop", every: day)
    var simulation = Simulation([before], recalling: [:])
    simulation.run(for: .seconds(30))
    #expect(simulation.runs.count == 1)
    let after = try makeCheck("Shop", every: .seconds(3600))
    simulation.apply([after], recalling: [:])
    simulation.run(for: .seconds(3600))
    let slots = simulation.runs(of: after).dropFirst().map(\.scheduledAt)
    #expect(slots.count == 1 && slots.allSatisfy { timeline(after).slot(atOrBefore: $0) == $0 })

    var waiting = Simulation([before], recalling: [:])
    waiting.apply([after], recalling: [:])
    waiting.run(for: .seconds(30))
    #expect(waiting.runs.count == 1)
  }

  /// While a check is pending the schedule knows when it runs.
  @Test func theTimeOfTheFirstRunIsKnown() throws {
    let check = try makeCheck("Daily", every: day)
    let off = try makeCheck("Off", every: day, enabled: false)
    var simulation = Simulation([check, off], recalling: [:])
    let told = simulation.schedule.runs(of: [check.id, off.id])
    simulation.run(for: .seconds(30))
    #expect(told == [check.id: try #require(simulation.runs.first).scheduledAt])
    #expect(simulation.schedule.runs(of: [check.id]) == [check.id: timeline(check).slot(after: newYear.wall)])
  }
}
