// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Foundation
import History
import Logging
import Monitoring
import StatusServer
import Synchronization
import TestSupport
import Testing
@testable import Status
@testable import Agent
@testable import QuartzAgent

/// Delivered, pending, held and failed read the same on each surface, each with its reason.
@Suite struct NotificationSurfaceTests {
  /// Answers by the channel's name, and ends the sending once so many attempts were answered.
  private final class Receiver: MessageSending {
    private let state = Mutex((left: 4, task: Task<Void, Never>?.none))
    func end(_ task: Task<Void, Never>) { state.withLock { $0.task = task } }

    func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async
      -> SendOutcome
    {
      state.withLock { state in
        state.left -= 1
        if state.left == 0 { state.task?.cancel() }
      }
      return switch channel.name {
      case "mail": .deliveredBut("mx:25 refused b@x.example: 550 5.1.1 no such user")
      case "hook": .refused("hooks.example:443 answered 400 no such room")
      case "away": .failed("mx:25 deferred a@x.example: 451 try later")
      default: .delivered
      }
    }
  }

  private struct NoFile: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private func check(_ name: String, _ host: String) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", host, 80)
    return try MonitoringCheck(definition)
  }

  /// `Shop` is down and told, `Muted` is down and muted, `Low` is down and of low severity.
  private func view(_ clock: FakeClock) async throws -> AlertsView {
    let checks = try [("Shop", "192.0.2.1"), ("Muted", "198.51.100.1"), ("Low", "203.0.113.1")].map {
      try check($0.0, $0.1)
    }
    var settings = AlertSettings()
    settings.channels = ["ops", "mail", "hook", "away", "late"].map {
      AlertChannel(name: $0, kind: .exec(ExecChannel(command: ["/bin/true"])))
    }
    settings.rules = [("down", ["Shop", "Muted"], AlertSeverity.high), ("low", ["Low"], .low)].map {
      AlertRule(
        $0.0, .consecutiveFailures(threshold: 1, recoveries: 1), severity: $0.2,
        selection: MaintenanceSelection(checks: Set($0.1.map { ByteText($0) })))
    }
    settings.escalate = [Escalation(after: .seconds(900), to: ["late"])]
    let receiver = Receiver()
    let (muted, until) = (checks[1].id, clock.wall.advanced(by: .seconds(3600)))
    var around = AlertDesk.Surroundings()
    around.mutedUntil = { check, _ in check.id == muted ? until : nil }
    let desk = await AlertDesk(
      settings, agent: AgentSettings(),
      history: HistoryStore(),
      catalog: CheckCatalog(file: checks), sender: receiver, file: NoFile(), around: around,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
    desk.apply(checks)
    for check in checks {
      desk.note(
        CheckResult(
          id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: clock.wall,
          startedAt: clock.wall, late: .zero, verdict: Verdict(.connectRefused, phase: .connect)))
    }
    desk.apply(checks)
    let task = Task { await desk.deliver() }
    receiver.end(task)
    await clock.someoneSleeps()
    clock.advance(by: .seconds(15))
    await task.value
    // Past the second in which nothing is sent after a notification.
    clock.advance(by: .seconds(1))
    return desk.view(now: clock.wall)
  }

  private static let refused = "mx:25 refused b@x.example: 550 5.1.1 no such user"
  private static let muted = "held until 2026-01-04 03:00:00: muted"
  private static let low = "held until 2026-01-04 08:00:00: of low severity: in the next digest"

  /// Words of each channel, with the times as every surface writes them but for the zone behind; RETRY is the next attempt.
  private static let table: [(check: String, words: [(channel: String, words: String, stage: String?)])] = [
    (
      "Shop",
      [
        ("ops", "delivered at 2026-01-04 02:00:15", nil),
        ("mail", "delivered at 2026-01-04 02:00:15, not to all recipients (\(refused))", nil),
        ("hook", "failed: hooks.example:443 answered 400 no such room", "deduplicate"),
        (
          "away", "pending until RETRY: the last attempt failed: mx:25 deferred a@x.example: 451 try later",
          "retry"
        ),
        ("late", "pending until 2026-01-04 02:15:00: escalates to this channel", "wait"),
      ]
    ),
    ("Muted", ["ops", "mail", "hook", "away", "late"].map { ($0, muted, "mute") }),
    // Nothing is in a digest of what has not escalated yet.
    (
      "Low",
      ["ops", "mail", "hook", "away"].map { ($0, low, "severity") }
        + [("late", "pending until 2026-01-04 02:15:00: escalates to this channel", "wait")]
    ),
  ]

  /// The words, with each time followed by what a surface puts behind it.
  private func told(_ words: String, _ retry: String, _ zone: String) -> String {
    words.replacing("RETRY", with: retry).replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/#) {
      "\($0.output)\(zone)"
    }
  }

  @Test func eachStateOnEachSurface() async throws {
    let clock = FakeClock()
    let view = try await view(clock)
    #expect(view.open.count == Self.table.count)
    for (name, rows) in Self.table {
      let incident = try #require(view.open.first { $0.members.map(\.name) == [name] })
      let next = incident.notifications.first { $0.channel == "away" }?.until
      let retry = next.map { Layout.moment($0) } ?? ""
      var writer = JSONWriter()
      incident.write(now: clock.wall, to: &writer)
      let json = try JSONValue.parse(writer.bytes)
      judgeTexts(json, rows, retry)
      judgeJSON(json, rows, retry)
      judgePage(incident, rows, retry, clock.wall)
    }
  }

  private typealias Row = (channel: String, words: String, stage: String?)

  private func judgeTexts(_ json: JSONValue, _ rows: [Row], _ retry: String) {
    let lines = rows.map { "  \($0.channel): \(told($0.words, retry, "Z"))" }
    let incidents = IncidentText(width: 1000).render([json]).split(separator: "\n").map(String.init)
    #expect(incidents.filter { line in rows.contains { line.hasPrefix("  \($0.channel): ") } } == lines)
    let explained = zip(lines, rows).map { line, row in
      line + (row.stage.map { " [\($0)]" } ?? "; reminder at 2026-01-04 06:00:15Z [wait]")
    }
    let explanation = AlertExplanation(check: nil).render([json]).split(separator: "\n").map(String.init)
    #expect(Array(explanation.dropFirst()) == explained)
  }

  private func judgeJSON(_ json: JSONValue, _ rows: [Row], _ retry: String) {
    let items = json["notifications"]?.array ?? []
    #expect(items.compactMap { $0["channel"]?.string } == rows.map(\.channel))
    for (item, row) in zip(items, rows) {
      let words = told(row.words, retry, "")
      #expect(words.hasPrefix(item["state"]?.string ?? "none"))
      guard let stage = row.stage else {
        // It has the incident as it is: what is next is its reminder.
        let next = ["stage", "reason", "until"].map { item[$0]?.string?.prefix(19) }
        #expect(next == ["wait", "reminder", "2026-01-04T06:00:15"])
        continue
      }
      #expect(item["stage"]?.string == stage)
      #expect(item["reason"]?.string.map { words.contains($0) } == true)
      let until = item["until"]?.string.map { $0.prefix(19).replacing("T", with: " ") }
      #expect(until.map { words.contains("until \($0)") } ?? !words.contains("until"))
    }
  }

  private func judgePage(_ incident: IncidentStatus, _ rows: [Row], _ retry: String, _ now: Timestamp) {
    let snapshot = StatusSnapshot(
      agent: AgentIdentity(name: "test", region: nil, version: "1", started: now), now: now, checks: [])
    let page = IncidentPage(snapshot: snapshot, incident: incident).render(nonce: "n").html
    for row in rows {
      let item: Markup =
        "<li>\(row.channel) <span class=\"dim\">\(told(row.words, retry, " UTC"))</span></li>"
      #expect(page.contains(item.html), "\(row.channel)")
    }
  }

  /// What people see in a line of the start page and of `status`.
  @Test func inALine() async throws {
    let view = try await view(FakeClock())
    let shop = try #require(view.open.first { $0.members.map(\.name) == ["Shop"] })
    #expect(
      shop.notified
        == "ops, mail (not to all recipients: \(Self.refused)), hook (failed: hooks.example:443 answered 400 no such room), "
        + "away (pending: the last attempt failed: mx:25 deferred a@x.example: 451 try later), "
        + "late (pending: escalates to this channel)")
    #expect(shop.told.map(\.channel) == ["ops", "mail"])
  }
}
