// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Status
import TestSupport
import Testing

@testable import Agent

/// An incident as people see it: its events in their order and words, its members, and which channels have it.
@Suite struct IncidentTimelineTests {
  private let begin = FakeClock.start
  private let shop = UniqueID(high: 3, low: 1)

  private func reading(_ second: Int64) -> ClockReading {
    ClockReading(
      boot: Instant(nanoseconds: 1_000_000_000) + .seconds(second), wall: begin.advanced(by: .seconds(second))
    )
  }

  private func at(_ second: Int64) -> Timestamp { reading(second).wall }

  private func trouble(
    _ rule: String, _ name: String, check: UniqueID?, at second: Int64, _ state: CheckState? = nil,
    _ text: String? = nil, severity: AlertSeverity = .high
  ) -> Alerts.Trouble {
    var trouble = Alerts.Trouble(
      key: .init(rule: rule, check: check, part: check == nil ? name : ""),
      subject: check == nil ? .agent : .availability, severity: severity, name: name, since: at(second))
    (trouble.state, trouble.text) = (state, text)
    return trouble
  }

  private func incident() -> Incident {
    var incident = Incident(
      id: UniqueID(high: 9, low: 0xabc), subject: .availability, begin: begin, opened: at(10),
      at: reading(10).boot)
    incident.take(trouble("down", "Shop", check: shop, at: 0, .down, "refused"), at: reading(10))
    return incident
  }

  private func events(_ incident: Incident) -> [String] {
    IncidentStatus(incident).timeline.map {
      "\(begin.duration(to: $0.at).microseconds / 1_000_000) \($0.words)"
    }
  }

  /// All events by their time; of one moment, in the order in which they are told.
  @Test func eventsInOrder() {
    var incident = incident()
    incident.take(trouble("slow", "Shop", check: shop, at: 20, .degraded), at: reading(20))
    incident.take(trouble("agent", "disk", check: nil, at: 40, nil, "full"), at: reading(40))
    incident.leave(.init(rule: "down", check: shop), at: reading(200), .recovered)
    incident.leave(.init(rule: "slow", check: shop), at: reading(210), .maintenance)
    incident.acknowledge(by: "ann", note: "on it", at: at(90))
    #expect(
      events(incident) == [
        "0 Shop down (rule down): refused", "10 opened", "20 Shop degraded (rule slow)",
        "40 disk agent: full",
        "90 acknowledged by ann: on it", "200 Shop (rule down): recovered",
        "210 Shop (rule slow): maintenance began",
      ])
    incident.acknowledge(by: "bob", note: nil, at: at(210))
    incident.end = at(210)
    #expect(
      events(incident).suffix(4) == [
        "200 Shop (rule down): recovered", "210 Shop (rule slow): maintenance began",
        "210 acknowledged by bob",
        "210 resolved",
      ])
  }

  /// A rule is named where several fire for the check, and two parts of the agent are no such two.
  @Test func rulesOfOneCheck() {
    var incident = incident()
    incident.take(trouble("down", "Mail", check: UniqueID(high: 3, low: 2), at: 1, .down), at: reading(11))
    incident.take(trouble("agent", "disk", check: nil, at: 2), at: reading(12))
    incident.take(trouble("agent", "store", check: nil, at: 3), at: reading(13))
    #expect(
      events(incident) == [
        "0 Shop down: refused", "1 Mail down", "2 disk agent", "3 store agent", "10 opened",
      ])
  }

  /// Channels that got the same within a minute are one event: the same kind under the same title, each channel once.
  @Test func deliveries() {
    var incident = incident()
    let sent: [(Int64, String, AlertMessage.Kind, String)] = [
      (50, "b", .opened, "t"), (60, "a", .opened, "t"), (70, "a", .opened, "t"), (70, "c", .opened, "t"),
      (129, "e", .opened, "t"), (130, "b", .opened, "t"), (131, "a", .update, "t"), (131, "b", .update, "u"),
      (132, "c", .recovered, "t"),
    ]
    incident.sent = sent.map { SentNotification(at: at($0.0), channel: $0.1, kind: $0.2, title: $0.3) }
    #expect(
      events(incident).filter { $0.contains("notified") } == [
        "50 notified a, b: opened", "70 notified a, c, e: opened", "130 notified b: opened",
        "131 notified a: updated", "131 notified b: updated", "132 notified c: resolved",
      ])
  }

  /// Notifications that are not kept are an event where they were.
  @Test(arguments: [(1, "1 earlier notification is not kept"), (41, "41 earlier notifications are not kept")])
  func notificationsThatAreNotKept(count: Int, words: String) {
    var incident = incident()
    incident.sent = [(50, "a"), (51, "b"), (300, "a")].map {
      SentNotification(at: at($0.0), channel: $0.1, kind: $0.0 < 60 ? .opened : .update, title: "t")
    }
    incident.dropped = DroppedNotifications(count: count, until: at(240))
    #expect(
      events(incident).suffix(3) == ["50 notified a, b: opened", "240 \(words)", "300 notified a: updated"])
  }

  /// The channels that have it, by name; one that is not configured any more is told of elsewhere.
  @Test func channelsThatHaveIt() {
    var incident = incident()
    for (channel, first, isLeft) in [
      ("z", 1, false), ("a", 5, false), ("b", nil, false), ("c", 3, true),
    ] as [(String, Int64?, Bool)] {
      var record = NotificationRecord()
      (record.first, record.last) = (first.map(at), first.map { at($0 + 1) })
      record.missing = channel == "z" ? "no such user" : nil
      record.leftOpen = isLeft ? .init(target: "there", at: at(4)) : nil
      incident.log[channel] = record
    }
    let items = IncidentStatus(incident).notifications
    #expect(items.map(\.channel) == ["a", "z"] && items.allSatisfy { $0.state == .delivered })
    #expect(items.map(\.first) == [at(5), at(1)] && items.map(\.last) == [at(6), at(2)])
    #expect(items.map(\.missing) == [nil, "no such user"])
    #expect(IncidentStatus(incident, []).notifications.isEmpty, "they are given")
  }

  /// Its head: what fires, whom it is acknowledged by while all of it is, and the counts of checks and of alerts.
  @Test func heads() {
    var incident = incident()
    incident.take(trouble("slow", "Shop", check: shop, at: 20, .degraded, severity: .low), at: reading(20))
    incident.take(trouble("agent", "disk", check: nil, at: 40, severity: .medium), at: reading(40))
    incident.acknowledge(by: "ann", note: "on it", at: at(90))
    var status = IncidentStatus(incident)
    #expect(status.id == incident.id && status.short == "000abc" && status.title == incident.title)
    #expect(status.subject == .availability && status.severity == .high)
    #expect(status.begin == begin && status.end == nil)
    #expect(status.acknowledgedBy == "ann" && status.acknowledgedAt == at(90))
    #expect(status.acknowledgedNote == "on it")
    #expect(status.memberCount == 2 && status.alertCount == 3 && status.checks == [shop])
    #expect(status.members.map(\.name) == ["Shop", "disk", "Shop"], "the worst first")
    #expect(status.members.map(\.rule) == ["down", "agent", "slow"])
    #expect(status.members.map(\.severity) == [.high, .medium, .low])
    #expect(status.members.map(\.checkID) == [shop, nil, shop])
    #expect(status.members.map(\.state) == [.down, nil, .degraded])
    #expect(status.members.map(\.text) == ["refused", nil, nil])
    #expect(status.members.map(\.since) == [begin, at(40), at(20)])
    #expect(status.members.map(\.subject) == [.availability, .agent, .availability])
    incident.leave(.init(rule: "slow", check: shop), at: reading(95), .disabled)
    let last = IncidentStatus(incident).members.last
    #expect(last?.until == at(95) && last?.outcome == "disabled" && last?.rule == "slow")
    incident.take(trouble("late", "Late", check: UniqueID(high: 3, low: 7), at: 100, .down), at: reading(100))
    status = IncidentStatus(incident)
    #expect(status.acknowledgedBy == nil && status.acknowledgedAt == nil && status.acknowledgedNote == nil)
    #expect(status.timeline.contains { $0.words == "acknowledged by ann: on it" })
    incident.acknowledge(by: "bob", note: nil, at: at(105))
    status = IncidentStatus(incident)
    let acknowledged = status.timeline.filter { $0.words.hasPrefix("acknowledged") }
    #expect(acknowledged.map(\.words) == ["acknowledged by ann: on it", "acknowledged by bob"])
    #expect(acknowledged.map(\.at) == [at(90), at(105)] && status.acknowledgedBy == "bob")
    incident.end = at(110)
    status = IncidentStatus(incident)
    #expect(status.title == incident.overTitle && status.end == at(110))
  }

  /// Twenty members are shown, and fifty have events; all are counted.
  @Test func manyMembers() {
    var incident = incident()
    for number in 2...60 {
      incident.take(
        trouble(
          "down", "n\(number)", check: UniqueID(high: 3, low: UInt64(number)), at: Int64(number), .down),
        at: reading(Int64(10 + number)))
    }
    let status = IncidentStatus(incident)
    #expect(status.members.count == 20 && status.memberCount == 60 && status.checks.count == 60)
    #expect(
      status.timeline.count == 52
        && status.timeline.suffix(2).map(\.words) == ["n50 down", "10 more alerts, not shown here"])
  }
}
