// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Connects to a port and, where the check says so, makes a TLS handshake and speaks a dialog; then hangs up.
///
/// With neither, a completed TCP handshake is success: nothing is sent or read, so a server that resets right after
/// it accepted is up, one that floods us is closed at once, and neither can hold the probe. Several addresses are
/// raced (RFC 8305).
package struct TCPProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder
  private let exchange: PortExchange

  /// - Parameter now: the wall clock that a certificate's validity is judged by.
  package init(
    reactor: Reactor, finder: TargetFinder, client: TLSClient = TLSClient(trust: TrustStore()),
    now: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    self.reactor = reactor
    self.finder = finder
    exchange = PortExchange(reactor: reactor, client: client, now: now)
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .tcp(let settings) = check.kind else { return .unsupported(check, by: "tcp") }
    let target = TargetFinder.Target(Endpoint(host: settings.host, port: settings.port))
    switch try await finder.find(target, for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let dns) where settings.tls != nil || settings.dialog != nil:
      return try await exchange.perform(settings, check, at: addresses, dns: dns, until: deadline)
    case .found(let addresses, let dns):
      let dialled = try await reactor.connect(to: addresses, named: target.endpoint, until: deadline)
      let total = (dns ?? .zero) + dialled.elapsed
      var outcome = ProbeOutcome(
        dialled.verdict, responseTime: total,
        timings: Timings(dns: dns, connect: dialled.connect, total: total),
        address: dialled.peer.description, ipVersion: dialled.peer.address.version)
      outcome.dialled = dialled.tries
      return outcome
    }
  }
}

extension Verdict {
  /// What a connection that never stood says.
  init(connecting report: FlowReport, to peer: Endpoint) {
    switch report.end {
    case .failed(let code): self.init(errno: code, phase: .connect, peer: peer)
    case .timedOut where report.isOwnLateness: self = .ownLateness(report, phase: .connect)
    case .timedOut, .closed, .done:
      let waited = report.elapsed.roundedText
      self.init(.connectTimeout, phase: .connect, message: "\(peer) did not accept within \(waited)")
    }
  }
}

extension ProbeOutcome {
  /// A check was handed to the wrong probe: a mistake of ours, never an outage.
  static func unsupported(_ check: MonitoringCheck, by probe: String) -> ProbeOutcome {
    let message = "the \(probe) probe cannot run a check of type \(check.type.rawValue)"
    return ProbeOutcome(Verdict(.unsupported, phase: .prepare, message: message))
  }
}

extension Duration {
  /// To the millisecond, to the microsecond below one: for messages.
  var roundedText: String {
    if self < .milliseconds(1) { return Duration.microseconds(microseconds).text }
    return Duration.milliseconds(Int((microseconds + 500) / 1000)).text
  }
}
