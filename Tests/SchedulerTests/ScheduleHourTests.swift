// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// Whole hours of ordinary work.
@Suite struct ScheduleHourTests {
  @Test func anHourOf100ChecksRunsEverySlotOnTime() throws {
    let intervals: [Duration] = [.seconds(1), .seconds(10), .seconds(30), .seconds(60), .seconds(300)]
    let checks = try (0..<100).map { try makeCheck("check-\($0)", every: intervals[$0 % 5]) }
    var simulation = Simulation(checks)
    simulation.run(for: .seconds(3600))
    for check in checks {
      let runs = simulation.runs(of: check)
      let timeline = Timeline(agent: "london-1", check: check.id, interval: check.interval)
      #expect(runs.count == timeline.slots(after: newYear.wall, through: simulation.clock.wall))
      #expect(runs.count == Int(3600 / check.interval.seconds))
      #expect(runs.allSatisfy { $0.late == .zero && $0.scheduledAt == $0.started.wall })
      #expect(runs.allSatisfy { timeline.slot(atOrBefore: $0.scheduledAt) == $0.scheduledAt })
    }
    #expect(simulation.events.isEmpty)
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.schedule.status(at: simulation.clock.boot).lateMax == .zero)
  }

  @Test func nothingDriftsInADay() throws {
    let check = try makeCheck("Shop front", every: .seconds(60))
    var simulation = Simulation([check])
    simulation.takes = { _ in .milliseconds(1234) }
    simulation.run(for: .seconds(86_400))
    let runs = simulation.runs(of: check)
    #expect(runs.count == 1440)
    let gaps = zip(runs, runs.dropFirst()).map { $0.started.boot.duration(to: $1.started.boot) }
    #expect(gaps.allSatisfy { $0 == .seconds(60) })
  }

  @Test func aSlowRunSpansSlotsAndNeverOverlapsItself() throws {
    let check = try makeCheck("Slow", every: .seconds(10), retries: 2)
    var simulation = Simulation([check])
    simulation.takes = { _ in .seconds(25) }
    simulation.run(for: .seconds(3600))
    // A run starts on its slot, two more pass while it goes, the next free slot is the third.
    #expect(simulation.worstOverlap == 1)
    #expect(simulation.runs(of: check).count == 120)
    #expect(simulation.slots(spanned: check) == 2 * 119 || simulation.slots(spanned: check) == 2 * 120)
    #expect(simulation.slots(missed: check) == 0)
    let first = try #require(simulation.runs(of: check).first)
    let slots = SlotRange(
      first: first.scheduledAt.advanced(by: .seconds(10)), count: 2, interval: .seconds(10))
    #expect(simulation.spans[first.run] == slots)
  }

  @Test func theTotalLimitMakesLateRunsThenMissedSlots() throws {
    // One at a time and 4 s each: 15 of the 20 a minute can run.
    let checks = try makeChecks(20)
    var simulation = Simulation(checks, testOptions(total: 1))
    simulation.takes = { _ in .seconds(4) }
    simulation.run(for: .seconds(36_000))
    let slots = 20 * 600
    let missed = checks.reduce(0) { $0 + simulation.slots(missed: $1) }
    #expect(simulation.worstInFlight == 1)
    #expect((8990...9000).contains(simulation.runs.count))
    // A late run may go on past its check's next slot, which then takes its verdict.
    let spanned = checks.reduce(0) { $0 + simulation.slots(spanned: $1) }
    #expect((0...20).contains(slots - simulation.runs.count - missed - spanned))
    #expect(simulation.runs.allSatisfy { $0.late < .seconds(60) })
    // Fair: nobody starves, whatever its phase.
    #expect(checks.allSatisfy { simulation.runs(of: $0).count >= 300 })
    let gaps = simulation.events.count { if case .missed(_, _, .gap) = $0 { true } else { false } }
    #expect(gaps == 0)
  }

  @Test func aFullHostDelaysOnlyItsOwnChecks() throws {
    let busy = try (0..<30).map { try makeCheck("busy-\($0)", host: "busy.example") }
    let others = try makeChecks(30)
    var simulation = Simulation(busy + others, testOptions(perHost: 2))
    simulation.takes = { $0.target.hasPrefix("busy") ? .seconds(10) : .milliseconds(5) }
    simulation.run(for: .seconds(3600))
    #expect(others.allSatisfy { simulation.slots(missed: $0) == 0 })
    let late = simulation.runs.filter { run in others.contains { $0.id == run.check } }.map(\.late).max()
    #expect(late == .zero)
    #expect(busy.reduce(0) { $0 + simulation.slots(missed: $1) } > 0)
    #expect(busy.reduce(0) { $0 + simulation.runs(of: $1).count } <= 2 * 360 + 2)
  }

  @Test func disabledChecksDoNotRun() throws {
    let on = try makeCheck("On")
    let off = try makeCheck("Off", enabled: false)
    var simulation = Simulation([off, on])
    simulation.run(for: .seconds(600))
    #expect(simulation.runs(of: off).isEmpty)
    #expect(simulation.runs(of: on).count == 10)
    #expect(simulation.schedule.status(at: simulation.clock.boot).checks == 1)
  }

  /// The memory promised: 64 bytes a check for scheduling.
  @Test func anEntryIsSmall() {
    #expect(
      MemoryLayout<Schedule.Entry>.stride + MemoryLayout<DueHeap.Item>.stride + MemoryLayout<UInt32>.stride
        <= 48)
  }
}
