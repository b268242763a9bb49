// SPDX-License-Identifier: MIT

import Monitoring

/// Connects to a port and hangs up.
///
/// A completed TCP handshake is success: nothing is sent or read, so a server that resets right after it accepted
/// is up, one that floods us is closed at once, and neither can hold the probe. With several addresses they are
/// tried in turn, each with its share of the time that is left.
package struct TCPProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder

  package init(reactor: Reactor, finder: TargetFinder) {
    self.reactor = reactor
    self.finder = finder
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard case .tcp(let settings) = check.kind else { return .unsupported(check, by: "tcp") }
    let target = TargetFinder.Target(Endpoint(host: settings.host, port: settings.port))
    switch try await finder.find(target, for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let dns):
      let dialled = try await reactor.dial(addresses, named: target.endpoint, until: deadline)
      let total = (dns ?? .zero) + dialled.elapsed
      return ProbeOutcome(
        dialled.verdict, responseTime: total,
        timings: Timings(dns: dns, connect: dialled.connect, total: total),
        address: dialled.peer.description, ipVersion: dialled.peer.address.version)
    }
  }
}

/// How dialling a list of addresses went.
struct DialOutcome: Sendable {
  var verdict: Verdict
  /// The one that answered, or the last that was tried.
  var peer: SocketAddress
  /// Of the connection that stands; nil when none does.
  var connect: Duration?
  /// Over all tries.
  var elapsed: Duration
}

extension Reactor {
  /// Connects to the first address that lets us, and closes. Messages call the target by `name`: they leave this
  /// machine, and what a stranger's name resolves to in here is none of the stranger's business.
  func dial(
    _ addresses: [SocketAddress], named name: Endpoint, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> DialOutcome {
    var elapsed = Duration.zero
    var worst: (verdict: Verdict, peer: SocketAddress)?
    for (index, peer) in addresses.enumerated() {
      let now = ContinuousClock.now
      let share = now + now.duration(to: deadline) / (addresses.count - index)
      let report = try await converse(Silence(), over: .tcp, with: peer, until: share).report
      elapsed += report.elapsed
      if report.end == .done {
        return DialOutcome(verdict: .ok, peer: peer, connect: report.elapsed, elapsed: elapsed)
      }
      let verdict = Verdict(connecting: report, to: name)
      // A fault of this machine for one address says nothing about another: what a target did outweighs it.
      if worst == nil || !verdict.reason.isLocal || worst?.verdict.reason.isLocal == true {
        worst = (verdict, peer)
      }
    }
    guard let worst else { preconditionFailure("dialled no address at all") }
    var verdict = worst.verdict
    if addresses.count > 1, let message = verdict.message {
      verdict = Verdict(
        verdict.reason, phase: verdict.phase, message: "\(message); \(addresses.count) addresses tried")
    }
    return DialOutcome(verdict: verdict, peer: worst.peer, connect: nil, elapsed: elapsed)
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
