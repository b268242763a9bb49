// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks

/// A connection that stood and went silent, with what the kernel had to send again.
@Suite struct LostSegmentTests {
  private func told(_ reason: Reason, again: UInt32, syns: UInt8 = 0) throws -> String? {
    var outcome = ProbeOutcome(Verdict(reason, phase: .tls, message: "nothing came"))
    outcome.tcp = TransportFacts(synRetransmits: syns, retransmits: again)
    outcome.hops = []
    CheckRunner.judge(&outcome, of: try httpCheck("https://good.test/"))
    return outcome.verdict.message
  }

  @Test(arguments: [Reason.tlsTimeout, .firstByteTimeout, .transferTimeout])
  func silenceWithLossIsSaidSo(reason: Reason) throws {
    #expect(
      try told(reason, again: 5)
        == "nothing came; 5 segments were sent again: packets are lost on the way, all or only large ones")
  }

  /// The other side's large segments vanish, and a small one behind them came: this side had nothing to send again.
  @Test func aSegmentThatCameTooEarlyIsSaid() throws {
    var outcome = ProbeOutcome(Verdict(.tlsTimeout, phase: .tls, message: "nothing came"))
    outcome.tcp = TransportFacts()
    outcome.tcp?.outOfOrder = 1
    CheckRunner.judge(&outcome, of: try httpCheck("https://good.test/"))
    #expect(
      outcome.verdict.message
        == "nothing came; 1 of the segments came out of order: packets may be lost on the way, all or only large ones"
    )
  }

  /// One is lost now and then, SYNs are told apart, and who answers is not silent.
  @Test func whatSaysNothingIsNotSaid() throws {
    #expect(try told(.tlsTimeout, again: 1) == "nothing came")
    #expect(try told(.connectionClosed, again: 5) == "nothing came")
    #expect(try told(.firstByteTimeout, again: 3, syns: 2)?.contains("segments") == false)
  }
}
