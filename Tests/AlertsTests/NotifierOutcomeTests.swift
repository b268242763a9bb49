// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What an alert of each kind of rule ends as, and what a channel is sent of its steps.
@Suite struct NotifierOutcomeTests {
  enum Rule: String, CaseIterable {
    case certificate, response, budget, agent

    var kind: AlertRule.Kind {
      switch self {
      case .certificate: .certificateExpiry(before: [.seconds(21 * 86_400)])
      case .response: .responseTime(above: .milliseconds(500), percentile: nil, window: .seconds(3600))
      case .budget: .downtime(above: .seconds(600), window: .day)
      case .agent: .agent(for: .zero)
      }
    }

    var opened: String {
      switch self {
      case .certificate: "3 opened Shop: a certificate expires in 5d, at 2026-01-10T00:00:00Z"
      case .response: "3 opened Shop is slow: the response time is 900 ms, above 500 ms"
      case .budget: "3 opened Shop: down for 11m of the last 24h, more than 10m"
      case .agent: "3 opened agent: the store has a problem: no space left"
      }
    }

    var name: String { self == .agent ? "agent: the store" : "Shop" }
  }

  enum End: String, CaseIterable { case removed, disabled, maintenance, ruleChanged, recovered }

  private struct Figures: RuleWatch.Figures {
    var down: Duration
    var isMaintained = false
    func down(_ check: UniqueID, last span: Duration) -> Duration? { down }
    func isInMaintenance(_ check: UniqueID) -> Bool { isMaintained }
  }

  private func find(
    _ rule: Rule, _ desk: inout Desk, isWell: Bool, at second: Int64, maintenance: Bool = false
  ) {
    switch rule {
    case .certificate:
      var found = result(desk.checks[0], .up, at: second, maintenance: maintenance)
      found.facts.tls = TLSFacts(verified: true, notAfter: after((isWell ? 90 : 5) * 86_400))
      desk.note(found)
    case .response:
      desk.note(
        result(
          desk.checks[0], .up, at: second, took: .milliseconds(isWell ? 5 : 900), maintenance: maintenance))
    case .budget:
      let figures = Figures(down: .seconds(isWell ? 60 : 660), isMaintained: maintenance)
      desk.book.judge(figures, now: reading(second))
    case .agent: desk.book.note(isWell ? [] : [.critical(.store, "no space left")], now: reading(second))
    }
  }

  /// What a channel is sent; the agent's own alerts are of no check.
  private func expected(_ rule: Rule, _ end: End) -> [String] {
    switch (rule, end) {
    case (_, .recovered):
      let words =
        switch rule {
        case .certificate: "has a new certificate"
        case .response: "is fast again"
        case .budget: "is within its limit again"
        case .agent: "is fine again"
        }
      return ["14 recovered \(rule.name) \(words)"]
    case (_, .ruleChanged): return ["14 recovered \(rule.name): the alerting rule was changed or removed"]
    case (.agent, _): return []
    case (_, .removed):
      return ["14 recovered Shop is not monitored any more: removed from the configuration"]
    case (_, .disabled): return ["14 recovered Shop is not monitored any more: disabled"]
    case (_, .maintenance): return ["14 recovered Shop: maintenance began"]
    }
  }

  @Test(arguments: Rule.allCases, End.allCases) func outcomes(rule: Rule, end: End) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(quickSettings([AlertRule("r", rule.kind, severity: .high)]), [shop])
    find(rule, &desk, isWell: false, at: 0)
    desk.pass(from: 0, to: 10)
    switch end {
    case .removed: desk.book.apply([], DependencyGraph(), now: reading(11))
    case .disabled:
      desk.book.apply([try makeCheck("Shop", enabled: false)], DependencyGraph(), now: reading(11))
    case .maintenance: find(rule, &desk, isWell: false, at: 11, maintenance: true)
    case .ruleChanged:
      desk.book.apply(quickSettings([AlertRule("other", rule.kind, severity: .high)]), now: reading(11))
      desk.book.apply([shop], DependencyGraph([shop]), now: reading(11))
    case .recovered: find(rule, &desk, isWell: true, at: 11)
    }
    desk.pass(from: 11, to: 30)
    #expect(desk.lines == [rule.opened] + expected(rule, end))
    let outcomes: [TroubleEnd: End] = [
      .removed: .removed, .disabled: .disabled, .maintenance: .maintenance, .ruleChanged: .ruleChanged,
      .recovered: .recovered,
    ]
    if desk.told.count == 2 {
      #expect(desk.told[1].message.members.map { $0.outcome.flatMap { outcomes[$0] } } == [end])
    }
  }

  /// Each step of a certificate is notified once, at once from medium on, and its end.
  @Test func stepsOfACertificate() throws {
    let shop = try makeCheck("Shop")
    let day: Int64 = 86_400
    let kind = AlertRule.Kind.certificateExpiry(before: [21, 7, 1].map { .seconds($0 * day) })
    var settings = quickSettings([AlertRule("certificate", kind, severity: .low)], channels: ["ops", "pd"])
    settings.channels[1] = makePagerDuty("pd")
    settings.remind = .seconds(30 * day)
    var desk = Desk(settings, [shop])
    // Seconds, and seconds that are left then.
    let steps: [(Int64, Int64)] = [
      (0, 20 * day), (30_000, 6 * day), (33_600, 6 * day - 3600), (40_000, day / 2), (50_000, 0),
      (60_000, 90 * day),
    ]
    for (place, step) in steps.enumerated() {
      var found = result(shop, .up, at: step.0)
      found.facts.tls = TLSFacts(verified: true, notAfter: after(step.0 + step.1))
      desk.note(found)
      let end = place + 1 < steps.count ? steps[place + 1].0 - 10 : 61_000
      desk.pass(from: step.0, to: step.0 + 20)
      desk.pass(from: step.0 + 30, to: end, by: 10)
    }
    func lines(_ channel: String) -> [String] {
      desk.told.filter { $0.channel == channel }.map {
        "\($0.at) \($0.message.kind.rawValue) \($0.message.severity.rawValue) \($0.message.title)"
      }
    }
    let later = [
      "30000 update medium now medium: Shop: a certificate expires in 6d, at 2026-01-11T08:20:00Z",
      "40000 update high now high: Shop: a certificate expires in 12h, at 2026-01-05T23:06:40Z",
      "50000 update critical now critical: Shop: a certificate expired at 2026-01-05T13:53:20Z",
      "60003 recovered critical Shop has a new certificate",
    ]
    #expect(
      lines("pd") == ["3 opened low Shop: a certificate expires in 20d, at 2026-01-25T00:00:00Z"] + later)
    #expect(lines("ops") == ["28800 digest low 1 incident since the last digest"] + later)
    #expect(
      desk.told.first { $0.message.kind == .digest }?.message.digest.map(\.title) == [
        "Shop: a certificate expires in 20d, at 2026-01-25T00:00:00Z"
      ])
    #expect(Set(desk.told.filter { $0.channel == "pd" }.map(\.message.incident)).count == 1)
  }

  /// Two maintenance windows of a check that is down all the time: it does not flap, in one incident or in three.
  @Test(arguments: [false, true]) func maintenanceIsNoFlapping(isLong: Bool) throws {
    let web = try makeCheck("web")
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 19)
    for begin: Int64 in [20, 40] {
      let end = begin + (isLong ? 10 : 2)
      desk.note(result(web, .down, at: begin, maintenance: true))
      desk.pass(from: begin, to: end - 1)
      desk.down(web, at: end)
      desk.pass(from: end, to: begin + 19)
    }
    desk.up(web, at: 60)
    desk.pass(from: 60, to: 80)
    let (down, maintenance) = ("opened web is down: refused", "recovered web: maintenance began")
    #expect(
      desk.lines
        == (isLong
          ? [
            "3 \(down)", "23 \(maintenance)", "33 \(down)", "43 \(maintenance)", "53 \(down)",
            "63 recovered web is up again",
          ] : ["3 \(down)", "63 recovered web is up again"]))
  }
}
