// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import History

/// Counts, histograms, groups and problems, on both sides of each bound.
@Suite struct HistoryRuleTests {
  private let now = midnight + .seconds(7200)

  private func at(_ minutes: Int) -> Timestamp { midnight + .seconds(60 * minutes) }

  private func picture(_ count: Int = 1) throws -> StatusSnapshot {
    let store = HistoryStore(agent: identity)
    store.apply(try (0..<count).map { try makeCheck("c\($0)") }, now: midnight)
    var picture = store.snapshot(now: now)
    for index in picture.checks.indices {
      picture.checks[index].stale = false
      picture.checks[index].state = .up
    }
    return picture
  }

  /// A bound belongs to the bucket below it; what is above all has a place of its own.
  @Test func bucketsOfAHistogram() {
    let bounds: [Int64] = [
      1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
      10_000_000, 30_000_000, 60_000_000,
    ]
    #expect(LatencyHistogram.bounds == bounds)
    for (index, bound) in bounds.enumerated() {
      var histogram = LatencyHistogram()
      histogram.add(.microseconds(bound))
      histogram.add(.microseconds(bound + 1))
      histogram.add(.microseconds(bound + 1))
      #expect(histogram.counts[index] == 1 && histogram.counts[index + 1] == 2)
      #expect(histogram.count == 3 && histogram.sum == 3 * bound + 2 && histogram.zeros == 0)
    }
  }

  /// Bucket i is for more than 2^((i-1)/8) seconds, up to 2^(i/8).
  @Test(
    arguments: [
      (1_000_000, 0), (1_000_001, 1), (2_000_000, 8), (2_000_001, 9), (1_999_999, 8), (500_000, -8),
      (500_001, -7), (1_090_507, 1), (1_090_509, 2), (4_000_000, 16), (256_000_000, 64), (300_000_000, 64),
      (1, -159),
    ] as [(Int64, Int)])
  func fineBuckets(microseconds: Int64, number: Int) {
    var histogram = LatencyHistogram()
    histogram.add(.microseconds(microseconds))
    let places = histogram.fineCounts.indices.filter { histogram.fineCounts[$0] > 0 }
    #expect(places == [number + 160] && histogram.fineCounts.count == 225)
  }

  @Test func whatTookNoTime() {
    var histogram = LatencyHistogram()
    histogram.add(.zero)
    histogram.add(.microseconds(-5))
    #expect(histogram.zeros == 2 && histogram.sum == 0 && histogram.counts[0] == 2)
    #expect(histogram.fineCounts.allSatisfy { $0 == 0 })
  }

  /// By kind of check and state; each part of the time by itself.
  @Test func histogramsByKind() throws {
    let check = try makeCheck()
    var histograms = ResultHistograms()
    let parts = Timings(
      dns: .microseconds(1), connect: .microseconds(2), startTLS: .microseconds(3), tls: .microseconds(4),
      firstByte: .microseconds(5), transfer: .microseconds(6), total: .microseconds(99))
    for (state, milliseconds) in [(.up, 10), (.up, 20), (.down, 5)] as [(CheckState, Int)] {
      var run = Run(slot: midnight, state: state)
      run.latency = .milliseconds(milliseconds)
      var result = run.result(of: check)
      result.facts.timings = state == .down ? Timings(connect: .microseconds(100)) : parts
      histograms.add(result)
    }
    #expect(histograms.responses.map(\.state) == [.up, .down])
    #expect(histograms.responses.map(\.times.sum) == [30_000, 5000])
    #expect(histograms.responses.map(\.times.count) == [2, 1])
    #expect(histograms.responses.allSatisfy { $0.type == .tcp })
    let names = ["dns", "connect", "starttls", "tls", "first_byte", "transfer"]
    #expect(histograms.phases.map(\.part.rawValue) == names)
    #expect(histograms.phases.map(\.times.sum) == [2, 104, 6, 8, 10, 12])
  }

  /// Some, but less than one in a hundred.
  @Test(
    arguments: [
      (0, 10_000, false, 0), (1, 10_000, true, 0.01), (99, 10_000, true, 0.99), (100, 10_000, false, 1),
      (30_000, 10_000, false, 100), (5, 0, false, 0),
    ] as [(Int64, Int64, Bool, Double)])
  func aThinShare(judged: Int64, span: Int64, isThin: Bool, percent: Double) {
    let share = DataShare(judged: judged, span: span)
    #expect(share.isThin == isThin && share.percent == percent)
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
    var group = GroupFigures(name: "eu")
    (group.total, group.owned) = (10_004, 0)
    #expect(group.words(now: now) == "not in it yet, 0 of 10,004 checks mine")
    group.alone = now + .seconds(-150)
    #expect(
      group.words(now: now) == "not reached since the start, 0 of 10,004 checks mine, alone for 2m")
    (group.view, group.members, group.owned) = (812, 1, 2013)
    #expect(group.words(now: now) == "1 member, view 812, 2,013 of 10,004 checks mine, alone for 2m")
    (group.members, group.held, group.standingIn) = (5, 1200, 3400)
    #expect(
      group.words(now: now)
        == "5 members, view 812, 2,013 of 10,004 checks mine, 1,200 run until their new owner does, "
        + "3,400 stood in for, alone for 2m")
    #expect(group.othersText == nil)
    group.others = [.init(member: "b", checks: 1005), .init(member: nil, checks: 3)]
    #expect(group.othersText == "1,005 by b, 3 by no known member")
    group.others += (2..<7).map { GroupFigures.Share(member: "m\($0)", checks: $0 * 400) }
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
    var scheduler = SchedulerView()
    scheduler.latenessP99 = .seconds(1)
    picture.scheduler = scheduler
    var spool = SpoolView()
    picture.spool = spool
    #expect(picture.problems == [])
    picture.scheduler?.latenessP99 = .milliseconds(1240)
    (spool.durable, spool.dropped, spool.quarantined) = (false, 3, 4)
    picture.spool = spool
    picture.delivery = DeliveryView(target: "quartz")
    picture.delivery?.lastError = .warning(.delivery, "404", since: at(60))
    let skipped = ["d", "a", "b", "c", "e"].map { Notice.warning(.check($0), "no id") }
    picture.delivery?.skipped = skipped + [Notice.warning(.check("f"), "big")]
    #expect(
      picture.problems.map(\.what) == [
        "results are kept in memory only", "3 results were overwritten before they could be delivered",
        "4 results were refused by the receiver and set aside", "delivery to quartz failed 1h ago: 404",
        "results of f are not delivered: big", "results of d, a, b and 2 more are not delivered: no id",
        "probes start late: p99 1.24 s",
      ])
    #expect(picture.problems.map(\.isCritical) == [true, true, false, false, false, false, false])
    picture.spool?.problem = .critical(.store, "the disk is full")
    #expect(picture.problems.first?.what == "the disk is full")
    #expect(picture.problems.count == 7)
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
    var scheduler = SchedulerView()
    scheduler.missed = 1234
    #expect(scheduler.missedText == "1,234")
    scheduler.missedBy = [MissedSlots(cause: "gap", count: 0)]
    #expect(scheduler.missedText == "1,234")
    scheduler.missedBy = [MissedSlots(cause: "gap", count: 1234)]
    #expect(scheduler.missedText == "1,234 (gap)")
    scheduler.missedBy = [MissedSlots(cause: "limit", count: 1030), MissedSlots(cause: "gap", count: 204)]
    #expect(scheduler.missedText == "1,234 (1,030 limit, 204 gap)")
  }
}
