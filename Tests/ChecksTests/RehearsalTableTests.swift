// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks
@testable import Network

/// Rows of a made-up answer that other tests do not have, and the words of lists of answers.
@Suite struct RehearsalTableTests {
  private let rehearsal = Rehearsal(now: Timestamp(seconds: 1_800_000_000))

  private func outcome(
    _ type: String, _ change: (inout CheckDefinition) -> Void, _ answer: (inout RehearsedAnswer) -> Void
  ) throws -> ProbeOutcome {
    var made = RehearsedAnswer()
    answer(&made)
    return try #require(rehearsal.outcome(of: makeCheck(type, change), made))
  }

  /// The part of an attempt in which each failure falls.
  @Test func phases() {
    let rows: [(Phase, [Reason])] = [
      (.prepare, [.policyDenied, .localFault]),
      (.dns, [.dnsNXDomain, .dnsNoData, .dnsServfail, .dnsRefused, .dnsTimeout, .dnsMalformed]),
      (.connect, [.connectRefused, .connectTimeout, .connectUnreachable]),
      (.proxy, [.proxyConnect, .proxyAuth, .authToken]), (.starttls, [.starttlsRefused]),
      (
        .firstByte,
        [.firstByteTimeout, .connectionClosed, .connectionReset, .httpProtocol, .headersTooLarge]
      ),
      (.transfer, [.transferTimeout, .bodyTooLarge, .httpRedirectLimit, .httpRedirectRefused]),
      (.dialog, [.dialog]), (.answer, [.pingTimeout]),
      (
        .tls,
        [
          .tlsExpired, .tlsNotYetValid, .tlsHostname, .tlsSelfSigned, .tlsUntrusted, .tlsProtocol,
          .tlsClientCertificate, .tlsHandshake, .tlsTimeout, .tlsWeak,
        ]
      ),
    ]
    for (phase, reasons) in rows {
      for reason in reasons { #expect(reason.rehearsedPhase == phase, "\(reason)") }
    }
    #expect(Set(rows.flatMap(\.1)) == Set(Reason.rehearsable))
  }

  /// Of a port only its certificate is judged, and only where it has TLS.
  @Test func ports() throws {
    let limits = Thresholds<Duration>(warn: .seconds(20 * 86_400), fail: .seconds(5 * 86_400))
    func tls(_ days: Int, verify: Bool? = nil) throws -> Verdict {
      try outcome("tls") {
        ($0.host, $0.port, $0.expect.certificate, $0.tls.verify) = ("a.test", 443, limits, verify)
      } _: {
        $0.certificate = .seconds(days * 86_400)
      }.verdict
    }
    #expect(try [20, 19, 4].map { try tls($0).state } == [.up, .degraded, .down])
    #expect(try tls(4).reason == .certificateExpiring)
    #expect(try tls(-1).reason == .tlsExpired)
    #expect(try tls(-1, verify: false).reason == .certificateExpiring)
    func tcp(_ answer: (inout RehearsedAnswer) -> Void) throws -> ProbeOutcome {
      try outcome("tcp", { ($0.host, $0.port) = ("a.test", 25) }, answer)
    }
    let plain = try tcp { $0.certificate = .seconds(-1) }
    #expect(plain.verdict == .ok && plain.assertions.isEmpty && plain.responseTime == .milliseconds(10))
    let refused = try tcp { $0.error = .connectRefused }
    #expect(refused.verdict == Verdict(.connectRefused, phase: .connect))
  }

  /// Records live as long as is said, and an answer is authoritative unless it is said not to be.
  @Test func answersOfDNS() throws {
    func dns(
      _ change: (inout CheckDefinition) -> Void, _ answer: (inout RehearsedAnswer) -> Void
    ) throws -> ProbeOutcome {
      try outcome("dns") {
        ($0.queryName, $0.queryType) = ("a.example", "MX")
        change(&$0)
      } _: {
        $0.answers = ["10 mx.example."]
        answer(&$0)
      }
    }
    #expect(try dns({ $0.expect.ttl = "300" }, { _ in }).verdict == .ok)
    #expect(try dns({ $0.expect.ttl = "300" }, { $0.ttl = 299 }).verdict.reason == .dnsAnswer)
    #expect(try dns({ $0.expect.answersExact = ["10 MX.example"] }, { _ in }).verdict == .ok)
    #expect(try dns({ $0.dns.expect.authoritative = true }, { _ in }).verdict == .ok)
    let lame = try dns({ $0.dns.expect.authoritative = true }, { $0.authoritative = false })
    #expect(lame.verdict.reason == .dnsAnswer)
    let failed = try dns({ $0.expect.count = "1" }, { $0.error = .dnsTimeout })
    #expect(failed.verdict == Verdict(.dnsTimeout, phase: .dns))
    #expect(failed.assertions.map(\.ok) == [false, false])
  }

  /// No more replies than packets, none below zero, and none at all where the answer failed.
  @Test func repliesOfAPing() throws {
    func ping(_ answer: (inout RehearsedAnswer) -> Void) throws -> ProbeOutcome {
      try outcome("ping", { ($0.host, $0.ping.count) = ("a.test", 4) }, answer)
    }
    for (received, counted) in [(nil, 4), (9, 4), (3, 3), (0, 0), (-2, 0)] as [(Int?, Int)] {
      let found = try ping { ($0.received, $0.roundTrip) = (received, .milliseconds(7)) }
      #expect(found.ping?.sent == 4 && found.ping?.received == counted)
      #expect(found.responseTime == (counted > 0 ? .milliseconds(7) : nil))
    }
    let failed = try ping { $0.error = .connectUnreachable }
    #expect(failed.ping?.received == 0 && failed.verdict.reason == .connectUnreachable)
  }

  /// A body beyond the check's limit is too large, where it is looked at at all.
  @Test func largeBodies() throws {
    func http(_ bytes: Int, _ change: (inout CheckDefinition) -> Void) throws -> Reason {
      try outcome("http") {
        ($0.url, $0.maxBody) = ("https://a.test/", 10)
        change(&$0)
      } _: {
        $0.body = [UInt8](repeating: 0x61, count: bytes)
      }.verdict.reason
    }
    #expect(try http(10) { $0.http.expect.bodyContains = ["a"] } == .ok)
    #expect(try http(11) { $0.http.expect.bodyContains = ["a"] } == .bodyTooLarge)
    #expect(try http(11) { _ in } == .ok)
  }

  // MARK: Lists of answers

  private func problem(_ key: String, _ wanted: [Condition], _ last: [UInt8]) throws -> String? {
    let wire = Wire("x.example", .a).with { wire in
      wire.answers = last.map { Wire.record(1, [192, 0, 2, $0]) }
    }
    let budget = CPUBudget(.seconds(60))
    return DNSAnswerSet(try DNSMessage(wire.bytes).answers)
      .problem(key, wanted.map { DNSAnswerCondition($0, within: budget) })
  }

  @Test func wordsOfLists() throws {
    let (one, two) = (Condition(.equal, "192.0.2.1"), Condition(.equal, "192.0.2.2"))
    #expect(try problem("any", [one, two], [2]) == nil)
    #expect(try problem("any", [one, two], [3]) == "the answer is not an expected one")
    #expect(try problem("any", [one], [3, 4]) == "none of the 2 answers is an expected one")
    #expect(try problem("any", [one], []) == "none of the 0 answers is an expected one")
    #expect(try problem("all", [one, two], [2, 1, 3]) == nil)
    #expect(try problem("all", [one, two], [1]) == "192.0.2.2 is not among the answers")
    #expect(try problem("exact", [one, two], [2, 1]) == nil)
    #expect(try problem("exact", [one], [1, 1]) == nil)
    #expect(try problem("exact", [one], [1, 3]) == "1 of 2 answers is not expected")
    #expect(try problem("exact", [one], [1, 3, 4]) == "2 of 3 answers are not expected")
    #expect(try problem("exact", [one, two], [3]) == "192.0.2.1 is not among the answers")
    #expect(try problem("none", [one, two], [3]) == nil)
    #expect(try problem("none", [one, two], [3, 2]) == "an answer is not wanted: 192.0.2.2")
  }

  /// Numbers are held against each comparison from below, at and above it.
  @Test func comparisons() {
    let rows: [(Condition.Comparison, [Bool])] = [
      (.equal, [false, true, false]), (.notEqual, [true, false, true]), (.less, [true, false, false]),
      (.lessOrEqual, [true, true, false]), (.greater, [false, false, true]),
      (.greaterOrEqual, [false, true, true]), (.matches, [false, false, false]),
      (.notMatches, [false, false, false]),
    ]
    for (comparison, holds) in rows {
      #expect([1, 2, 3].map { Condition(comparison, "2").holds(for: $0) } == holds, "\(comparison)")
      let values: [String] = ["1.99", "2.00", "2.01"]
      let texts = values.map { Condition(comparison, "2").outcome(for: $0) }
      if comparison.isNumeric { #expect(texts == holds.map { ConditionOutcome($0) }, "\(comparison)") }
    }
    #expect(Condition(.less, "2").outcome(for: "x") == .noNumber)
    #expect(Condition(.less, "x").outcome(for: "1") == .noNumber)
  }
}
