// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Makes a TLS handshake with a port, after STARTTLS where the check says so, and hangs up: the certificate is the
/// subject, nothing else is said.
package struct TLSProbe: Probe {
  private let visit: PortVisit
  private let finder: TargetFinder

  /// - Parameter time: has the wall clock that validity is judged by.
  package init(
    reactor: Reactor, finder: TargetFinder, client: TLSClient,
    time: TimeSource = .system
  ) {
    visit = PortVisit(reactor: reactor, client: client, now: time.wall)
    self.finder = finder
  }

  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? {
    try await finder.find(attempt)
  }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let check = attempt.check
    guard case .tls(let settings) = check.kind else { return .done(.unsupported(check, by: "tls")) }
    let port = TCPSettings(
      host: settings.host, port: settings.port, tls: settings.options, startTLS: settings.startTLS,
      dialog: nil, certificate: settings.certificate)
    return .done(
      try await visit.perform(
        port, check, for: attempt.origin(of: port.host), at: addresses, dns: dns, until: attempt.deadline))
  }
}
