// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// What is kept of results, in bytes: what a target sends in each of them must not fill the memory.
@Suite struct KeptResultsTests {
  /// Certificates with 57 KB of names, in storage of their own.
  private static func chain(_ mark: Int) -> [CertificateFacts] {
    (0..<6).map { depth in
      CertificateFacts(
        subject: "CN=\(mark)-\(depth)", issuer: "CN=issuer", notBefore: .epoch, notAfter: midnight,
        serial: "01",
        sha256: String(repeating: "ab", count: 32),
        sans: (0..<64).map { String(repeating: "x", count: 140) + ".\(mark).\(depth).\($0).example" })
    }
  }

  private static func result(_ check: MonitoringCheck, _ number: Int, chain: [CertificateFacts])
    -> CheckResult
  {
    var result = Run(slot: midnight + .seconds(number)).result(of: check, number: UInt64(number))
    result.tls = TLSFacts(version: "TLSv1.3", verified: true, chain: chain)
    return result
  }

  /// So many results and bytes a check, by the number of checks.
  @Test(
    arguments: [
      (0, 100, 4 << 20), (1, 100, 4 << 20), (32, 100, 4 << 20), (33, 100, 4_067_203), (500, 100, 268_435),
      (501, 99, 267_899), (25_000, 2, 5368), (25_001, 1, 5368), (50_000, 1, 2684), (60_000, 1, 2236),
    ])
  func theShareOfACheck(checks: Int, count: Int, bytes: Int) {
    let limit = KeepingLimit(checks: checks)
    #expect([limit.count, limit.bytes] == [count, bytes])
  }

  /// A server that presents the same chain each time costs it once.
  @Test func equalChainsAreKeptOnce() throws {
    let check = try makeCheck()
    var kept = KeptResults()
    let limit = KeepingLimit(checks: 1)
    for number in 0..<100 { kept.append(Self.result(check, number, chain: Self.chain(7)), limit) }
    let one = Self.result(check, 0, chain: Self.chain(7)).chainFootprint
    #expect(one > 57_000)
    #expect(kept.count == 100)
    #expect(kept.bytes < one + 100 * 2048, "\(kept.bytes) bytes")
    #expect(kept.results.allSatisfy { $0.tls?.chain == Self.chain(7) })
    // The one that paid for the chain goes: the next one pays.
    kept.trim(KeepingLimit(checks: 25_000))
    #expect(kept.count == 1 && kept.bytes > one && kept.bytes < one + 2048)
  }

  /// A server that presents another chain each time: the oldest results go, the newest stays whole.
  @Test func differentChainsAreKeptWithinTheBudget() throws {
    let check = try makeCheck()
    var kept = KeptResults()
    let limit = KeepingLimit(checks: 2000)
    for number in 0..<100 {
      kept.append(Self.result(check, number, chain: Self.chain(number)), limit)
      #expect(kept.bytes <= limit.bytes || kept.count == 1)
      #expect(kept.results.first?.tls?.chain == Self.chain(number))
    }
    #expect(kept.count >= 1)
  }

  /// The counted bytes are what a walk over all that is kept counts.
  @Test func theCountIsExact() throws {
    let check = try makeCheck()
    var kept = KeptResults()
    for number in 0..<60 {
      kept.append(Self.result(check, number, chain: Self.chain(number / 7)), KeepingLimit(checks: 2000))
      var walked = 0
      var before: [CertificateFacts]?
      for result in kept.results.reversed() {
        walked += result.footprint + (before == result.tls?.chain ? 0 : result.chainFootprint)
        before = result.tls?.chain
      }
      #expect(abs(kept.bytes - walked) <= kept.count * 64)
    }
  }

  /// The worst 2,000 checks of the API, each answer as large as the limits let it be: under 1 GiB, and told.
  @Test func twoThousandOfTheWorstChecksStayInBounds() throws {
    let store = HistoryStore()
    let checks = try (0..<2000).map { try makeCheck("Shop \($0)") }
    store.apply(checks, now: midnight)
    // Their bytes are counted wherever they stand, so each text is made once.
    let long = String(repeating: "n", count: 256)
    let hash = String(repeating: "ab", count: 32)
    // The bounds of TLSFacts: 64 names of a leaf, 8 of any other.
    let names = [[String](repeating: long, count: 64), [String](repeating: long, count: 8)]
    let excerpt = String(repeating: "e", count: 1024)
    let hops = [Hop](repeating: Hop(url: String(repeating: "u", count: 2048)), count: 21)
    let assertions = (0..<16).map {
      Assertion(what: "header.\($0)", expected: long, actual: long, ok: false)
    }
    for (index, check) in checks.enumerated() {
      for number in 0..<8 {
        let chain = (0..<10).map { depth in
          CertificateFacts(
            subject: long, issuer: long, notBefore: .epoch, notAfter: midnight, serial: "\(index)-\(number)",
            sha256: hash, sans: names[min(depth, 1)])
        }
        var result = Self.result(check, number, chain: chain)
        result.excerpt = excerpt
        result.hops = hops
        result.assertions = assertions
        store.record(result, interval: check.interval)
      }
    }
    let kept = store.kept
    #expect(kept.results >= 2000)
    print("2,000 of the worst checks: \(kept.results) results, \(kept.bytes >> 20) MiB")
    // Half for everything else: bodies, windows, buffers.
    #expect(kept.bytes < 512 << 20)
  }
}
