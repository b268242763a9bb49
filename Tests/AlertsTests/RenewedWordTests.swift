// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Words and reasons of alerts that are about figures: as the figures are now.
@Suite struct RenewedWordTests {
  private struct Figures: RuleWatch.Figures {
    var down: Duration
    func down(_ check: UniqueID, last span: Duration) -> Duration? { down }
    func isInMaintenance(_ check: UniqueID) -> Bool { false }
  }

  private func held(_ events: [TroubleEvent]) -> [Trouble] {
    events.compactMap { if case .holds(let trouble) = $0 { trouble } else { nil } }
  }

  private func watch(_ kind: AlertRule.Kind, _ checks: [MonitoringCheck]) -> RuleWatch {
    var watch = RuleWatch([AlertRule("r", kind, severity: .high)])
    _ = watch.apply(checks, now: monday)
    return watch
  }

  @Test func downtime() throws {
    var watch = watch(.downtime(above: .seconds(600), window: .day), [try makeCheck("Shop")])
    let found = [660, 660, 720].enumerated().map { place, down in
      held(watch.judge(Figures(down: .seconds(down)), now: after(Int64(place) * 60)))
    }
    #expect(
      found.map { $0.map(\.text) } == [
        ["down for 11m of the last 24h, more than 10m"], [], ["down for 12m of the last 24h, more than 10m"],
      ])
    #expect(found[2].map(\.since) == [after(0)])
  }

  @Test func burnRate() throws {
    var watch = watch(.burnRate(objective: 99.9), [try makeCheck("Shop")])
    let found = [52, 52, 72].map { held(watch.judge(Figures(down: .seconds($0)), now: after(60))).count }
    #expect(found == [1, 0, 1])
  }

  @Test func theAgentItself() {
    var watch = RuleWatch([AlertRule("agent", .agent(for: .zero), severity: .high)])
    let found = ["2 % left", "2 % left", "1 % left"].enumerated().map { place, words in
      held(watch.judge([.critical(.store, words)], now: reading(Int64(place) * 10)))
    }
    #expect(found.map { $0.map(\.text) } == [["2 % left"], [], ["1 % left"]])
    #expect(found[2].map(\.since) == [after(0)])
  }

  /// Other figures are no news: the next reminder has them.
  @Test func aReminder() throws {
    let shop = try makeCheck("Shop")
    let rules = [AlertRule("r", .downtime(above: .seconds(600), window: .day), severity: .high)]
    var desk = Desk(quickSettings(rules), [shop])
    desk.book.judge(Figures(down: .seconds(660)), now: reading(0))
    desk.pass(from: 0, to: 30)
    desk.book.judge(Figures(down: .seconds(720)), now: reading(31))
    desk.pass(from: 31, to: 70)
    #expect(
      desk.lines == [
        "3 opened Shop: down for 11m of the last 24h, more than 10m",
        "63 update Shop: down for 12m of the last 24h, more than 10m",
      ])
  }

  /// The last good result is that of the opening, also in a reminder after a restart.
  @Test func theLastGoodResult() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings(), [shop])
    desk.up(shop, at: 0)
    desk.down(shop, at: 60)
    desk.pass(from: 60, to: 70)
    desk = try desk.restarted(at: 70)
    desk.down(shop, at: 80)
    desk.pass(from: 80, to: 140)
    #expect(desk.kinds == [.opened, .update])
    #expect(desk.told.map { $0.message.members.map(\.lastGood) } == [[after(0)], [after(0)]])
  }

  @Test func goodBeforeAState() throws {
    let shop = try makeCheck("Shop")
    var memory = CheckMemory()
    let states: [CheckState] = [.up, .degraded, .degraded, .unknown, .down, .down]
    var found: [Timestamp?] = []
    for (place, state) in states.enumerated() {
      memory.add(result(shop, state, at: Int64(place) * 60), keepsTimes: false)
      found.append(memory.since(state).flatMap { memory.good(before: $0) })
    }
    #expect(found == [nil, after(0), after(0), after(120), after(120), after(120)])
  }

  /// A rule may fire for a check that works: its reason is the rule's.
  @Test func reasons() throws {
    let shop = try makeCheck("Shop")
    var slow = watch(
      .responseTime(above: .milliseconds(500), percentile: nil, window: .seconds(3600)), [shop])
    let one = held(slow.note(result(shop, .up, at: 0, took: .milliseconds(900)))).first
    #expect(one?.reason == .responseTime && one?.text == "the response time is 900 ms, above 500 ms")
    var most = watch(.responseTime(above: .milliseconds(500), percentile: 90, window: .seconds(3600)), [shop])
    let ten = (0..<10).flatMap { held(most.note(result(shop, .up, at: $0, took: .seconds(1)))) }
    #expect(ten.map(\.text) == ["p90 over 1h is 1 s, above 500 ms"])
    var certificate = watch(.certificateExpiry(before: [.seconds(86_400)]), [shop])
    var found = result(shop, .up, at: 0)
    found.facts.tls = TLSFacts(verified: true, notAfter: after(60))
    #expect(held(certificate.note(found)).map(\.reason) == [.certificateExpiring])
    var up = watch(.state(.up, for: .zero), [shop])
    #expect(held(up.note(result(shop, .up, at: 0))).map(\.reason) == [nil])
  }

  @Test func theClassAtPagerDuty() throws {
    let shop = try makeCheck("Shop")
    let rules = [AlertRule("r", .certificateExpiry(before: [.seconds(86_400)]), severity: .high)]
    var desk = Desk(quickSettings(rules), [shop])
    var found = result(shop, .up, at: 0)
    found.facts.tls = TLSFacts(verified: true, notAfter: after(3600))
    desk.note(found)
    desk.pass(from: 0, to: 5)
    let message = try #require(desk.told.first?.message)
    let body = try body(message, makePagerDuty("pd"))
    #expect(body["payload"]?["class"]?.string == "certificate_expiring")
    #expect(message.members.map(\.reason) == [.certificateExpiring])
  }
}
