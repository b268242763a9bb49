// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A check that is not in the list any more was renamed, where another that looks at the same is new in it; over a restart too.
@Suite struct RenamedCheckTests {
  private static let removed = "not monitored any more: removed from the configuration"

  /// `before` goes down, is told of, and the list is `after` from the next second on, with a restart between or without.
  private func lines(
    _ before: [MonitoringCheck], down: [Int] = [0], _ after: [MonitoringCheck], restarts: Int,
    _ settings: AlertSettings = quickSettings()
  ) throws -> [String] {
    var desk = Desk(quickSettings(), before)
    for place in down { desk.down(before[place], at: 0) }
    desk.pass(from: 0, to: 10)
    let told = desk.lines.count
    guard restarts > 0 else {
      desk.book.apply(settings, now: reading(11))
      desk.book.apply(after, DependencyGraph(after), now: reading(11))
      desk.pass(from: 11, to: 20)
      return Array(desk.lines.dropFirst(told))
    }
    var saved = try desk.saved(at: 10)
    for _ in 1..<restarts {
      // It ended before it had a list.
      var book = AlertBook(settings, saved: saved, now: reading(10), generator: Counter())
      var json = JSONWriter()
      json.object { book.encode(to: &$0, now: reading(10)) }
      saved = try JSONValue.parse(json.bytes)
    }
    var next = Desk(settings, after, saved: saved, at: 11)
    next.pass(from: 11, to: 20)
    return next.lines
  }

  @Test(arguments: [0, 1, 2]) func renamed(restarts: Int) throws {
    let found = try lines([try makeCheck("web")], [try makeCheck("web 2")], restarts: restarts)
    #expect(found == ["14 recovered web was renamed to web 2"])
  }

  /// Another check looks at the same and was there before, watched, off, or without a rule: it is no heir.
  @Test(arguments: [0, 1], ["on", "off", "unruled"]) func removed(restarts: Int, other: String) throws {
    let web = try makeCheck("web", host: "192.0.2.1", tags: ["ruled"])
    let beside = try makeCheck("beside", tags: other == "on" ? ["ruled"] : [], enabled: other != "off")
    var settings = quickSettings()
    settings.rules[0].selection = MaintenanceSelection(tags: ["ruled"])
    var desk = Desk(settings, [web, beside])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    if restarts == 0 {
      desk.book.apply([beside], DependencyGraph([beside]), now: reading(11))
    } else {
      desk = Desk(settings, [beside], saved: try desk.saved(at: 10), at: 11)
    }
    desk.pass(from: 11, to: 20)
    #expect(desk.lines.last == "14 recovered web is \(Self.removed)")
  }

  /// A new check that looks at something else, or in another way.
  @Test(arguments: [0, 1]) func noHeir(restarts: Int) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("tls", "tls", "192.0.2.1", 80)
    let others = [try makeCheck("far", host: "198.51.100.1"), try MonitoringCheck(definition)]
    let found = try lines([try makeCheck("web")], others, restarts: restarts)
    #expect(found == ["14 recovered web is \(Self.removed)"])
  }

  /// Which of two has which new name is not known, and of two with one heir not which is gone.
  @Test(arguments: [0, 1]) func severalAtOnce(restarts: Int) throws {
    let (a, b) = (try makeCheck("a"), try makeCheck("b"))
    let new = [try makeCheck("a 2"), try makeCheck("b 2")]
    #expect(try lines([a, b], new, restarts: restarts) == ["14 recovered a was renamed"])
    #expect(
      try lines([a, b], down: [0, 1], new, restarts: restarts) == ["14 recovered a and 1 more were renamed"])
    #expect(try lines([a, b], [new[0]], restarts: restarts) == ["14 recovered a is \(Self.removed)"])
    #expect(try lines([a, b], [b, new[0]], restarts: restarts) == ["14 recovered a was renamed to a 2"])
  }

  /// A check that came into the list after the alert was saved is known as one that was there.
  @Test func savedWithTheList() throws {
    let (web, beside) = (try makeCheck("web"), try makeCheck("beside"))
    var desk = Desk(quickSettings(), [web])
    desk.down(web, at: 0)
    desk.pass(from: 0, to: 10)
    _ = try desk.saved(at: 10)
    #expect(!desk.book.isDirty)
    desk.book.apply([web, beside], DependencyGraph([web, beside]), now: reading(11))
    #expect(desk.book.isDirty)
    var next = Desk(quickSettings(), [beside], saved: try desk.saved(at: 12), at: 13)
    next.pass(from: 13, to: 20)
    #expect(next.lines == ["16 recovered web is \(Self.removed)"])
  }

  /// The rule of the same name says something else: that is its end, whatever a result would say by the new one.
  @Test(arguments: [0, 1]) func theRuleWasRewritten(restarts: Int) throws {
    let web = try makeCheck("web")
    let kinds: [AlertRule.Kind] = [
      .state(.degraded, for: .zero), .consecutiveFailures(threshold: 1, recoveries: 2),
      .certificateExpiry(before: [.seconds(60)]),
    ]
    for kind in kinds {
      var settings = quickSettings()
      settings.rules[0].kind = kind
      let found = try lines([web], [web], restarts: restarts, settings)
      #expect(found == ["14 recovered web: the alerting rule was changed or removed"], "\(kind)")
    }
    // Another severity is the same rule: it goes on.
    var settings = quickSettings()
    settings.rules[0].severity = .critical
    #expect(try lines([web], [web], restarts: restarts, settings) == [])
  }

  /// In a group too, where other members could have the check.
  @Test func theRuleOfASharedCheckWasRewritten() throws {
    let web = try makeCheck("web")
    let trouble = Trouble(
      key: Trouble.Key(rule: "down", check: web.id), subject: .availability, severity: .high, name: "web",
      since: after(0))
    var saved = SavedRules()
    saved.rules["down"] = "failures 3 1"
    var watch = RuleWatch([rule("down", .high)], open: [trouble.key: trouble], saved)
    let events = watch.apply([web], now: after(1)) { _ in true }
    #expect(events == [.ended(trouble.key, at: after(1), .ruleChanged)])
    saved.rules["down"] = "failures 1 1"
    watch = RuleWatch([rule("down", .high)], open: [trouble.key: trouble], saved)
    #expect(watch.apply([web], now: after(1)) { _ in true } == [])
  }

  /// After a restart without the API: checks whose definitions are not whole yet keep what is open of them.
  @Test func awaitedChecksKeepTheirAlerts() throws {
    let (web, other) = (try makeCheck("web"), try makeCheck("other"))
    let trouble = Trouble(
      key: Trouble.Key(rule: "down", check: web.id), subject: .availability, severity: .high, name: "web",
      since: after(0))
    var saved = SavedRules()
    saved.rules["down"] = "failures 1 1"
    var watch = RuleWatch([rule("down", .high)], open: [trouble.key: trouble], saved)
    #expect(watch.apply([other], awaited: [web.id], now: after(1)) == [])
    #expect(watch.kept.rules == ["down": "failures 1 1"])
    #expect(watch.apply([web, other], now: after(2)) == [])
    #expect(watch.apply([other], now: after(3)) == [.ended(trouble.key, at: after(3), .removed)])
    saved.rules["down"] = "failures 3 1"
    watch = RuleWatch([rule("down", .high)], open: [trouble.key: trouble], saved)
    #expect(
      watch.apply([other], awaited: [web.id], now: after(1))
        == [.ended(trouble.key, at: after(1), .ruleChanged)])
  }

  /// What a state file says of a rule: another text would end the alerts of each agent that is updated.
  @Test func rulesAsTheyAreSaved() {
    var rules = AlertRule.defaults
    rules += [
      AlertRule(
        "slow", .responseTime(above: .seconds(1), percentile: 95, window: .seconds(60)), severity: .low),
      AlertRule(
        "last", .responseTime(above: .seconds(1), percentile: nil, window: .seconds(60)), severity: .low),
      AlertRule("off", .downtime(above: .seconds(60), window: .day), severity: .low),
      AlertRule("burn", .burnRate(objective: 99.9), severity: .low),
      AlertRule("unknown", .state(.unknown, for: .seconds(60)), severity: .low),
    ]
    #expect(Set(rules.map(\.kind.saved)).count == rules.count)
    #expect(
      rules.map(\.kind.saved) == [
        "failures own 1", "certificate 1814400000000us 604800000000us 86400000000us", "agent 300000000us",
        "response 1000000us p95 60000000us", "response 1000000us last 60000000us", "downtime 60000000us 24h",
        "burn 99.9", "state unknown 60000000us",
      ])
  }
}
