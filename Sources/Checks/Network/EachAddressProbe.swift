// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Lets another probe make a verdict for every address of a check's host, where the check asks for it
/// (`addresses: each`). One address that fails fails the check.
///
/// The name is resolved once; all permitted addresses, 16 at most, are then probed at the same time, so that each has
/// the whole of the time that is left.
package struct EachAddressProbe: Probe {
  private let inner: any Probe
  private let finder: TargetFinder

  package init(_ inner: any Probe, finder: TargetFinder) {
    self.inner = inner
    self.finder = finder
  }

  package func attempt(
    _ check: MonitoringCheck, deadline: Instant
  ) async throws(CancellationError) -> ProbeOutcome {
    guard check.addresses == .each, check.pinned == nil, let target = check.ownTarget else {
      return try await inner.attempt(check, deadline: deadline)
    }
    var time = AttemptTime(until: deadline)
    switch try await finder.find(target, for: check, until: deadline) {
    case .ended(let outcome): return outcome
    case .found(let addresses, let name):
      time.spend(name?.spent)
      let dns = name?.elapsed
      let outcomes = try await probe(addresses, check, time.deadline)
      return Self.merge(zip(addresses, outcomes).map { ($0, $1) }, of: check, dns: dns)
    }
  }

  private func probe(
    _ addresses: [SocketAddress], _ check: MonitoringCheck, _ deadline: Instant
  ) async throws(CancellationError) -> [ProbeOutcome] {
    let outcomes = await withTaskGroup(of: (Int, ProbeOutcome?).self) { group in
      for (index, peer) in addresses.enumerated() {
        group.addTask {
          (index, try? await inner.attempt(check.pinned(to: peer.address), deadline: deadline))
        }
      }
      var outcomes = [ProbeOutcome?](repeating: nil, count: addresses.count)
      for await (index, outcome) in group { outcomes[index] = outcome }
      return outcomes.compactMap(\.self)
    }
    // A probe throws only when it is cancelled.
    guard outcomes.count == addresses.count else { throw CancellationError() }
    return outcomes
  }

  /// The outcome of the address that decides, with what all of them came to: the first that failed, else the first
  /// that nobody can tell about, else the slowest. Of a check that must fail all of them must: one that answers decides.
  static func merge(
    _ probed: [(peer: SocketAddress, outcome: ProbeOutcome)], of check: MonitoringCheck, dns: Duration?
  ) -> ProbeOutcome {
    var outcomes = probed.map(\.outcome)
    for index in outcomes.indices {
      // Resolving was done once, for all of them.
      outcomes[index].add(dns, countsAsResponse: check.type != .ping)
      ResponseTimeRule(check.responseTime).judge(&outcomes[index])
    }
    let ranks = outcomes.enumerated().map { rank($1, $0, negated: check.negate) }
    guard let deciding = ranks.indices.max(by: { ranks[$0] < ranks[$1] }) else {
      preconditionFailure("found no address at all")
    }
    var merged = outcomes[deciding]
    merged.addresses = zip(probed, outcomes).map { one, outcome in
      AddressVerdict(
        address: outcome.address ?? one.peer.description, verdict: outcome.verdict,
        responseTime: outcome.responseTime, timings: outcome.timings, statusCode: outcome.statusCode)
    }
    merged.name(merged.addresses[deciding], of: merged.addresses)
    return merged
  }

  /// Higher decides. The position counts only among failures, the time only among successes.
  private static func rank(_ outcome: ProbeOutcome, _ index: Int, negated: Bool) -> (Int, Duration) {
    let state =
      switch outcome.verdict.state {
      case .up: negated ? 4 : 0
      case .degraded: negated ? 3 : 1
      case .unknown: 2
      case .down: negated ? 1 : 3
      }
    return (state, outcome.verdict.isSuccess ? outcome.responseTime ?? .zero : .seconds(-index))
  }
}

extension ProbeOutcome {
  /// A ping's response time is the mean round trip and nothing else.
  fileprivate mutating func add(_ dns: Duration?, countsAsResponse: Bool) {
    guard let dns else { return }
    timings.dns = dns + (timings.dns ?? .zero)
    timings.total = timings.total.map { $0 + dns }
    if countsAsResponse { responseTime = responseTime.map { $0 + dns } }
  }

  /// Puts the address that decided into the words.
  fileprivate mutating func name(_ deciding: AddressVerdict, of all: [AddressVerdict]) {
    guard verdict.reason != .ok, all.count > 1 else { return }
    let count = all.count { $0.state == deciding.state }
    let what =
      deciding.state == .degraded ? "slow or expiring" : deciding.state == .unknown ? "unknown" : "failing"
    let own = "\(deciding.address): "
    let words = verdict.message.map { ": " + ($0.hasPrefix(own) ? $0.dropFirst(own.count) : $0[...]) } ?? ""
    verdict.message = "\(deciding.address), \(count) of \(all.count) addresses \(what)\(words)"
      .printable(maxBytes: 256)
  }
}

extension MonitoringCheck {
  /// What the check's own addresses are those of. Nil where they are not ours to choose: behind a proxy, and for the
  /// machine's own name servers.
  package var ownTarget: TargetFinder.Target? {
    let purpose: EgressPurpose =
      switch kind {
      case .dns: .dns
      case .ping(let ping) where ping.port == nil: .echo
      default: .connection
      }
    return kind.dialled.map { TargetFinder.Target($0, for: purpose) }
  }
}
