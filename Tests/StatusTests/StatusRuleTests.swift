// SPDX-License-Identifier: MIT

import Basics
import Groups
import HistorySupport
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusSupport
import Testing
@testable import History
@testable import Status

/// Groups, problems and the words of parts, on both sides of each bound.
@Suite struct StatusRuleTests {
  private let now = midnight + .seconds(7200)

  private func at(_ minutes: Int) -> Timestamp { midnight + .seconds(60 * minutes) }

  private func picture(_ count: Int = 1) throws -> StatusSnapshot {
    let store = HistoryStore()
    store.apply(try (0..<count).map { try makeCheck("c\($0)") }, now: midnight)
    var picture = store.snapshot(now: now)
    for index in picture.checks.indices {
      picture.checks[index].stale = false
      picture.checks[index].state = .up
    }
    return picture
  }

  /// A check with two tags is in two groups, what is worked on has no state, and those without a tag are last.
  @Test func groupsByTag() throws {
    var picture = try picture(7)
    let facts: [([String], CheckState)] = [
      (["db"], .degraded), ([], .up), (["web", "db"], .up), (["web"], .down), (["web"], .unknown),
      (["db"], .down), (["off"], .down),
    ]
    for (index, (tags, state)) in facts.enumerated() {
      (picture.checks[index].tags, picture.checks[index].state) = (tags, state)
      picture.checks[index].last = LastResult(
        scheduledAt: now, startedAt: now, state: state, reason: .ok, maintenance: false)
    }
    picture.checks[4].last = nil
    picture.checks[5].maintenance = CheckMaintenance(name: "Patch", until: now, skip: false)
    picture.checks[6].enabled = false
    let groups = picture.groups
    #expect(groups.map(\.tag) == ["db", "web", nil])
    #expect(groups.map(\.worst) == [.degraded, .down, .up])
    #expect(groups.map(\.total) == [3, 3, 1])
    var json = JSONWriter()
    json.array { json in for group in groups { group.write(to: &json) } }
    #expect(
      json.text == #"""
        [{"tag":"db","state":"degraded","checks":{"total":3,"up":1,"down":0,"degraded":1,"unknown":0,\#
        "pending":0,"maintenance":1}},{"tag":"web","state":"down","checks":{"total":3,"up":1,"down":1,\#
        "degraded":0,"unknown":1,"pending":1,"maintenance":0}},{"tag":null,"state":"up",\#
        "checks":{"total":1,"up":1,"down":0,"degraded":0,"unknown":0,"pending":0,"maintenance":0}}]
        """#)
  }

  @Test(
    arguments: [
      (0, 0, 0, 0, .unknown), (0, 0, 0, 3, .unknown), (1, 0, 0, 3, .up), (5, 1, 0, 3, .degraded),
      (5, 4, 1, 3, .down), (0, 0, 1, 0, .down),
    ] as [(Int, Int, Int, Int, CheckState)])
  func theWorstOfAGroup(up: Int, degraded: Int, down: Int, unknown: Int, worst: CheckState) {
    var group = CheckGroup(tag: "a")
    (group.up, group.degraded, group.down, group.unknown) = (up, degraded, down, unknown)
    #expect(group.worst == worst)
  }

  /// Members and checks of a group of agents in words.
  @Test func aGroupInWords() {
    var group = GroupStatus.group("eu", members: 1)
    group.assignment.total = 10_004
    #expect(group.words(now: now) == "not in it yet, 0 of 10,004 checks mine")
    group.alone = .init(since: now + .seconds(-150))
    #expect(
      group.words(now: now) == "not reached since the start, 0 of 10,004 checks mine, alone for 2m")
    (group.view, group.assignment.owned) = (812, 2013)
    #expect(group.words(now: now) == "1 member, view 812, 2,013 of 10,004 checks mine, alone for 2m")
    group.members = GroupStatus.group("eu", members: 5).members
    (group.assignment.held, group.assignment.standingIn) = (1200, 3400)
    #expect(
      group.words(now: now)
        == "5 members, view 812, 2,013 of 10,004 checks mine, 1,200 run until their new owner does, "
        + "3,400 stood in for, alone for 2m")
    #expect(group.othersText == nil)
    group.others = [.init(member: "b", checks: 1005), .init(member: nil, checks: 3)]
    #expect(group.othersText == "1,005 by b, 3 by no known member")
    group.others += (2..<7).map { GroupStatus.Share(member: "m\($0)", checks: $0 * 400) }
    #expect(
      group.othersText
        == "1,005 by b, 3 by no known member, 800 by m2, 1,200 by m3, 1,600 by m4, 4,400 by others")
  }

  /// Shown once another place has found it down for more than three intervals.
  @Test func anotherPlaceFindsItDown() throws {
    var picture = try picture()
    func place(_ name: String, _ state: CheckState, _ seconds: Int64, isOwn: Bool = false) -> PlaceStatus {
      var place = PlaceStatus(name)
      place.isOwn = isOwn
      place.verdict = PlaceVerdict(name, state, state == .down ? .connectRefused : nil)
      place.verdict?.since = now + .seconds(-seconds)
      return place
    }
    func told() -> [String] { picture.problems.map(\.what) }
    picture.checks[0].places = [
      place("here", .down, 900, isOwn: true), place("oslo", .up, 900), place("rome", .down, 180),
    ]
    #expect(told() == [])
    picture.checks[0].places[2] = place("rome", .down, 181)
    #expect(told() == ["c0 is down elsewhere for 3m: rome connect_refused"])
    picture.checks[0].places.append(place("bern", .down, 360))
    #expect(told() == ["c0 is down elsewhere for 6m: rome connect_refused, bern connect_refused"])
    picture.checks[0].interval = .seconds(120)
    #expect(told() == [])
  }

  /// Critical ones first; each part says what is wrong and what to do.
  @Test func problemsOfTheParts() throws {
    var picture = try picture()
    var scheduler = ScheduleStatus()
    scheduler.lateP99 = .seconds(1)
    picture.scheduler = scheduler
    var spool = SpoolStatus()
    picture.spool = spool
    #expect(picture.problems == [])
    picture.scheduler?.lateP99 = .milliseconds(1240)
    spool.mode = .memory(.critical(.store, "a link"))
    (spool.dropped, spool.quarantined) = (3, 4)
    picture.spool = spool
    picture.delivery = DeliveryStatus(.quartz)
    picture.delivery?.tally.trouble = .warning(.delivery, "404")
    picture.delivery?.tally.troubleSince = at(60)
    let skipped = ["d", "a", "b", "c", "e"].map { Notice.warning(.check($0), "no id") }
    picture.undelivered = skipped + [Notice.warning(.check("f"), "big")]
    #expect(
      picture.problems.map(\.what) == [
        "results are kept in memory only: a link",
        "3 results were overwritten before they could be delivered",
        "4 results were refused by the receiver and set aside", "delivery to quartz failed 1h ago: 404",
        "results of f are not delivered: big", "results of d, a, b and 2 more are not delivered: no id",
        "probes start late: p99 1.24 s",
      ])
    #expect(picture.problems.map(\.isCritical) == [true, true, false, false, false, false, false])
    picture.diskProblem = .critical(.store, "the disk is full")
    #expect(picture.problems.first?.what == "the disk is full")
    #expect(picture.problems.count == 7)
  }

  /// Delivery names the refused results of this run; the store's problem has only those of earlier ones.
  @Test(
    arguments: [
      (4, 0, "4 results were refused by the receiver and set aside"), (1, 1, nil), (3, 4, nil),
      (1, 0, "1 result was refused by the receiver and set aside"),
      (4, 3, "1 result was refused by the receiver before this start and set aside"),
    ] as [(Int, Int, String?)])
  func aRefusalIsOneProblem(kept: Int, told: Int, words: String?) throws {
    var picture = try picture(1)
    var spool = SpoolStatus()
    spool.quarantined = kept
    picture.spool = spool
    picture.delivery = DeliveryStatus(.quartz)
    picture.delivery?.tally.quarantined = told
    #expect(picture.problems.map(\.what).filter { $0.contains("refused") } == [words].compactMap(\.self))
  }

  @Test func noDataIsNoAverage() throws {
    let snapshot = makeStore(try makeCheck()).snapshot(now: now)
    #expect(snapshot.summary.averageUptime24h == nil)
  }

  /// Resources where checks name some, else checks; every problem is critical or a warning.
  @Test func theDashboardOfTheApps() throws {
    var picture = try picture(6)
    let states: [CheckState] = [.up, .up, .up, .degraded, .degraded, .down]
    for (index, state) in states.enumerated() {
      picture.checks[index].state = state
      picture.checks[index].failures = state == .down ? 1 : 0
    }
    func document() -> String {
      var json = JSONWriter()
      picture.writeDashboard(to: &json)
      return json.text
    }
    #expect(
      document() == #"""
        {"resources":{"total":6,"up":3,"down":1,"degraded":2,"unknown":0},\#
        "alerts":{"active":3,"critical":1,"warning":2},"uptime":{"average":null,"period":"24h"}}
        """#)
    var window = WindowStatus(period: .day)
    window.time.up = 3
    window.time.down = 1
    picture.checks[0].windows = [window]
    for index in [0, 3] { picture.checks[index].resourceID = UniqueID(high: 1, low: UInt64(index)) }
    picture.checks[5].resourceID = UniqueID(high: 1, low: 3)
    #expect(
      document() == #"""
        {"resources":{"total":2,"up":1,"down":0,"degraded":1,"unknown":0},\#
        "alerts":{"active":3,"critical":1,"warning":2},"uptime":{"average":75,"period":"24h"}}
        """#)
  }

  @Test func whatIsMissed() {
    var scheduler = ScheduleStatus()
    #expect(scheduler.missedText == "0")
    scheduler.missedBy = [.gap: 0]
    #expect(scheduler.missedText == "0")
    scheduler.missedBy = [.gap: 1234]
    #expect(scheduler.missedText == "1,234 (gap)")
    scheduler.missedBy = [.limit: 204, .gap: 1030]
    #expect(scheduler.missedText == "1,234 (1,030 gap, 204 limit)")
  }

  /// What is down stands before what is slow, in whatever order the checks are.
  @Test func whatIsCriticalStandsFirst() throws {
    let (slow, broken) = (try makeCheck("Slow"), try makeCheck("Broken"))
    let store = HistoryStore()
    store.apply([slow, broken], now: midnight)
    store.record(Run(slot: midnight, state: .degraded).result(of: slow), interval: .seconds(60))
    store.record(Run(slot: midnight, state: .down).result(of: broken), interval: .seconds(60))
    let problems = store.snapshot(now: midnight + .seconds(10)).problems
    #expect(problems.map(\.isCritical) == [true, false])
    #expect(problems.first?.what.hasPrefix("Broken is down") == true)
  }

  /// Of two windows the one that ends last is shown: until then nothing counts.
  @Test(arguments: [[600, 1800], [1800, 600]]) func theWindowThatEndsLastIsShown(lengths: [Int]) throws {
    let check = try makeCheck()
    var snapshot = makeStore(check, runs: grid(1)).snapshot(now: midnight + .seconds(60))
    let windows = try lengths.map { seconds in
      var definition = MaintenanceDefinition()
      (definition.name, definition.start) = ("\(seconds)", "2026-01-01T00:00")
      definition.duration = .seconds(seconds)
      return try MaintenanceWindow(definition)
    }
    snapshot.mark(MaintenancePlan(windows, checks: [check]))
    #expect(snapshot.check(check.id)?.maintenance?.until == midnight + .seconds(1800))
  }
}
