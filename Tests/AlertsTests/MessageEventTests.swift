// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What PagerDuty and Alertmanager are sent: a receiver that keeps a state lives on each of its fields.
@Suite struct MessageEventTests {
  private static let incident = UniqueID(high: 2, low: 2)

  private func message(_ kind: AlertMessage.Kind = .opened, members: Int = 1) -> AlertMessage {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: Self.incident, kind: kind, severity: .high,
      title: "Shop is down", at: after(100), begin: after(0), agent: "a")
    message.members = (0..<members).map { place in
      var member = AlertMessage.Member(
        name: "c\(place)", target: "t\(place).example", rule: "down", severity: .high, since: after(0))
      (member.tags, member.runbook) = (["x\(place)"], "https://w.example/\(place)")
      return member
    }
    return message
  }

  private func shown(_ message: AlertMessage, _ format: WebhookChannel.Format) -> String {
    ChannelSender.shown(message, makeWebhook("c", format))
  }

  @Test func pagerDuty() {
    var message = message()
    (message.region, message.pageURL) = ("r", "https://s.example")
    message.members[0].reason = .httpStatus
    let link = "https://s.example/incidents/\(Self.incident)"
    var json = JSONWriter()
    message.write(to: &json)
    #expect(
      shown(message, .pagerduty) == #"{"routing_key":"\#(Redacted.mark)","event_action":"trigger","#
        + #""dedup_key":"\#(Self.incident)","client":"quartz-agent","client_url":"\#(link)","links":["#
        + #"{"href":"\#(link)","text":"Incident"},{"href":"https://w.example/0","text":"Runbook"}],"#
        + #""payload":{"summary":"[high] Shop is down","source":"t0.example","severity":"error","#
        + #""timestamp":"2026-01-05T00:00:00.000Z","component":"c0","group":"r","class":"http_status","#
        + #""custom_details":\#(json.text)}}"#)
  }

  /// The action of each kind.
  @Test(
    arguments: [
      (.opened, "trigger"), (.update, "trigger"), (.digest, "trigger"), (.report, "trigger"),
      (.test, "trigger"), (.acknowledged, "acknowledge"), (.recovered, "resolve"),
    ] as [(AlertMessage.Kind, String)])
  func actions(kind: AlertMessage.Kind, action: String) throws {
    #expect(try pagerDutyAction(message(kind)) == action)
    let end = WebhookBody(message(kind), AlertTemplate(), endsTest: true)
    guard case .webhook(let webhook) = makePagerDuty("pd").kind else { return }
    #expect(try JSONValue.parse(end.render(webhook))["event_action"]?.string == "resolve")
  }

  /// Severities in PagerDuty's words; where there is no member the agent is the source.
  @Test(
    arguments: [(.critical, "critical"), (.high, "error"), (.medium, "warning"), (.low, "info")]
      as [(AlertSeverity, String)])
  func severities(severity: AlertSeverity, word: String) throws {
    var message = message(members: 0)
    message.severity = severity
    let payload = try JSONValue.parse(shown(message, .pagerduty).utf8)["payload"]
    #expect(payload?["severity"]?.string == word)
    #expect(payload?["source"]?.string == "a" && payload?["component"]?.string == "a")
    #expect(payload?["group"] == nil && payload?["class"] == nil)
    message.isSample = true
    #expect(
      try JSONValue.parse(shown(message, .pagerduty).utf8)["payload"]?["severity"]?.string == "info")
  }

  /// Without a region the first tag is the group, without a reason the rule the class.
  @Test func groupAndClass() throws {
    let payload = try JSONValue.parse(shown(message(members: 2), .pagerduty).utf8)["payload"]
    #expect(payload?["group"]?.string == "x0" && payload?["class"]?.string == "down")
  }

  /// Five runbooks at most, and the page before them, by what it is.
  @Test func links() throws {
    func links(_ message: AlertMessage) throws -> [String] {
      (try JSONValue.parse(shown(message, .pagerduty).utf8)["links"]?.array ?? []).map {
        "\($0["text"]?.string ?? "") \($0["href"]?.string ?? "")"
      }
    }
    let runbooks = (0..<5).map { "Runbook https://w.example/\($0)" }
    #expect(try links(message(members: 7)) == runbooks)
    var storm = message(members: 6)
    (storm.isStorm, storm.pageURL) = (true, "https://s.example/p")
    #expect(try links(storm) == ["Status page https://s.example/p"] + runbooks)
    var report = message(.report, members: 0)
    report.pageURL = "https://s.example/p/"
    let schedule = ReportSchedule(name: "monthly", channels: [])
    let period = CalendarPeriod.Unit.month.period(of: after(0))
    report = report.with(ReportContent(schedule, period, summary: "", headlines: []))
    #expect(try links(report) == ["Report https://s.example/p/report?month=2026-01"])
  }

  /// A summary has 1,024 bytes; a title has fewer.
  @Test func longSummaries() throws {
    var message = message()
    message.title = String(repeating: "x", count: 600)
    let summary = try JSONValue.parse(shown(message, .pagerduty).utf8)["payload"]?["summary"]?.string
    #expect(summary == MessageText(message).title && summary?.utf8.count == 250)
  }

  @Test func alertmanager() {
    var message = message()
    (message.region, message.pageURL, message.opening) = ("r", "https://s.example", .low)
    message.labels = [.init("check", "Shop"), .init("type", "tcp")]
    message.pace = .seconds(30)
    let link = "https://s.example/incidents/\(Self.incident)"
    let text = MessageText(message)
    // 100 seconds, four minutes, three intervals and one minute after the begin.
    #expect(
      shown(message, .alertmanager) == #"[{"labels":{"alertname":"QuartzIncident","#
        + #""incident":"\#(Self.incident)","job":"quartz-agent","severity":"low","check":"Shop","#
        + #""type":"tcp"},"annotations":{"summary":"[high] Shop is down","#
        + #""description":"\#(text.lines.joined(separator: "\\n"))","severity_now":"high","agent":"a","#
        + #""region":"r","runbook_url":"https://w.example/0"},"startsAt":"2026-01-05T00:00:00.000Z","#
        + #""endsAt":"2026-01-05T00:08:10.000Z","generatorURL":"\#(link)"}]"#)
  }

  /// A storm has a name of its own; without an opening the severity of now is the label; an end is an end.
  @Test func otherAlerts() throws {
    var storm = message(.recovered, members: 0)
    (storm.isStorm, storm.end, storm.isSample) = (true, after(90), true)
    let alert = try JSONValue.parse(shown(storm, .alertmanager).utf8)[0]
    #expect(alert?["labels"]?["alertname"]?.string == "QuartzStorm")
    #expect(alert?["labels"]?["severity"]?.string == "high")
    #expect(alert?["endsAt"]?.string == after(90).rfc3339 && alert?["generatorURL"] == nil)
    #expect(alert?["annotations"]?["region"] == nil && alert?["annotations"]?["runbook_url"] == nil)
    storm.end = nil
    let sample = try JSONValue.parse(shown(storm, .alertmanager).utf8)[0]
    #expect(sample?["endsAt"]?.string == after(100).rfc3339)
  }

  /// What `alert test` shows has no key, and what is sent has it.
  @Test func theKey() throws {
    guard case .webhook(let webhook) = makePagerDuty("pd").kind else { return }
    let sent = WebhookBody(message(), AlertTemplate()).render(webhook)
    #expect(try JSONValue.parse(sent)["routing_key"]?.string == "key")
    #expect(!shown(message(), .pagerduty).contains(#""key""#))
  }
}
