// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Which rules hold, result by result.
@Suite struct RuleWatchTests {
  private func watch(_ kind: AlertRule.Kind, _ checks: [MonitoringCheck]) -> RuleWatch {
    var watch = RuleWatch([AlertRule("r", kind, severity: .high)])
    #expect(watch.apply(checks, now: monday).isEmpty)
    return watch
  }

  private func words(_ events: [TroubleEvent]) -> [String] {
    events.map { event in
      switch event {
      case .holds(let trouble): "holds since \(Int(monday.duration(to: trouble.since).seconds))"
      case .ended(_, _, let end, _): "\(end)"
      }
    }
  }

  /// A window that leaves slots out ends alerts and starts counting over as one whose results carry a mark.
  @Test(arguments: [1, 2, 3]) func slotsThatAWindowLeavesOut(failures: Int) throws {
    func lines(isSkipped: Bool) throws -> [String] {
      let shop = try makeCheck("Shop")
      var desk = Desk(quickSettings([rule("down", .high, threshold: 2)]), [shop])
      for second in 0..<failures { desk.down(shop, at: Int64(second)) }
      desk.pass(from: Int64(failures), to: 9)
      for second in [10, 20] as [Int64] {
        if isSkipped {
          desk.book.skipped(shop.id, at: after(second), now: reading(second))
        } else {
          var marked = result(shop, .down, at: second)
          marked.maintenance = true
          desk.note(marked)
        }
        desk.pass(from: second, to: second + 9)
      }
      desk.down(shop, at: 30)
      desk.pass(from: 30, to: 60)
      return desk.lines
    }
    let (skipped, marked) = (try lines(isSkipped: true), try lines(isSkipped: false))
    #expect(skipped == marked)
    // One failure before the window and one after it are not two.
    #expect(skipped.count == (failures < 2 ? 0 : 2), "\(skipped)")
  }

  /// So many failures in a row begin it, so many successes in a row end it, and it began with the first failure.
  @Test func failuresInARow() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.consecutiveFailures(threshold: 3, recoveries: 2), [shop])
    let states: [CheckState] = [.down, .down, .up, .down, .down, .down, .up, .down, .up, .degraded]
    let events = states.enumerated().map { words(watch.note(result(shop, $1, at: Int64($0) * 60))) }
    #expect(events.map(\.first) == [nil, nil, nil, nil, nil, "holds since 180", nil, nil, nil, "recovered"])
  }

  /// What is unknown neither begins nor ends it; what fails with a dependency is no failure.
  @Test func unknownProvesNothing() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.consecutiveFailures(threshold: 2, recoveries: 1), [shop])
    #expect(watch.note(result(shop, .down, at: 0)).isEmpty)
    #expect(watch.note(result(shop, .unknown, at: 60)).isEmpty)
    #expect(watch.note(result(shop, .unknown, at: 120, reason: .dependency)).isEmpty)
    #expect(words(watch.note(result(shop, .down, at: 180))) == ["holds since 0"])
    #expect(watch.note(result(shop, .unknown, at: 240)).isEmpty)
    #expect(words(watch.note(result(shop, .up, at: 300))) == ["recovered"])
  }

  /// The check's own failure_threshold holds where the rule says none.
  @Test func theChecksOwnThreshold() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("A", "tcp", "192.0.2.1", 80)
    definition.plan.failureThreshold = 2
    let check = try MonitoringCheck(definition)
    var watch = watch(.consecutiveFailures(threshold: nil, recoveries: 1), [check])
    #expect(watch.note(result(check, .down, at: 0)).isEmpty)
    #expect(words(watch.note(result(check, .down, at: 60))) == ["holds since 0"])
  }

  /// A state that lasts is told when its time is full, not with the next result an hour later.
  @Test func aStateForAWhile() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.state(.degraded, for: .seconds(300)), [shop])
    #expect(watch.note(result(shop, .degraded, at: 0)).isEmpty)
    #expect(watch.advance(to: reading(299)).isEmpty)
    #expect(words(watch.advance(to: reading(300))) == ["holds since 0"])
    #expect(watch.advance(to: reading(400)).isEmpty)
    #expect(words(watch.note(result(shop, .up, at: 420))) == ["recovered"])
    #expect(watch.note(result(shop, .degraded, at: 480)).isEmpty)
    #expect(watch.note(result(shop, .down, at: 540)).isEmpty)
    #expect(watch.advance(to: reading(2000)).isEmpty, "another state broke it")
  }

  /// The answer of a degraded check is measured; a check that is down neither begins nor ends such a rule.
  @Test func onlyAnswersAreMeasured() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(
      .responseTime(above: .milliseconds(500), percentile: nil, window: .seconds(3600)), [shop])
    #expect(watch.note(result(shop, .down, at: 0, took: .milliseconds(900))).isEmpty)
    #expect(
      words(watch.note(result(shop, .degraded, at: 60, took: .milliseconds(900)))) == ["holds since 60"])
    #expect(watch.note(result(shop, .down, at: 120, took: .milliseconds(10))).isEmpty)
    #expect(words(watch.note(result(shop, .up, at: 180, took: .milliseconds(10)))) == ["recovered"])
  }

  /// In maintenance it ends, and what was counted is forgotten.
  @Test func maintenanceEndsIt() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.consecutiveFailures(threshold: 2, recoveries: 1), [shop])
    _ = watch.note(result(shop, .down, at: 0))
    #expect(words(watch.note(result(shop, .down, at: 60))) == ["holds since 0"])
    #expect(words(watch.note(result(shop, .down, at: 120, maintenance: true))) == ["maintenance"])
    #expect(watch.note(result(shop, .down, at: 180)).isEmpty)
  }

  /// A percentile needs ten successes of its window; a single slow answer is none.
  @Test func slowness() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(
      .responseTime(above: .milliseconds(500), percentile: 90, window: .seconds(3600)), [shop])
    for place in 0..<9 { #expect(watch.note(result(shop, .up, at: Int64(place), took: .seconds(1))).isEmpty) }
    #expect(words(watch.note(result(shop, .up, at: 9, took: .seconds(1)))) == ["holds since 9"])
    var ends: [[String]] = []
    for place in 10..<110 {
      ends.append(words(watch.note(result(shop, .up, at: Int64(place), took: .milliseconds(5)))))
    }
    #expect(ends.joined().contains("recovered"))
  }

  /// Each step of a certificate's rule is another level; a new certificate ends it.
  @Test func certificateSteps() throws {
    let shop = try makeCheck("Shop")
    let day: Int64 = 86_400
    var watch = RuleWatch([
      AlertRule(
        "r", .certificateExpiry(before: [.seconds(21 * day), .seconds(7 * day), .seconds(day)]),
        severity: .low)
    ])
    _ = watch.apply([shop], now: monday)
    func run(_ daysLeft: Int64) -> [TroubleEvent] {
      var found = result(shop, .up, at: 0)
      found.facts.tls = TLSFacts(verified: true, notAfter: after(daysLeft * day + 60))
      return watch.note(found)
    }
    var severities: [AlertSeverity] = []
    func level(_ events: [TroubleEvent]) -> Int? {
      guard case .holds(let trouble)? = events.first else { return nil }
      severities.append(trouble.severity)
      return trouble.level
    }
    #expect(run(30).isEmpty)
    #expect(level(run(20)) == 1)
    #expect(level(run(6)) == 2)
    #expect(level(run(0)) == 3)
    #expect(severities == [.low, .medium, .high])
    #expect(words(run(90)) == ["recovered"])
  }

  private struct Figures: RuleWatch.Figures {
    var down: [Duration: Duration]
    func down(_ check: UniqueID, last span: Duration) -> Duration? { down[span] ?? .zero }
    func isInMaintenance(_ check: UniqueID) -> Bool { false }
  }

  /// 99.9 % allows 3.6 s an hour: 52 s down within it burn 14.4 times too fast, if the last five minutes still do.
  @Test func burnRate() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.burnRate(objective: 99.9), [shop])
    let slow = Figures(down: [.seconds(3600): .seconds(51), .seconds(300): .seconds(51)])
    let fast = Figures(down: [.seconds(3600): .seconds(52), .seconds(300): .seconds(52)])
    let past = Figures(down: [.seconds(3600): .seconds(52), .seconds(300): .zero])
    #expect(watch.judge(slow, now: after(0)).isEmpty)
    #expect(words(watch.judge(fast, now: after(60))) == ["holds since 60"])
    #expect(watch.judge(fast, now: after(120)).isEmpty)
    #expect(words(watch.judge(past, now: after(180))) == ["recovered"])
  }

  /// Downtime in a window is told once it is more than the bound.
  @Test func downtime() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.downtime(above: .seconds(600), window: .day), [shop])
    #expect(watch.judge(Figures(down: [.seconds(86_400): .seconds(600)]), now: after(0)).isEmpty)
    #expect(
      words(watch.judge(Figures(down: [.seconds(86_400): .seconds(601)]), now: after(60))) == [
        "holds since 60"
      ])
  }

  /// An alert about a window that another member found holds until that window has passed.
  @Test func aWindowThatAnotherMemberSaw() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.downtime(above: .seconds(600), window: .day), [shop])
    let within = Figures(down: [.seconds(86_400): .seconds(600)])
    let isHeld = watch.hold(lent(shop))
    #expect(isHeld)
    #expect(watch.judge(within, now: after(86_399)).isEmpty)
    #expect(words(watch.judge(within, now: after(86_400))) == ["recovered"])
  }

  /// Once such an alert has ended here, the next one is of this member's own figures and ends with them.
  @Test func aWindowOfItsOwnAfterAnothers() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.downtime(above: .seconds(600), window: .day), [shop])
    let within = Figures(down: [.seconds(86_400): .seconds(600)])
    let beyond = Figures(down: [.seconds(86_400): .seconds(601)])
    let isHeld = watch.hold(lent(shop))
    #expect(isHeld)
    #expect(words(watch.note(result(shop, .down, at: 60, maintenance: true))) == ["maintenance"])
    #expect(watch.judge(within, now: after(120)).isEmpty)
    #expect(words(watch.judge(beyond, now: after(180))) == ["holds since 180"])
    #expect(words(watch.judge(within, now: after(240))) == ["recovered"])
  }

  private func lent(_ check: MonitoringCheck) -> Trouble {
    Trouble(
      key: Trouble.Key(rule: "r", check: check.id), subject: .budget, severity: .high, name: check.name,
      since: after(0))
  }

  /// The agent's own problems are told when they last, by the part that has them.
  @Test func theAgentItself() throws {
    var watch = RuleWatch([AlertRule("agent", .agent(for: .seconds(300)), severity: .high)])
    let disk = Notice.critical(.store, "no space left")
    #expect(watch.judge([disk], now: reading(0)).isEmpty)
    #expect(watch.judge([], now: reading(100)).isEmpty)
    #expect(watch.judge([disk], now: reading(200)).isEmpty)
    #expect(watch.judge([disk], now: reading(499)).isEmpty)
    #expect(words(watch.judge([disk], now: reading(500))) == ["holds since 200"])
    #expect(words(watch.judge([.critical(.check("Shop"), "down")], now: reading(600))) == ["recovered"])
  }

  /// A check that is gone takes its trouble with it.
  @Test func aCheckThatIsGone() throws {
    let shop = try makeCheck("Shop")
    var watch = watch(.consecutiveFailures(threshold: 1, recoveries: 1), [shop])
    _ = watch.note(result(shop, .down, at: 0))
    #expect(words(watch.apply([], now: after(60))) == ["removed"])
  }
}
