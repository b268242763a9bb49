// SPDX-License-Identifier: MIT

import Monitoring

/// Sends ICMP echo requests over an unprivileged socket and counts what comes back before the deadline.
///
/// The response time is the average round trip, which is what everybody means by it; `timings.total` is how long
/// the run took, pauses included. The first permitted address is pinged.
package struct PingProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder

  package init(reactor: Reactor, finder: TargetFinder) {
    self.reactor = reactor
    self.finder = finder
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .ping(let settings) = check.kind else { return .unsupported(check, by: "ping") }
    let target = TargetFinder.Target(Endpoint(host: settings.host, port: 0), for: .echo)
    switch try await finder.find(target, for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let dns):
      guard let peer = addresses.first else { preconditionFailure("found no address at all") }
      let series = EchoSeries(target: peer.address, settings: settings, nonce: .random(in: 0...UInt64.max))
      let outcome = try await reactor.converse(series, over: .icmp, with: peer, until: deadline)
      return judge(outcome, check, settings, dns: dns)
    }
  }

  private func judge(
    _ outcome: Reactor.Outcome<EchoSeries>, _ check: MonitoringCheck, _ settings: PingSettings, dns: Duration?
  ) -> ProbeOutcome {
    let (series, report) = (outcome.dialogue, outcome.report)
    let peer = series.target
    let total = (dns ?? .zero) + report.elapsed
    var (verdict, assertions) = PingJudge(settings: settings, namesOffender: check.origin == .local)
      .judge(series)
    if case .failed(let code) = report.end, series.roundTrips.isEmpty {
      verdict = Verdict(pinging: report, code: code, host: settings.host)
      assertions = series.sent.isEmpty ? [] : assertions
    } else if report.isOwnLateness, !verdict.isSuccess {
      verdict = .ownLateness(report, phase: .answer)
    }
    let facts = series.sent.isEmpty ? nil : series.facts
    return ProbeOutcome(
      verdict, responseTime: facts?.average, timings: Timings(dns: dns, total: total),
      address: peer.description, ipVersion: peer.version, ping: facts, assertions: assertions)
  }
}
