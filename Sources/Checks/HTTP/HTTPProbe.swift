// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Asks a URL and follows where it leads: one deadline over everything, the egress policy on every hop, a fresh
/// connection for each.
package struct HTTPProbe: Probe {
  private let transfer: PinnedTransfer
  private let finder: TargetFinder
  private let userAgent: String
  private let tokens = TokenCache()
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - userAgent: sent unless the check has a header of that name.
  ///   - now: the wall clock that a certificate's validity is judged by.
  package init(
    engine: CurlEngine, reactor: Reactor, finder: TargetFinder, userAgent: String,
    now: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    transfer = PinnedTransfer(engine: engine, reactor: reactor)
    self.finder = finder
    self.userAgent = userAgent
    self.now = now
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .http(var settings) = check.kind else { return .unsupported(check, by: "http") }
    if check.origin == .api, settings.proxy == nil {
      settings.proxy = finder.policy.settings.proxy(forHost: settings.url.host)
    }
    let route = HTTPRoute(finder: finder, check: check, proxy: settings.proxy)
    var session = HTTPSession(settings)
    let trail = HTTPTrail(settings, now: now())
    if case .oauth2(let oauth2) = settings.auth {
      let fetch = TokenFetch(
        cache: tokens, transfer: transfer, route: route, settings: settings, oauth2: oauth2,
        userAgent: userAgent)
      return try await walk(session: &session, trail, route, settings, fetch, until: deadline)
        .hiding(session.token)
    }
    return try await walk(session: &session, trail, route, settings, nil, until: deadline)
  }

  private func walk(
    session: inout HTTPSession, _ beginning: HTTPTrail, _ route: HTTPRoute, _ settings: HTTPSettings,
    _ fetch: TokenFetch?, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    var trail = beginning
    var step = HTTPStep(settings)
    if let fetch, let failure = try await fetch.renew(&session.token, until: deadline) {
      return trail.outcome(endedBy: ProbeOutcome(failure))
    }
    while true {
      switch try await route.find(step.url, after: trail.last?.peer, until: deadline) {
      case .ended(let outcome): return trail.outcome(endedBy: outcome)
      case .found(let addresses, let dns):
        let request = session.request(for: step, userAgent: userAgent)
        let dialled = try await transfer.perform(request, to: addresses, until: deadline)
        trail.add(dialled, step, dns: dns)
        if let failure = dialled.report.failure {
          return trail.outcome(failure: route.verdict(failure, of: dialled, at: step.endpoint))
        }
      }
      guard let report = trail.last?.report else { continue }
      switch session.decide(after: step, report, now: now()) {
      case .final: return trail.outcome(failure: nil)
      case .refused(let verdict): return trail.outcome(failure: verdict)
      case .follow(let next): step = next
      case .again: break
      case .refuseToken(let token):
        fetch?.refuse(token)
        if let fetch, let failure = try await fetch.renew(&session.token, until: deadline) {
          return trail.outcome(failure: failure)
        }
      }
    }
  }
}
