// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Asks a URL and follows where it leads: one deadline over everything, the egress policy on every hop, a fresh
/// connection for each.
package struct HTTPProbe: Probe {
  private let transfer: PinnedTransfer
  private let finder: TargetFinder
  private let userAgent: String
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - userAgent: sent unless the check has a header of that name.
  ///   - now: the wall clock that a certificate's validity is judged by.
  package init(
    engine: CurlEngine, finder: TargetFinder, userAgent: String,
    now: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    transfer = PinnedTransfer(engine: engine)
    self.finder = finder
    self.userAgent = userAgent
    self.now = now
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .http(let settings) = check.kind else { return .unsupported(check, by: "http") }
    var rule = RedirectRule(settings)
    var trail = HTTPTrail(settings, now: now())
    var step = HTTPStep(settings)
    while true {
      switch try await find(step, check, after: trail.last?.peer, until: deadline) {
      case .ended(let outcome): return trail.outcome(endedBy: outcome)
      case .found(let addresses, let dns):
        let request = step.request(settings, userAgent: userAgent)
        let dialled = try await transfer.perform(request, to: addresses, until: deadline)
        trail.add(dialled, step, dns: dns)
        if let failure = dialled.report.failure {
          return trail.outcome(failure: Verdict(failure, of: dialled, at: step.endpoint, for: check))
        }
        let report = dialled.report
        switch rule.decide(after: step, status: report.statusCode, location: report.header("location")) {
        case .final: return trail.outcome(failure: nil)
        case .refused(let verdict): return trail.outcome(failure: verdict)
        case .follow(let next): step = next
        }
      }
    }
  }

  /// Where a step goes. The first is judged as the check's own target; a redirect's addresses are also held against
  /// the address that sent us there.
  private func find(
    _ step: HTTPStep, _ check: MonitoringCheck, after source: SocketAddress?,
    until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> TargetFinder.Finding {
    guard let source else {
      return try await finder.find(TargetFinder.Target(step.endpoint), for: check, until: deadline)
    }
    let host = try await finder.resolver.resolve(step.url.host, ip: check.ip, deadline: deadline)
    if let failure = host.failure {
      // A stranger's page must not learn which names exist in here.
      if check.origin == .api, !failure.reason.isLocal { return .ended(ProbeOutcome(RedirectRule.denied)) }
      let dns = IPAddress(step.url.host) == nil ? host.elapsed : nil
      return .ended(ProbeOutcome(failure, timings: Timings(dns: dns)))
    }
    let permitted = host.addresses.filter { address in
      finder.policy.judgeRedirect(
        from: source.address, to: address, port: step.url.port, origin: check.origin) == .allowed
    }
    guard !permitted.isEmpty else { return .ended(ProbeOutcome(RedirectRule.denied)) }
    return .found(
      addresses: permitted.map { SocketAddress($0, port: step.url.port) },
      dns: IPAddress(step.url.host) == nil ? host.elapsed : nil)
  }
}
