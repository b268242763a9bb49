// SPDX-License-Identifier: MIT

import Alerts
import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History
@testable import Status

/// Lines of the text of `status`, each from unequal figures.
@Suite struct StatusLineTests {
  private let now = midnight + .seconds(7200)

  private func at(_ minutes: Int) -> Timestamp { midnight + .seconds(60 * minutes) }

  /// Enabled checks of these states, without a result.
  private func snapshot(_ states: [CheckState] = []) throws -> StatusSnapshot {
    let checks = try states.indices.map { try makeCheck("c\($0)") }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var snapshot = store.snapshot(now: now)
    for (index, state) in states.enumerated() {
      snapshot.checks[index].state = state
      snapshot.checks[index].failures = state == .down ? 1 : 0
      snapshot.checks[index].stale = false
    }
    return snapshot
  }

  private func lines(_ snapshot: StatusSnapshot) -> [String] {
    StatusText(width: 200).render(snapshot).split(separator: "\n").map(String.init)
  }

  private func result(_ state: CheckState, startedAt: Timestamp, isMaintenance: Bool = false) -> LastResult {
    LastResult(
      scheduledAt: startedAt, startedAt: startedAt, state: state, reason: .ok, maintenance: isMaintenance)
  }

  @Test func theFirstLines() throws {
    var picture = try snapshot([.up, .down, .up, .degraded, .degraded, .unknown, .up, .unknown, .up])
    for index in picture.checks.indices { picture.checks[index].last = result(.up, startedAt: now) }
    picture.checks[7].last = nil
    picture.checks[0].maintenance = CheckMaintenance(name: "Patch", until: now, skip: false)
    picture.checks[8].enabled = false
    picture.agent.region = "eu"
    let shown = lines(picture)
    #expect(shown[0] == "test-1 (eu) · quartz-agent 0 · running for 2h")
    #expect(
      shown[1]
        == "8 checks: 2 up, 2 degraded, 1 down, 2 unknown (1 pending), 1 in maintenance · uptime 24h no data")
    #expect(shown.contains("delivery  off"))
    let single = try snapshot([.up])
    #expect(lines(single)[1].hasPrefix("1 check: 1 up, 0 degraded, 0 down, 0 unknown (1 pending)"))
  }

  /// The mean of the enabled checks that have data, and of how much data they have.
  @Test func theAverageOfADay() throws {
    var picture = try snapshot([.up, .up, .up, .up])
    let times: [(up: Int64, down: Int64, span: Int64)] = [
      (30, 10, 100), (60, 0, 300), (0, 0, 700), (0, 9, 9),
    ]
    for (index, time) in times.enumerated() {
      var window = WindowStatus(period: .day)
      window.time.up = time.up
      window.time.down = time.down
      window.span = time.span
      picture.checks[index].windows = [window]
    }
    picture.checks[3].enabled = false
    let summary = picture.summary
    #expect(summary.averageUptime24h == 87.5)
    #expect(summary.averageData24h == DataShare(judged: 50, span: 200))
    #expect(summary.total == 3)
  }

  @Test func resources() throws {
    var picture = try snapshot([.down, .down, .down, .down, .up, .degraded, .up, .up, .unknown, .down])
    func id(_ number: UInt64) -> UniqueID { UniqueID(high: 1, low: number) }
    let owners: [UInt64?] = [1, 1, 1, 1, 2, 2, 3, 3, 4, nil]
    for (index, owner) in owners.enumerated() {
      picture.checks[index].resourceID = owner.map(id)
      picture.checks[index].last = result(.up, startedAt: at(index))
    }
    // What fails less often than its threshold counts as up, and what is worked on says nothing.
    picture.checks[6].state = .down
    (picture.checks[6].failures, picture.checks[6].failureThreshold) = (2, 3)
    picture.checks[7].state = .down
    picture.checks[7].last = result(.down, startedAt: at(90), isMaintenance: true)
    let resources = picture.resources
    #expect(resources.map(\.id) == [id(1), id(2), id(3), id(4)])
    #expect(resources.map(\.state) == [.down, .degraded, .up, .unknown])
    #expect(resources.map(\.failing) == [["c0", "c1", "c2", "c3"], ["c5"], [], []])
    #expect(resources.map(\.lastChecked) == [at(3), at(5), at(90), at(8)])
    let shown = lines(picture)
    let first = try #require(shown.firstIndex(of: "resources 1 up, 1 degraded, 1 down, 1 unknown"))
    #expect(shown[first + 1] == "          ✕ DOWN \(id(1)) by c0, c1, c2")
    #expect(shown[first + 2] == "          ▲ DEGRADED \(id(2)) by c5")
    #expect(shown[first + 3] == "delivery  off")
    var json = JSONWriter()
    resources[1].write(to: &json)
    #expect(
      json.text
        == #"{"id":"\#(id(2))","state":"degraded","last_checked_at":"2026-01-01T00:05:00.000Z","#
        + #""checks":["c4","c5"],"failing":["c5"]}"#)
  }

  private func window(_ name: String, _ hours: Range<Timestamp>, isActive: Bool, checks: Int = 2)
    -> MaintenanceView
  {
    MaintenanceView(
      name: name, origin: .local, repetition: .none, timezone: "UTC", skip: checks == 1, checks: checks,
      hours: hours, isActive: isActive)
  }

  /// Those that hold, five at most; where none does, the next, if it begins within a day.
  @Test func maintenance() throws {
    var picture = try snapshot()
    func maintained() -> [String] {
      lines(picture).filter { $0.hasPrefix("maintain  ") || $0.contains(" more window") }
    }
    let day = now + .seconds(86_400)
    picture.maintenance = [window("Next", day..<(day + .seconds(60)), isActive: false)]
    #expect(maintained() == [])
    let soon = day + .seconds(-60)
    picture.maintenance = [
      window("Next", soon..<(day + .seconds(60)), isActive: false, checks: 1),
      window("Later", day..<(day + .seconds(60)), isActive: false),
    ]
    #expect(maintained() == ["maintain  ◆ Next begins 2026-01-02 01:59 UTC, 1 check, not probed"])
    picture.maintenance = (0..<6).map { window("w\($0)", at(0)..<at(200 + $0), isActive: true) }
    let five = (0..<5).map { "maintain  ◆ w\($0) until 2026-01-01 03:2\($0) UTC, 2 checks" }
    #expect(maintained() == five + ["          and 1 more window"])
    picture.maintenance.append(window("w6", at(0)..<at(300), isActive: true))
    #expect(maintained() == five + ["          and 2 more windows"])
    picture.maintenance = [
      window("On", at(0)..<at(125), isActive: true), window("Next", soon..<day, isActive: false),
    ]
    #expect(maintained() == ["maintain  ◆ On until 2026-01-01 02:05 UTC, 2 checks"])
  }

  @Test func silences() throws {
    var picture = try snapshot()
    func mute(_ number: Int, why: String? = nil, by: String? = nil) -> HandBook.Order {
      HandBook.Order(
        id: UniqueID(high: 1, low: UInt64(number)), target: .check("m\(number)"), from: at(1),
        until: at(240 + number), why: why, by: by)
    }
    picture.mutes = [
      mute(0, why: "deploy", by: "Ada"), mute(1, why: "noise"), mute(2, by: "Bo"), mute(3), mute(4),
    ]
    let five = [
      "muted     m0 until 2026-01-01 04:00Z by Ada: deploy", "muted     m1 until 2026-01-01 04:01Z: noise",
      "muted     m2 until 2026-01-01 04:02Z by Bo", "muted     m3 until 2026-01-01 04:03Z",
      "muted     m4 until 2026-01-01 04:04Z",
    ]
    let text = StatusText(width: 200)
    #expect(text.silences(picture) == five)
    picture.mutes += [mute(5), mute(6)]
    #expect(text.silences(picture) == five + ["          and 2 more"])
    picture.mutes = []
    var one = AlertsView.Channel(name: "ops", target: "a")
    var other = AlertsView.Channel(name: "pager", target: "b")
    picture.alerts = AlertsView()
    picture.alerts?.channels = [one]
    #expect(text.silences(picture) == ["alerts    1 channel, 0 delivered, 0 pending"])
    (one.delivered, one.failed, one.pending) = (["opened": 1000, "recovered": 230], ["opened": 3], 2)
    (other.delivered, other.failed, other.pending) = (["opened": 4], ["digest": 4], 3)
    other.held = ["mute": 6]
    picture.alerts?.channels = [one, other]
    picture.alerts?.quietUntil = at(360)
    #expect(
      text.silences(picture) == [
        "alerts    2 channels, 1,234 delivered, 5 pending, 6 held, 7 failed, quiet until 2026-01-01 06:00Z"
      ])
  }

  @Test func incidents() throws {
    func incident(_ number: UInt64, _ title: String, _ severity: AlertSeverity, _ begin: Timestamp)
      -> IncidentStatus
    {
      IncidentStatus(
        id: UniqueID(high: 1, low: number), short: "00000\(number)", title: title, subject: .availability,
        severity: severity, begin: begin, end: nil)
    }
    var one = incident(1, "Shop is down", .high, at(118))
    var other = incident(2, "Mail", .critical, now + .seconds(-93_600))
    one.acknowledgedBy = "Ada"
    var third = incident(3, "Disk", .low, at(120))
    third.notifications = [.init(channel: "ops", state: .delivered), .init(channel: "pager", state: .held)]
    var picture = try snapshot()
    #expect(StatusText(width: 200).incidents(picture) == [])
    picture.alerts = AlertsView()
    picture.alerts?.open = [one, other, third]
    let table = [
      "INCIDENT  SEVERITY   FOR  WHAT          NOTIFIED",
      "000001    high        2m  Shop is down  acknowledged by Ada",
      "000002    critical   26h  Mail          no channel",
      "000003    low         0s  Disk          ops, pager (held)",
    ]
    #expect(StatusText(width: 200).incidents(picture) == table)
    other.end = now
    #expect([one, other, third].map(\.status) == [.acknowledged, .resolved, .active])
  }

  /// Latencies from nought to the highest shown, then what failed, what says nothing, and what took no time.
  @Test func recentRuns() throws {
    var picture = try snapshot([.up])
    var spark = SparkLine()
    for step in 0..<8 as Range<Int64> {
      spark.append(SparkPoint(state: .up, responseTime: .microseconds(100 * step)))
    }
    spark.append(SparkPoint(state: .down, responseTime: .microseconds(50)))
    spark.append(SparkPoint(state: .unknown, responseTime: nil))
    spark.append(SparkPoint(state: .degraded, responseTime: nil))
    picture.checks[0].sparkLine = spark
    let row = try #require(lines(picture).first { $0.hasPrefix("c0") })
    #expect(row.hasSuffix("  ▁▂▃▄▅▆▇█×·▁"), "\(row)")
  }

  /// Forty runs are kept, the latest, each with its state, and with no time kept apart from a time of nought.
  @Test func aLineOfForty() {
    var line = SparkLine()
    let states: [CheckState] = [.up, .degraded, .down, .unknown]
    let points = (0..<45 as Range<Int>).map { (index: Int) -> SparkPoint in
      let time: Int64? = index % 3 == 0 ? nil : Int64((index % 3 - 1) * index)
      return SparkPoint(state: states[index % 4], responseTime: time.map { Duration.microseconds($0) })
    }
    for (index, point) in points.enumerated() {
      line.append(point)
      #expect(line.count == min(40, index + 1))
    }
    #expect(line.points == Array(points.suffix(40)))
  }
}
