// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Connects to a port and, where the check says so, makes a TLS handshake and speaks a dialog; then hangs up.
///
/// With neither, a completed TCP handshake is success: nothing is sent or read, so a server that resets right after
/// it accepted is up, one that floods us is closed at once, and neither can hold the probe. Several addresses are
/// raced (RFC 8305).
package struct TCPProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder
  private let visit: PortVisit

  /// - Parameters:
  ///   - talks: of checks with a handshake or a dialog; nil: the same.
  ///   - time: has the wall clock that a certificate's validity is judged by.
  package init(
    reactor: Reactor, talks: Reactor? = nil, finder: TargetFinder,
    client: TLSClient = TLSClient(trust: TrustStore()),
    time: TimeSource = .system
  ) {
    self.reactor = reactor
    self.finder = finder
    visit = PortVisit(reactor: talks ?? reactor, client: client, now: time.wall)
  }

  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? {
    try await finder.find(attempt)
  }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let check = attempt.check
    guard let endpoint = Self.endpoint(of: check) else { return .done(.unsupported(check, by: "tcp")) }
    if Self.speaks(check) {
      return .done(try await speak(attempt, at: addresses, dns: dns))
    }
    let dialled = try await reactor.connect(
      to: addresses, named: endpoint, until: attempt.deadline, timeout: check.timeout,
      keepsSocket: false)
    return .done(ProbeOutcome(dialled, dns: dns))
  }

  // Functions of their own, never inlined: an asynchronous one would keep the settings for as long as it waits.

  @inline(never)
  private static func endpoint(of check: MonitoringCheck) -> Endpoint? {
    guard case .tcp(let settings) = check.kind else { return nil }
    return Endpoint(host: settings.host, port: settings.port)
  }

  /// More than a connection is asked for.
  @inline(never)
  private static func speaks(_ check: MonitoringCheck) -> Bool {
    guard case .tcp(let settings) = check.kind else { return false }
    return settings.tls != nil || settings.dialog != nil
  }

  @inline(never)
  private func speak(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> ProbeOutcome {
    let check = attempt.check
    guard case .tcp(let settings) = check.kind else { return .unsupported(check, by: "tcp") }
    return try await visit.perform(
      settings, check, for: attempt.origin(of: settings.host), at: addresses, dns: dns,
      until: attempt.deadline)
  }
}

extension ProbeOutcome {
  /// A connection and nothing else. Never inlined: an asynchronous function would keep all of this while it waits.
  @inline(never)
  fileprivate init(_ dialled: Dialled, dns: Duration?) {
    let total = (dns ?? .zero) + dialled.elapsed
    self.init(
      dialled.verdict, responseTime: total,
      timings: Timings(dns: dns, connect: dialled.dialling, total: total),
      peer: dialled.peer)
    self.dialled = dialled.tries
    self.tcp = dialled.tcp
    paused = dialled.paused
  }

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
