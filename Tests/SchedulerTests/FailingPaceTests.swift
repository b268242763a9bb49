// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// `interval_failing`: faster while down, and back to the same slots.
@Suite struct FailingPaceTests {
  private func timeline(_ check: MonitoringCheck, _ interval: Duration) -> Timeline {
    Timeline(agent: "london-1", check: check.id, interval: interval)
  }

  @Test(arguments: [Duration.seconds(10), .seconds(7), .seconds(60), .seconds(1)])
  func probesFasterWhileDownAndReturnsToItsSlots(failing: Duration) throws {
    let check = try makeCheck("Shop front", failing: failing)
    let outage = newYear.wall.advanced(by: .seconds(600))..<newYear.wall.advanced(by: .seconds(1200))
    var simulation = Simulation([check])
    simulation.finds = { outage.contains($1) ? .fails : .works }
    simulation.run(for: .seconds(1800))
    let runs = simulation.runs(of: check)
    let failed = runs.filter { outage.contains($0.started.wall.advanced(by: .milliseconds(20))) }
    // The first of them found the outage in a slot of the ordinary pace.
    for run in failed.dropFirst() {
      #expect(timeline(check, failing).slot(atOrBefore: run.scheduledAt) == run.scheduledAt)
    }
    let gaps = zip(failed, failed.dropFirst()).dropFirst().map { $0.scheduledAt.duration(to: $1.scheduledAt) }
    #expect(gaps.allSatisfy { $0 == failing })
    // Before it and, after the run that found the recovery, behind it: the slots of the ordinary pace, every one.
    let normal = runs.filter { run in !failed.contains { $0.scheduledAt == run.scheduledAt } }
    let recovery = try #require(normal.first { $0.scheduledAt >= outage.upperBound })
    let ordinary = normal.filter { $0.scheduledAt != recovery.scheduledAt }
    #expect(
      ordinary.allSatisfy { timeline(check, .seconds(60)).slot(atOrBefore: $0.scheduledAt) == $0.scheduledAt }
    )
    let after = ordinary.filter { $0.scheduledAt > recovery.scheduledAt }
    #expect(after.first?.scheduledAt == timeline(check, .seconds(60)).slot(after: recovery.started.wall))
    #expect(
      zip(after, after.dropFirst()).allSatisfy { $0.scheduledAt.duration(to: $1.scheduledAt) == .seconds(60) }
    )
    #expect(simulation.events.isEmpty)
  }

  @Test func whatNobodyCanTellChangesNoPace() throws {
    let check = try makeCheck("Shop front", failing: .seconds(10))
    var simulation = Simulation([check])
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(120))
    simulation.finds = { _, _ in .unknown }
    simulation.forgetRecords()
    simulation.run(for: .seconds(600))
    #expect(simulation.runs(of: check).count == 60)
  }

  @Test func aLongFailingRunSpansTheSlotsOfTheFasterPace() throws {
    let check = try makeCheck("Slow", retries: 2, failing: .seconds(10))
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(25) }
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(600))
    let runs = simulation.runs(of: check)
    #expect(runs.count >= 19)
    for (run, next) in zip(runs, runs.dropFirst()) {
      let slots = try #require(simulation.spans[run.run])
      #expect(slots.interval == .seconds(10))
      #expect(slots.first == timeline(check, .seconds(10)).slot(after: run.scheduledAt))
      // Nothing between what it spanned and the next run.
      #expect(slots[slots.count - 1].advanced(by: .seconds(10)) == next.scheduledAt)
    }
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.slots(missed: check) == 0)
  }

  @Test func aStepOfTheClockAndANewListKeepThePace() throws {
    let check = try makeCheck("Shop front", failing: .seconds(10))
    var simulation = Simulation([check])
    simulation.finds = { _, _ in .fails }
    simulation.run(for: .seconds(120))
    simulation.stepWall(by: .seconds(-3600 - 17))
    simulation.apply([try makeCheck("Other"), check])
    simulation.forgetRecords()
    simulation.run(for: .seconds(100))
    let runs = simulation.runs(of: check)
    #expect((9...10).contains(runs.count))
    #expect(
      runs.allSatisfy { timeline(check, .seconds(10)).slot(atOrBefore: $0.scheduledAt) == $0.scheduledAt })
    let slower = try makeCheck("Shop front", failing: .seconds(20))
    simulation.apply([slower])
    simulation.forgetRecords()
    simulation.run(for: .seconds(100))
    #expect(simulation.runs(of: slower).count == 5)
  }

  @Test func aRestartRemembersWhoWasDown() throws {
    let down = try makeCheck("Down", every: .seconds(3600), failing: .seconds(10))
    let up = try makeCheck("Up", every: .seconds(3600), failing: .seconds(10))
    var simulation = Simulation([down, up], recalling: [down.id: .fails, up.id: .works])
    simulation.finds = { check, _ in check.name == "Down" ? .fails : .works }
    simulation.run(for: .seconds(60))
    #expect(simulation.runs(of: down).count == 6)
    #expect(simulation.runs(of: up).count <= 1)
  }
}
