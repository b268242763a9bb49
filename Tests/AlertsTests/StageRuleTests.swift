// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The stages and what they go by, apart from any incident; and what mails and receivers show of a message.
@Suite struct StageRuleTests {
  private static let hour: Int64 = 3600

  /// Whether comes before when; each stage once.
  @Test func theOrderOfTheStages() {
    #expect(Stage.all.map(\.name) == NotifyStage.allCases)
    #expect(Stage.narrowing.map(\.name) == [.maintenance, .dependency, .mute, .acknowledge, .app])
    #expect(
      Stage.whether.map(\.name) == [
        .maintenance, .dependency, .mute, .acknowledge, .app, .severity, .quietHours, .groupShare,
      ])
    let words = [NotifyStage.quietHours, .groupShare, .pathLook, .app].map(\.words)
    #expect(words == ["quiet hours", "group share", "path look", "app"])
  }

  private func context(_ second: Int64, _ hours: QuietHours?) -> NotifyContext {
    var settings = AlertSettings()
    settings.quietHours = hours
    return NotifyContext(now: reading(second), settings: settings)
  }

  /// Quiet hours of Monday evening last into Tuesday, and are no others: the end that they have at an hour since Monday.
  @Test(
    arguments: [
      (0, nil), (3, nil), (21, nil), (22, 30), (23, 30), (24, 30), (29, 30), (30, nil), (46, nil), (51, nil),
      (167, nil), (168 + 22, 168 + 30),
    ] as [(Int64, Int64?)])
  func quietHoursOfADay(hour: Int64, end: Int64?) {
    let hours = QuietHours(from: 22 * Self.hour, to: 6 * Self.hour, days: [0])
    #expect(context(hour * Self.hour, hours).quietEnd == end.map { after($0 * Self.hour) })
    let daily = QuietHours(from: 22 * Self.hour, to: 6 * Self.hour)
    let isNight = hour % 24 >= 22 || hour % 24 < 6
    #expect((context(hour * Self.hour, daily).quietEnd != nil) == isNight)
  }

  /// All that is less severe than what is let through is held; of a receiver that keeps a state only the first.
  @Test func whatQuietHoursHold() {
    let plain = makeWebhook("slack", .slack)
    for except in AlertSeverity.allCases {
      let hours = QuietHours(from: 22 * Self.hour, to: 6 * Self.hour, except: except)
      let (night, day) = (context(23 * Self.hour, hours), context(12 * Self.hour, hours))
      for severity in AlertSeverity.allCases {
        for isFirst in [true, false] {
          #expect(night.isQuiet(severity, for: plain, isFirst: isFirst) == (severity < except))
          #expect(!day.isQuiet(severity, for: plain, isFirst: isFirst))
          for format in [WebhookChannel.Format.pagerduty, .alertmanager] {
            let stateful = makeWebhook("s", format)
            let isHeld = night.isQuiet(severity, for: stateful, isFirst: isFirst)
            #expect(isHeld == (severity < except && isFirst))
          }
        }
      }
      #expect(!context(23 * Self.hour, nil).isQuiet(.low, for: plain, isFirst: true))
    }
  }

  private func member(_ number: Int) -> Incident.Member {
    Incident.Member(
      Trouble(
        key: .init(rule: "down", part: "\(number)"), subject: .availability, severity: .high,
        name: "c\(number)", since: after(0)), joined: after(0))
  }

  /// Where all that fires is muted, the first of the mutes to end counts.
  @Test func theEndOfTheMutes() {
    var context = context(0, nil)
    let ends = ["c1": after(50), "c2": after(40)]
    context.mutedUntil = { ends[$0.name] }
    #expect(context.end(of: [member(1)], by: context.mutedUntil) == after(50))
    #expect(context.end(of: [member(1), member(2)], by: context.mutedUntil) == after(40))
    #expect(context.end(of: [member(2), member(3)], by: context.mutedUntil) == nil)
    #expect(context.end(of: [], by: context.mutedUntil) == nil)
    #expect(context.wall(reading(7).boot) == after(7) && context.wall(reading(-7).boot) == after(-7))
  }

  /// RFC 5322 section 3.3, by the calendar.
  @Test(arguments: [
    ("2026-01-05T00:00:00Z", "Mon, 5 Jan 2026 00:00:00 +0000"),
    ("2026-02-03T09:08:07Z", "Tue, 3 Feb 2026 09:08:07 +0000"),
    ("2026-03-04T23:59:59Z", "Wed, 4 Mar 2026 23:59:59 +0000"),
    ("2026-04-02T12:00:00.999Z", "Thu, 2 Apr 2026 12:00:00 +0000"),
    ("2026-05-01T00:00:00Z", "Fri, 1 May 2026 00:00:00 +0000"),
    ("2026-06-06T00:00:00Z", "Sat, 6 Jun 2026 00:00:00 +0000"),
    ("2026-07-05T00:00:00Z", "Sun, 5 Jul 2026 00:00:00 +0000"),
    ("2026-08-31T00:00:00Z", "Mon, 31 Aug 2026 00:00:00 +0000"),
    ("2026-09-30T00:00:00Z", "Wed, 30 Sep 2026 00:00:00 +0000"),
    ("2026-10-10T00:00:00Z", "Sat, 10 Oct 2026 00:00:00 +0000"),
    ("2026-11-29T00:00:00Z", "Sun, 29 Nov 2026 00:00:00 +0000"),
    ("2024-02-29T00:00:00Z", "Thu, 29 Feb 2024 00:00:00 +0000"),
    ("2026-12-25T00:00:00Z", "Fri, 25 Dec 2026 00:00:00 +0000"),
  ])
  func datesOfMails(instant: String, date: String) throws {
    let moment = try #require(Timestamp(rfc3339: instant))
    #expect(MailText.date(moment) == date)
  }

  private func message(
    _ kind: AlertMessage.Kind = .opened, _ severity: AlertSeverity = .high
  ) -> AlertMessage {
    AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: severity,
      title: "Shop is down", at: after(100), begin: after(0), agent: "london-1")
  }

  /// The colour of a mail's title, and of each result of a member.
  @Test func coloursOfMails() {
    for (kind, severity, color) in [
      (.opened, .critical, "dc2626"), (.update, .high, "dc2626"), (.opened, .medium, "ea580c"),
      (.opened, .low, "2563eb"), (.recovered, .critical, "16a34a"), (.digest, .low, "2563eb"),
    ] as [(AlertMessage.Kind, AlertSeverity, String)] {
      let message = message(kind, severity)
      let html = MailHTML(message, MessageText(message)).render()
      #expect(html.contains("border-left:6px solid #\(color);"), "\(kind) \(severity)")
    }
    var shown = message()
    var member = AlertMessage.Member(
      checkID: nil, name: "a<b", target: nil, rule: "down", severity: .high, since: after(0))
    let states: [CheckState] = [.up, .degraded, .down, .unknown, .down]
    member.recent = states.enumerated().map {
      AlertMessage.Member.Recent(at: after(Int64($0.offset) * 60), state: $0.element, responseTime: nil)
    }
    shown.members = [member]
    let html = MailHTML(shown, MessageText(shown)).render()
    #expect(html.contains("a&lt;b: the last 5 results, 2 down, from 2026-01-05 00:00 UTC"))
    shown.members[0].recent = [.init(at: after(240), state: .down, responseTime: nil)]
    let one = MailHTML(shown, MessageText(shown)).render()
    #expect(one.contains("a&lt;b: the latest result, down, at 2026-01-05 00:04 UTC"))
    for (time, state, color) in [
      ("00:00", "up", "22c55e"), ("00:01", "degraded", "f59e0b"), ("00:02", "down", "ef4444"),
      ("00:03", "unknown", "9ca3af"), ("00:04", "down", "ef4444"),
    ] {
      let cell = "title=\"\(time) \(state)\" width=\"8\" height=\"20\" bgcolor=\"#\(color)\""
      #expect(html.contains(cell), "\(time)")
    }
  }

  /// PagerDuty is told to do it by one word, and where it is from; a test is over at once.
  @Test func eventsOfPagerDuty() throws {
    for (kind, action) in [
      (.opened, "trigger"), (.update, "trigger"), (.digest, "trigger"), (.test, "trigger"),
      (.recovered, "resolve"), (.acknowledged, "acknowledge"),
    ] as [(AlertMessage.Kind, String)] {
      #expect(try pagerDutyAction(message(kind)) == action)
      guard case .webhook(let webhook) = makePagerDuty("pd").kind else { continue }
      let end = WebhookBody(message(kind), AlertTemplate(), endsTest: true).render(webhook)
      #expect(try JSONValue.parse(end)["event_action"]?.string == "resolve")
    }
    var shown = message()
    func payload() throws -> [String?] {
      let payload = try body(shown, makePagerDuty("pd"))["payload"]
      return ["source", "component", "group", "class", "timestamp"].map { payload?[$0]?.string }
    }
    #expect(try payload() == ["london-1", "london-1", nil, nil, after(0).rfc3339])
    var member = AlertMessage.Member(
      checkID: nil, name: "Shop", target: nil, rule: "long", severity: .high, since: after(0))
    member.tags = ["shop", "eu"]
    shown.members = [member]
    #expect(try payload() == ["london-1", "Shop", "shop", "long", after(0).rfc3339])
    shown.members[0].target = "https://shop.example/"
    shown.members[0].reason = .httpStatus
    shown.region = "eu-1"
    #expect(
      try payload() == ["https://shop.example/", "Shop", "eu-1", "http_status", after(0).rfc3339])
  }

  /// Alertmanager keeps an alert for four minutes, three runs of its check and one minute more; its labels stay.
  @Test(arguments: [(0, 300), (60, 480), (600, 2100)] as [(Int64, Int64)])
  func alertsOfAlertmanager(pace: Int64, seconds: Int64) throws {
    var shown = message(.update, .critical)
    (shown.pace, shown.opening, shown.region) = (.seconds(pace), .medium, "eu-1")
    shown.labels = [.init("check", "Shop"), .init("team", "web")]
    let alert = try body(shown, makeWebhook("am", .alertmanager))[0]
    #expect(alert?["endsAt"]?.string == after(100 + seconds).rfc3339)
    #expect(alert?["startsAt"]?.string == after(0).rfc3339)
    let labels = ["alertname", "incident", "job", "severity", "check", "team"]
    #expect(alert?["labels"]?.members?.map(\.name) == labels)
    #expect(
      labels.map { alert?["labels"]?[$0]?.string } == [
        "QuartzIncident", shown.incident.description, "quartz-agent", "medium", "Shop", "web",
      ])
    let annotations = ["summary", "severity_now", "agent", "region"]
    #expect(
      annotations.map { alert?["annotations"]?[$0]?.string }
        == [MessageText(shown).title, "critical", "london-1", "eu-1"])
    (shown.isStorm, shown.opening) = (true, nil)
    let storm = try body(shown, makeWebhook("am", .alertmanager))[0]?["labels"]
    #expect(storm?["alertname"]?.string == "QuartzStorm" && storm?["severity"]?.string == "critical")
  }

  /// ntfy marks what is over, and what is no alert.
  @Test(arguments: AlertMessage.Kind.allCases) func tagsOfNtfy(kind: AlertMessage.Kind) throws {
    let tags = try body(message(kind), makeWebhook("ntfy", .ntfy))["tags"]?.array?.map(\.string)
    let others: [AlertMessage.Kind: String] = [.recovered: "white_check_mark", .report: "bar_chart"]
    #expect(tags == [others[kind] ?? "rotating_light"])
  }
}
