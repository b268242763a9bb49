// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Testing

@testable import Checks

/// What the serials of a zone's name servers amount to, row by row.
@Suite struct SerialSurveyTests {
  private func name(_ text: String) throws -> DNSName { try #require(DNSName(text)) }

  private func entry(_ number: Int, _ outcome: SerialSurvey.Entry.Outcome, hasAddress: Bool = true) throws
    -> SerialSurvey.Entry
  {
    SerialSurvey.Entry(
      server: try name("ns\(number).example."), address: hasAddress ? .v4(UInt32(number)) : nil,
      outcome: outcome)
  }

  private func survey(_ entries: [SerialSurvey.Entry]) throws -> SerialSurvey {
    SerialSurvey(zone: try name("example."), entries: entries)
  }

  private let denied = Verdict(.policyDenied, phase: .prepare, message: "not permitted")
  private let noRoute = Verdict(.localFault, phase: .connect, message: "no route")
  private let hidden = Verdict(.dnsNXDomain, phase: .dns, message: "no name", isUnknown: true)

  /// Serials newest first, each with its servers, then those that said none; numbers are compared as numbers.
  @Test func theDescription() throws {
    let all = try survey([
      entry(1, .serial(9)), entry(2, .failed("answered REFUSED")), entry(3, .serial(10)),
      entry(4, .unasked(noRoute), hasAddress: false), entry(5, .serial(9), hasAddress: false),
      entry(6, .unasked(Verdict(.localFault))),
    ])
    #expect(
      all.description
        == "10 on ns3.example. (0.0.0.3); 9 on ns1.example. (0.0.0.1), ns5.example.; "
        + "ns2.example. (0.0.0.2) answered REFUSED; ns4.example. not asked: no route; "
        + "ns6.example. (0.0.0.6) not asked: ")
    #expect(try survey([]).description == "")
    #expect(SerialSurvey.expected == "one serial on all name servers" && SerialSurveyor.addressLimit == 64)
  }

  /// Which of several things is said: the zone's failure, a silent server, different serials, one not permitted.
  @Test func theVerdict() throws {
    func answer(_ words: String) -> Verdict { Verdict(.dnsAnswer, phase: .assertion, message: words) }
    let failed = try entry(2, .failed("answered REFUSED"))
    let (nine, ten) = (try entry(1, .serial(9)), try entry(3, .serial(10)))
    let (kept, away, unheard) = (
      try entry(4, .unasked(denied)), try entry(5, .unasked(noRoute)), try entry(6, .unasked(hidden))
    )
    #expect(try survey([nine, entry(7, .serial(9))]).verdict == nil)
    let silent = answer("of the name servers of example., ns2.example. (0.0.0.2) answered REFUSED")
    #expect(try survey([kept, nine, ten, failed]).verdict == silent)
    #expect(
      try survey([nine, ten, kept]).verdict?.message
        == "the name servers of example. hold different serials: 10 on ns3.example. (0.0.0.3); "
        + "9 on ns1.example. (0.0.0.1); ns4.example. (0.0.0.4) not asked: not permitted")
    #expect(try survey([nine, away, kept]).verdict == denied && survey([nine, unheard]).verdict == hidden)
    #expect(try survey([nine, away]).verdict == nil)
    #expect(try survey([away, unheard]).verdict == hidden && survey([away]).verdict == noRoute)
    #expect(try survey([]).verdict == answer("example. has no name server that could be asked"))
    var unknown = try survey([failed])
    unknown.zone = nil
    #expect(unknown.verdict?.message?.hasPrefix("of the name servers of the zone, ns2") == true)
    unknown.failure = noRoute
    #expect(unknown.verdict == noRoute)
    // A name that is known to have no address, and not hidden, is this machine's to tell as well.
    let down = Verdict(.dnsNXDomain, phase: .dns, message: "x")
    #expect(try survey([nine, entry(8, .unasked(down))]).verdict == nil)
  }

  /// In the order of the name servers, whichever answered first.
  @Test func theOrderOfTheServers() throws {
    let all = try (1...4).map { try entry($0, .serial(UInt32($0))) }
    let answered = [(2, all[2]), (0, all[0]), (3, all[3]), (1, all[1])]
    #expect(SerialSurveyor.inOrder(answered).map(\.server) == all.map(\.server))
    #expect(
      SerialSurveyor.inOrder([(3, all[3]), (1, all[1])]).map(\.server) == [all[1].server, all[3].server])
  }
}
