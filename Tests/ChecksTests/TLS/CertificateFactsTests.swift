// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks
@testable import Curl

/// Which threshold of a certificate speaks, and what a result keeps of a chain.
@Suite struct CertificateFactsTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private func rule(
    left: Int64?, warn: Int64? = 20, fail: Int64? = 5, isStapleMissing: Bool = false, isStrict: Bool = false
  ) -> CertificateRule {
    func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
    return CertificateRule(
      thresholds: Thresholds(warn: warn.map(days), fail: fail.map(days)),
      notAfter: left.map { Self.now.advanced(by: .seconds($0)) }, now: Self.now,
      isStapleMissing: isStapleMissing, isStrict: isStrict)
  }

  private static let day: Int64 = 86_400

  /// At a threshold it holds; below `fail` is down, below `warn` degraded; and nothing holds without a certificate.
  @Test(
    arguments: [
      (20 * day, nil, [true, true]), (20 * day - 1, .degraded, [false, true]),
      (5 * day, .degraded, [false, true]), (5 * day - 1, .down, [false, false]), (0, .down, [false, false]),
      (-1, .down, [false, false]), (nil, .down, [false, false]),
    ] as [(Int64?, CheckState?, [Bool])])
  func thresholds(left: Int64?, state: CheckState?, holds: [Bool]) {
    let rule = rule(left: left)
    #expect(rule.assertions.map(\.ok) == holds)
    #expect(rule.assertions.map(\.what) == ["certificate.warn", "certificate.fail"])
    #expect(rule.assertions.map(\.expected) == [">= 20d", ">= 5d"])
    #expect(rule.verdict?.state == state)
    if state != nil {
      #expect(rule.verdict?.reason == .certificateExpiring && rule.verdict?.phase == .assertion)
    }
    if left == nil { #expect(rule.verdict?.message == "no certificate was presented") }
  }

  /// A response that clients refuse a server for is as bad as none; messages of several hops name theirs.
  @Test func staplesWithFaults() {
    let words = "the stapled OCSP response says that the certificate is revoked: some clients refuse it"
    var rule = rule(left: 30 * Self.day, isStrict: true)
    rule.stapleFault = .revoked
    #expect(rule.verdict == Verdict(.tlsUntrusted, phase: .tls, message: words, degraded: true))
    #expect(rule.note == nil && rule.severity == 2)
    rule.hop = 2
    #expect(rule.verdict?.message == "hop 2: " + words)
    rule.isStrict = false
    #expect(rule.verdict == nil && rule.note == "hop 2: " + words && rule.severity == 1)
    rule.stapleFault = nil
    #expect(rule.note == nil && rule.severity == 0)
  }

  /// A certificate above the server's own counts without verification too; a path of trust outweighs what was sent.
  @Test func whatEndsFirstUnverified() {
    let end: Int64 = 1_900_000_000
    let leaf = PresentedCertificate(
      subject: "CN=a", issuer: "CN=b", notBefore: 0, notAfter: end, serial: "01", sha256: "00",
      alternativeNames: [])
    var report = report([leaf])
    #expect(report.earliestEnd == end)
    report.untrustedNotAfter = end - 5
    #expect(report.earliestEnd == end - 5)
    report.untrustedNotAfter = end + 5
    #expect(report.earliestEnd == end)
    (report.untrustedNotAfter, report.pathNotAfter) = (end - 5, end - 3)
    #expect(report.earliestEnd == end - 3)
  }

  @Test func faultsOfStaples() {
    #expect(
      (0...8).map { StapleFault($0) } == [
        nil, nil, .unreadable, .responderError, .foreign, .revoked, .unknown, .expired, nil,
      ])
  }

  /// A missing staple degrades where that is asked for, behind `fail` and before `warn`; else it is a note.
  @Test func staples() {
    let words =
      "the certificate must come with a stapled OCSP response (RFC 7633), and none came: "
      + "some clients refuse it"
    let staple = Verdict(.tlsUntrusted, phase: .tls, message: words, degraded: true)
    let (good, warned, failed) = (30 * Self.day, 10 * Self.day, Self.day)
    #expect(rule(left: good, isStapleMissing: true, isStrict: true).verdict == staple)
    #expect(rule(left: warned, isStapleMissing: true, isStrict: true).verdict == staple)
    #expect(
      rule(left: failed, isStapleMissing: true, isStrict: true).verdict?.reason == .certificateExpiring)
    #expect(rule(left: good, isStapleMissing: true, isStrict: true).note == nil)
    #expect(rule(left: good, isStapleMissing: true).verdict == nil)
    #expect(rule(left: good, isStapleMissing: true).note == words)
    #expect(rule(left: good, isStrict: true).verdict == nil && rule(left: good, isStrict: true).note == nil)
    #expect(rule(left: nil, warn: nil, fail: nil).verdict == nil)
    #expect(rule(left: nil, warn: nil, fail: nil).assertions.isEmpty)
    #expect(rule(left: 6 * Self.day, warn: nil).assertions.map(\.what) == ["certificate.fail"])
    #expect(rule(left: 6 * Self.day, fail: nil).verdict?.state == .degraded)
  }

  private func certificate(_ notAfter: Int64, names: Int = 0, total: Int = 0) -> PresentedCertificate {
    PresentedCertificate(
      subject: "CN=a\u{7}", issuer: "CN=b", notBefore: 5, notAfter: notAfter, serial: "0A", sha256: "ff",
      alternativeNames: (0..<names).map { "n\($0)" }, nameCount: total)
  }

  private func report(_ chain: [PresentedCertificate], pathNotAfter: Int64? = nil) -> TLSReport {
    TLSReport(
      version: "TLSv1.3", cipher: "X", chain: chain, problems: [], pathNotAfter: pathNotAfter)
  }

  /// Whole days, rounded down on both sides of the end.
  @Test(
    arguments: [
      (day, 1), (day - 1, 0), (2 * day - 1, 1), (1, 0), (0, 0), (-1, -1), (-day, -1), (-day - 1, -2),
    ] as [(Int64, Int)])
  func wholeDays(left: Int64, days: Int) {
    let end = Self.now.microseconds / 1_000_000 + left
    let facts = TLSFacts(report([certificate(end)], pathNotAfter: end - Self.day), now: Self.now)
    #expect(facts.daysRemaining == days && facts.pathDaysRemaining == days - 1)
    #expect(facts.notAfter == Timestamp(seconds: end))
    #expect(facts.pathNotAfter == Timestamp(seconds: end - Self.day))
  }

  /// Sixty-four names of the first certificate are kept, and eight of each of the others.
  @Test func namesOfAChain() {
    let chain = [
      certificate(1, names: 70, total: 70), certificate(2, names: 9, total: 9),
      certificate(3, names: 8, total: 8), certificate(4, names: 64, total: 300),
    ]
    let facts = TLSFacts(report(chain), now: Self.now)
    #expect(facts.chain.map(\.sans.count) == [64, 8, 8, 8])
    #expect(facts.chain.map(\.sansTotal) == [70, 9, nil, 300])
    #expect(facts.chain[0].sans.last == "n63" && facts.chain[1].sans.last == "n7")
    #expect(facts.chain.map { $0.notAfter.microseconds } == [1_000_000, 2_000_000, 3_000_000, 4_000_000])
    #expect(facts.chain[0].subject == "CN=a\\u{7}" && facts.chain[0].issuer == "CN=b")
    #expect(facts.chain[0].notBefore == Timestamp(seconds: 5) && facts.chain[0].serial == "0A")
    let short = TLSFacts(report([certificate(1, names: 64, total: 64)]), now: Self.now)
    #expect(short.chain.map(\.sansTotal) == [nil])
    let hidden = TLSFacts(report([certificate(1, names: 64, total: 65)]), now: Self.now)
    #expect(hidden.chain.map(\.sansTotal) == [65])
    #expect(facts.pathNotAfter == nil && facts.pathDaysRemaining == nil)
  }

  /// The earlier of the leaf's own end and that of its path counts, and the words say which.
  @Test func theEarlierEnd() {
    let end = Self.now.microseconds / 1_000_000
    let fail = Thresholds<Duration>(fail: .seconds(10))
    func rule(_ leaf: Int64, _ path: Int64?) -> CertificateRule {
      CertificateRule(
        fail, report([certificate(end + leaf)], pathNotAfter: path.map { end + $0 }), strict: false,
        now: Self.now)
    }
    #expect(rule(20, nil).verdict == nil && rule(20, 30).verdict == nil && rule(20, 10).verdict == nil)
    #expect(rule(20, 9).verdict?.message?.hasPrefix("a certificate above the server's own is valid") == true)
    #expect(rule(9, 30).verdict?.message?.hasPrefix("certificate is valid until ") == true)
    #expect(rule(9, 9).verdict?.message?.hasPrefix("certificate is valid until ") == true)
    #expect(CertificateRule(fail, nil, strict: false, now: Self.now).verdict?.state == .down)
  }

  /// The problems of a chain stand in the facts, and none where it was verified.
  @Test func problemsOfAChain() {
    var report = report([certificate(1)])
    #expect(TLSFacts(report, now: Self.now).verified && TLSFacts(report, now: Self.now).verifyError == nil)
    report.problems = [.expired, .hostname]
    report.details = [.expired: "it ended on 1970-01-01"]
    let facts = TLSFacts(report, now: Self.now)
    #expect(!facts.verified && facts.version == "TLSv1.3" && facts.cipher == "X")
    #expect(
      facts.verifyError
        == "certificate has expired (it ended on 1970-01-01), certificate is for another host")
    (report.name, report.details) = ("www.good.test", [.hostname: "it is for good.test"])
    #expect(
      TLSFacts(report, now: Self.now).verifyError
        == "certificate has expired, certificate is not for www.good.test (it is for good.test)")
  }
}
