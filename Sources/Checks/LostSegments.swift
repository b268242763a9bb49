// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension ProbeOutcome {
  /// Segments sent again, SYNs aside, from which the message names them.
  private static let tellingRetransmits: UInt32 = 2

  /// Says of a connection that stood and then went silent that what this side sent did not get through, or that something
  /// came and what belongs in front of it did not: the other side need not be slow. Large packets that vanish behind a
  /// smaller MTU look like this (RFC 2923, section 2.1).
  mutating func tellLostSegments() {
    guard [.tlsTimeout, .firstByteTimeout, .transferTimeout].contains(verdict.reason), let tcp = self.tcp
    else {
      return
    }
    let (again, isBelow) = tcp.retransmits.subtractingReportingOverflow(UInt32(tcp.synRetransmits))
    let what: String
    if !isBelow, again >= Self.tellingRetransmits {
      what = "\(again) segments were sent again: packets are"
    } else if tcp.outOfOrder > 0 {
      what = "\(tcp.outOfOrder) of the segments came out of order: packets may be"
    } else {
      return
    }
    let words = "\(what) \(NarrowCause.lostSegments.rawValue)"
    verdict = verdict.with(message: verdict.message.map { "\($0); \(words)" } ?? words)
  }
}
