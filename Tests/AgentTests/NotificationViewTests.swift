// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status
import TestSupport
import Testing

@testable import Agent
@testable import Alerts

/// What is said of a notification that is decided, held, folded or refused.
@Suite struct NotificationViewTests {
  private typealias Item = IncidentStatus.Notification

  private let start = FakeClock.start
  private let channel = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))

  private func incident(_ change: (inout NotificationRecord) -> Void = { _ in }) -> Incident {
    let boot = Instant(nanoseconds: 1_000_000_000)
    var incident = Incident(
      id: UniqueID(high: 9, low: 9), subject: .availability, begin: start, opened: start, at: boot)
    incident.take(
      Alerts.Trouble(
        key: .init(rule: "down", check: UniqueID(high: 3, low: 1)), subject: .availability, severity: .high,
        name: "Shop", since: start), at: ClockReading(boot: boot, wall: start))
    var record = NotificationRecord()
    change(&record)
    incident.log["ops"] = record
    return incident
  }

  private func draft(_ incident: Incident, _ trigger: Draft.Trigger = .opened) throws -> Draft {
    var draft = try #require(Draft(incident, channel, AlertSettings()))
    draft.trigger = trigger
    return draft
  }

  private func item(_ incident: Incident, _ decision: Notifier.Decision) -> Item? {
    Item(incident, channel, decision) { fold in
      (fold == .storm ? "with the storm" : "with the digest", fold == .storm ? nil : start)
    }
  }

  /// The states of all stages: what will be sent by itself is pending, and what something else holds is held.
  @Test func statesOfStages() {
    let states = NotifyStage.allCases.map { "\($0.words): \(Item.state($0).rawValue)" }
    #expect(
      states == [
        "maintenance: held", "dependency: held", "mute: held", "acknowledge: held", "app: held",
        "severity: held", "quiet hours: held", "group share: held", "wait: pending", "path look: pending",
        "storm: pending", "deduplicate: failed", "pace: pending", "send: pending", "retry: pending",
      ])
  }

  /// A channel that has nothing to do with it is not shown, unless it was sent something.
  @Test func nothingToSend() throws {
    let (none, known) = (
      incident(), incident { ($0.first, $0.last, $0.missing) = (start, start, "b is gone") }
    )
    #expect(item(none, .nothing) == nil)
    #expect(try item(none, .fold(.nothing, draft(none))) == nil)
    for found in [item(known, .nothing), item(known, .fold(.nothing, try draft(none)))] {
      let found = try #require(found)
      #expect(found.channel == "ops" && found.state == .delivered && found.missing == "b is gone")
      #expect(found.first == start && found.last == start && found.reason == nil && found.stage == nil)
    }
  }

  /// What is due is pending; what is sent with others says with which, and until when.
  @Test func dueAndFolded() throws {
    let none = incident()
    let due = try #require(item(none, .send(try draft(none))))
    #expect(due.state == .pending && due.reason == "it is due" && due.stage == nil && due.until == nil)
    let storm = try #require(item(none, .fold(.storm, try draft(none))))
    #expect(storm.state == .pending && storm.stage == "storm" && storm.reason == "with the storm")
    #expect(storm.until == nil)
    let digest = try #require(item(none, .fold(.digest, try draft(none))))
    #expect(digest.state == .pending && digest.stage == "severity" && digest.reason == "with the digest")
    #expect(digest.until == start)
  }

  /// Each stage that holds it, with its words and its end; what comes by and by is no news that is held.
  @Test func held() throws {
    let none = incident()
    for stage in NotifyStage.allCases {
      for (trigger, state) in [
        (.opened, Item.state(stage)), (.joined, Item.state(stage)), (.resolved, Item.state(stage)),
        (.reminder, .delivered), (.keepAlive, .delivered),
      ] as [(Draft.Trigger, Item.State)] {
        let found = try #require(item(none, .hold(stage, "words", until: start, try draft(none, trigger))))
        #expect(found.state == state, "\(stage) \(trigger)")
        #expect(found.stage == stage.words && found.reason == "words" && found.until == start)
      }
    }
  }

  /// Counts of a channel: what is pending and since when the oldest is late, and what each stage holds.
  @Test func counts() {
    var channel = AlertsView.Channel(name: "ops", target: "t")
    func count(_ state: Item.State, _ stage: String? = nil, overdue: Duration? = nil) {
      var item = Item(channel: "ops", state: state)
      item.stage = stage
      channel.count(item, overdue: overdue, at: start)
    }
    for state in [Item.State.delivered, .failed] { count(state, overdue: .seconds(9)) }
    #expect(channel.pending == 0 && channel.held.isEmpty && channel.oldestPending == nil)
    count(.pending)
    #expect(channel.pending == 1 && channel.oldestPending == nil)
    for late in [5, 20, 10] as [Int64] { count(.pending, overdue: .seconds(late)) }
    #expect(channel.pending == 4 && channel.oldestPending == start.advanced(by: .seconds(-20)))
    for stage in ["mute", "mute", "quiet hours", nil] { count(.held, stage, overdue: .seconds(99)) }
    #expect(channel.held == ["mute": 2, "quiet hours": 1, "": 1] && channel.pending == 4)
    #expect(channel.oldestPending == start.advanced(by: .seconds(-20)))
  }

  /// A scheduled report of a channel: held or waiting while one is owed, then what came of the last one.
  @Test func reports() {
    let period = CalendarPeriod.Unit.month.period(of: start)
    let owed = ReportSchedule.Due(at: start, period: period)
    func shown(_ change: (inout ReportState) -> Void) -> ReportStatus.Channel {
      var state = ReportState(channel: "ops")
      (state.reason, state.until) = ("why", start)
      change(&state)
      return ReportStatus.Channel(state)
    }
    let none = shown { _ in }
    #expect(none.state == nil && none.reason == nil && none.until == nil && none.channel == "ops")
    for (isHeld, state) in [(true, Item.State.held), (false, .pending)] {
      let found = shown {
        ($0.owed, $0.isHeld, $0.problem) = (owed, isHeld, "old")
        ($0.period, $0.delivered) = ("2025-12", start)
      }
      #expect(found.state == state && found.reason == "why" && found.until == start)
      #expect(found.period == "2025-12" && found.delivered == start)
    }
    let delivered = shown { ($0.period, $0.delivered) = ("2025-12", start) }
    #expect(delivered.state == .delivered && delivered.reason == nil && delivered.until == nil)
    let partly = shown { ($0.delivered, $0.problem) = (start, "b is gone") }
    #expect(partly.state == .delivered && partly.reason == "b is gone" && partly.until == nil)
    let refused = shown { ($0.delivered, $0.problem, $0.isRefused) = (start, "no", true) }
    #expect(refused.state == .failed && refused.reason == "no")
  }
}
