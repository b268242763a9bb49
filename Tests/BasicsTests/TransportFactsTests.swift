// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

/// TCP_INFO as bytes, of kernels that know more or less of it.
@Suite struct TransportFactsTests {
  /// Each word has its own place as its value, of tcp_info in linux/tcp.h.
  private static func bytes(_ count: Int) -> [UInt8] {
    let words = [UInt8](repeating: 1, count: 8) + (2..<80).flatMap { [UInt8($0), 0, 0, 0] }
    return Array(words[..<count])
  }

  /// A kernel of today gives some 250 bytes, and the first that had this structure 104.
  @Test(arguments: [104, 160, 248]) func whatIsNeededIsRead(count: Int) throws {
    let facts = try #require(TransportFacts(kernelBytes: Self.bytes(count)))
    #expect(facts.retransmits == 25 && facts.synRetransmits == 0)
    #expect(facts.retransmissionTimeout == .microseconds(2))
    #expect(facts.segmentSize == 4)
    #expect(facts.pathMTU == 15)
    // Word 56 of the structure, which the first kernels end before.
    #expect(facts.outOfOrder == (count >= 228 ? 56 : 0))
    #expect(facts.roundTrip == .microseconds(17) && facts.roundTripVariance == .microseconds(18))
  }

  @Test(arguments: [0, 1, 8, 100, 103]) func whatEndsBeforeSaysNothing(count: Int) {
    #expect(TransportFacts(kernelBytes: Self.bytes(count)) == nil)
  }

  /// Before the first measurement the variance is a constant of the kernel's.
  @Test func withoutARoundTripThereIsNoVariance() throws {
    var bytes = Self.bytes(104)
    for index in 68..<72 { bytes[index] = 0 }
    let facts = try #require(TransportFacts(kernelBytes: bytes))
    #expect(facts.roundTrip == nil && facts.roundTripVariance == nil)
  }

  @Test func whatIsNoTCPHasNone() {
    let pair = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(pair) }
    #expect(TransportFacts(connecting: pair) == nil)
    #expect(TransportFacts(connecting: -1) == nil)
  }

  @Test func whatWasSentAgainIsAdded() {
    let one = TransportFacts(synRetransmits: 200, retransmits: .max, roundTrip: 1)
    let other = TransportFacts(synRetransmits: 100, retransmits: 2, roundTrip: 7)
    let sum = one.adding(other)
    #expect(sum.synRetransmits == .max && sum.retransmits == .max && sum.roundTrip == .microseconds(7))
  }
}
