// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

@Suite struct CertificateRuleTests {
  @Test(
    arguments: [
      (31_519_112, "364d 19h"), (30 * 86_400, "30d"), (30 * 86_400 - 1, "29d 23h"), (86_399, "23h 59m"),
      (3600, "1h"), (61, "1m 1s"), (59, "59s"), (0, "0s"), (-1, "expired"),
    ] as [(Int64, String)])
  func whatIsLeftIsSaidInWords(seconds: Int64, words: String) {
    let now = Timestamp(seconds: 1_800_000_000)
    let rule = CertificateRule(
      thresholds: Thresholds(fail: .seconds(86_400 * 30)), notAfter: now.advanced(by: .seconds(seconds)),
      now: now)
    #expect(rule.assertions.map(\.actual) == [words])
    #expect(rule.assertions.map(\.ok) == [seconds >= 30 * 86_400])
  }

  @Test(
    arguments: [
      (5, nil, "certificate is valid until 2027-01-20T08:00:00.000Z, less than 30d from now"),
      (
        5, 90,
        "a certificate above the server's own is valid until 2027-01-20T08:00:00.000Z, less than 30d from now"
      ),
      (-5, -5, "certificate expired on 2027-01-10T08:00:00.000Z"),
      (-5, 90, "a certificate above the server's own expired on 2027-01-10T08:00:00.000Z"),
    ] as [(Int64, Int64?, String)])
  func whichOneEndsIsSaid(days: Int64, leafDays: Int64?, words: String) {
    let now = Timestamp(seconds: 1_800_000_000)
    func end(_ days: Int64) -> Timestamp { now.advanced(by: .seconds(days * 86_400)) }
    let rule = CertificateRule(
      thresholds: Thresholds(fail: .seconds(86_400 * 30)), notAfter: end(days),
      leafNotAfter: leafDays.map(end), now: now)
    #expect(rule.verdict?.message == words)
  }

  /// Where nothing is verified, a certificate that has expired is named all the same; a threshold says it by itself.
  @Test(
    arguments: [
      (-5, true, nil, "certificate expired on 2027-01-10T08:00:00.000Z, and is not verified"),
      (-5, true, 30, nil), (-5, false, nil, nil), (5, true, nil, nil),
    ] as [(Int64, Bool, Int64?, String?)])
  func anExpiredOneIsNamedUnverified(days: Int64, isUnverified: Bool, fail: Int64?, note: String?) {
    let now = Timestamp(seconds: 1_800_000_000)
    let end = now.advanced(by: .seconds(days * 86_400))
    let rule = CertificateRule(
      thresholds: Thresholds(fail: fail.map { .seconds($0 * 86_400) }), notAfter: end, leafNotAfter: end,
      now: now, isUnverified: isUnverified)
    #expect(rule.note == note)
  }
}
