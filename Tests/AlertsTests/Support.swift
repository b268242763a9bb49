// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

@testable import Alerts

/// A moment in UTC: 2026-01-05 is a Monday.
let monday = Timestamp(seconds: 1_767_571_200)

func after(_ seconds: Int64) -> Timestamp { monday.advanced(by: .seconds(seconds)) }

func makeCheck(
  _ name: String, host: String = "192.0.2.1", tags: [String] = [], on parents: [String] = [],
  resource: String? = nil, enabled: Bool = true
) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", host, 80)
  (definition.interval, definition.timeout) = (.seconds(60), .seconds(1))
  (definition.plan.tags, definition.plan.dependsOn) = (tags, parents)
  definition.resource = resource
  definition.plan.enabled = enabled
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
final class Counter: RandomNumberGenerator, Sendable {
  private let state: Mutex<UInt64>

  init(state: UInt64 = 0) { self.state = Mutex(state) }

  func next() -> UInt64 {
    var word = state.withLock { state in
      state &+= 0x9e37_79b9_7f4a_7c15
      return state
    }
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return word ^ (word >> 27)
  }
}

/// A book with channels, checks and the time in the test's hand, and a receiver for each channel that notes what it gets.
struct Desk {
  var book: AlertBook
  let checks: [MonitoringCheck]
  var writer = MessageWriter(agent: "test", region: nil, pageURL: nil)
  /// What was delivered: seconds, channel, message.
  var told: [(at: Int64, channel: String, message: AlertMessage)] = []
  /// What was sent, taken or not.
  var sent: [(at: Int64, id: UniqueID, recipients: [String]?)] = []
  var muted: Set<UniqueID> = []
  var looking: Set<UniqueID> = []
  var maintained: Set<UniqueID> = []
  /// What a receiver answers.
  var answer: (AlertMessage, Int64) -> SendOutcome = { _, _ in .delivered }
  /// What the wall clock shows more than it should.
  var step: Int64 = 0

  init(_ settings: AlertSettings, _ checks: [MonitoringCheck], saved: JSONValue? = nil, at seconds: Int64 = 0)
  {
    self.checks = checks
    book = AlertBook(
      settings, saved: saved, now: reading(seconds), generator: Counter(state: UInt64(seconds &+ 1)))
    book.apply(checks, DependencyGraph(checks), now: reading(seconds))
  }

  func now(_ seconds: Int64) -> ClockReading { reading(seconds, step: step) }

  mutating func note(_ result: CheckResult) {
    let second = monday.duration(to: result.scheduledAt).microseconds / 1_000_000
    var result = result
    result.scheduledAt = result.scheduledAt.advanced(by: .seconds(step))
    book.note(result, now: now(second))
  }

  mutating func down(_ check: MonitoringCheck, at second: Int64) { note(result(check, .down, at: second)) }
  mutating func up(_ check: MonitoringCheck, at second: Int64) { note(result(check, .up, at: second)) }

  /// Each second from one moment to another, as the agent does it.
  mutating func pass(from first: Int64, to last: Int64, by step: Int64 = 1) {
    var second = first
    while second <= last {
      tick(second)
      second += step
    }
  }

  func context(_ second: Int64) -> NotifyContext {
    let (muted, looking, maintained, now) = (muted, looking, maintained, now(second))
    var context = NotifyContext(now: now, settings: book.settings)
    func end(_ trouble: Trouble, _ set: Set<UniqueID>) -> Timestamp? {
      trouble.key.check.map(set.contains) ?? false ? now.wall.advanced(by: .seconds(60)) : nil
    }
    context.mutedUntil = { end($0, muted) }
    context.maintenanceUntil = { end($0, maintained) }
    context.isLookedAt = { end($0, looking) != nil }
    return context
  }

  mutating func tick(_ second: Int64) {
    book.advance(to: now(second))
    book.keepOpenings(writer)
    for notification in book.next(context(second)) {
      guard let message = writer.message(notification, now: now(second).wall) else { continue }
      sent.append((second, message.id, notification.recipients))
      let outcome = answer(message, second)
      book.finish(notification, outcome, title: message.title, now: now(second))
      if outcome.isDelivered { told.append((second, notification.channel.name, message)) }
    }
  }

  var kinds: [AlertMessage.Kind] { told.map(\.message.kind) }
  /// Such as `15 opened Shop is down: refused`.
  var lines: [String] { told.map { "\($0.at) \($0.message.kind.rawValue) \($0.message.title)" } }

  /// What holds a notification of the first open incident.
  func hold(_ channel: String = "ops", at second: Int64) -> NotifyStage? {
    for (_, to, decision) in book.decisions(context(second)) where to.name == channel {
      if case .hold(let stage, _, _, _) = decision { return stage }
    }
    return nil
  }

  /// As it is kept over a restart.
  mutating func saved(at second: Int64) throws -> JSONValue {
    var json = JSONWriter()
    json.object { book.encode(to: &$0, now: now(second)) }
    return try JSONValue.parse(json.bytes)
  }

  /// The same after a restart, with what was delivered before.
  mutating func restarted(at second: Int64) throws -> Desk {
    var next = Desk(book.settings, checks, saved: try saved(at: second), at: second)
    (next.told, next.sent, next.answer, next.writer) = (told, sent, answer, writer)
    return next
  }
}

extension RuleWatch {
  /// One result, at the moment of its slot.
  mutating func note(_ result: CheckResult) -> [TroubleEvent] {
    note(result, now: reading(monday.duration(to: result.scheduledAt).microseconds / 1_000_000))
  }
}

/// Both clocks at so many seconds.
func reading(_ seconds: Int64, step: Int64 = 0) -> ClockReading {
  ClockReading(boot: Instant(nanoseconds: (1_000_000 + seconds) * 1_000_000_000), wall: after(seconds + step))
}

func makeSettings(_ rules: [AlertRule] = AlertRule.defaults, channels: [String] = ["ops"]) -> AlertSettings {
  var settings = AlertSettings()
  settings.rules = rules
  settings.channels = channels.map {
    AlertChannel(name: $0, kind: .exec(ExecChannel(command: ["/bin/true", $0])))
  }
  return settings
}

func makeWebhook(_ name: String, _ format: WebhookChannel.Format) -> AlertChannel {
  guard let url = try? HTTPURL("https://hooks.example/x") else { preconditionFailure("an URL") }
  var webhook = WebhookChannel(url: url, format: format)
  if format == .pagerduty { webhook.routingKey = Redacted("key") }
  return AlertChannel(name: name, kind: .webhook(webhook))
}

func makePagerDuty(_ name: String) -> AlertChannel { makeWebhook(name, .pagerduty) }

/// The body that a channel's receiver would get.
func body(_ message: AlertMessage, _ channel: AlertChannel) throws -> JSONValue {
  try JSONValue.parse(ChannelSender.shown(message, channel).utf8)
}

func pagerDutyAction(_ message: AlertMessage) throws -> String? {
  try body(message, makePagerDuty("pd"))["event_action"]?.string
}

func rule(_ name: String, _ severity: AlertSeverity, _ checks: [String] = [], threshold: Int = 1)
  -> AlertRule
{
  AlertRule(
    name, .consecutiveFailures(threshold: threshold, recoveries: 1), severity: severity,
    selection: MaintenanceSelection(checks: Set(checks.map { ByteText($0) })))
}

func quickSettings(_ rules: [AlertRule]? = nil, channels: [String] = ["ops"]) -> AlertSettings {
  var settings = makeSettings(rules ?? [rule("down", .high)], channels: channels)
  (settings.groupWait, settings.groupInterval, settings.remind) = (.seconds(3), .seconds(10), .seconds(60))
  return settings
}
