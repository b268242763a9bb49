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

  /// A group shares checks of the API and those that places confirm, the file's where it is told to, and no heartbeat.
  @Test func whatAGroupShares() throws {
    func check(_ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
      var definition = CheckDefinition()
      (definition.name, definition.type) = ("Shop", "tcp")
      (definition.host, definition.port) = ("shop.example", 80)
      change(&definition)
      return try MonitoringCheck(definition)
    }
    let beat = try check {
      ($0.type, $0.host, $0.port) = ("heartbeat", nil, nil)
      $0.token = Redacted("0123456789abcdef0123456789abcdef")
      ($0.period, $0.grace) = (.seconds(86_400), .seconds(600))
    }
    let checks = [
      try check { _ in }, try check { $0.origin = .api },
      try check { $0.plan.confirm = ConfirmSettings(from: 1, of: ["london", "paris"]) }, beat,
    ]
    for (group, shared) in [
      (nil, [false, false, false, false]),
      (SlotGrid.Group(name: "london", sharesFile: false), [false, true, true, false]),
      (SlotGrid.Group(name: "london", sharesFile: true), [true, true, true, false]),
    ] as [(SlotGrid.Group?, [Bool])] {
      let grid = SlotGrid(agent: "london-1", group: group)
      #expect(checks.map(grid.isShared) == shared)
      for (check, isShared) in zip(checks, shared) {
        let agent = isShared ? "london" : "london-1"
        #expect(
          grid.timeline(check, .seconds(60))
            == Timeline(agent: agent, check: check.id, interval: .seconds(60)))
      }
    }
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

  /// Its owner may have been dead for some 31 s: three slots of 10 s are too old, and the fourth is run at once.
  @Test func whatTheDeadDidNotRunIsCounted() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(10))
    let timeline = Timeline(agent: "london", check: check.id, interval: .seconds(10))
    let last = timeline.slot(atOrBefore: newYear.wall)
    let since = last.advanced(by: .seconds(-31)).duration(to: newYear.wall)
    let events = schedule.apply(
      CheckList([check]), taking: [check.id], orphaned: [check.id: since], at: newYear)
    let slots = SlotRange(first: last.advanced(by: .seconds(-30)), count: 3, interval: .seconds(10))
    #expect(events == [.missed(check: check.id, slots: slots, cause: .failover)])
    #expect(schedule.begin(at: newYear).starts.map(\.scheduledAt) == [last])
    #expect(schedule.status(at: newYear.boot).missed == 3)
    #expect(schedule.status(at: newYear.boot).missedBy == [.failover: 3])
  }

  @Test func anIntervalLongerThanDetectionLosesNothing() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(60))
    let events = schedule.apply(
      CheckList([check]), taking: [check.id], orphaned: [check.id: .seconds(11)], at: newYear)
    #expect(events.isEmpty)
    #expect(schedule.status(at: newYear.boot).missedBy.isEmpty)
  }

  /// A second of a check of a second is within what a busy machine may be late: this one is late for another's sake.
  @Test func whatIsTakenOverIsNotLate() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(1))
    _ = schedule.apply(CheckList([check]), taking: [check.id], at: newYear)
    let start = try #require(schedule.begin(at: newYear).starts.first)
    _ = schedule.conclude(start.run, .works, at: newYear.boot)
    _ = schedule.finish(start.run, late: .milliseconds(700), at: newYear.boot)
    #expect(schedule.status(at: newYear.boot).lateMax == nil)
  }

  /// Places decide on it, and a place has one voice.
  @Test func aCheckWithConfirmIsTheGroups() throws {
    let group = SlotGrid.Group(name: "london", sharesFile: false)
    #expect(!group.shares(try makeCheck("Shop")))
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    definition.plan.confirm = ConfirmSettings(from: 1, of: ["london", "paris"])
    #expect(group.shares(try MonitoringCheck(definition, patterns: .unchecked)))
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

  /// A process stands still in the middle of a run, for longer than any run takes: the run answers for its own slot, three
  /// more are too old, and the last is run as soon as it ends. At an agent on its own all four are missed.
  @Test(arguments: [true, false]) func aStallWithinARunLosesNoSlotOfAGroup(sharesFile: Bool) throws {
    var schedule = schedule("london-1", sharesFile: sharesFile)
    let check = try makeCheck("Shop", every: .seconds(60))
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    let slot = try #require(schedule.runs(of: [check.id])[check.id])
    var now = newYear
    now.advance(by: newYear.wall.duration(to: slot))
    let start = try #require(schedule.begin(at: now).starts.first)
    now.advance(by: .seconds(250))
    #expect(schedule.conclude(start.run, .works, at: now.boot) == nil)
    let events = schedule.finish(start.run, late: .zero, at: now.boot).events
    let missed = SlotRange(
      first: slot.advanced(by: .seconds(60)), count: sharesFile ? 3 : 4, interval: .seconds(60))
    #expect(events == [.missed(check: check.id, slots: missed, cause: .gap)])
    #expect(
      schedule.begin(at: now).starts.map(\.scheduledAt)
        == (sharesFile ? [slot.advanced(by: .seconds(240))] : []))
    #expect(schedule.status(at: now.boot).missed == missed.count)
  }

  /// A member that starts without the store runs all from their next slots on. In the moment in which the store is back some
  /// are its own, and who ran them until then stops: their last slots are run, though the schedule has these checks already.
  @Test func whatIsInTheScheduleAlreadyRunsItsLastSlotWhenItIsTaken() throws {
    var schedule = schedule("london-1")
    let check = try makeCheck("Shop", every: .seconds(600))
    let timeline = Timeline(agent: "london", check: check.id, interval: .seconds(600))
    let last = timeline.slot(atOrBefore: newYear.wall)
    _ = schedule.apply(CheckList([check]), recalling: settled([check]), at: newYear)
    #expect(schedule.begin(at: newYear).starts.isEmpty)
    _ = schedule.apply(CheckList([check]), taking: [check.id], at: newYear)
    let start = try #require(schedule.begin(at: newYear).starts.first)
    #expect(start.scheduledAt == last)
    _ = schedule.conclude(start.run, .works, at: newYear.boot)
    _ = schedule.finish(start.run, late: .zero, at: newYear.boot)
    // One that it has run itself is not run again.
    _ = schedule.apply(CheckList([check]), taking: [check.id], at: newYear)
    #expect(schedule.begin(at: newYear).starts.isEmpty)
    #expect(schedule.runs(of: [check.id])[check.id] == last.advanced(by: .seconds(600)))
    #expect(schedule.counts.missed == 0)
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
