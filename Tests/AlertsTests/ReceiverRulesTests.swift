// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Every payload of every kind is one that its receiver takes, whatever stands in it.
@Suite struct ReceiverRulesTests {
  private static let formats = WebhookChannel.Format.allCases.filter { $0 != .json }

  /// Names of 161 bytes, links of 1,250, mentions and markup, right to left, marks without end.
  private static let names: [String: String] = [
    "plain": "Shop",
    "long": String(repeating: "é", count: 80) + "x",
    "mentions": "<!channel> <@U123> @everyone @here <https://evil.example|click>",
    "markup": "*b* _i_ ~s~ `c` [a](http://b.example) <b>x</b> <at>all</at> | > # \\ {{title}}",
    "hidden": "a\u{202e}b\u{200b}c\u{0}d\u{7}\u{1b}[31m\r\ne",
    "emoji": String(repeating: "👩‍👩‍👧‍👦", count: 6),
  ]

  private func message(_ kind: AlertMessage.Kind, _ name: String, link: Bool, storm: Bool = false)
    -> AlertMessage
  {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: .critical,
      title: "\(name) is down: \(name)", at: after(100), begin: after(0), agent: "london-1")
    let query = "https://shop.example/" + String(repeating: "\"\\<é", count: 250)
    message.members = (0..<AlertMessage.maxMembers).map { number in
      var member = AlertMessage.Member(
        checkID: UniqueID(high: 3, low: UInt64(number)), name: name, target: query, rule: "down",
        severity: .critical, since: after(0))
      (member.state, member.reason, member.text) = (.down, .httpStatus, String(repeating: name, count: 4))
      (member.runbook, member.path) = ("https://wiki.example/\(number)", "path: 203.0.113.1 is lost")
      (member.lastGood, member.tags) = (after(-60), (0..<8).map { "tag-\($0):\(name)" })
      if kind == .recovered { (member.until, member.outcome) = (after(90), .recovered) }
      return member
    }
    (message.memberCount, message.alertCount) = (25, 25)
    if kind == .recovered { message.end = after(90) }
    if kind == .acknowledged { message.acknowledgedBy = name }
    if kind == .digest {
      message.digest = (0..<200).map { _ in
        AlertMessage.Line(title: name, severity: .low, begin: after(0), end: after(10))
      }
    }
    if storm {
      (message.isStorm, message.counts) = (
        true, ["tag", "network", "reason"].map { .init(of: $0, name: name, checks: 9) }
      )
    }
    message.labels = [.init("check", name), .init("type", "http")]
    message.region = name
    if link { message.pageURL = "https://status.example" }
    return message
  }

  private func body(
    _ format: WebhookChannel.Format, _ message: AlertMessage, _ template: AlertTemplate = AlertTemplate()
  ) throws -> [UInt8] {
    let url = format == .ntfy ? "https://ntfy.example/quartz-ops" : "https://hooks.example/T/secret"
    var webhook = WebhookChannel(url: try HTTPURL(url), format: format)
    if format == .pagerduty { webhook.routingKey = Redacted("0123456789abcdef0123456789abcdef") }
    return WebhookBody(message, template).render(webhook)
  }

  @Test(arguments: formats, AlertMessage.Kind.allCases)
  func everyKindIsTaken(format: WebhookChannel.Format, kind: AlertMessage.Kind) throws {
    for (what, name) in Self.names.sorted(by: { $0.key < $1.key }) {
      for (link, storm) in [(true, false), (false, true)] {
        let problems = ReceiverRules.problems(
          format, try body(format, message(kind, name, link: link, storm: storm)))
        #expect(problems.isEmpty, "\(format.rawValue) \(kind.rawValue) \(what): \(problems.prefix(5))")
      }
    }
  }

  /// A template of the longest size that repeats the longest field, and one that comes to nothing.
  @Test(arguments: formats) func templatesAreTaken(format: WebhookChannel.Format) throws {
    for text in [String(repeating: "{{target}} {{message}}\n", count: 178), " \n {{cause}}", "x"] {
      var template = AlertTemplate()
      (template.title, template.text) = (try AlertTemplate.parse(text), try AlertTemplate.parse(text))
      for name in Self.names.values {
        let problems = ReceiverRules.problems(
          format, try body(format, message(.opened, name, link: true), template))
        #expect(problems.isEmpty, "\(format.rawValue): \(problems.prefix(5))")
      }
    }
  }

  /// What the rules are for: each is broken once, and found.
  @Test(
    arguments: [
      (.slack, "\"plain_text\"", "\"mrkdwn\"", "header is no plain text"),
      (.slack, "\"type\":\"section\"", "\"type\":\"text\"", "block 1 is of no known type"),
      (.slack, "\"text\":\"[critical] Shop is", "\"text\":\"<!here> Shop is", "text mentions someone"),
      (.discord, "\"parse\":[]", "\"parse\":[\"everyone\"]", "mentions are read"),
      (
        .discord, "\"title\":\"", "\"title\":\"" + String(repeating: "x", count: 300),
        "title has 332 characters, 256 are taken"
      ),
      (.teams, "RichTextBlock", "TextBlock", "an element that reads Markdown"),
      (.teams, "\"Bolder\"", "\"Heavy\"", "Heavy"),
      (.ntfy, "\"priority\":5", "\"priority\":6", "no priority"),
      (.ntfy, "quartz-ops", "quartz.ops", "the topic is quartz.ops"),
      (
        .pagerduty, "\"severity\":\"critical\",\"timestamp\"", "\"severity\":\"high\",\"timestamp\"",
        "the severity is high"
      ),
      (.pagerduty, "\"event_action\":\"trigger\"", "\"event_action\":\"open\"", "the action is open"),
      (.alertmanager, "\"job\"", "\"a job\"", "labels: a job"),
      (.alertmanager, "\"endsAt\":\"2026", "\"endsAt\":\"2025", "ends before it starts"),
    ] as [(WebhookChannel.Format, String, String, String)])
  func aBrokenPayloadIsFound(format: WebhookChannel.Format, from: String, to: String, words: String) throws {
    let text = String(decoding: try body(format, message(.opened, "Shop", link: true)), as: UTF8.self)
    #expect(text.contains(from))
    let problems = ReceiverRules.problems(
      format, Array(text.replacing(from, with: to, maxReplacements: 1).utf8))
    #expect(problems == [words], "\(problems)")
  }
}
