// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// Time in which the agent did not run.
@Suite struct ScheduleGapTests {
  @Test func eightHoursOfSuspendAreMissedWithoutABurst() throws {
    let checks = try makeChecks(600)
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(120))
    simulation.forgetRecords()
    simulation.sleep(for: .seconds(8 * 3600))
    // A twentieth of 600 is 30: the checks whose slot came in the last three seconds.
    #expect(simulation.runs.count < 60)
    #expect(simulation.runs.allSatisfy { $0.late <= .seconds(3) })
    simulation.run(for: .seconds(60))
    for check in checks {
      // The hour's end is on nobody's slot, so eight hours and a minute hold 481 slots of each.
      #expect(simulation.runs(of: check).count + simulation.slots(missed: check) == 481)
      #expect((1...2).contains(simulation.runs(of: check).count))
    }
    let perSecond = Dictionary(grouping: simulation.runs) { $0.started.boot.microseconds / 1_000_000 }
    #expect(perSecond.values.map(\.count).max() ?? 0 < 60)
  }

  @Test func everyGapIsToldAsOneRange() throws {
    let check = try makeCheck("Shop front")
    var simulation = Simulation([check])
    simulation.run(for: .seconds(60))
    let last = try #require(simulation.runs(of: check).last)
    simulation.sleep(for: .seconds(3600 + 30))
    let next = try #require(simulation.schedule.nextDue)
    let missed = SlotRange(
      first: last.scheduledAt.advanced(by: .seconds(60)), count: simulation.slots(missed: check),
      interval: .seconds(60))
    #expect(simulation.events == [.missed(check: check.id, slots: missed, cause: .gap)])
    #expect((60...61).contains(missed.count))
    #expect(next > simulation.clock.boot)
  }

  @Test func aStallOfFiveSecondsLosesTheSlotsInItAndNoMore() throws {
    let fast = try (0..<10).map { try makeCheck("fast-\($0)", every: .seconds(1)) }
    var simulation = Simulation(fast)
    simulation.takes = { _ in .zero }
    simulation.run(for: .milliseconds(10_500))
    simulation.forgetRecords()
    simulation.sleep(for: .seconds(5))
    for check in fast {
      #expect(simulation.runs(of: check).count == 1)
      #expect(simulation.slots(missed: check) == 4)
    }
    simulation.run(for: .seconds(10))
    #expect(fast.allSatisfy { simulation.runs(of: $0).count == 11 && simulation.slots(missed: $0) == 4 })
  }

  @Test func aLateWakeUpWithinTheGraceRunsLate() throws {
    let check = try makeCheck("Hourly", every: .seconds(3600))
    var simulation = Simulation([check])
    let due = try #require(simulation.schedule.nextDue)
    simulation.sleep(for: simulation.clock.boot.duration(to: due) + .seconds(20))
    let run = try #require(simulation.runs.first)
    #expect(run.late == .seconds(20))
    #expect(run.scheduledAt.advanced(by: .seconds(20)) == run.started.wall)
    #expect(simulation.events.isEmpty)
  }

  @Test(arguments: [(1, 1), (20, 1), (60, 3), (300, 15), (3600, 30)])
  func graceIsATwentiethWithinBounds(interval: Int64, seconds: Int64) {
    #expect(Schedule.grace(interval * 1_000_000) == seconds * 1_000_000)
  }

  /// A run answers for the slots in its longest possible time; the hours after that are nobody's.
  @Test func aRunThatSleptSpansOnlyWhatItCouldAnswerFor() throws {
    let check = try makeCheck("Asleep", every: .seconds(10))
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(9) }
    let due = try #require(simulation.schedule.nextDue)
    simulation.run(for: simulation.clock.boot.duration(to: due))
    simulation.sleep(for: .seconds(8 * 3600))
    // Timeout 10 s and 5 s of our own: one slot spanned, the rest of 2,880 missed.
    #expect(simulation.slots(spanned: check) == 1)
    #expect(simulation.slots(missed: check) == 2879)
    simulation.run(for: .seconds(10))
    #expect(simulation.runs(of: check).count == 2)
  }

  @Test func waitersOfALongGapDoNotRunInABurst() throws {
    let checks = try (0..<10).map { try makeCheck("check-\($0)", host: "one.example") }
    var simulation = Simulation(checks, testOptions(perHost: 1))
    simulation.takes = { _ in .seconds(300) }
    simulation.run(for: .seconds(120))
    simulation.takes = { _ in .seconds(1) }
    simulation.forgetRecords()
    simulation.sleep(for: .seconds(3600))
    simulation.run(for: .seconds(59))
    // The slot it waited for, and the one that comes in this minute.
    #expect(checks.allSatisfy { (1...2).contains(simulation.runs(of: $0).count) })
    #expect(simulation.worstOverlap == 1 && simulation.worstInFlight == 1)
  }
}
