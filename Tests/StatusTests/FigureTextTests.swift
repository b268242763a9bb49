// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import StatusSupport
import Testing
@testable import Status

/// Figures of the agent's parts as text and as JSON, each from unequal numbers.
@Suite struct FigureTextTests {
  private let now = midnight + .seconds(7200)

  private func lines(_ change: (inout StatusSnapshot) -> Void) -> [String] {
    var snapshot = HistoryStore().snapshot(now: now)
    change(&snapshot)
    return StatusText(width: 200).render(snapshot).split(separator: "\n").map(String.init)
  }

  @Test func theSchedule() {
    let lines = lines { snapshot in
      var scheduler = ScheduleStatus()
      (scheduler.lateP50, scheduler.lateP99) = (.microseconds(1230), .milliseconds(45))
      (scheduler.lateMax, scheduler.spanned) = (.seconds(2), 7)
      scheduler.missedBy = [.gap: 1200, .failover: 34]
      (scheduler.inFlight, scheduler.limit) = (3, 250)
      snapshot.scheduler = scheduler
    }
    #expect(
      lines.contains(
        "schedule  lateness p50 1.23 ms, p99 45 ms, 1,234 (34 failover, 1,200 gap) missed, 7 spanned, 3 of 250 in flight"
      ), "\(lines)")
  }

  @Test func storeAndDelivery() {
    let lines = lines { snapshot in
      var spool = SpoolStatus()
      (spool.depth, spool.gaps) = (1234, GapRecord.gaps(2, lost: 2345))
      (spool.bytesUsed, spool.bytesReserved, spool.hoursCovered) = (1536, 2 << 30, 31.9)
      (spool.oldest, spool.mode, spool.unread) = (now + .seconds(-180), .memory, 1200)
      var delivery = DeliveryStatus(.supabase)
      (delivery.tally.delivered, delivery.tally.duplicates) = (54_321, 9)
      (delivery.tally.lastSuccess, delivery.parked) = (now + .seconds(-61), 12)
      (delivery.usage.hour, delivery.usage.perHour) = (17, 900)
      (snapshot.spool, snapshot.delivery) = (spool, delivery)
    }
    #expect(
      lines.contains(
        "spool     1,234 waiting (1,200 cannot be read now), oldest 3m, 12 parked, 1.5 KiB of 2 GiB, IN MEMORY ONLY, "
          + "covers 31 h of outage, 2,345 lost in 2 gaps"), "\(lines)")
    #expect(
      lines.contains(
        "delivery  supabase: last success 1m ago, 54,321 delivered, 17 of 900 requests this hour"), "\(lines)"
    )
  }

  /// The agent's parts in the API: every field, each with a value of its own.
  @Test func theDocuments() throws {
    var snapshot = HistoryStore().snapshot(now: now)
    var spool = SpoolStatus()
    (spool.depth, spool.oldest, spool.bytesUsed, spool.bytesReserved) = (1, midnight, 2, 3)
    (spool.mode, spool.dropped, spool.quarantined) = (.memory, 4, 5)
    (spool.gaps, spool.hoursCovered) = (GapRecord.gaps(7, lost: 8), 9.5)
    var delivery = DeliveryStatus(.quartz)
    (delivery.tally.delivered, delivery.tally.duplicates, delivery.tally.lastSuccess) = (1, 2, now)
    (delivery.usage.hour, delivery.usage.perHour, delivery.parked) = (4, 5, 6)
    delivery.tally.trouble = .warning(.delivery, "404", hint: "look")
    delivery.tally.troubleSince = midnight
    snapshot.undelivered = [.warning(.check("Old"), "not listed")]
    var scheduler = ScheduleStatus()
    (scheduler.lateP50, scheduler.lateP99) = (.microseconds(1500), .milliseconds(2))
    (scheduler.lateMax, scheduler.spanned) = (.seconds(3), 5)
    scheduler.missedBy = [.gap: 7, .failover: 6]
    (scheduler.inFlight, scheduler.limit) = (8, 9)
    (snapshot.kept.results, snapshot.kept.bytes) = (1, 2)
    (snapshot.judging.judged, snapshot.judging.overBudget) = (3, 4)
    (snapshot.judging.longest, snapshot.judging.waiting) = (.milliseconds(5), 6)
    snapshot.waits = [WaitView(queue: "dns", origin: "checks", count: 7, held: .milliseconds(8))]
    (snapshot.spool, snapshot.delivery, snapshot.scheduler) = (spool, delivery, scheduler)
    var json = JSONWriter()
    snapshot.writeSummary(full: false, to: &json)
    let (document, first, last) = (try JSONValue.parse(json.bytes), midnight.rfc3339, now.rfc3339)
    let expected = [
      "spool":
        #"{"depth":1,"oldest":"\#(first)","used_bytes":2,"capacity_bytes":3,"durable":false,"dropped":4,"#
        + #""quarantined":5,"parked":6,"gaps":7,"lost_in_gaps":8,"outage_covered_h":9.5}"#,
      "delivery": #"{"target":"quartz","delivered":1,"duplicates":2,"backlog":1,"last_success":"\#(last)","#
        + #""last_error":{"at":"\#(first)","message":"404","hint":"look"},"requests_used":4,"#
        + #""requests_allowed":5,"skipped":[{"check":"Old","reason":"not listed"}]}"#,
      "schedule":
        #"{"lateness_p50_ms":1.5,"lateness_p99_ms":2,"lateness_max_ms":3000,"missed":13,"missed_by":"#
        + #"{"failover":6,"gap":7},"spanned":5,"in_flight":8,"limit":9}"#,
      "load": #"{"kept_results":1,"kept_bytes":2,"judged":3,"judged_over_budget":4,"judged_longest_ms":5,"#
        + #""judging":6,"queues":[{"queue":"dns","origin":"checks","waiting":7,"held_ms":8}]}"#,
    ]
    for (name, text) in expected { #expect(try document[name] == JSONValue.parse(text.utf8), "\(name)") }
  }

  /// One unit, cut: each up to where the next one begins.
  @Test(
    arguments: [
      (0, "0s"), (999_999, "0s"), (1_000_000, "1s"), (59_999_999, "59s"), (60_000_000, "1m"),
      (3_599_000_000, "59m"), (3_600_000_000, "1h"), (86_399_000_000, "23h"), (86_400_000_000, "24h"),
      (172_799_000_000, "47h"), (172_800_000_000, "2d"), (864_000_000_000, "10d"), (-5_000_000, "0s"),
    ] as [(Int64, String)])
  func lengths(microseconds: Int64, text: String) {
    #expect(StatusFormat.length(microseconds) == text)
  }

  /// Two units, the smaller one cut and left out where it is none.
  @Test(
    arguments: [
      (0, "0s"), (50, "50s"), (60, "1m"), (250, "4m 10s"), (3600, "1h"), (3659, "1h"), (3660, "1h 1m"),
      (19_980, "5h 33m"), (86_400, "1d"), (90_000, "1d 1h"), (273_600, "3d 4h"), (273_601, "3d 4h"),
      (-1, "0s"),
    ] as [(Int64, String)])
  func spans(seconds: Int64, text: String) {
    #expect(StatusFormat.span(seconds * 1_000_000) == text)
  }

  /// A channel's counts are sums over kinds and stages.
  @Test func aChannel() throws {
    var channel = AlertsView.Channel(name: "ops", target: "https://hooks.example")
    channel.delivered = ["opened": 5, "recovered": 4, "update": 3]
    channel.failed = ["opened": 2, "digest": 1]
    (channel.pending, channel.held) = (6, ["mute": 7, "quiet hours": 2])
    channel.problem = .warning(.delivery, "no answer", hint: "look")
    var json = JSONWriter()
    channel.write(to: &json)
    #expect(
      json.text
        == #"{"name":"ops","target":"https://hooks.example","delivered":12,"pending":6,"held":9,"failed":3,"#
        + #""waiting":6,"dropped":3,"problem":"no answer"}"#)
  }

  /// What ended for another reason than that it works again is unknown.
  @Test(
    arguments: [
      (nil, nil, CheckState.down, "recovered"), ("recovered", 5, .up, "recovered"),
      (nil, 5, .up, "recovered"),
      ("maintenance", 5, .unknown, "maintenance began"), ("removed", 5, .unknown, "removed"),
      ("disabled", 5, .unknown, "disabled"), ("rule_changed", 5, .unknown, "rule changed"),
    ] as [(String?, Int?, CheckState, String)])
  func whatBecameOfAMember(outcome: String?, until: Int?, mark: CheckState, words: String) {
    var member = IncidentStatus.Member(
      checkID: nil, name: "Shop", rule: "down", severity: .high, reason: nil, text: nil, since: midnight,
      until: until.map { midnight + .seconds($0) })
    (member.state, member.outcome) = (.down, outcome)
    #expect(member.mark == mark && member.outcomeWords == words)
  }

  /// A rule about degraded or unknown ends as well when the check goes down.
  @Test(
    arguments: [
      (.degraded, .availability, .unknown, "no longer degraded"),
      (.unknown, .availability, .unknown, "no longer unknown"), (.down, .availability, .up, "recovered"),
      (.degraded, .certificate, .up, "recovered"), (.degraded, .performance, .up, "recovered"),
    ] as [(CheckState, AlertSubject, CheckState, String)])
  func whatBecameOfAnotherState(state: CheckState, subject: AlertSubject, mark: CheckState, words: String) {
    var member = IncidentStatus.Member(
      checkID: nil, name: "Shop", rule: "weak", severity: .high, reason: nil, text: nil, since: midnight,
      until: midnight + .seconds(5))
    (member.state, member.subject, member.outcome) = (state, subject, "recovered")
    #expect(member.mark == mark && member.outcomeWords == words)
  }

  /// Where neither a day nor a week has enough results, the week has more of them.
  @Test func whatIsUsualOfFewResults() throws {
    let check = try makeCheck("Slow")
    let store = HistoryStore()
    store.apply([check], now: midnight)
    for index in 0..<20 {
      let slot = midnight + .seconds(21_600 * index)
      var result = CheckResult(
        id: UniqueID(high: 1, low: UInt64(index)), check: check, trigger: .schedule, scheduledAt: slot,
        startedAt: slot, late: .zero, verdict: .ok)
      result.responseTime = .milliseconds(index < 10 ? 900 : 50)
      store.record(result, interval: .seconds(21_600))
    }
    let usual = try #require(store.usual(check.id, now: midnight + .seconds(21_600 * 19 + 60)))
    #expect(usual.count == 20 && usual.p99 >= .milliseconds(800))
  }

  /// A day has enough results from a hundred on, and with fewer the week says what is usual.
  @Test func aHundredResultsAreEnough() throws {
    let check = try makeCheck()
    let (begin, store) = (midnight + .seconds(2 * 86_400), makeStore(check, runs: grid(200)))
    var days: [Int64] = []
    for (index, run) in grid(102, from: begin).enumerated() {
      store.record(run.result(of: check), interval: check.interval)
      let now = begin + .seconds(60 * index + 30)
      let day = store.snapshot(now: now).window(.day).latency?.count ?? 0
      days.append(day)
      #expect(store.usual(check.id, now: now)?.count == (day >= 100 ? day : day + 200))
    }
    #expect(days.contains(99) && days.contains(100))
  }

  /// An alert's line names its rule where another alert of the list is about the same check.
  @Test func whyAnAlertFires() {
    let id = UniqueID(high: 1, low: 1)
    func member(_ check: UniqueID?, text: String?, _ reason: Reason? = nil) -> IncidentStatus.Member {
      IncidentStatus.Member(
        checkID: check, name: "Shop", rule: "down", severity: .high, reason: reason, text: text,
        since: midnight, until: nil)
    }
    var incident = IncidentStatus(
      id: id, short: "000001", title: "t", subject: .availability, severity: .high, begin: midnight, end: nil)
    let (one, other) = (member(id, text: "refused"), member(UniqueID(high: 1, low: 2), text: "cut"))
    let own = member(nil, text: "no space")
    incident.members = [one, other, own, own]
    #expect(incident.members.map(incident.why) == ["refused", "cut", "no space", "no space"])
    incident.members = [one, other, member(id, text: nil, .connectRefused), member(id, text: nil)]
    #expect(incident.members.map(incident.why) == ["down: refused", "cut", "down: connect_refused", "down"])
  }

  /// What a channel has and waits for, in one line.
  @Test(
    arguments: [
      (.delivered, false, "delivered"), (.delivered, true, "delivered at 60, not to all recipients (b)"),
      (.pending, false, "pending until 120: c"), (.failed, false, "failed until 120: c"),
      (.held, true, "held until 120, last delivered at 60, not to all recipients (b): c"),
    ] as [(IncidentStatus.Notification.State, Bool, String)])
  func wordsOfAChannel(state: IncidentStatus.Notification.State, isTold: Bool, words: String) {
    var item = IncidentStatus.Notification(channel: "ops", state: state)
    (item.missing, item.reason, item.until) = ("b", "c", midnight + .seconds(120))
    if isTold { item.last = midnight + .seconds(60) }
    #expect(item.words { "\(midnight.duration(to: $0).microseconds / 1_000_000)" } == words)
  }

  /// In a few words, which channel has it and what keeps the others from it.
  @Test func notifiedInWords() {
    var incident = IncidentStatus(
      id: UniqueID(high: 1, low: 1), short: "000001", title: "t", subject: .availability, severity: .high,
      begin: midnight, end: nil)
    #expect(incident.notified == "")
    let states: [(IncidentStatus.Notification.State, String?, String?)] = [
      (.delivered, nil, "x"), (.delivered, "b", "x"), (.held, "b", "quiet hours"), (.pending, nil, nil),
      (.failed, nil, "500"),
    ]
    incident.notifications = states.enumerated().map { place, item in
      var notification = IncidentStatus.Notification(channel: "c\(place)", state: item.0)
      (notification.missing, notification.reason) = (item.1, item.2)
      return notification
    }
    #expect(
      incident.notified
        == "c0, c1 (not to all recipients: b), c2 (held: quiet hours), c3 (pending), c4 (failed: 500)")
  }
}
