// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Network

/// Which of several failed attempts speaks for all.
@Suite struct DialledTests {
  /// A fault of this machine for one address says nothing about another; what a target did says something.
  @Test(
    arguments: [
      ([EMFILE, ECONNREFUSED], 1), ([ECONNREFUSED, EMFILE], 0), ([ENETUNREACH, ENETUNREACH], 0),
      ([ENETUNREACH, EMFILE, EHOSTUNREACH], 2),
    ] as [([Int32], Int)])
  func whatATargetDidOutweighsOurOwnFault(codes: [Int32], telling: Int) {
    let now = Instant.now
    let peers = codes.indices.map { SocketAddress(.v4(0x7f00_0001 + UInt32($0)), port: 80) }
    let tries = zip(peers, codes).map { DialTry(peer: $0, started: now, ended: now, end: .failed($1)) }
    let report = RaceReport(
      socket: nil, tries: tries, started: now, ended: now, deadline: now + .seconds(1), lateness: .zero)
    let lost = report.failure(of: peers) {
      Verdict(losing: $0, in: report, to: Endpoint(host: "good.test", port: 80), timeout: .seconds(1))
    }
    #expect(lost.peer == peers[telling])
  }

  /// The kernel's figures are those of the address whose failure counts, as is all else that is said.
  @Test(
    arguments: [([EMFILE, ECONNREFUSED], 1), ([ECONNREFUSED, EMFILE], 0), ([ETIMEDOUT], 0)]
      as [([Int32], Int)])
  func figuresOfALostRace(codes: [Int32], telling: Int) {
    let now = Instant.now
    let peers = codes.indices.map { SocketAddress(.v4(0x7f00_0001 + UInt32($0)), port: 80) }
    let tries = zip(peers, codes).enumerated().map { place, one in
      var facts = TransportFacts()
      facts.retransmits = UInt32(place + 1)
      return DialTry(peer: one.0, started: now, ended: now, end: .failed(one.1), tcp: facts)
    }
    let report = RaceReport(
      socket: nil, tries: tries, started: now, ended: now + .milliseconds(7), deadline: now + .seconds(1),
      lateness: .zero)
    let lost = Dialled(
      losing: report, to: peers, named: Endpoint(host: "good.test", port: 80), timeout: .seconds(1))
    #expect(lost.peer == peers[telling] && lost.tcp == tries[telling].tcp)
    #expect(lost.socket == nil && lost.connect == nil && lost.elapsed == .milliseconds(7))
    #expect(lost.tries.count == (codes.count > 1 ? codes.count : 0))
    #expect((lost.verdict.message ?? "").hasSuffix("2 addresses tried") == (codes.count > 1))
  }
}
