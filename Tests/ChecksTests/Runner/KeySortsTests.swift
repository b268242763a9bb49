// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Two handshakes of one attempt, for ECDSA and for RSA, as one outcome.
@Suite struct KeySortsTests {
  /// What a handshake came to, and when its certificate ends.
  struct Side: Sendable {
    var verdict = Verdict.ok
    var end: Int64?
  }

  private static let gone = Side(verdict: Verdict(.tlsHandshake, phase: .tls, message: "no such certificate"))
  private static func up(_ end: Int64) -> Side { Side(end: end) }
  private static func degraded(_ end: Int64) -> Side {
    Side(
      verdict: Verdict(.certificateExpiring, phase: .assertion, message: "3 days", degraded: true), end: end)
  }
  private static func down(_ end: Int64) -> Side {
    Side(verdict: Verdict(.tlsExpired, phase: .tls, message: "it has expired"), end: end)
  }
  private static func unknown(_ end: Int64) -> Side {
    Side(verdict: Verdict(.localFault, phase: .connect, message: "no route"), end: end)
  }

  private func outcome(_ side: Side) -> ProbeOutcome {
    let tls = side.end.map { TLSFacts(verified: true, notAfter: Timestamp(seconds: $0)) }
    return ProbeOutcome(side.verdict, tls: tls)
  }

  /// - Parameter end: of the certificate that is shown, by which the outcomes are told apart.
  @Test(arguments: [
    // Of two that are alike the one that ends first, whichever it is.
    (ecdsa: up(5), rsa: up(9), negated: false, end: Int64?(5), words: String?.none),
    (up(9), up(5), false, 5, nil), (up(7), up(7), false, 7, nil), (down(9), down(5), false, 5, nil),
    (down(5), down(9), false, 5, nil),
    // The worse one.
    (up(5), degraded(9), false, 9, "RSA"), (degraded(9), up(5), false, 9, "ECDSA"),
    (degraded(5), unknown(9), false, 9, "RSA"), (unknown(9), down(10), false, 10, "RSA"),
    (down(10), unknown(9), false, 10, "ECDSA"), (down(10), up(5), false, 10, "ECDSA"),
    // Where down is what is wanted, the better one.
    (up(5), down(9), true, 5, nil), (down(9), up(5), true, 5, nil), (down(9), degraded(6), true, 6, "RSA"),
    // One that has no such certificate is no fault.
    (gone, up(9), false, 9, nil), (up(9), gone, false, 9, nil), (gone, down(9), false, 9, nil),
    (gone, gone, false, nil, nil),
  ])
  func theWorseOfTwo(ecdsa: Side, rsa: Side, negated: Bool, end: Int64?, words: String?) {
    let merged = CheckRunner.merge(ecdsa: outcome(ecdsa), rsa: outcome(rsa), negated: negated)
    #expect(merged.tls?.notAfter == end.map { Timestamp(seconds: $0) })
    if ecdsa.end == nil || rsa.end == nil || ecdsa.verdict.state == rsa.verdict.state { return }
    let isSaid = merged.verdict.message?.hasPrefix("the \(words ?? "?") certificate: ") == true
    #expect(isSaid == (words != nil), "\(merged.verdict)")
  }
}
