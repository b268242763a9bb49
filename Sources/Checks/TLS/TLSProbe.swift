// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Makes a TLS handshake with a port and hangs up: the certificate is the subject, nothing else is sent.
package struct TLSProbe: Probe {
  private let transfer: PinnedTransfer
  private let finder: TargetFinder
  private let now: @Sendable () -> Timestamp

  /// - Parameter now: the wall clock that validity is judged by.
  package init(
    engine: CurlEngine, reactor: Reactor, finder: TargetFinder, now: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    transfer = PinnedTransfer(engine: engine, reactor: reactor)
    self.finder = finder
    self.now = now
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .tls(let settings) = check.kind else { return .unsupported(check, by: "tls") }
    let endpoint = Endpoint(host: settings.host, port: settings.port)
    switch try await finder.find(TargetFinder.Target(endpoint), for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let dns):
      var request = TransferRequest(
        url: "https://\(endpoint)/", plan: .address("", port: 0), timeout: .zero, goal: .handshake)
      request.tls = TransferTLS(settings.options)
      let dialled = try await transfer.perform(request, to: addresses, until: deadline)
      return judge(dialled, settings, check, dns: dns)
    }
  }

  private func judge(
    _ dialled: DialledTransfer, _ settings: TLSSettings, _ check: MonitoringCheck, dns: Duration?
  ) -> ProbeOutcome {
    let now = now()
    let rule = CertificateRule(
      thresholds: settings.certificate,
      notAfter: dialled.report.tls?.chain.first.map { Timestamp(seconds: $0.notAfter) },
      now: now)
    let failure = dialled.report.failure.map {
      Verdict(
        $0, of: dialled, at: Endpoint(host: settings.host, port: settings.port), for: check)
    }
    var timings = dialled.timings
    timings.dns = dns
    timings.total = dialled.elapsed + (dns ?? .zero)
    var outcome = ProbeOutcome(
      failure ?? rule.verdict ?? .ok, responseTime: timings.total, timings: timings,
      address: dialled.peer.description, ipVersion: dialled.peer.address.version,
      tls: dialled.report.tls.map { TLSFacts($0, now: now) }, assertions: rule.assertions)
    outcome.dialled = dialled.tries
    return outcome
  }
}
