// SPDX-License-Identifier: MIT

import CLinux

/// Counters of the kernel for a TCP connection (TCP_INFO, tcp(7)): time that no layer above it sees.
///
/// Small, as every result of a connection keeps one: 24 bytes.
package struct TransportFacts: Hashable, Sendable {
  /// Segments that were sent again, SYNs among them (RFC 9293 3.8.1, RFC 6298).
  package var retransmits: UInt32 = 0
  /// In microseconds, as are the two that follow; zero: nothing was acknowledged yet.
  private var roundTripTime: UInt32 = 0
  private var varianceTime: UInt32 = 0
  private var timeoutTime: UInt32 = 0
  /// Bytes of an IP packet that the way takes, as far as the kernel knows; zero: it does not.
  package var pathMTU: UInt32 = 0
  /// Bytes of data that go into a segment.
  package var segmentSize: UInt16 = 0
  /// How often the SYN was sent again: because it was lost, or its answer was.
  package var synRetransmits: UInt8 = 0
  /// Segments that came before what belongs in front of them; 255 and more are 255. In no document: a kernel older than
  /// 5.4 counts none.
  package var outOfOrder: UInt8 = 0

  /// - Parameter roundTrip: smoothed (RFC 6298 2.3), as are the variance and the timeout; zero: none was measured.
  package init(
    synRetransmits: UInt8 = 0, retransmits: UInt32 = 0, roundTrip: UInt32 = 0, variance: UInt32 = 0,
    timeout: UInt32 = 0, segmentSize: UInt16 = 0, pathMTU: UInt32 = 0
  ) {
    (self.synRetransmits, self.retransmits, roundTripTime) = (synRetransmits, retransmits, roundTrip)
    (varianceTime, timeoutTime, self.segmentSize) = (variance, timeout, segmentSize)
    self.pathMTU = pathMTU
  }

  private init(_ facts: quartz_tcp_facts) {
    self.init(
      retransmits: facts.retransmits, roundTrip: facts.round_trip,
      // Before the first measurement these are the kernel's initial values, which say nothing about the way.
      variance: facts.round_trip == 0 ? 0 : facts.variance,
      timeout: facts.timeout, segmentSize: UInt16(clamping: facts.segment), pathMTU: facts.path_mtu)
    outOfOrder = UInt8(clamping: facts.out_of_order)
  }

  /// At the end of connecting, whatever it came to: all that was sent again until then were SYNs. `nil` for what is no TCP
  /// socket, and where the kernel does not say.
  package init?(connecting descriptor: Int32) {
    var facts = quartz_tcp_facts()
    guard quartz_tcp_facts_of(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
    synRetransmits = UInt8(clamping: facts.retransmits)
  }

  /// Of a connection that stood.
  ///
  /// - Parameter synRetransmits: what was noted when it did.
  package init?(of descriptor: Int32, synRetransmits: UInt8) {
    var facts = quartz_tcp_facts()
    guard quartz_tcp_facts_of(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
    self.synRetransmits = synRetransmits
  }

  /// Of the kernel's own bytes; nil where they end before what is needed, as an old kernel's do.
  package init?(kernelBytes bytes: [UInt8]) {
    var facts = quartz_tcp_facts()
    guard bytes.withUnsafeBytes({ quartz_tcp_facts_in($0.baseAddress, UInt($0.count), &facts) }) == 0 else {
      return nil
    }
    self.init(facts)
  }

  /// Smoothed; `nil` when none was measured.
  package var roundTrip: Duration? { Self.span(roundTripTime) }
  /// How much round trips differ, smoothed; `nil` when none was measured.
  package var roundTripVariance: Duration? { Self.span(varianceTime) }
  /// How long the kernel waits for an acknowledgement before it sends again.
  package var retransmissionTimeout: Duration? { Self.span(timeoutTime) }

  /// As they are kept: in microseconds, zero for nil.
  package var times: (roundTrip: UInt32, variance: UInt32, timeout: UInt32) {
    (roundTripTime, varianceTime, timeoutTime)
  }

  private static func span(_ microseconds: UInt32) -> Duration? {
    microseconds == 0 ? nil : .microseconds(Int64(microseconds))
  }

  /// Of two connections to one target: what was sent again on either, and else the later one's.
  package func adding(_ later: TransportFacts) -> TransportFacts {
    var sum = later
    let (all, isBeyond) = retransmits.addingReportingOverflow(later.retransmits)
    sum.retransmits = isBeyond ? .max : all
    sum.synRetransmits = UInt8(clamping: Int(synRetransmits) + Int(later.synRetransmits))
    return sum
  }
}
