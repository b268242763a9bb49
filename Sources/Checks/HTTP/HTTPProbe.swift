// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Asks a URL and follows where it leads: one deadline over everything, the egress policy on every hop, a fresh
/// connection for each.
package struct HTTPProbe: Probe {
  private let transfer: PinnedTransfer
  private let finder: TargetFinder
  private let userAgent: String
  private let tokens = TokenCache()
  private let http2Servers = HTTP2Servers()
  private let bench: JudgeBench
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - userAgent: sent unless the check has a header of that name.
  ///   - time: has the wall clock that a certificate's validity is judged by.
  package init(
    engine: CurlEngine, reactor: Reactor, finder: TargetFinder, userAgent: String,
    bench: JudgeBench = JudgeBench(), time: TimeSource = .system
  ) {
    transfer = PinnedTransfer(engine: engine, reactor: reactor)
    self.finder = finder
    self.userAgent = userAgent
    self.bench = bench
    now = time.wall
  }

  /// A token comes first where one is needed, and behind a proxy it is not the target that is dialled.
  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? {
    guard attempt.check.addresses == .each || dialsTargetFirst(attempt.check) else { return nil }
    return try await finder.find(attempt)
  }

  /// Never inlined: an asynchronous function would keep the settings for as long as it waits.
  @inline(never)
  private func dialsTargetFirst(_ check: MonitoringCheck) -> Bool {
    guard case .http(let settings) = check.kind else { return false }
    if case .oauth2 = settings.auth { return false }
    return proxy(of: check, settings) == nil
  }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    guard let plan = plan(attempt) else { return .done(.unsupported(attempt.check, by: "http")) }
    var session = HTTPSession(plan)
    if case .oauth2(let oauth2) = plan.settings.auth {
      let fetch = TokenFetch(
        cache: tokens, transfer: transfer, route: HTTPRoute(plan: plan), settings: plan.settings,
        oauth2: oauth2, userAgent: userAgent)
      let way = try await walk(session: &session, plan, fetch, at: addresses, dns: dns)
      return try await judge(way, plan, hiding: session.tokens)
    }
    let way = try await walk(session: &session, plan, nil, at: addresses, dns: dns)
    return try await judge(way, plan, hiding: [])
  }

  package func unanswered(
    _ outcome: ProbeOutcome, _ attempt: Attempt
  ) async throws(CancellationError) -> ProbeOutcome {
    guard let plan = plan(attempt) else { return outcome }
    return try await judge(HTTPTrail(plan, now: now), .ended(outcome), plan, hiding: [])
  }

  private func judge(
    _ way: Way, _ plan: HTTPPlan, hiding tokens: [String]
  ) async throws(CancellationError) -> Probed {
    switch way {
    case .walked(let trail, let end): .done(try await judge(trail, end, plan, hiding: tokens))
    case .postponed(let wait): .postponed(by: wait)
    }
  }

  /// - Parameter tokens: learned on the way; an answer may repeat them.
  private func judge(
    _ trail: HTTPTrail, _ end: HTTPTrail.End, _ plan: HTTPPlan, hiding tokens: [String]
  ) async throws(CancellationError) -> ProbeOutcome {
    try await bench.judge(
      plan.check.id, for: plan.attempt.origin(of: plan.settings.url.host), bytes: trail.weight,
      isLight: plan.settings.expect.isWithoutPatterns && !trail.isDearText
    ) { budget in
      let outcome = trail.outcome(end, within: budget)
      return tokens.isEmpty ? outcome : outcome.hiding(tokens)
    }
  }

  private func plan(_ attempt: Attempt) -> HTTPPlan? {
    let check = attempt.check
    guard case .http(let settings) = check.kind else { return nil }
    guard settings.proxy == nil, let proxy = proxy(of: check, settings) else {
      return HTTPPlan(attempt, settings, finder: finder, userAgent: userAgent)
    }
    var behindProxy = settings
    behindProxy.proxy = proxy
    return HTTPPlan(attempt, behindProxy, finder: finder, userAgent: userAgent)
  }

  /// The check's own, or the one that the agent puts in a stranger's way.
  private func proxy(of check: MonitoringCheck, _ settings: HTTPSettings) -> ProxySettings? {
    settings.proxy
      ?? (check.origin == .api ? finder.policy.settings.proxy(forHost: settings.url.host) : nil)
  }

  private enum Way {
    case walked(HTTPTrail, HTTPTrail.End)
    case postponed(by: Duration)
  }

  private func walk(
    session: inout HTTPSession, _ plan: HTTPPlan, _ fetch: TokenFetch?, at addresses: [SocketAddress],
    dns: Duration?
  ) async throws(CancellationError) -> Way {
    let route = HTTPRoute(plan: plan)
    let sender = HTTPVersionChoosing(transfer: transfer, memory: http2Servers)
    var time = AttemptTime(until: plan.attempt.deadline)
    var trail = HTTPTrail(plan, now: now)
    var step = HTTPStep(plan.settings)
    if let fetch, let failure = try await fetch.renew(&session.token, within: &time) {
      return .walked(trail, .ended(ProbeOutcome(failure)))
    }
    // For the first hop only, and not behind a proxy.
    var found = addresses.isEmpty || plan.settings.proxy != nil ? nil : addresses
    while true {
      let dialled: DialledTransfer
      let finding: TargetFinder.Finding
      if let addresses = found.take() {
        finding = .found(addresses: addresses, name: dns.map { NameTime(elapsed: $0, spent: .zero) })
      } else {
        finding = try await route.find(step.url, after: trail.source, until: time.deadline)
      }
      switch finding {
      case .ended(let outcome): return .walked(trail, .ended(outcome))
      case .postponed(let wait): return .postponed(by: wait)
      case .found(let addresses, let name):
        time.spend(name?.spent)
        dialled = try await sender.perform(
          session.request(for: step), step, plan.settings, to: addresses, until: time.deadline)
        time.spend(dialled.spent)
        trail.add(dialled, step, dns: name?.elapsed)
        trail.note(name?.source, addresses, of: step)
        if let failure = dialled.report.failure {
          return .walked(trail, .hopFailure(route.verdict(failure, of: dialled, at: step.endpoint)))
        }
      }
      switch session.decide(after: step, dialled.report, now: now) {
      case .final: return .walked(trail, .answered(nil))
      case .refused(let verdict): return .walked(trail, .answered(verdict))
      case .follow(let next): step = next
      case .again: break
      case .refuseToken(let token):
        fetch?.refuse(token)
        if let fetch, let failure = try await fetch.renew(&session.token, within: &time) {
          return .walked(trail, .answered(failure))
        }
      }
    }
  }
}
