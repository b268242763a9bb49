// SPDX-License-Identifier: MIT

import Monitoring

/// Resolve, then judge: every probe finds its target this way, once per attempt, and dials only what it gets.
package struct TargetFinder: Sendable {
  package let resolver: any HostResolving
  package let policy: EgressPolicy

  package init(resolver: any HostResolving, policy: EgressPolicy) {
    self.resolver = resolver
    self.policy = policy
  }

  /// What to look for.
  package struct Target: Hashable, Sendable {
    package var endpoint: Endpoint
    package var purpose: EgressPurpose

    package init(_ endpoint: Endpoint, for purpose: EgressPurpose = .connection) {
      self.endpoint = endpoint
      self.purpose = purpose
    }
  }

  package enum Finding: Sendable {
    /// At least one address, all of them permitted. `dns` is nil where the host is an address itself.
    case found(addresses: [SocketAddress], dns: Duration?)
    /// There is nothing to dial; this is the attempt's outcome.
    case ended(ProbeOutcome)
  }

  package func find(
    _ target: Target, for check: MonitoringCheck, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> Finding {
    let endpoint = target.endpoint
    let host = try await resolver.resolve(endpoint.host, ip: check.ip, deadline: deadline)
    let dns = IPAddress(endpoint.host) == nil ? host.elapsed : nil
    if let failure = host.failure {
      return .ended(ProbeOutcome(failure, responseTime: dns, timings: Timings(dns: dns, total: dns)))
    }
    var refusal = "\(endpoint.host) has no address"
    let permitted = host.addresses.filter { address in
      let verdict = policy.judge(address, port: endpoint.port, origin: check.origin, purpose: target.purpose)
      guard case .denied(let why) = verdict else { return true }
      refusal = why
      return false
    }
    guard !permitted.isEmpty else {
      // No timing: how long a refusal took would tell a stranger what the name resolved to.
      return .ended(ProbeOutcome(Verdict(.policyDenied, phase: .prepare, message: refusal)))
    }
    return .found(addresses: permitted.map { SocketAddress($0, port: endpoint.port) }, dns: dns)
  }
}
