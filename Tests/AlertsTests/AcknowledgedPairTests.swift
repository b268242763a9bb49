// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Two facts at once: what a person or the clock has said of an incident, and what becomes of it.
@Suite struct AcknowledgedPairTests {
  enum Fact: String, CaseIterable { case nothing, acknowledged, muted, maintenance, quiet }

  /// Down at 0, the fact from 11 on, nothing else until it is up at 611.
  private func story(_ fact: Fact, _ channel: AlertChannel) throws -> Desk {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.remind = .seconds(86_400)
    settings.channels = [channel]
    if fact == .quiet { settings.quietHours = QuietHours(from: 11, to: 7 * 3600) }
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 10)
    switch fact {
    case .acknowledged:
      let incident = try #require(desk.book.incidents.opened.first)
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(11))
    case .muted: desk.muted = [shop.id]
    case .maintenance: desk.maintained = [shop.id]
    case .nothing, .quiet: break
    }
    desk.pass(from: 11, to: 610)
    desk.up(shop, at: 611)
    desk.pass(from: 611, to: 700)
    return desk
  }

  private func times(_ desk: Desk) -> [String] { desk.told.map { "\($0.at) \($0.message.kind.rawValue)" } }

  /// A receiver that forgets is sent the same again every four minutes until the end, and then the end.
  @Test(arguments: Fact.allCases) func aReceiverThatForgets(fact: Fact) throws {
    let channel = makeWebhook("am", .alertmanager)
    let desk = try story(fact, channel)
    #expect(times(desk) == ["3 opened", "243 update", "483 update", "614 recovered"])
    let bodies = try desk.told.map { try body($0.message, channel)[0] }
    #expect(Set(bodies.map { $0?["labels"] }).count == 1)
    // It holds past the next keep-alive, and ends when it ended.
    let ends = bodies.map { ($0?["endsAt"]?.string).flatMap { Timestamp(rfc3339: $0) } }
    #expect(ends.prefix(3).map { $0.map { monday.duration(to: $0).seconds } } == [483, 723, 963])
    #expect(ends.last == after(611))
  }

  /// A receiver that keeps a state is triggered and resolved, whatever was said in between.
  @Test(arguments: Fact.allCases) func aReceiverThatKeepsAState(fact: Fact) throws {
    let desk = try story(fact, makePagerDuty("pd"))
    let actions = try desk.told.map { try pagerDutyAction($0.message) }
    #expect(
      actions == (fact == .acknowledged ? ["trigger", "acknowledge", "resolve"] : ["trigger", "resolve"]))
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
  }

  /// A channel of people is told the end, but in quiet hours, where it waits for their end.
  @Test(arguments: Fact.allCases) func people(fact: Fact) throws {
    let channel = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
    let desk = try story(fact, channel)
    #expect(times(desk) == (fact == .quiet ? ["3 opened"] : ["3 opened", "614 recovered"]))
  }

  /// What PagerDuty is asked to do, of every kind, acknowledged or not, tried or meant.
  @Test(arguments: AlertMessage.Kind.allCases, [nil, "ann"])
  func actions(kind: AlertMessage.Kind, by: String?) throws {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: .high,
      title: "Shop", at: after(100), begin: after(0), agent: "a")
    message.acknowledgedBy = by
    if kind == .recovered { message.end = after(90) }
    let webhook = WebhookChannel(url: try HTTPURL("https://hooks.example/x"), format: .pagerduty)
    for endsTest in [false, true] {
      let body = WebhookBody(message, AlertTemplate(), endsTest: endsTest).render(webhook)
      let action =
        switch kind {
        case _ where endsTest: "resolve"
        case .recovered: "resolve"
        case .acknowledged: "acknowledge"
        default: "trigger"
        }
      #expect(try JSONValue.parse(body)["event_action"]?.string == action)
    }
    let manager = WebhookChannel(url: try HTTPURL("https://hooks.example/x"), format: .alertmanager)
    let alert = try JSONValue.parse(WebhookBody(message, AlertTemplate()).render(manager))[0]
    let end = kind == .recovered ? after(90) : after(100 + 240 + 60)
    #expect(alert?["endsAt"]?.string == end.rfc3339)
  }

  /// Worse than what was acknowledged: told to all, and its end too. A channel that was not sent it, for it was muted, is sent the end of
  /// what it knows.
  @Test(arguments: [false, true]) func worseWhileItIsAcknowledged(isMuted: Bool) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([rule("down", .medium), rule("long", .critical, threshold: 3)])
    settings.remind = .seconds(86_400)
    settings.channels = [makePagerDuty("pd"), makeWebhook("am", .alertmanager)] + makeSettings().channels
    var desk = Desk(settings, [shop])
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 5)
    let incident = try #require(desk.book.incidents.opened.first)
    _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(6))
    desk.pass(from: 6, to: 9)
    if isMuted { desk.muted = [shop.id] }
    for second in [10, 11] { desk.down(shop, at: Int64(second)) }
    desk.pass(from: 11, to: 20)
    desk.up(shop, at: 21)
    desk.pass(from: 21, to: 40)
    func kinds(_ channel: String) -> [String] {
      desk.told.filter { $0.channel == channel }.map { "\($0.message.kind.rawValue) \($0.message.severity)" }
    }
    #expect(kinds("pd") == ["opened medium", "acknowledged medium", "update critical", "recovered critical"])
    #expect(kinds("am") == ["opened medium", "update critical", "recovered critical"])
    #expect(
      kinds("ops")
        == (isMuted
          ? ["opened medium", "recovered medium"]
          : ["opened medium", "update critical", "recovered critical"]))
  }
}
