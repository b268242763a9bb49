// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Asks, when nobody answered another probe, whether this machine's own link and gateway are there: while they are
/// not, silence says nothing about the target, and a whole network must not look down.
package struct OwnPathProbe: Probe {
  private let inner: any Probe
  private let fault: @Sendable (IPAddress) -> String?

  package init(_ inner: any Probe) { self.init(inner, fault: LocalPath.fault) }

  init(_ inner: any Probe, fault: @escaping @Sendable (IPAddress) -> String?) {
    self.inner = inner
    self.fault = fault
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    var outcome = try await inner.attempt(check, deadline: deadline)
    guard Self.silence.contains(outcome.verdict.reason), let address = outcome.peer?.address else {
      return outcome
    }
    if let words = fault(address) {
      outcome.verdict = Verdict(.localFault, phase: outcome.verdict.phase ?? .connect, message: words)
    }
    return outcome
  }

  /// What a dead link of our own looks like.
  private static let silence: Set<Reason> = [.connectTimeout, .connectUnreachable, .dnsTimeout, .pingTimeout]
}
