// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import HistorySupport
import Monitoring
import StatusSupport
import Testing
@testable import History
@testable import Status

/// Each part of the status in the API: every field, each with a value of its own.
@Suite struct HistoryDocumentTests {
  private static let id = UniqueID(high: 1, low: 2)
  private static let idText = "00000000-0000-0001-0000-000000000002"

  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return json.text
  }

  /// A moment of 2026-01-01, minutes after midnight.
  private func at(_ minutes: Int) -> Timestamp { midnight + .seconds(60 * minutes) }

  private func tally(_ up: Int64, _ degraded: Int64, _ down: Int64, _ unknown: Int64, _ maintenance: Int64)
    -> Tally
  {
    var tally = Tally()
    tally.up = up
    tally.degraded = degraded
    tally.down = down
    tally.unknown = unknown
    tally.maintenance = maintenance
    return tally
  }

  /// 7.5 of 8 judged seconds are up; 8 of 16 due ones are judged, and 8 of 100 in all.
  @Test func aWindow() {
    var window = WindowStatus(period: .week)
    window.from = midnight
    window.time = tally(6_000_000, 1_500_000, 500_000, 2_000_000, 10_000_000)
    window.counts = tally(12, 3, 1, 4, 20)
    window.span = 100_000_000
    window.enabled = 26_000_000
    window.latency = LatencyStats(
      count: 15, mean: .microseconds(12_340), minimum: .milliseconds(1), maximum: .milliseconds(900),
      p50: .milliseconds(10), p90: .milliseconds(20), p95: .milliseconds(30), p99: .microseconds(40_500))
    #expect(
      text { window.write(to: &$0) }
        == #"""
        {"period":"7d","from":"2026-01-01T00:00:00.000Z","uptime":93.75,"coverage":50,"data":8,\#
        "span_s":100,"enabled_s":26,\#
        "seconds":{"up":6,"degraded":1.5,"down":0.5,"unknown":2,"maintenance":10},\#
        "counts":{"up":12,"degraded":3,"down":1,"unknown":4,"maintenance":20},\#
        "response_time":{"count":15,"mean_ms":12.34,"min_ms":1,"max_ms":900,"p50_ms":10,"p90_ms":20,\#
        "p95_ms":30,"p99_ms":40.5}}
        """#)
  }

  /// Nothing judged is no figure, and never more than all of the time is covered.
  @Test(
    arguments: [
      ([0, 0, 0, 5, 0], 10, nil, 0), ([0, 0, 0, 0, 10], 10, nil, nil), ([3, 1, 4, 9, 2], 34, 50, 25),
      ([0, 0, 2, 0, 0], 2, 0, 100), ([4, 0, 0, 0, 0], 3, 100, 100), ([0, 2, 0, 0, 0], 0, 100, nil),
    ] as [([Int64], Int64, Double?, Double?)])
  func uptimeAndCoverage(time: [Int64], enabled: Int64, uptime: Double?, coverage: Double?) {
    var window = WindowStatus(period: .day)
    window.time = tally(time[0], time[1], time[2], time[3], time[4])
    window.enabled = enabled
    #expect(window.uptime == uptime && window.coverage == coverage)
  }

  @Test func aCheckWithEverything() throws {
    var check = try #require(makeStore(try makeCheck()).snapshot(now: at(1)).checks.first)
    (check.id, check.target, check.timeout) = (Self.id, "shop:443", .milliseconds(1400))
    (check.tags, check.parents, check.interval) = (["b", "a"], ["Gateway"], .milliseconds(90_500))
    check.windows = []
    (check.state, check.since, check.stale) = (.degraded, at(1), true)
    check.last = LastResult(
      scheduledAt: at(2), startedAt: at(3), state: .down, reason: .httpStatus, phase: .transfer,
      statusCode: 503, responseTime: .microseconds(12_340), certificateNotAfter: at(4), message: "m",
      maintenance: true)
    check.sparkLine = SparkLine()
    check.sparkLine.append(SparkPoint(state: .up, responseTime: .microseconds(1500)))
    check.sparkLine.append(SparkPoint(state: .down, responseTime: nil))
    (check.missed, check.spanned, check.implausible) = (2, 3, 4)
    (check.failures, check.failureThreshold, check.resourceID) = (5, 6, UniqueID(high: 3, low: 4))
    check.latestOutage = [
      Outage(
        begin: at(5), end: nil, heldUntil: at(9), reason: .connectRefused, phase: .connect,
        firstMessage: "a", lastMessage: "b", results: 7)
    ]
    check.maintenance = CheckMaintenance(name: "Patch", until: at(10), skip: true)
    (check.mutedUntil, check.acknowledgedBy) = (at(11), "Ada")
    #expect(
      text { check.write(now: at(7), to: &$0) }
        == #"""
        {"id":"\#(Self.idText)","name":"Shop","type":"tcp","target":"shop:443","check_type":"tcp",\#
        "url":"shop:443","interval":91,"timeout":1,"is_enabled":true,"tags":["b","a"],\#
        "depends_on":["Gateway"],"interval_s":90.5,"enabled":true,"state":"degraded",\#
        "since":"2026-01-01T00:01:00.000Z","stale":true,\#
        "last":{"scheduled_at":"2026-01-01T00:02:00.000Z","started_at":"2026-01-01T00:03:00.000Z",\#
        "state":"down","reason":"http_status","phase":"transfer","status_code":503,\#
        "response_time_ms":12.34,"certificate_not_after":"2026-01-01T00:04:00.000Z","message":"m",\#
        "maintenance":true},"uptime":{},\#
        "recent":[{"state":"up","response_time_ms":1.5},{"state":"down"}],"missed":2,"spanned":3,\#
        "implausible":4,"outage":{"begin":"2026-01-01T00:05:00.000Z","end":null,"duration_s":120,\#
        "reason":"connect_refused","phase":"connect","first_message":"a","last_message":"b",\#
        "results":7},"resource_id":"00000000-0000-0003-0000-000000000004","failures":5,\#
        "failure_threshold":6,"maintenance":{"name":"Patch","until":"2026-01-01T00:10:00.000Z",\#
        "skip":true},"muted_until":"2026-01-01T00:11:00.000Z","acknowledged_by":"Ada"}
        """#)
  }

  /// What there is nothing to say of is left out.
  @Test func aCheckWithNothing() throws {
    var check = try #require(makeStore(try makeCheck()).snapshot(now: at(1)).checks.first)
    (check.id, check.nextRun, check.stale) = (Self.id, at(2), false)
    check.windows = []
    let pending = #""pending":true,"next_run":"2026-01-01T00:02:00.000Z","#
    let document =
      #"""
      {"id":"\#(Self.idText)","name":"Shop","type":"tcp","target":"127.0.0.1:80","check_type":"tcp",\#
      "url":"127.0.0.1:80","interval":60,"timeout":1,"is_enabled":true,"interval_s":60,"enabled":true,\#
      "state":"unknown","stale":false,\#(pending)"uptime":{},"recent":[],"missed":0,"spanned":0,\#
      "failures":0,"failure_threshold":1}
      """#
    #expect(text { check.write(now: at(1), to: &$0) } == document)
    check.enabled = false
    #expect(
      text { check.write(now: at(1), to: &$0) }
        == document.replacing(pending, with: "").replacing(#"enabled":true"#, with: #"enabled":false"#))
  }

  @Test func placesOfACheck() {
    var one = PlaceStatus("paris")
    (one.isOwn, one.members, one.absent) = (true, 2, ["p-3"])
    one.verdict = PlaceVerdict("paris", .down, .connectRefused, isHeard: false)
    one.verdict?.since = at(6)
    #expect(
      text { one.write(to: &$0) }
        == #"""
        {"place":"paris","own":true,"alive":true,"heard":false,"state":"down",\#
        "reason":"connect_refused","since":"2026-01-01T00:06:00.000Z","members":2,"absent":["p-3"],\#
        "uptime":{}}
        """#)
    #expect(
      text { PlaceStatus("oslo").write(to: &$0) }
        == #"{"place":"oslo","own":false,"members":0,"absent":[],"uptime":{}}"#)
    #expect(one.membersText == "2 of 3" && PlaceStatus("oslo").membersText == "0")
  }

  @Test(
    arguments: [
      (nil, "–", "–", .unknown), (PlaceVerdict("a", .up), "●", "UP", .up),
      (PlaceVerdict("a", .degraded), "▲", "DEGRADED", .degraded),
      (PlaceVerdict("a", .down), "✕", "DOWN", .down), (PlaceVerdict("a"), "–", "–", .unknown),
      (PlaceVerdict("a", .up, isAlive: false), "–", "GONE", .unknown),
      (PlaceVerdict("a", .up, isAlive: false, isHeard: false), "–", "NOT HEARD", .unknown),
    ] as [(PlaceVerdict?, String, String, CheckState)])
  func aPlaceInAWord(verdict: PlaceVerdict?, mark: String, word: String, state: CheckState) {
    var place = PlaceStatus("a")
    place.verdict = verdict
    let shown = place.state
    #expect(shown.mark == mark && shown.word == word && shown.state == state)
  }

  @Test func ordersAndWindows() {
    let order = HandBook.Order(
      id: Self.id, target: .tag("db"), from: at(1), until: at(2), why: "deploy", by: "Ada")
    let times = #""from":"2026-01-01T00:01:00.000Z","until":"2026-01-01T00:02:00.000Z","#
    #expect(
      text { order.writeStatus(to: &$0) }
        == #"{"id":"\#(Self.idText)","target":"tag:db",\#(times)"why":"deploy","by":"Ada"}"#)
    var window = MaintenanceView(
      name: "Patch", origin: .api, repetition: .weekly, timezone: "Europe/London", skip: true, checks: 3,
      hours: at(1)..<at(2), isActive: false)
    #expect(
      text { window.write(to: &$0) }
        == #"""
        {"name":"Patch","origin":"api","active":false,\#(times)"repeat":"weekly",\#
        "timezone":"Europe/London","skip":true,"checks":3}
        """#)
    #expect(window.when == "begins 2026-01-01 00:01 UTC")
    window.isActive = true
    #expect(window.when == "until 2026-01-01 00:02 UTC")
    (window.hours, window.origin, window.skip) = (nil, .local, false)
    #expect(window.when == "over")
    #expect(
      text { window.write(to: &$0) }
        == #"""
        {"name":"Patch","origin":"file","active":true,"repeat":"weekly",\#
        "timezone":"Europe/London","skip":false,"checks":3}
        """#)
  }

  @Test func aGroupOfAgents() {
    var group = GroupStatus.group("eu", members: 5)
    (group.view, group.assignment.total, group.assignment.owned) = (812, 10_004, 2013)
    (group.assignment.held, group.assignment.standingIn) = (12, 3)
    (group.alone, group.journal.takeovers) = (.init(since: at(1)), 7)
    group.others = [.init(member: "b", checks: 5), .init(member: nil, checks: 6)]
    group.elsewhere = [
      .init(id: Self.id, name: "Shop", member: "b"), .init(id: Self.id, name: "x", member: nil),
    ]
    #expect(
      text { group.write(to: &$0) }
        == #"""
        {"name":"eu","members":5,"view":812,"checks":10004,"owned":2013,"held":12,"standing_in":3,\#
        "alone_since":"2026-01-01T00:01:00.000Z","takeovers":7,\#
        "others":[{"member":"b","checks":5},{"checks":6}],\#
        "elsewhere":[{"id":"\#(Self.idText)","name":"Shop","member":"b"},\#
        {"id":"\#(Self.idText)","name":"x"}]}
        """#)
  }

  @Test func envelopes() {
    let page = StatusJSON.Page(total: 30, limit: 20, offset: 10)
    let stamp = #""timestamp":"2026-01-01T00:00:00.000Z""#
    let success = StatusJSON.success(now: midnight, page: page) { $0.integer(7) }
    #expect(
      String(decoding: success, as: UTF8.self)
        == #"{"success":true,"data":7,"meta":{\#(stamp),"total":30,"limit":20,"offset":10}}"#)
    StatusJSON.$requestID.withValue("r-1") {
      let bare = StatusJSON.success(now: midnight) { $0.null() }
      #expect(
        String(decoding: bare, as: UTF8.self)
          == #"{"success":true,"data":null,"meta":{\#(stamp),"request_id":"r-1"}}"#)
      let failure = StatusJSON.failure(code: "NOT_FOUND", message: "no such check", now: midnight)
      #expect(
        String(decoding: failure, as: UTF8.self)
          == #"""
          {"success":false,"error":{"code":"NOT_FOUND","message":"no such check"},\#
          "meta":{\#(stamp),"request_id":"r-1"}}
          """#)
    }
  }
}
