// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// A moment in UTC: 2026-01-05 is a Monday.
let monday = Timestamp(seconds: 1_767_571_200)

func after(_ seconds: Int64) -> Timestamp { monday.advanced(by: .seconds(seconds)) }

func makeCheck(
  _ name: String, host: String = "192.0.2.1", tags: [String] = [], on parents: [String] = [],
  resource: String? = nil
) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", host, 80)
  (definition.interval, definition.timeout) = (.seconds(60), .seconds(1))
  (definition.plan.tags, definition.plan.dependsOn) = (tags, parents)
  definition.resource = resource
  return try MonitoringCheck(definition)
}

/// A run of a check at so many seconds.
func result(
  _ check: MonitoringCheck, _ state: CheckState, at seconds: Int64, reason: Reason? = nil,
  took: Duration? = .milliseconds(10), maintenance: Bool = false
) -> CheckResult {
  let verdict: Verdict =
    switch state {
    case .up: .ok
    case .degraded: Verdict(reason ?? .responseTime, degraded: true)
    case .down: Verdict(reason ?? .connectRefused, phase: .connect, message: "refused")
    case .unknown: Verdict(reason ?? .localFault)
    }
  var result = CheckResult(
    id: UniqueID(high: 7, low: UInt64(seconds)), check: check, trigger: .schedule,
    scheduledAt: after(seconds),
    startedAt: after(seconds), late: .zero, verdict: verdict)
  result.facts.responseTime = took
  result.maintenance = maintenance
  return result
}

/// The same numbers each time.
struct Counter: RandomNumberGenerator, Sendable {
  var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return word ^ (word >> 27)
  }
}

/// A book with channels, checks and the time in the test's hand.
struct Desk {
  var book: AlertBook
  private var generator = Counter()
  let checks: [MonitoringCheck]
  let writer = MessageWriter(agent: "test", region: nil, pageURL: nil) { _ in [] }
  /// What was told: seconds, channel, message.
  var told: [(at: Int64, channel: String, message: AlertMessage)] = []
  var muted: Set<UniqueID> = []

  init(_ settings: AlertSettings, _ checks: [MonitoringCheck], saved: JSONValue? = nil, at seconds: Int64 = 0)
  {
    self.checks = checks
    book = AlertBook(settings, saved: saved, now: after(seconds), generator: Counter(state: UInt64(seconds)))
    book.apply(checks, DependencyGraph(checks), now: after(seconds))
  }

  mutating func note(_ result: CheckResult) { book.note(result, now: result.scheduledAt) }

  /// Each second from one moment to another, as the agent does it.
  mutating func pass(from first: Int64, to last: Int64, by step: Int64 = 1) {
    var second = first
    while second <= last {
      tick(second)
      second += step
    }
  }

  mutating func tick(_ second: Int64) {
    let muted = muted
    let decisions = book.advance(to: after(second)) { trouble in
      trouble.key.check.map(muted.contains) ?? false
    }
    for (decision, incidents) in decisions {
      let message = writer.message(decision, incidents, cause: nil, now: after(second), using: &generator)
      if let message { told.append((second, decision.channel, message)) }
    }
  }

  var kinds: [AlertMessage.Kind] { told.map(\.message.kind) }

  /// As it is kept over a restart.
  mutating func saved() throws -> JSONValue {
    var json = JSONWriter()
    json.object { book.encode(to: &$0) }
    return try JSONValue.parse(json.bytes)
  }
}

func makeSettings(_ rules: [AlertRule] = AlertRule.defaults, channels: [String] = ["ops"]) -> AlertSettings {
  var settings = AlertSettings()
  settings.rules = rules
  settings.channels = channels.map {
    AlertChannel(name: $0, kind: .exec(ExecChannel(command: ["/bin/true"])))
  }
  return settings
}
