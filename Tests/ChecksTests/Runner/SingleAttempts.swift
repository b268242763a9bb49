// SPDX-License-Identifier: MIT

import Basics
import Monitoring

@testable import Checks

extension Probe {
  /// One attempt, and no run around it.
  func attempt(
    _ check: MonitoringCheck, deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    try await CheckRunner(everyKind: self).outcome(of: Attempt(of: check, until: deadline))
  }
}

extension TargetFinder {
  func find(
    _ target: Target, for check: MonitoringCheck, until deadline: Instant
  ) async throws(CancellationError) -> Finding {
    try await find(target, for: Attempt(of: check, until: deadline), until: deadline)
  }

  func find(
    _ endpoint: Endpoint, redirectedFrom source: IPAddress, for check: MonitoringCheck,
    until deadline: Instant
  ) async throws(CancellationError) -> Finding {
    try await find(
      endpoint, redirectedFrom: source, for: Attempt(of: check, until: deadline), until: deadline)
  }
}

extension CheckRunner {
  /// The same probe for every kind of check.
  init(
    everyKind probe: some Probe, time: TimeSource = .system,
    fault: @escaping @Sendable (IPAddress) -> String? = { _ in nil },
    refusal: @escaping @Sendable (IPAddress) -> String? = { _ in nil },
    absence: @escaping @Sendable (IPAddress) -> String? = { _ in nil }
  ) {
    self.init(
      http: probe, tcp: probe, dns: probe, tls: probe, ping: probe, time: time, fault: fault,
      refusal: refusal, absence: absence)
  }
}
