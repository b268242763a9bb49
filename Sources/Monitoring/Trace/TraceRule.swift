// SPDX-License-Identifier: MIT

import Basics

/// Why a trace is made.
package enum TraceCause: Hashable, Sendable {
  /// The check went down, for this reason.
  case failure(Reason)
  /// A success took longer than usual.
  case slow(took: Duration, usual: TraceUsual)
  /// To have something to compare with.
  case good

  /// One word for programs.
  package var word: String {
    switch self {
    case .failure: "failure"
    case .slow: "slow"
    case .good: "good"
    }
  }
}

/// How long a check takes as a rule.
package struct TraceUsual: Hashable, Sendable {
  /// Results it is made of.
  package var count: Int64
  package var p99: Duration

  package init(count: Int64, p99: Duration) { (self.count, self.p99) = (count, p99) }

  /// With fewer results the usual time is not known: the 99th percentile of few is their longest.
  package static let enough: Int64 = 100
}

/// Which results call for a look at the way, each by itself: pure.
package enum TraceRule {
  /// A check whose target may be traced, whatever comes of it.
  package static func covers(_ check: MonitoringCheck, _ settings: TraceSettings) -> Bool {
    settings.isOn && check.plan.trace && check.type != .heartbeat
      && (check.origin == .local || settings.apiChecks)
  }

  /// The address that was probed, where there is a way to it: behind a proxy there is none of ours, and none to this
  /// machine itself.
  package static func target(of result: CheckResult) -> SocketAddress? {
    guard let peer = result.facts.peer, !peer.address.isLoopback, !peer.address.isNobodys else { return nil }
    return peer
  }

  /// A failure that the way may explain.
  package static func concerns(_ result: CheckResult) -> Bool {
    guard result.state == .down, result.reason.mayLieOnTheWay, result.phase != .proxy else { return false }
    // Of another check it is about a name server that nobody dialled for it.
    return result.reason != .dnsTimeout || result.type == .dns
  }

  /// Method of the trace that is most like the check's own probe.
  package static func method(of check: MonitoringCheck) -> TraceMethod? {
    switch check.kind {
    case .dns(let dns): dns.transport == .udp ? .udp : nil
    case .ping(let ping): ping.port == nil ? .icmp : nil
    default: nil
    }
  }

  /// `nil` where it is as usual, or the usual time is not known yet.
  package static func slowness(_ result: CheckResult, _ usual: TraceUsual?, factor: Int) -> TraceCause? {
    guard factor > 0, let usual, usual.count >= TraceUsual.enough, let took = result.facts.responseTime,
      took > usual.p99 * factor
    else { return nil }
    return .slow(took: took, usual: usual)
  }
}

extension Reason {
  /// Failures that packets lost on the path, or answered by a device on it, can cause.
  package var mayLieOnTheWay: Bool {
    switch self {
    case .connectRefused, .connectTimeout, .connectUnreachable, .connectionReset, .connectionClosed,
      .tlsTimeout, .tlsHandshake, .firstByteTimeout, .pingTimeout, .pingLoss, .dnsTimeout:
      true
    default: false
    }
  }
}
