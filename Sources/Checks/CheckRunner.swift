// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Which run of a check this is.
package struct ProbeSlot: Hashable, Sendable {
  /// The slot of the schedule; for a manual run, when it was asked for.
  package var scheduledAt: Timestamp
  package var trigger: Trigger
  /// From the slot to the start, by the monotonic clock. `nil` for the wall clock.
  package var late: Duration?

  package init(scheduledAt: Timestamp, trigger: Trigger, late: Duration? = nil) {
    self.scheduledAt = scheduledAt
    self.trigger = trigger
    self.late = late
  }
}

/// Runs a check once: attempts, retries, confirmation; and makes the result, the only place that does.
///
/// One attempt, then up to `retries` more, `retryDelay` apart. When all failed, and there were retries, one
/// confirmation after `confirmDelay`. The first success ends the run; the result is that of the last attempt.
package struct CheckRunner: Sendable {
  private let http: any Probe
  private let tcp: any Probe
  private let dns: any Probe
  private let tls: any Probe
  private let ping: any Probe
  private let heartbeat: any Probe
  let time: TimeSource
  let fault: @Sendable (IPAddress) -> String?
  let refusal: @Sendable (IPAddress) -> String?
  let absence: @Sendable (IPAddress) -> String?
  /// Asked before a check is called down; nil where there are no canaries.
  package var canaries: CanaryWatch?
  /// The same of what a check depends on.
  package var parents: ParentWatch?
  /// Results carry a `ProbeAccount`.
  package var explains = false
  /// Runs are made on request, beside the schedule, and have a share of their own.
  package var isAsked = false

  /// One probe for each kind of check.
  ///
  /// - Parameters:
  ///   - time: the system's, or a test's.
  ///   - fault: the fault on this machine's path to an address, for people; `nil` where none is known.
  ///   - refusal: that this machine's own routes lead nowhere, for people; `nil` where they lead on, or it is not
  ///     known.
  ///   - absence: that no host on a network of this machine has the address, for people; `nil` where it is not known.
  package init(
    http: any Probe, tcp: any Probe, dns: any Probe, tls: any Probe, ping: any Probe,
    heartbeat: any Probe = HeartbeatProbe(desk: nil),
    time: TimeSource = .system,
    fault: @escaping @Sendable (IPAddress) -> String? = { _ in nil },
    refusal: @escaping @Sendable (IPAddress) -> String? = { _ in nil },
    absence: @escaping @Sendable (IPAddress) -> String? = { _ in nil }
  ) {
    self.http = http
    self.tcp = tcp
    self.dns = dns
    self.tls = tls
    self.ping = ping
    self.heartbeat = heartbeat
    self.time = time
    self.fault = fault
    self.refusal = refusal
    self.absence = absence
  }

  /// Verdict of one attempt, without retries and without a result.
  package func verdictNow(_ check: MonitoringCheck) async throws(CancellationError) -> Verdict {
    if check.isWithheld { return .withheld(check) }
    var attempts: [AttemptFacts] = []
    return try await attempt(check, &attempts).verdict
  }

  /// Throws only when the surrounding task is cancelled; a cancelled run leaves no result.
  package func run(_ check: MonitoringCheck, slot: ProbeSlot) async throws(CancellationError) -> CheckResult {
    let startedAt = time.wall()
    if check.isWithheld { return withheld(check, slot: slot, startedAt: startedAt) }
    var attempts: [AttemptFacts] = []
    var began = time.instant()
    var outcome = try await attempt(check, &attempts)
    let late = outcome.held
    var (held, retries) = (late, 0)
    while outcome.deservesRetry, retries < check.plan.retries {
      try await time.sleep(for: check.plan.retryDelay)
      retries += 1
      began = time.instant()
      outcome = try await attempt(check, after: outcome, held: held, &attempts)
      held += outcome.held
    }
    if outcome.deservesRetry, check.plan.retries > 0, check.plan.confirmDelay > .zero {
      try await time.sleep(for: check.plan.confirmDelay)
      began = time.instant()
      outcome = try await attempt(check, after: outcome, held: held, &attempts)
      if outcome.verdict.state == .down { outcome.verdict = outcome.verdict.confirmed(after: retries) }
    }
    // Of a check that must fail, the failure is what the uplink would excuse.
    let found = outcome.negated ?? outcome.verdict
    let needsUplink = outcome.needsUplink(for: check)
    if found.state == .down,
      let excuse = await excuse(for: found, since: began, of: check, needsUplink: needsUplink)
    {
      outcome.verdict = excuse
    }
    if Task.isCancelled { throw CancellationError() }
    var slot = slot
    slot.late = slot.late.map { $0 + late }
    return result(of: outcome, attempts, check: check, slot: slot, startedAt: startedAt.advanced(by: late))
  }

  /// Verdict on a failure, given the other failures at the moment. `nil` leaves it unchanged.
  private func excuse(
    for found: Verdict, since start: Instant, of check: MonitoringCheck, needsUplink: Bool
  ) async -> Verdict? {
    if needsUplink, let names = await canaries?.failing(since: start, about: check) {
      return found.excused(by: names)
    }
    guard let name = await parents?.failing(since: start, about: check) else { return nil }
    return found.inherited(from: name, isStrict: check.plan.strictDowntime)
  }

  private func attempt(
    _ check: MonitoringCheck, after last: ProbeOutcome? = nil, held: Duration = .zero,
    _ attempts: inout [AttemptFacts]
  ) async throws(CancellationError) -> ProbeOutcome {
    let startedAt = time.wall()
    let attempt = Attempt(
      of: check, until: time.instant() + check.timeout, isSecondLook: last?.verdict.phase == .connect,
      explains: explains, isAsked: isAsked, held: held)
    var outcome = try await self.outcome(of: attempt)
    // A probe may have ended well before it saw the cancel, or because of it: nobody wants to know any more.
    if Task.isCancelled { throw CancellationError() }
    Self.judge(&outcome, of: check)
    attempts.append(
      AttemptFacts(
        startedAt: startedAt.advanced(by: outcome.held), status: outcome.verdict.status,
        reason: outcome.verdict.reason,
        responseTime: outcome.responseTime, dialled: outcome.dialled))
    return outcome
  }

  /// Rules for every kind of check.
  static func judge(_ outcome: inout ProbeOutcome, of check: MonitoringCheck) {
    ResponseTimeRule(check.plan.responseTime).judge(&outcome)
    PauseRule(timeout: check.timeout).judge(&outcome)
    outcome.tellLostSYNs()
    outcome.tellLostSegments()
    if check.plan.negate { NegateRule(check.type).judge(&outcome) }
  }

  func probe(for type: CheckType) -> any Probe {
    switch type {
    case .http: http
    case .tcp: tcp
    case .dns: dns
    case .tls: tls
    case .ping: ping
    case .heartbeat: heartbeat
    }
  }

  /// The result of a check that cannot be asked here.
  @inline(never)
  private func withheld(_ check: MonitoringCheck, slot: ProbeSlot, startedAt: Timestamp) -> CheckResult {
    let verdict = Verdict.withheld(check)
    let attempt = AttemptFacts(
      startedAt: startedAt, status: verdict.status, reason: verdict.reason, responseTime: nil)
    return result(of: ProbeOutcome(verdict), [attempt], check: check, slot: slot, startedAt: startedAt)
  }

  /// Never inlined: in an asynchronous function all of this would be kept for as long as it waits.
  @inline(never)
  private func result(
    of outcome: ProbeOutcome, _ attempts: [AttemptFacts], check: MonitoringCheck, slot: ProbeSlot,
    startedAt: Timestamp
  ) -> CheckResult {
    var generator = RandomPool()
    var result = CheckResult(
      id: .v7(at: time.wall(), using: &generator), check: check, trigger: slot.trigger,
      scheduledAt: slot.scheduledAt, startedAt: startedAt,
      // The wall clock may have stepped back since the slot.
      late: slot.late ?? max(.zero, slot.scheduledAt.duration(to: startedAt)), verdict: outcome.verdict,
      facts: outcome.facts)
    result.attempts = attempts
    if outcome.verdict.isSuccess { result.facts.excerpt = nil }
    result.isHeldBack = outcome.isHeldBack
    return result
  }
}

extension MonitoringCheck {
  /// A secret is missing, so that a probe would ask another question. A heartbeat asks the agent, by the check's id.
  fileprivate var isWithheld: Bool { unread != nil && type != .heartbeat }
}

extension ProbeOutcome {
  /// A refusal of the policy or an error of this machine will not change within a run; and a budget that holds back a
  /// probe is not pressed.
  fileprivate var deservesRetry: Bool {
    !verdict.isSuccess && !isHeldBack && verdict.reason != .policyDenied && verdict.reason != .unsupported
  }

  /// False where the failure happened on this machine: a job reports to the agent itself, and a target on the loopback is no
  /// network away. A name server or a proxy there may need the uplink for its answer.
  fileprivate func needsUplink(for check: MonitoringCheck) -> Bool {
    switch check.type {
    case .heartbeat: false
    case .dns: true
    case .http, .tcp, .tls, .ping: check.ownTarget == nil || self.peer?.address.addressClass != .loopback
    }
  }
}

extension Verdict {
  fileprivate static func withheld(_ check: MonitoringCheck) -> Verdict {
    Verdict(.localFault, phase: .prepare, message: check.unread?.words)
  }

  /// The fault is unknown while no canary works.
  fileprivate func excused(by canaries: [String]) -> Verdict {
    let words = "our own uplink seems down, for no canary answers (\(canaries.joined(separator: ", ")))"
    var excused = with(message: message.map { "\(words): \($0)" } ?? words)
    excused.isUnknown = true
    return excused
  }

  /// A failure along with a dependency says nothing about the target. Where it counts as downtime all the same, the
  /// words at least say it.
  fileprivate func inherited(from parent: String, isStrict: Bool) -> Verdict {
    let cause = "\"\(parent.printable(maxBytes: 100))\", which it depends on, is down"
    let words = message.map { "\(cause): \($0)" } ?? cause
    return isStrict ? with(message: words) : Verdict(.dependency, phase: phase, message: words)
  }

  fileprivate func confirmed(after retries: Int) -> Verdict {
    let words = "confirmed failure after \(counted(retries, "retry", "retries"))"
    return with(message: message.map { "\(words): \($0)" } ?? words)
  }
}
