// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// A server may have two certificates, one with an RSA key and one with an ECDSA key, and shows each client one that it
// knows. Each of them ends on a day of its own, and a client that knows both never sees the other.

extension CheckRunner {
  /// One probe, or two at the same time for both sorts of keys.
  func ask(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?, _ probe: any Probe
  ) async throws(CancellationError) -> Probed {
    guard attempt.check.asksBothKeySorts else {
      return try await probe.probe(attempt, at: addresses, dns: dns)
    }
    let found = await withTaskGroup(of: (KeySort, Probed?).self) { group in
      for sort in KeySort.allCases {
        group.addTask {
          (sort, try? await probe.probe(attempt.asking(for: sort), at: addresses, dns: dns))
        }
      }
      var found: [KeySort: Probed] = [:]
      for await (sort, probed) in group { found[sort] = probed }
      return found
    }
    // A probe throws only when it is cancelled.
    guard let ecdsa = found[.ecdsa], let rsa = found[.rsa] else { throw CancellationError() }
    guard case .done(let one) = ecdsa else { return ecdsa }
    guard case .done(let other) = rsa else { return rsa }
    return .done(Self.merge(ecdsa: one, rsa: other, negated: attempt.check.plan.negate))
  }

  /// The worse of the two, whose words then say which certificate they are about. A server without a certificate of one sort
  /// ends that handshake, and is judged by the other.
  static func merge(ecdsa: ProbeOutcome, rsa: ProbeOutcome, negated: Bool) -> ProbeOutcome {
    if ecdsa.lacksCertificate { return rsa }
    if rsa.lacksCertificate { return ecdsa }
    let (one, other) = (ecdsa.severity, rsa.severity)
    guard one != other else {
      // The certificate that expires first has to be renewed first.
      guard let one = ecdsa.tls?.notAfter, let other = rsa.tls?.notAfter else { return ecdsa }
      return other < one ? rsa : ecdsa
    }
    let isRSA = negated ? other < one : other > one
    var worse = isRSA ? rsa : ecdsa
    guard worse.verdict.reason != .ok else { return worse }
    let sort = isRSA ? KeySort.rsa : .ecdsa
    let words = worse.verdict.message.map { ": \($0)" } ?? ""
    worse.verdict.message = "the \(sort.rawValue) certificate\(words)".printable(maxBytes: 256)
    return worse
  }
}

extension ProbeOutcome {
  /// The handshake ended before there was a certificate to look at.
  fileprivate var lacksCertificate: Bool {
    let ends: Set<Reason> = [.tlsHandshake, .tlsProtocol, .connectionClosed, .connectionReset]
    return ends.contains(verdict.reason) && verdict.phase == .tls && self.tls == nil
  }

  fileprivate var severity: Int {
    switch verdict.state {
    case .up: 0
    case .degraded: 1
    case .unknown: 2
    case .down: 3
    }
  }
}
