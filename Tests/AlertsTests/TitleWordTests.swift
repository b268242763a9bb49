// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Each title in words: of what fires, of what is over, and of each reason for a notification.
@Suite struct TitleWordTests {
  private let ops = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))

  private func trouble(
    _ name: String, _ state: CheckState? = .down, rule: String = "down", _ severity: AlertSeverity = .high,
    text: String? = "why", subject: AlertSubject = .availability
  ) -> Trouble {
    var trouble = Trouble(
      key: .init(rule: rule, part: name), subject: subject, severity: severity, name: name, since: after(0))
    (trouble.state, trouble.text) = (state, text)
    return trouble
  }

  private func incident(_ troubles: [Trouble]) -> Incident {
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: troubles.first?.subject ?? .availability, begin: after(0),
      opened: after(0), at: reading(0).boot)
    for trouble in troubles { incident.take(trouble, at: reading(0)) }
    return incident
  }

  @Test(
    arguments: [
      (.availability, "why", "A is down: why", "A and 1 more are down: why"),
      (.availability, nil, "A is down", "A and 1 more are down"),
      (.performance, "why", "A is slow: why", "A and 1 more are slow: why"),
      (.certificate, "why", "A: why", "A and 1 more: why"),
      (.certificate, nil, "A: a certificate ends soon", "A and 1 more: a certificate ends soon"),
      (.budget, "why", "A: why", "A and 1 more: why"),
      (.budget, nil, "A: down for too long", "A and 1 more: down for too long"),
      (.agent, "why", "A has a problem: why", "A and 1 more have problems: why"),
    ] as [(AlertSubject, String?, String, String)])
  func whatFires(subject: AlertSubject, text: String?, one: String, two: String) {
    let (first, second) = (
      trouble("A", text: text, subject: subject), trouble("B", text: "other", subject: subject)
    )
    #expect(incident([first]).title == one && incident([first, second]).title == two)
    #expect(incident([]).firingTitle([]) == "nothing")
  }

  /// The worst of each check; one that flaps, where all do.
  @Test func states() {
    #expect(incident([trouble("A", .unknown)]).title == "A is unknown: why")
    #expect(incident([trouble("A", nil)]).title == "A is down: why")
    let mixed = [trouble("A"), trouble("B", .degraded), trouble("C", .unknown)]
    #expect(incident(mixed).title == "A and 2 more are down or degraded or unknown: why")
    let both = [trouble("A"), trouble("A", .degraded, rule: "weak"), trouble("B")]
    #expect(incident(both).title == "A and 1 more are down: why")
    var flapping = incident([trouble("A"), trouble("B")])
    flapping.note(trouble("A").key, opens: [], isFlapping: true)
    #expect(flapping.title == "A and 1 more are down: why")
    flapping.note(trouble("B").key, opens: [], isFlapping: true)
    #expect(flapping.title == "A and 1 more are flapping: why")
    flapping.leave(trouble("B").key, at: reading(1), .recovered)
    #expect(flapping.title == "A is flapping: why")
  }

  /// Noun of a mail's subject, by the alert that opened the incident.
  @Test func nouns() {
    #expect(incident([trouble("A"), trouble("B", .degraded)]).noun == "outage")
    #expect(incident([trouble("A", .degraded), trouble("B")]).noun == "degraded")
    #expect(incident([trouble("A", .unknown)]).noun == "unknown")
    #expect(incident([trouble("A", .degraded, subject: .certificate)]).noun == "certificate")
    var kept = incident([trouble("A", .degraded), trouble("B")])
    kept.opening = .init(name: "B", labels: [])
    #expect(kept.noun == "outage")
  }

  @Test(
    arguments: [
      (.recovered, "A is up again", "A and 1 more are up again"),
      (.maintenance, "A: maintenance began", "A and 1 more: maintenance began"),
      (
        .removed, "A is not monitored any more: removed from the configuration",
        "A and 1 more are not monitored any more: removed from the configuration"
      ),
      (
        .disabled, "A is not monitored any more: disabled",
        "A and 1 more are not monitored any more: disabled"
      ),
      (.renamed, "A was renamed to N", "A and 1 more were renamed"),
      (
        .moved, "A is reported in another incident of the group",
        "A and 1 more are reported in another incident of the group"
      ),
      (
        .ruleChanged, "A: the alerting rule was changed or removed",
        "A and 1 more: the alerting rule was changed or removed"
      ),
    ] as [(TroubleEnd, String, String)])
  func whatIsOver(end: TroubleEnd, one: String, two: String) {
    for (names, title) in [(["A"], one), (["A", "B"], two)] {
      var incident = incident(names.map { trouble($0) })
      for name in names { incident.leave(trouble(name).key, at: reading(1), end, note: "N") }
      #expect(incident.title == title && incident.overTitle == title)
    }
  }

  @Test func recoveries() {
    func title(_ subject: AlertSubject, _ names: [String] = ["A"], _ state: CheckState = .down) -> String {
      let troubles = names.map { trouble($0, state, subject: subject) }
      var incident = incident(troubles)
      for trouble in troubles { incident.leave(trouble.key, at: reading(1), .recovered) }
      return incident.title
    }
    #expect(title(.availability, ["A"], .degraded) == "A is no longer degraded")
    #expect(title(.availability, ["A"], .unknown) == "A is no longer unknown")
    #expect(title(.performance) == "A is fast again" && title(.agent) == "A is fine again")
    #expect(title(.certificate) == "A has a new certificate")
    #expect(title(.budget) == "A is within its limit again")
    #expect(title(.budget, ["A", "B"]) == "A and 1 more are within their limits again")
    #expect(title(.certificate, ["A", "B"]) == "A and 1 more have a new certificate")
    var several = incident([trouble("A"), trouble("B"), trouble("C", .degraded), trouble("D")])
    several.leave(trouble("A").key, at: reading(1), .disabled)
    several.leave(trouble("B").key, at: reading(1), .recovered)
    several.leave(trouble("C").key, at: reading(1), .recovered)
    several.leave(trouble("D").key, at: reading(1), .renamed)
    let words = "B is up again; C is no longer degraded; A is not monitored any more: disabled; D was renamed"
    #expect(several.title == words)
    // What became of a check is what became of its last alert.
    var one = incident([trouble("A"), trouble("A", rule: "long")])
    one.leave(trouble("A", rule: "long").key, at: reading(1), .recovered)
    one.leave(trouble("A").key, at: reading(2), .disabled)
    #expect(one.title == "A is not monitored any more: disabled")
  }

  /// What the channel was told of, and what has become of it since.
  private func title(
    _ trigger: Draft.Trigger, told: [Trouble], _ channel: AlertChannel? = nil,
    now: Int64 = 100, _ change: (inout Incident) -> Void
  ) throws -> String {
    var incident = incident(told)
    let first = try #require(Draft(whole: incident, ops, quickSettings([])))
    incident.log["ops", default: .init()].deliver(first.heard, at: reading(5))
    change(&incident)
    var draft = try #require(Draft(incident, channel ?? ops, quickSettings([])))
    draft.trigger = trigger
    return DraftWords(draft, now: after(now)).title
  }

  @Test func updates() throws {
    let a = trouble("A")
    #expect(try title(.reminder, told: [a]) { _ in } == "A is down: why")
    #expect(try title(.keepAlive, told: [a]) { _ in } == "A is down: why")
    #expect(
      try title(.acknowledged, told: [a]) { $0.acknowledge(by: "ann", note: nil, at: after(6)) }
        == "acknowledged by ann: A is down: why")
    #expect(
      try title(.acknowledged, told: [a]) { _ in } == "acknowledged by an operator: A is down: why")
    #expect(
      try title(.joined, told: [a]) { $0.take(trouble("B"), at: reading(6)) }
        == "B joined: A and 1 more are down: why")
    let worse = trouble("A", .down, rule: "long", .critical)
    #expect(
      try title(.joined, told: [a]) { $0.take(worse, at: reading(6)) } == "now critical: A is down: why")
    #expect(
      try title(.joined, told: [a]) { $0.take(trouble("A", rule: "own"), at: reading(6)) }
        == "rule own fires too: A is down: why")
    #expect(
      try title(.joined, told: [a]) { incident in
        for name in ["own", "more"] { incident.take(trouble("A", rule: name), at: reading(6)) }
      } == "rules own and more fire too: A is down: why")
    #expect(
      try title(.joined, told: [a]) { incident in
        incident.take(trouble("A", .degraded, rule: "weak"), at: reading(6))
        incident.leave(a.key, at: reading(6), .recovered)
      } == "now high: A is degraded: why")
    #expect(try title(.rose, told: [a]) { _ in } == "now high: A is down: why")
    #expect(
      try title(.rose, told: [a]) { $0.take(trouble("A", .down, .critical), at: reading(6)) }
        == "now critical: A is down: why")
    #expect(
      try title(.flapping, told: [a]) {
        $0.note(a.key, opens: [reading(1).boot, reading(2).boot], isFlapping: true)
      }
        == "A is flapping: went down 2 times")
    for (weak, words) in [
      (trouble("A", .degraded), "was degraded 2 times"),
      (trouble("A", subject: .performance), "was slow 2 times"),
    ] {
      let flapping = try title(.flapping, told: [weak]) {
        $0.note(weak.key, opens: [reading(1).boot, reading(2).boot], isFlapping: true)
      }
      #expect(flapping == "A is flapping: \(words)")
    }
  }

  @Test func roots() throws {
    let names = ["A", "B", "C", "D", "E"]
    func title(_ count: Int, _ channel: AlertChannel? = nil, _ trigger: Draft.Trigger = .rootRecovered) throws
      -> String
    {
      let told = names.prefix(count).map { trouble($0) }
      return try self.title(trigger, told: told, channel) {
        $0.leave(told[0].key, at: reading(6), .recovered)
      }
    }
    #expect(try title(2) == "A is up again; still down: B")
    #expect(try title(4) == "A is up again; still down: B, C, D")
    #expect(try title(5) == "A is up again; 4 still down: B, C, D and 1 more")
    var severe = ops
    severe.severity = .critical
    let below = "A is up again; what is left is below the severity of this channel: B, C"
    #expect(try title(3, severe, .belowSeverity) == below)
    #expect(
      try title(2, nil, .belowSeverity) == "A is up again; what is left is not routed to this channel: B")
    #expect(
      try title(2, nil, .channelRemoved)
        == "channel removed; the incident is still open: B is down: why")
  }

  @Test func ends() throws {
    let a = trouble("A")
    func end(_ incident: inout Incident) {
      incident.leave(a.key, at: reading(100), .recovered)
      incident.end = after(100)
    }
    func draft(_ change: (inout Incident) -> Void) throws -> DraftWords {
      var incident = incident([a])
      let first = try #require(Draft(whole: incident, ops, quickSettings([])))
      incident.log["ops", default: .init()].deliver(first.heard, at: reading(5))
      change(&incident)
      return DraftWords(try #require(Draft(incident, ops, quickSettings([]))), now: after(200))
    }
    #expect(try draft(end).title == "A is up again" && draft(end).digestTitle == "A is up again")
    #expect(try draft { _ in }.digestTitle == "A is down: why")
    let flapped = try draft { incident in
      incident.note(a.key, opens: [], isFlapping: true)
      end(&incident)
    }
    #expect(flapped.title == "A is up again: it was flapping")
    let twice = try draft { incident in
      incident.leave(a.key, at: reading(50), .recovered)
      var again = a
      again.since = after(60)
      incident.take(again, at: reading(60))
      incident.note(a.key, opens: [], isFlapping: true)
      end(&incident)
    }
    #expect(twice.title == "A is up again: it was flapping, went down 2 times, for 1m 30s in all")
  }

  @Test func past() throws {
    func words(
      _ troubles: [Trouble], end: Int64 = 100, _ outcome: TroubleEnd = .recovered
    ) throws -> [String] {
      var incident = incident(troubles)
      for trouble in troubles { incident.leave(trouble.key, at: reading(end), outcome) }
      incident.end = after(end)
      incident.log["ops"] = NotificationRecord()
      incident.log["ops"]?.held = .send
      let settings = quickSettings([rule("down", .high), rule("weak", .high)])
      let draft = try #require(Draft(incident, ops, settings))
      #expect(draft.trigger == .past)
      let words = DraftWords(draft, now: after(end + 9))
      return [words.title, words.digestTitle]
    }
    let (span, dated) = ("from 00:00 to 00:01 UTC (1m 40s)", "from 2026-01-05 00:00 to 00:01 UTC (1m 40s)")
    #expect(try words([trouble("A")]) == ["A was down \(span)", "A was down \(dated)"])
    #expect(try words([trouble("A"), trouble("B", .degraded)])[0] == "A and B were down or degraded \(span)")
    // Every state of the span, and no outcome but a recovery goes without saying.
    let states = [trouble("A", .degraded, rule: "weak"), trouble("A")]
    #expect(try words(states)[0] == "A was down or degraded \(span)")
    let short = "A was down from 00:00:00 to 00:00:05 UTC (5s)"
    #expect(try words([trouble("A")], end: 5)[0] == short)
    #expect(
      try words([trouble("A")], end: 5, .removed)[0]
        == "\(short); A is not monitored any more: removed from the configuration")
    #expect(try words([trouble("A")], end: 5, .maintenance)[0] == "\(short); A: maintenance began")
    #expect(try words([trouble("A", subject: .certificate)])[0] == "A was affected \(span)")
    #expect(try words([trouble("A", subject: .performance)])[0] == "A was slow \(span)")
    let night = "from 2026-01-05 00:00 to 2026-01-06 00:00 UTC"
    #expect(try words([trouble("A")], end: 86_400)[0].hasPrefix("A was down \(night) ("))
  }
}
