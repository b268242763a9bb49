// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Both thresholds of a certificate, and what else is said of it: which comes first, and each at its limit.
@Suite struct CertificateThresholdTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let day: Int64 = 86_400

  private func rule(
    warn: Int64? = nil, fail: Int64? = nil, left: Int64? = 10 * CertificateThresholdTests.day,
    _ change: (inout CertificateRule) -> Void = { _ in }
  ) -> CertificateRule {
    let end = left.map { Self.now.advanced(by: .seconds($0)) }
    var rule = CertificateRule(
      thresholds: Thresholds(warn: warn.map { .seconds($0) }, fail: fail.map { .seconds($0) }),
      notAfter: end, leafNotAfter: end, now: Self.now)
    change(&rule)
    return rule
  }

  private func words(_ rule: CertificateRule) -> String? {
    rule.verdict.map { "\($0.degraded ? "degraded" : "down"): \($0.message ?? "")" }
  }

  private static let staple =
    "the certificate must come with a stapled OCSP response (RFC 7633), and none came: some clients refuse it"

  /// Each threshold holds to its very second; where both are broken the check is down.
  @Test func bothThresholds() {
    let day = Self.day
    let until = "certificate is valid until 2027-01-25T08:00:00.000Z, less than"
    #expect(words(rule(warn: 10 * day, fail: 10 * day)) == nil && words(rule()) == nil)
    #expect(words(rule(warn: 20 * day, fail: 10 * day)) == "degraded: \(until) 20d from now")
    #expect(words(rule(warn: 20 * day, fail: 15 * day)) == "down: \(until) 15d from now")
    #expect(words(rule(warn: 10 * day, left: 10 * day - 1))?.hasPrefix("degraded: ") == true)
    #expect(words(rule(fail: 10 * day, left: 10 * day - 1))?.hasPrefix("down: ") == true)
    #expect(rule(fail: 20 * day).verdict?.reason == .certificateExpiring)
    #expect(rule(fail: 20 * day).verdict?.phase == .assertion)
    let both = rule(warn: 20 * day, fail: 5 * day)
    #expect(
      both.assertions == [
        Assertion(what: "certificate.warn", expected: ">= 20d", actual: "10d", ok: false),
        Assertion(what: "certificate.fail", expected: ">= 5d", actual: "10d", ok: true),
      ])
    #expect(rule(warn: day).assertions.map(\.what) == ["certificate.warn"])
    #expect(rule(fail: day).assertions.map(\.what) == ["certificate.fail"])
    #expect(rule().assertions.isEmpty)
  }

  /// At its end it is not over yet, and a second later it is.
  @Test func theEndItself() {
    let atEnd = rule(fail: Self.day, left: 0)
    #expect(
      words(atEnd) == "down: certificate is valid until 2027-01-15T08:00:00.000Z, less than 1d from now")
    #expect(atEnd.assertions.map(\.actual) == ["0s"])
    #expect(words(rule(fail: Self.day, left: -1)) == "down: certificate expired on 2027-01-15T07:59:59.000Z")
    let unverified: (inout CertificateRule) -> Void = { $0.isUnverified = true }
    #expect(rule(left: 0, unverified).note == nil)
    #expect(
      rule(left: -1, unverified).note
        == "certificate expired on 2027-01-15T07:59:59.000Z, and is not verified")
    // The server's own ends as the path does; one above it ends first.
    let above = rule(fail: 20 * Self.day) {
      $0.leafNotAfter = Self.now.advanced(by: .seconds(10 * Self.day + 1))
    }
    #expect(above.verdict?.message?.hasPrefix("a certificate above the server's own is valid until ") == true)
  }

  /// A response that is missing comes behind what fails and before what warns, and is a note where it is not asked for.
  @Test func aMissingStaple() {
    func missing(_ isStrict: Bool, warn: Int64? = nil, fail: Int64? = nil, left: Int64 = 864_000)
      -> CertificateRule
    {
      rule(warn: warn, fail: fail, left: left) {
        ($0.isStapleMissing, $0.isStrict, $0.isUnverified) = (true, isStrict, true)
      }
    }
    let day = Self.day
    #expect(words(missing(true)) == "degraded: \(Self.staple)" && missing(true).note == nil)
    #expect(missing(true).verdict?.reason == .tlsUntrusted && missing(true).verdict?.phase == .tls)
    #expect(words(missing(true, warn: 20 * day)) == "degraded: \(Self.staple)")
    #expect(words(missing(true, fail: 20 * day))?.hasPrefix("down: certificate is valid until") == true)
    #expect(words(missing(false)) == nil && missing(false).note == Self.staple)
    #expect(
      missing(false, left: -1).note
        == "\(Self.staple); certificate expired on 2027-01-15T07:59:59.000Z, and is not verified")
    let there = rule { $0.isStrict = true }
    #expect(there.verdict == nil && there.note == nil)
  }

  /// Without a certificate no threshold holds.
  @Test func noCertificate() {
    let none = rule(warn: 1, fail: 1, left: nil)
    #expect(words(none) == "down: no certificate was presented" && none.note == nil)
    #expect(words(rule(warn: 1, left: nil)) == "degraded: no certificate was presented")
    #expect(none.assertions.map(\.ok) == [false, false] && none.assertions.map(\.actual) == ["", ""])
    #expect(words(rule(left: nil)) == nil)
  }
}
