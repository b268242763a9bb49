// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Outcome of resolving a host name: addresses to judge and dial, or the verdict that ends the probe.
package struct ResolvedHost: Hashable, Sendable {
  /// At most 16, in the order to try them. Empty exactly when `failure` is set.
  package var addresses: [IPAddress]
  /// Set when there is nothing to dial: the target's fault (a dns reason) or ours (local fault).
  package var failure: Verdict?
  /// From the start of resolution to its end; zero for an address literal.
  package var elapsed: Duration
  /// The part of it for which this machine held the name servers back.
  package var held: Duration
  /// The names that the answers led through, whether or not there was an address at their end.
  package var aliases: [String]
  /// Source of the answer. `nil` where there was none, as of an address literal.
  package var source: NameSource?
  /// The server's extended error beside the addresses, in our words (RFC 8914).
  package var remark: String?
  /// The extended error with the server's text.
  package var ownWords: String?

  package init(
    addresses: [IPAddress] = [], failure: Verdict? = nil, elapsed: Duration = .zero, held: Duration = .zero,
    aliases: [String] = [], source: NameSource? = nil, remark: String? = nil,
    ownWords: String? = nil
  ) {
    self.ownWords = ownWords
    self.source = source
    self.remark = remark
    self.addresses = addresses
    self.failure = failure
    self.elapsed = elapsed
    self.held = held
    self.aliases = aliases
  }

  /// Its part of the attempt's time.
  package var spent: Duration { max(.zero, elapsed - held) }
}

/// How long a name took, and who said what it stands for.
package struct NameTime: Hashable, Sendable {
  /// From the start of resolution to its end.
  package var elapsed: Duration
  /// Its part of the attempt's time, without the time that this machine held back.
  package var spent: Duration
  package var source: NameSource?
  /// How long this process was paused meanwhile.
  package let paused: Duration

  /// - Parameter paused: no part of the attempt's time: its target has all of that still.
  package init(
    elapsed: Duration, spent: Duration, source: NameSource? = nil, paused: Duration = .zero
  ) {
    (self.elapsed, self.source, self.paused) = (elapsed, source, min(elapsed, paused))
    self.spent = max(.zero, spent - self.paused)
  }
}

/// How much of a host's addresses must be known.
package enum ResolveScope: Hashable, Sendable {
  /// Those of one family, if the other's are not there a moment later.
  case any
  /// Those of both families, if they come within four such moments.
  case both
  /// Those of both families, for which half of the time is waited; it is a failure when those of one family are
  /// unknown.
  case each
}

/// Turns a host into addresses, afresh for every attempt: nothing is cached between probes.
package protocol HostResolving: Sendable {
  /// `host` is a name or an address literal without brackets; `deadline` is the whole attempt's, and resolution
  /// past it is a `dns_timeout`. Throws only when the surrounding task is cancelled: a name that does not
  /// resolve is a value.
  func resolve(_ host: String, ip: IPPreference, deadline: Instant)
    async throws(CancellationError) -> ResolvedHost

  func resolve(_ host: String, ip: IPPreference, scope: ResolveScope, deadline: Instant)
    async throws(CancellationError) -> ResolvedHost

  /// Asks these servers and no others: no hosts file, no search list. `name` is what messages call them.
  func resolve(
    _ host: String, ip: IPPreference, scope: ResolveScope, asking servers: [SocketAddress],
    called name: Endpoint, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost

  /// This machine's own knowledge of a name: no server is asked, and nothing leaves it.
  func known(_ host: String) async -> [IPAddress]
}

extension HostResolving {
  package func known(_ host: String) async -> [IPAddress] { IPAddress(host).map { [$0] } ?? [] }

  package func resolve(
    _ host: String, ip: IPPreference, scope: ResolveScope, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    try await resolve(host, ip: ip, deadline: deadline)
  }

  package func resolve(
    _ host: String, ip: IPPreference, scope: ResolveScope, asking servers: [SocketAddress],
    called name: Endpoint, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    ResolvedHost(
      failure: Verdict(.unsupported, phase: .prepare, message: "no other resolver can be asked here"))
  }
}
