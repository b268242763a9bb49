// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// What is kept of a result in few bytes is the whole result.
@Suite struct PackedResultTests {
  private static func full() throws -> CheckResult {
    var result = Run(slot: midnight, state: .down, delay: .milliseconds(7)).result(of: try makeCheck())
    result.message = "refused by peer — \u{1F6AB}"
    result.maintenance = true
    result.facts.timings = Timings(
      dns: .microseconds(1), connect: .nanoseconds(1500), startTLS: .zero, tls: .seconds(3),
      firstByte: .milliseconds(2), transfer: .microseconds(999_999), total: .seconds(86_400))
    result.facts.hops = [
      Hop(url: result.target, statusCode: 301, address: "127.0.0.1:80", timings: result.facts.timings),
      Hop(
        url: "http://other.test/", timings: Timings(total: .milliseconds(4)),
        tcp: TransportFacts(synRetransmits: 2, retransmits: 3)),
    ]
    result.facts.tcp = TransportFacts(
      synRetransmits: 1, retransmits: 70_000, roundTrip: 24_812, variance: 7, timeout: .max,
      segmentSize: 1448, pathMTU: 65_536)
    result.facts.hops[0].tcp = result.facts.tcp
    result.facts.peer = SocketAddress(
      .v6(high: 0xfe80 << 48, low: 9), port: 8443, scope: 3, source: .v4(0x7f00_0001))
    result.facts.statusCode = 503
    result.facts.httpVersion = "1.1"
    result.facts.truncated = true
    result.facts.assertions = [
      Assertion(what: "status", expected: "200", actual: "503", ok: false),
      Assertion(what: "body.contains", expected: "ü", actual: "", ok: true),
    ]
    result.facts.excerpt = ""
    result.facts.tls = TLSFacts(version: "TLSv1.3", verified: false, verifyError: "expired")
    result.facts.dns = DNSFacts(
      rcode: "NOERROR", answers: [], authoritative: true, truncated: false, transport: "udp")
    result.facts.ping = PingFacts(sent: 4, received: 3, average: .milliseconds(1))
    result.facts.dialog = [DialogStepFacts(what: "EHLO", elapsed: .milliseconds(1), ok: true)]
    result.facts.addresses = [AddressVerdict(address: "127.0.0.1", verdict: .ok)]
    result.attempts = (0..<2).map {
      AttemptFacts(
        startedAt: midnight + .seconds($0), status: .timeout, reason: .connectTimeout, responseTime: nil)
    }
    return result
  }

  /// Everything that a result can say comes back as it was.
  @Test func aFullResultComesBack() throws {
    let result = try Self.full()
    #expect(PackedResult(result).result == result)
  }

  /// So does one that says hardly anything, with and without its one attempt.
  @Test func aPlainResultComesBack() throws {
    var result = Run(slot: midnight).result(of: try makeCheck())
    #expect(PackedResult(result).result == result)
    result.attempts = [
      AttemptFacts(
        startedAt: result.startedAt, status: result.status, reason: result.reason,
        responseTime: result.facts.responseTime)
    ]
    #expect(PackedResult(result).result == result)
    // One attempt that is not the whole run.
    result.attempts[0].startedAt = midnight + .seconds(2)
    #expect(PackedResult(result).result == result)
  }

  /// Each of what few results have is kept without the others.
  @Test(arguments: 0..<7) func eachRareFactComesBack(_ number: Int) throws {
    let full = try Self.full()
    var result = Run(slot: midnight).result(of: try makeCheck())
    switch number {
    case 0: result.facts.tls = full.facts.tls
    case 1: result.facts.dns = full.facts.dns
    case 2: result.facts.ping = full.facts.ping
    case 3: result.facts.dialog = full.facts.dialog
    case 4: result.facts.addresses = full.facts.addresses
    case 5: result.confirmation = QuorumVerdict(.regional, from: 2, places: [], own: .ok)
    default: result.attempts = full.attempts
    }
    #expect(PackedResult(result).result == result)
  }

  /// A time that the form for few bytes cannot hold is kept all the same.
  @Test(
    arguments: [
      Duration(secondsComponent: 0, attosecondsComponent: 7), .seconds(Int64.max / 2),
      // As many whole nanoseconds as there are, and one more.
      .nanoseconds(Int64.max), .nanoseconds(Int64.max) + .nanoseconds(1), .nanoseconds(Int64.min),
    ])
  func anOddTimeComesBack(_ time: Duration) throws {
    var result = Run(slot: midnight).result(of: try makeCheck())
    result.facts.timings.connect = time
    #expect(PackedResult(result).result == result)
  }
}
