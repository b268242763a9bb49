// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What the addresses of a check's host came to, where each must answer (`addresses: each`). One that fails fails the
// check.

extension CheckRunner {
  /// The position of the address that decides: the first that failed, else the first that is unknown, else the slowest;
  /// and its outcome, with the verdicts of all of them. Of a check that must fail all of them must: one that answers
  /// decides.
  ///
  /// - Parameters:
  ///   - probed: at least one.
  ///   - dns: the time of resolving, done once for all of them.
  static func merge(
    _ probed: [(peer: SocketAddress, outcome: ProbeOutcome)], of check: MonitoringCheck, dns: Duration?
  ) -> (deciding: Int, outcome: ProbeOutcome) {
    var outcomes = probed.map(\.outcome)
    for index in outcomes.indices {
      outcomes[index].add(dns, countsAsResponse: check.type != .ping)
      ResponseTimeRule(check.plan.responseTime).judge(&outcomes[index])
    }
    let ranks = outcomes.enumerated().map { rank($1, $0, negated: check.plan.negate) }
    guard let deciding = ranks.indices.max(by: { ranks[$0] < ranks[$1] }) else {
      preconditionFailure("found no address at all")
    }
    var merged = outcomes[deciding]
    let all = zip(probed, outcomes).map { one, outcome in
      AddressVerdict(
        address: outcome.address ?? one.peer.description, verdict: outcome.verdict,
        responseTime: outcome.responseTime, timings: outcome.timings, statusCode: outcome.statusCode)
    }
    merged.addresses = all
    merged.name(all[deciding], of: all)
    return (deciding, merged)
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
    self.timings.dns = dns + (self.timings.dns ?? .zero)
    self.timings.total = self.timings.total.map { $0 + dns }
    if countsAsResponse { self.responseTime = self.responseTime.map { $0 + dns } }
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
