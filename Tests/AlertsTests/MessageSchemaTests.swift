// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

@testable import Alerts

/// docs/alert-message.schema.json is what receivers are written by: each kind of message is held against it.
@Suite struct MessageSchemaTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func schema() throws -> JSONValue {
    let file = Self.folder.appending(path: "docs/alert-message.schema.json")
    return try JSONValue.parse([UInt8](Data(contentsOf: file)))
  }

  private func json(_ message: AlertMessage) throws -> JSONValue {
    var json = JSONWriter()
    message.write(to: &json)
    return try JSONValue.parse(json.bytes)
  }

  private func problems(_ value: JSONValue) throws -> [String] {
    var check = SchemaCheck()
    check.check(value, try schema())
    return check.problems
  }

  /// An incident from its begin to its end: opened, worse by a member that joins, reminded, acknowledged, over.
  private func lifeOfAnIncident() throws -> [AlertMessage] {
    let (shop, cart) = (try makeCheck("Shop"), try makeCheck("Cart"))
    let rules = [
      AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high),
      AlertRule("long", .state(.down, for: .seconds(300)), severity: .critical),
    ]
    var settings = makeSettings(rules)
    settings.remind = .seconds(3600)
    var desk = Desk(settings, [shop, cart])
    desk.note(result(shop, .down, at: 0))
    desk.pass(from: 0, to: 30)
    desk.note(result(cart, .down, at: 60))
    desk.note(result(cart, .down, at: 360))
    desk.pass(from: 31, to: 4200)
    let id = try #require(desk.told.first).message.incident.description
    _ = desk.book.acknowledge(String(id.suffix(6)), by: "ann", note: "looking", now: after(4300))
    for check in [shop, cart] { desk.note(result(check, .up, at: 4400)) }
    desk.pass(from: 4300, to: 4500)
    return desk.told.map(\.message)
  }

  @Test func anIncident() throws {
    let messages = try lifeOfAnIncident()
    #expect(messages.map(\.kind) == [.opened, .update, .update, .update, .recovered])
    #expect(messages.map(\.memberCount).max() ?? 0 >= 2)
    for message in messages { #expect(try problems(json(message)) == [], "\(message.kind)") }
  }

  /// What is low, the agent's own problem, and a test.
  @Test func theOthers() throws {
    let shop = try makeCheck("Shop")
    var settings = makeSettings([
      AlertRule("low", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .low),
      AlertRule("agent", .agent(for: .zero), severity: .high),
    ])
    settings.digest = 3600
    var desk = Desk(settings, [shop])
    desk.note(result(shop, .down, at: 0))
    desk.book.note([.critical(.store, "no space is left")], now: reading(1))
    desk.book.note([.critical(.store, "no space is left")], now: reading(2))
    desk.pass(from: 0, to: 3700)
    #expect(Set(desk.kinds) == [.opened, .digest])
    let own = try #require(desk.told.first { $0.message.kind == .opened }).message
    #expect(own.members.count == 1 && own.members.first?.checkID == nil)
    var generator = Counter()
    for message in desk.told.map(\.message) + [desk.writer.test(now: after(0), using: &generator)] {
      #expect(try problems(json(message)) == [], "\(message.kind)")
    }
  }

  /// Properties of the schema that a document leaves out.
  private func missing(_ schema: Any?, _ value: Any?, _ path: String) -> [String] {
    guard let schema = schema as? [String: Any] else { return [] }
    guard let value else { return [path] }
    var found: [String] = []
    for (name, inner) in schema["properties"] as? [String: Any] ?? [:] {
      found += missing(inner, (value as? [String: Any])?[name], "\(path).\(name)")
    }
    if let items = schema["items"] { found += missing(items, (value as? [Any])?.first, "\(path)[]") }
    return found.sorted()
  }

  /// One with every field that there is, at the limits of each list: it has every property that the schema has.
  @Test func everything() throws {
    let file = Self.folder.appending(path: "docs/alert-message.schema.json")
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    var member = AlertMessage.Member(
      checkID: UniqueID(high: 3, low: 4), name: "Shop \u{1F4A5}", target: "https://a/", rule: "down",
      severity: .critical, since: after(0))
    (member.state, member.reason, member.text, member.until) = (.down, .httpStatus, "status 503", after(60))
    (member.outcome, member.isNew, member.lastGood) = (.ruleChanged, true, after(-60))
    (member.runbook, member.tags, member.path) = ("https://wiki.test/", ["web"], "the path ends")
    member.recent = [CheckState.up, .degraded, .down, .unknown].map {
      .init(at: after(0), state: $0, responseTime: .milliseconds(12))
    }
    for kind in AlertMessage.Kind.allCases {
      var message = AlertMessage(
        id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: .critical,
        title: "t", at: after(0), begin: after(0), agent: "a")
      (message.end, message.region, message.pageURL, message.cause) = (
        after(9), "eu", "https://s.test/", "Gateway"
      )
      (message.acknowledgedBy, message.memberCount, message.alertCount) = ("ann", 1 << 40, 1 << 40)
      (message.trigger, message.isStorm) = (.joined, true)
      message.counts = [.init(of: "tag", name: "web", checks: 7)]
      message.members = Array(repeating: member, count: AlertMessage.maxMembers)
      message.digest = Array(
        repeating: AlertMessage.Line(title: "x", severity: .low, begin: after(0), end: after(1)), count: 100)
      if kind == .report {
        message.report = ReportContent(
          ReportSchedule(name: "monthly", channels: ["ops"]), CalendarPeriod.Unit.month.period(of: after(0)),
          summary: "1 check", headlines: ["x"], document: "{}")
      }
      #expect(try problems(json(message)) == [], "\(kind)")
      var written = JSONWriter()
      message.write(to: &written)
      let value = try JSONSerialization.jsonObject(with: Data(written.bytes))
      let other: [AlertMessage.Kind: String] = [.digest: ".digest", .report: ".report"]
      let absent = other.filter { $0.key != kind }.values.sorted()
      #expect(missing(schema, value, "") == absent, "\(kind)")
    }
  }

  /// The check itself finds what is wrong.
  @Test(arguments: [
    (#""severity":"high""#, #""severity":"worst""#), (#""version":1"#, #""version":2"#),
    (#""title":"#, #""headline":"#), (#""members":[]"#, #""members":[{}]"#),
    (#""member_count":0"#, #""member_count":-1"#), (#""at":"2026-01-05T"#, #""at":"2026-13-05T"#),
    (#""id":"0"#, #""id":"x"#), (#""agent":"a""#, #""agent":7"#),
  ])
  func whatIsWrongIsFound(_ right: String, _ wrong: String) throws {
    let message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: .opened, severity: .high,
      title: "t", at: after(0), begin: after(0), agent: "a")
    var json = JSONWriter()
    message.write(to: &json)
    let text = String(decoding: json.bytes, as: UTF8.self)
    #expect(text.contains(right), "\(text)")
    let place = try #require(text.range(of: right))
    let bad = text.replacingCharacters(in: place, with: wrong)
    #expect(try !problems(JSONValue.parse(Array(bad.utf8))).isEmpty, "\(wrong)")
  }
}
