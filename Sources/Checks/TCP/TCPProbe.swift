// SPDX-License-Identifier: MIT

import Basics
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
  private let visit: PortVisit

  /// - Parameter time: has the wall clock that a certificate's validity is judged by.
  package init(
    reactor: Reactor, finder: TargetFinder, client: TLSClient = TLSClient(trust: TrustStore()),
    time: TimeSource = .system
  ) {
    self.reactor = reactor
    self.finder = finder
    visit = PortVisit(reactor: reactor, client: client, now: time.wall)
  }

  package func probe(_ attempt: Attempt) async throws(CancellationError) -> Probed {
    let check = attempt.check
    guard let target = Self.target(of: check) else { return .done(.unsupported(check, by: "tcp")) }
    var time = AttemptTime(until: attempt.deadline)
    let finding =
      if let atOnce = finder.findAtOnce(target, for: attempt) { atOnce } else {
        try await finder.find(target, for: attempt, until: attempt.deadline)
      }
    switch finding {
    case .ended(let outcome): return .done(outcome)
    case .postponed(let wait): return .postponed(by: wait)
    case .found(let addresses, let name):
      time.spend(name?.spent)
      let dns = name?.elapsed
      if Self.speaks(check) {
        return .done(try await speak(check, at: addresses, dns: dns, until: time.deadline))
      }
      let dialled = try await reactor.connect(
        to: addresses, named: target.endpoint, until: time.deadline, keepsSocket: false)
      return .done(ProbeOutcome(dialled, dns: dns))
    }
  }

  // Functions of their own, never inlined: an asynchronous one would keep the settings for as long as it waits.

  @inline(never)
  private static func target(of check: MonitoringCheck) -> TargetFinder.Target? {
    guard case .tcp(let settings) = check.kind else { return nil }
    return TargetFinder.Target(Endpoint(host: settings.host, port: settings.port))
  }

  /// More than a connection is asked for.
  @inline(never)
  private static func speaks(_ check: MonitoringCheck) -> Bool {
    guard case .tcp(let settings) = check.kind else { return false }
    return settings.tls != nil || settings.dialog != nil
  }

  @inline(never)
  private func speak(
    _ check: MonitoringCheck, at addresses: [SocketAddress], dns: Duration?,
    until deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .tcp(let settings) = check.kind else { return .unsupported(check, by: "tcp") }
    return try await visit.perform(settings, check, at: addresses, dns: dns, until: deadline)
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
  /// A connection and nothing else. Never inlined: an asynchronous function would keep all of this while it waits.
  @inline(never)
  fileprivate init(_ dialled: Dialled, dns: Duration?) {
    let total = (dns ?? .zero) + dialled.elapsed
    self.init(
      dialled.verdict, responseTime: total,
      timings: Timings(dns: dns, connect: dialled.dialling, total: total),
      peer: dialled.peer)
    self.dialled = dialled.tries
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
