// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import Alerts

/// What receivers know an incident by never changes, whatever becomes of the check that opened it.
@Suite struct IncidentOpeningTests {
  /// The configured checks, which a test edits as a reload does.
  private final class Catalog: Sendable {
    private let checks: Mutex<[MonitoringCheck]>

    init(_ checks: [MonitoringCheck]) { self.checks = Mutex(checks) }

    func set(_ checks: [MonitoringCheck]) { self.checks.withLock { $0 = checks } }

    var writer: MessageWriter {
      MessageWriter(
        agent: "test", region: nil, pageURL: nil,
        check: { id in self.checks.withLock { $0.first { $0.id == id } } }, labels: ["team", "severity"])
    }
  }

  private let am = makeWebhook("am", .alertmanager)

  private func labels(_ message: AlertMessage) throws -> JSONValue {
    try #require(try body(message, am)[0]?["labels"])
  }

  private func settings() -> AlertSettings {
    var settings = quickSettings([rule("down", .medium), rule("worse", .critical, threshold: 3)])
    settings.channels = [am]
    return settings
  }

  /// A tag that a reload edits, a severity that rises, a restart, and a check that is removed.
  @Test func oneSetOfLabels() throws {
    let shop = try makeCheck("Shop", tags: ["team:web", "severity:page"])
    let edited = try makeCheck("Shop", tags: ["team:ops"])
    let catalog = Catalog([shop])
    var desk = Desk(settings(), [shop])
    desk.writer = catalog.writer
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 10)
    catalog.set([edited])
    desk.book.apply([edited], DependencyGraph([edited]), now: reading(11))
    desk.down(edited, at: 20)
    desk.down(edited, at: 30)
    desk.pass(from: 20, to: 40)
    desk = try desk.restarted(at: 41)
    desk.pass(from: 41, to: 300)
    catalog.set([])
    desk.book.apply([], DependencyGraph(), now: reading(301))
    desk.pass(from: 301, to: 310)
    #expect(desk.kinds == [.opened, .update, .update, .recovered], "\(desk.lines)")
    #expect(desk.told.map(\.message.severity) == [.medium, .critical, .critical, .critical])
    let all = try desk.told.map { try labels($0.message) }
    #expect(Set(all.map { "\($0)" }).count == 1, "\(all)")
    #expect(all[0]["check"]?.string == "Shop" && all[0]["type"]?.string == "tcp")
    #expect(all[0]["team"]?.string == "web" && all[0]["severity"]?.string == "medium")
    #expect(
      Set(desk.told.map(\.message.thread)).count == 1
        && desk.told[0].message.thread?.hasPrefix("Shop: ") == true)
  }

  /// The check is gone before the first notification.
  @Test func removedBeforeTheFirst() throws {
    let shop = try makeCheck("Shop", tags: ["team:web"])
    let catalog = Catalog([shop])
    var desk = Desk(settings(), [shop])
    desk.writer = catalog.writer
    desk.down(shop, at: 0)
    desk.tick(0)
    catalog.set([])
    desk.pass(from: 1, to: 5)
    #expect(try desk.told.map { try labels($0.message)["team"]?.string } == ["web"])
  }

  /// Of a file of before it was kept: as soon as the list of checks is known, and not what is not.
  @Test func openingsOfOldFiles() throws {
    let shop = try makeCheck("Shop", tags: ["team:web"])
    let catalog = Catalog([])
    var desk = Desk(settings(), [shop])
    desk.writer = catalog.writer
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 10)
    let old = try #require(try desk.saved(at: 10)["open"]?[0])
    #expect(old["opening"] == nil && old["members"]?.array?.count == 1)
    catalog.set([shop])
    desk = try desk.restarted(at: 11)
    desk.tick(11)
    let known = Incident.Opening(name: "Shop", labels: [.init("type", "tcp"), .init("team", "web")])
    #expect(desk.book.incidents.opened.map(\.opening) == [known])
    catalog.set([])
    desk = try desk.restarted(at: 12)
    #expect(desk.book.incidents.opened.map(\.opening) == [known])
  }

  /// What is damaged in a file is left out, and nothing in it grows.
  @Test func damagedOpenings() throws {
    func read(_ text: String) throws -> Incident.Opening? { Incident.Opening(try JSONValue.parse(text.utf8)) }
    #expect(try read(#"{"labels":[]}"#) == nil && read(#"[]"#) == nil)
    #expect(
      try read(#"{"name":"a","labels":[{"name":"check","value":"b"},{"name":"team"},3]}"#)?.labels == [])
    let many = Array(
      repeating: #"{"name":"team","value":"\#(String(repeating: "x", count: 999))"}"#, count: 99)
    let opening = try #require(try read(#"{"name":"a","labels":[\#(many.joined(separator: ","))]}"#))
    #expect(
      opening.labels.count == 9 && opening.labels.allSatisfy { $0.value.utf8.count <= TagLabels.maxBytes })
  }

  /// An agent that takes over an incident with more members than the store keeps goes on under the same labels and subject.
  @Test func anotherMemberOfTheGroup() throws {
    var incident = Incident(
      id: UniqueID(high: 7, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    for number in 0..<100 {
      let trouble = Trouble(
        key: Trouble.Key(rule: "down", check: UniqueID(high: 1, low: UInt64(number))), subject: .availability,
        severity: number == 0 ? .low : .critical, name: "c\(number)", since: after(0))
      incident.take(trouble, at: reading(0))
    }
    incident.opening = Incident.Opening(name: "c0", labels: [.init("type", "tcp"), .init("team", "web")])
    let bytes = SharedIncident.json(incident, by: "a", now: reading(1))
    guard case .incident(let shared)? = SharedValue(json: bytes, at: incident.id, now: reading(1)) else {
      Issue.record("it is not read")
      return
    }
    #expect(
      shared.incident.members.count == 80 && !shared.incident.members.contains { $0.trouble.name == "c0" })
    #expect(shared.incident.opening == incident.opening)
    #expect(shared.incident.withoutInstants == incident.asShared(now: reading(2)))
    let messages = try [incident, shared.incident].map { incident in
      let draft = try #require(Draft(incident, am, settings()))
      let notification = Notification(
        id: UniqueID(high: 1, low: 1), channel: am, kind: draft.kind, form: .incident, parts: [draft],
        recipients: nil, isPlain: false)
      return try #require(Catalog([]).writer.message(notification, now: after(5)))
    }
    #expect(messages[0].labels == messages[1].labels && messages[0].labels.count == 3)
    #expect(messages[0].thread == messages[1].thread && messages[0].thread?.hasPrefix("c0: ") == true)
    var other = shared.incident
    other.opening = nil
    other.merge(incident)
    #expect(other.opening == incident.opening)
  }

  /// A storm in which the severity rises, or which a worse incident joins, is one alert for Alertmanager, too.
  @Test(arguments: [30, 31]) func oneSetOfLabelsForAStorm(checks count: Int) throws {
    let checks = try (0..<count).map { try makeCheck("c\($0)", host: "10.0.\($0).1") }
    var settings = quickSettings([
      rule("down", .medium), rule("worse", .critical, ["c0"], threshold: 2),
      rule("worst", .critical, ["c30"]),
    ])
    settings.channels = [am]
    var desk = Desk(settings, checks)
    for check in checks.prefix(30) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 4)
    if count == 30 { desk.down(checks[0], at: 5) }
    for check in checks.dropFirst(30) { desk.down(check, at: 5) }
    desk.up(checks[1], at: 5)
    desk.pass(from: 5, to: 30)
    for check in checks { desk.up(check, at: 31) }
    desk.pass(from: 31, to: 60)
    // The rise is told at once, and what else changed with the next update.
    let updates = count == 30 ? 2 : 1
    let kinds: [AlertMessage.Kind] = [.opened] + Array(repeating: .update, count: updates) + [.recovered]
    #expect(desk.kinds == kinds, "\(desk.lines)")
    #expect(
      desk.told.map(\.message.severity) == [.medium] + Array(repeating: .critical, count: updates + 1))
    #expect(Set(try desk.told.map { "\(try labels($0.message))" }).count == 1)
    #expect(try labels(desk.told[0].message)["severity"]?.string == "medium")
  }
}
