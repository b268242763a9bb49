// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A channel with `hide_targets` learns that a check is down and what it is called, and nothing of where it goes.
@Suite struct HiddenTargetTests {
  private static let host = "vault.internal"
  private static let address = "203.0.113.77"

  private static let template: AlertTemplate = {
    var template = AlertTemplate()
    template.title = try? AlertTemplate.parse("{{title}} {{target}}{{message}}")
    template.text = try? AlertTemplate.parse("{{check}} [{{target}}] [{{message}}] {{reason}} {{page}}")
    return template
  }()

  /// One of each kind and format, with the built-in words and with a template that asks for the target.
  private static func channels(hidden: Bool) throws -> [AlertChannel] {
    var channels = try WebhookChannel.Format.allCases.map { format in
      let url = try HTTPURL("https://hooks.example/topic")
      var webhook = WebhookChannel(url: url, format: format)
      if format == .pagerduty { webhook.routingKey = Redacted("key") }
      return AlertChannel(name: format.rawValue, kind: .webhook(webhook))
    }
    var mail = try ReceiverChangeTests.mail(["a@x.example"])
    mail.name = "mail"
    channels += [mail, AlertChannel(name: "exec", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    channels += channels.map { channel in
      var worded = channel
      (worded.name, worded.template) = ("worded \(channel.name)", template)
      return worded
    }
    for place in channels.indices {
      channels[place].hidesTargets = hidden
      channels[place].acknowledged = true
    }
    return channels
  }

  private static func down(_ desk: inout Desk, _ check: MonitoringCheck, at second: Int64) {
    let words = "\(host) at \(address) refused, leads to other.internal"
    desk.note(
      CheckResult(
        id: UniqueID(high: 7, low: UInt64(second)), check: check, trigger: .schedule,
        scheduledAt: after(second),
        startedAt: after(second), late: .zero,
        verdict: Verdict(.connectRefused, phase: .connect, message: words)))
  }

  /// An outage in all that is sent of it: begin, one more check, reminder, acknowledgement, end.
  private static func life(_ channels: [AlertChannel]) throws -> Desk {
    var settings = quickSettings(channels: [])
    settings.channels = channels
    let checks = try [makeCheck("Vault", host: host), makeCheck("Vault 2", host: host, tags: ["b"])]
    var desk = Desk(settings, checks)
    desk.writer = MessageWriter(
      agent: "test", region: "eu", pageURL: "https://status.example",
      check: { id in checks.first { $0.id == id } })
    down(&desk, checks[0], at: 0)
    desk.pass(from: 0, to: 5)
    down(&desk, checks[1], at: 6)
    desk.pass(from: 6, to: 80)
    let word = desk.book.incidents.opened.first?.short ?? ""
    _ = desk.book.acknowledge(word, by: "ann", note: nil, now: after(81))
    desk.pass(from: 81, to: 90)
    for check in checks { desk.up(check, at: 91) }
    desk.pass(from: 91, to: 100)
    return desk
  }

  /// What the receiver would get, without the soft line breaks of a mail.
  private static func sent(_ message: AlertMessage, _ channel: AlertChannel) -> String {
    let known = message.with { _, _ in "the route ends behind \(address) (hop 3 of 9)" }
    return ChannelSender.shown(known, channel).replacing("=\r\n", with: "")
  }

  private static func isTold(_ text: String) -> Bool {
    ["vault.internal", address, "other.internal", "198.51", "hop 3"].contains { text.contains($0) }
  }

  @Test func everyFormat() throws {
    for isHidden in [true, false] {
      let channels = try Self.channels(hidden: isHidden)
      let desk = try Self.life(channels)
      for channel in channels {
        let own = desk.told.filter { $0.channel == channel.name }.map(\.message)
        #expect(own.map(\.kind).first == .opened && own.map(\.kind).last == .recovered, "\(channel.name)")
        #expect(own.count >= 3, "\(channel.name): \(own.map(\.kind))")
        let texts = own.map { Self.sent($0, channel) }
        #expect(texts.allSatisfy { $0.contains("Vault") }, "\(channel.name)")
        #expect(texts.contains(where: Self.isTold) == !isHidden, "\(channel.name): \(texts)")
        #expect(texts[0].contains("refused"), "\(channel.name): \(texts[0])")
      }
    }
  }

  /// In a storm and in the list of what is over, where networks and reasons are counted.
  @Test(arguments: [true, false]) func severalIncidents(isHidden: Bool) throws {
    let checks = try (0..<30).map { try makeCheck("c\($0)", host: "198.51.\($0).7") }
    var settings = StormTests.settings()
    settings.channels[0].hidesTargets = isHidden
    var desk = Desk(settings, checks)
    for check in checks { Self.down(&desk, check, at: 0) }
    desk.pass(from: 0, to: 60)
    for check in checks { desk.up(check, at: 61) }
    desk.pass(from: 61, to: 100)
    desk.answer = { _, second in second < 400 ? .failed("away") : .delivered }
    for check in checks.prefix(3) { Self.down(&desk, check, at: 300) }
    desk.pass(from: 300, to: 330)
    for check in checks { desk.up(check, at: 331) }
    desk.pass(from: 331, to: 900)
    #expect(desk.kinds == [.opened, .recovered, .digest])
    let texts = desk.told.map { Self.sent($0.message, settings.channels[0]) }
    #expect(texts.contains(where: Self.isTold) == !isHidden, "\(texts)")
    #expect(desk.told[0].message.counts.contains { $0.of == "network" } == !isHidden)
    #expect(desk.told[0].message.counts.contains { $0.of == "reason" })
  }

  /// The days of a certificate and a response time are the agent's own words.
  @Test func ownWords() {
    var alert = Trouble(
      key: .init(rule: "slow", part: "x"), subject: .performance, severity: .high, name: "Vault",
      target: "https://vault.internal/", since: after(0))
    alert.relation.host = Self.host
    alert.text = "the response time is 2.10 s, above 1.00 s"
    alert.hideTarget()
    #expect(alert.text == "the response time is 2.10 s, above 1.00 s" && alert.target == nil)
    #expect(alert.relation == Trouble.Relation())
    alert.relation.host = Self.host
    alert.text = "Vault.Internal is slow"
    alert.hideTarget()
    #expect(alert.text == nil)
  }

  /// The sample of `alert test`, and a template of nothing but the target comes to nothing.
  @Test func theSample() throws {
    var channel = AlertChannel(name: "exec", kind: .exec(ExecChannel(command: ["/bin/true"])))
    channel.hidesTargets = true
    let writer = MessageWriter(agent: "test", region: nil, pageURL: nil)
    let shown = ChannelSender.shown(writer.sample(.opened, channel, now: after(0)), channel)
    #expect(
      !shown.contains("shop.example") && !shown.contains("status 503") && shown.contains("Example shop"))
    channel.template.title = try AlertTemplate.parse("{{target}}")
    #expect(channel.emptyTemplates(writer, now: after(0)).map(\.kind).contains(.opened))
  }
}
