// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Scheduler

/// Checks that a group shares: one grid for all members, and slots that are run late rather than not at all.
@Suite struct GroupSlotTests {
  private func schedule(_ agent: String, sharesFile: Bool = true) -> Schedule {
    var options = testOptions(agent: agent)
    options.group = SlotGrid.Group(name: "london", sharesFile: sharesFile)
    return Schedule(options, at: newYear)
  }

  private func slots(_ agent: String, sharesFile: Bool, _ check: MonitoringCheck) -> Timestamp? {
    var schedule = schedule(agent, sharesFile: sharesFile)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    return schedule.runs(of: [check.id])[check.id]
  }

  @Test func allMembersStandOnOneGrid() throws {
    let check = try makeCheck("Shop")
    #expect(slots("london-1", sharesFile: true, check) == slots("london-2", sharesFile: true, check))
    #expect(slots("london-1", sharesFile: false, check) != slots("london-2", sharesFile: false, check))
  }

  @Test func whatIsTakenOverRunsItsLastSlotAtOnce() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(600))
    let last = Timeline(agent: "london", check: check.id, interval: .seconds(600)).slot(
      atOrBefore: newYear.wall)
    _ = schedule.apply(CheckList([check]), taking: [check.id], at: newYear)
    let (starts, events) = schedule.begin(at: newYear)
    #expect(starts.map(\.scheduledAt) == [last])
    #expect(events.isEmpty)
    _ = schedule.conclude(starts[0].run, .works, at: newYear.boot)
    _ = schedule.finish(starts[0].run, late: last.duration(to: newYear.wall), at: newYear.boot)
    #expect(schedule.runs(of: [check.id])[check.id] == last.advanced(by: .seconds(600)))
    // It was late for another's sake.
    #expect(schedule.status(at: newYear.boot).lateMax == nil)
    #expect(schedule.counts.missed == 0)
  }

  @Test func aStallLosesNoSlotOfAGroup() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(60))
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    let slot = try #require(schedule.runs(of: [check.id])[check.id])
    var now = newYear
    now.advance(by: newYear.wall.duration(to: slot) + .seconds(40))
    let (starts, events) = schedule.begin(at: now)
    #expect(starts.map(\.scheduledAt) == [slot])
    #expect(events.isEmpty)
  }

  @Test func whatIsGivenAwayIsNotMissed() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(10))
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    var now = newYear
    now.advance(by: .seconds(3600))
    #expect(schedule.apply(CheckList([]), at: now).isEmpty)
    #expect(schedule.begin(at: now).events.isEmpty)
    #expect(schedule.counts.missed == 0)
  }
}
