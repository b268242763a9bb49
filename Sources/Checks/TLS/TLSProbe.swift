// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

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

  package func probe(_ attempt: Attempt) async throws(CancellationError) -> Probed {
    let check = attempt.check
    guard case .tls(let settings) = check.kind else { return .done(.unsupported(check, by: "tls")) }
    let target = TargetFinder.Target(Endpoint(host: settings.host, port: settings.port))
    var time = AttemptTime(until: attempt.deadline)
    switch try await finder.find(target, for: attempt, until: attempt.deadline) {
    case .ended(let outcome): return .done(outcome)
    case .postponed(let wait): return .postponed(by: wait)
    case .found(let addresses, let name):
      time.spend(name?.spent)
      let dns = name?.elapsed
      let port = TCPSettings(
        host: settings.host, port: settings.port, tls: settings.options, startTLS: settings.startTLS,
        dialog: nil, certificate: settings.certificate)
      return .done(try await visit.perform(port, check, at: addresses, dns: dns, until: time.deadline))
    }
  }
}
