// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// The wall clock is set while the agent runs.
@Suite struct ScheduleClockTests {
  private static let year = Duration.seconds(365 * 86_400)

  @Test(arguments: [
    .seconds(86_400), .seconds(-86_400), .seconds(-3600), year * -50, year * 74, .seconds(30), .seconds(-30),
    .milliseconds(700), .milliseconds(-700), .seconds(100_017),
  ])
  func noBurstNoStallAndPhasesStay(step: Duration) throws {
    let checks = try makeChecks(600)
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(300))
    simulation.stepWall(by: step)
    simulation.run(for: .seconds(300))
    for check in checks {
      let runs = simulation.runs(of: check)
      let gaps = zip(runs, runs.dropFirst()).map { $0.started.boot.duration(to: $1.started.boot) }
      // By the clock that nobody sets: one gap is off, by less than an interval, and only one.
      #expect(gaps.allSatisfy { $0 >= .seconds(30) && $0 < .seconds(120) })
      #expect(gaps.count { $0 != .seconds(60) } <= 1)
      #expect(runs.allSatisfy { $0.late == .zero && $0.scheduledAt == $0.started.wall })
      let timeline = Timeline(agent: "london-1", check: check.id, interval: .seconds(60))
      #expect(runs.allSatisfy { timeline.slot(atOrBefore: $0.scheduledAt) == $0.scheduledAt })
    }
    #expect(simulation.events.isEmpty)
    let perSecond = Dictionary(grouping: simulation.runs) { $0.started.boot.microseconds / 1_000_000 }
    #expect(perSecond.values.map(\.count).max() ?? 0 <= 40)
  }

  @Test(arguments: [Duration.milliseconds(40), .milliseconds(-40)])
  func aTinyStepWaitsUntilItAddsUp(step: Duration) throws {
    let check = try makeCheck("Shop front")
    var simulation = Simulation([check])
    simulation.run(for: .seconds(300))
    let planned = simulation.schedule.nextDue
    simulation.stepWall(by: step)
    #expect(simulation.schedule.nextDue == planned)
    simulation.stepWall(by: step)
    let moved = try #require(planned).advanced(by: step * -2)
    #expect(simulation.schedule.nextDue == moved)
  }

  @Test func aRunThatGoesOnThroughAStepEndsOnTheNewGrid() throws {
    let check = try makeCheck("Slow", every: .seconds(10), retries: 3)
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(25) }
    simulation.run(for: .seconds(11))
    simulation.stepWall(by: .seconds(-7 * 3600 - 3))
    simulation.run(for: .seconds(60))
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.slots(missed: check) == 0)
    #expect((1...6).contains(simulation.slots(spanned: check)))
    let last = try #require(simulation.runs.last)
    let timeline = Timeline(agent: "london-1", check: check.id, interval: .seconds(10))
    #expect(timeline.slot(atOrBefore: last.scheduledAt) == last.scheduledAt)
    #expect(last.scheduledAt == last.started.wall)
  }

  @Test func whoWaitsThroughAStepKeepsItsTurn() throws {
    let checks = try (0..<5).map { try makeCheck("check-\($0)", host: "one.example") }
    var simulation = Simulation(checks, testOptions(perHost: 1))
    simulation.takes = { _ in .seconds(70) }
    simulation.run(for: .seconds(60))
    let waiting = simulation.schedule.limit.waiting
    simulation.stepWall(by: .seconds(-86_400 - 17))
    #expect(simulation.schedule.limit.waiting == waiting)
    simulation.takes = { _ in .milliseconds(100) }
    simulation.run(for: .seconds(300))
    #expect(simulation.worstOverlap == 1)
    #expect(checks.allSatisfy { simulation.runs(of: $0).count >= 2 })
  }

  @Test func aRestartFindsTheSameSlots() throws {
    let checks = try makeChecks(50)
    var first = Simulation(checks)
    first.run(for: .seconds(600))
    // Another boot: the boot clock starts over, the wall clock went on.
    let reboot = ClockReading(
      boot: Instant(microseconds: 5_000_000), wall: newYear.wall.advanced(by: .seconds(3 * 3600 + 11)))
    var second = Simulation(checks.reversed(), at: reboot)
    second.run(for: .seconds(600))
    for check in checks {
      let before = try #require(first.runs(of: check).first).scheduledAt
      let after = try #require(second.runs(of: check).first).scheduledAt
      #expect(before.duration(to: after).microseconds % 60_000_000 == 0)
    }
  }
}
