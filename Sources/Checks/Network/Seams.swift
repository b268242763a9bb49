// SPDX-License-Identifier: MIT

import Monitoring

/// What became of a host name: addresses to judge and dial, or the verdict that ends the probe.
package struct ResolvedHost: Hashable, Sendable {
  /// At most 16, in the order to try them. Empty exactly when `failure` is set.
  package var addresses: [IPAddress]
  /// Set when there is nothing to dial: the target's fault (a dns reason) or ours (local fault).
  package var failure: Verdict?
  /// From the start of resolution to its end; zero for an address literal.
  package var elapsed: Duration

  package init(addresses: [IPAddress] = [], failure: Verdict? = nil, elapsed: Duration = .zero) {
    self.addresses = addresses
    self.failure = failure
    self.elapsed = elapsed
  }
}

/// Turns a host into addresses, afresh for every attempt: nothing is cached between probes.
package protocol HostResolving: Sendable {
  /// `host` is a name or an address literal without brackets; `deadline` is the whole attempt's, and resolution
  /// past it is a `dns_timeout`. Throws only when the surrounding task is cancelled: a name that does not
  /// resolve is a value.
  func resolve(_ host: String, ip: IPPreference, deadline: ContinuousClock.Instant)
    async throws(CancellationError) -> ResolvedHost

  /// Asks these servers and nobody else: no hosts file, no search list. `name` is what messages call them.
  func resolve(
    _ host: String, ip: IPPreference, asking servers: [SocketAddress], called name: Endpoint,
    deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ResolvedHost
}

extension HostResolving {
  package func resolve(
    _ host: String, ip: IPPreference, asking servers: [SocketAddress], called name: Endpoint,
    deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> ResolvedHost {
    ResolvedHost(
      failure: Verdict(.unsupported, phase: .prepare, message: "no other resolver can be asked here"))
  }
}

/// Everything one attempt found out. `CheckRunner` makes the result of it.
package struct ProbeOutcome: Sendable {
  package var verdict: Verdict
  /// From the start of resolution to the last byte needed; nil when the probe never left this machine.
  package var responseTime: Duration?
  package var timings: Timings
  package var hops: [Hop]
  /// The address that was dialled, as text, with the port.
  package var address: String?
  /// 4 or 6.
  package var ipVersion: Int?
  package var statusCode: Int?
  package var httpVersion: String?
  package var tls: TLSFacts?
  package var dns: DNSFacts?
  package var ping: PingFacts?
  /// What was said, in order, up to the step that failed.
  package var dialog: [DialogStepFacts] = []
  /// Every condition that could be judged, also those that hold.
  package var assertions: [Assertion]
  /// On failure only: at most 1 KiB of what the target said, redacted.
  package var excerpt: String?
  /// The addresses that were raced, of all hops; empty where there was no choice.
  package var dialled: [DialledAddress] = []
  /// With `addresses: each`: what every address came to.
  package var addresses: [AddressVerdict] = []
  /// With `negate`: the verdict before it changed sides; nil where it did not.
  package var negated: Verdict?
  /// How long the attempt was held back before it began: lateness, no part of any time in here.
  package var held: Duration = .zero
  /// Nothing was tried yet: the attempt is to be made again after this long.
  package var postponed: Duration?

  package init(
    _ verdict: Verdict, responseTime: Duration? = nil, timings: Timings = Timings(), hops: [Hop] = [],
    address: String? = nil, ipVersion: Int? = nil, statusCode: Int? = nil, httpVersion: String? = nil,
    tls: TLSFacts? = nil, dns: DNSFacts? = nil, ping: PingFacts? = nil, assertions: [Assertion] = [],
    excerpt: String? = nil
  ) {
    self.verdict = verdict
    self.responseTime = responseTime
    self.timings = timings
    self.hops = hops
    self.address = address
    self.ipVersion = ipVersion
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.tls = tls
    self.dns = dns
    self.ping = ping
    self.assertions = assertions
    self.excerpt = excerpt
  }
}

/// One kind of probe. An attempt is one fresh connection (or exchange) and one verdict.
package protocol Probe: Sendable {
  /// The attempt is over by `deadline`, resolution and redirects included. Throws only when the surrounding
  /// task is cancelled: a failing target is a value.
  func attempt(_ check: MonitoringCheck, deadline: ContinuousClock.Instant)
    async throws(CancellationError) -> ProbeOutcome
}
