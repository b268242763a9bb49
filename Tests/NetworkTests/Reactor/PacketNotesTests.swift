// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Network

/// What the kernel says beside a packet, as bytes.
@Suite struct PacketNotesTests {
  /// cmsghdr {48, IPPROTO_IP, IP_RECVERR}, sock_extended_err {113, ICMP, 3, 1}, sockaddr_in 192.0.2.9.
  private static let refusal: [UInt8] =
    [48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]
    + [113, 0, 0, 0, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    + [2, 0, 0, 0, 192, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0]
  /// cmsghdr {64, SOL_SOCKET, SCM_TIMESTAMPING}, 1,000 s and 5 ns, and two stamps of hardware there is none of.
  private static let stamp: [UInt8] =
    [64, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 37, 0, 0, 0]
    + [0xe8, 3, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 32)
  /// cmsghdr {32, IPPROTO_IP, IP_RECVERR}, sock_extended_err {ENOMSG, TIMESTAMPING, SND} about datagram 7.
  private static let departure: [UInt8] =
    [32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]
    + [42, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0]
  private static let hops: [UInt8] =
    [20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 61, 0, 0, 0, 0, 0, 0, 0]

  @Test func readsTheExtendedErrorOfTheKernel() {
    let error = ICMPError(code: EHOSTUNREACH, offender: IPAddress("192.0.2.9"))
    #expect(PacketNotes(Self.refusal).error == error)
    // Behind another control message, whose length is no multiple of 8.
    let behind = PacketNotes(Self.hops + Self.refusal)
    #expect(behind.hopsLeft == 61 && behind.error == error && behind.stamp == nil)
    #expect(PacketNotes([UInt8](repeating: 0, count: 64)) == PacketNotes())
  }

  /// A firewall's no has an errno of its own in ICMPv6 alone; the numbers of the message have it in both.
  @Test(arguments: [
    (UInt8(2), UInt8(3), UInt8(9)), (2, 3, 10), (2, 3, 13), (3, 1, 1), (3, 1, 5), (3, 1, 6),
  ]) func aFirewallsNoIsToldApart(origin: UInt8, type: UInt8, code: UInt8) {
    var bytes = Self.refusal
    (bytes[20], bytes[21], bytes[22]) = (origin, type, code)
    #expect(PacketNotes(bytes).error == ICMPError(code: ENOANO, offender: IPAddress("192.0.2.9")))
    // This machine itself said it.
    bytes[20] = 1
    #expect(PacketNotes(bytes).error?.code == EHOSTUNREACH)
  }

  @Test(arguments: [(UInt8(2), UInt8(3), UInt8(1)), (2, 3, 0), (2, 11, 0), (3, 1, 0), (3, 1, 3), (3, 3, 0)])
  func allElseKeepsItsErrno(origin: UInt8, type: UInt8, code: UInt8) {
    var bytes = Self.refusal
    (bytes[20], bytes[21], bytes[22]) = (origin, type, code)
    #expect(PacketNotes(bytes).error?.code == EHOSTUNREACH)
  }

  /// The error queue holds stamps beside errors: what left is no error of the network, and its errno means nothing.
  @Test func aStampIsNoError() {
    let notes = PacketNotes(Self.stamp + Self.departure)
    #expect(notes == PacketNotes(stamp: 1_000_000_000_005, departure: 7))
    #expect(PacketNotes(Self.hops + Self.stamp) == PacketNotes(hopsLeft: 61, stamp: 1_000_000_000_005))
  }

  /// Zero seconds: the packet came before the kernel began to stamp. Beyond a second of nanoseconds there is nothing.
  @Test(arguments: [(0, 5), (-1, 5), (1000, 1_000_000_000), (1000, -1), (.max, 5)])
  func anImpossibleStampIsNone(seconds: Int64, rest: Int64) {
    var bytes = Self.stamp
    withUnsafeBytes(of: (seconds, rest)) { bytes.replaceSubrange(16..<32, with: $0) }
    #expect(PacketNotes(bytes).stamp == nil)
  }

  @Test func whatIsCutIsLeftOut() {
    let whole = Self.hops + Self.stamp + Self.departure + Self.refusal
    for length in 0..<whole.count {
      let notes = PacketNotes(Array(whole[..<length]))
      #expect(notes.error == nil)
    }
    // A length that leads nowhere, backwards, or beyond what an address is.
    for length: UInt64 in [0, 1, 15, 49, 1 << 31, 1 << 63, .max] {
      var bytes = Self.refusal
      withUnsafeBytes(of: length) { bytes.replaceSubrange(0..<8, with: $0) }
      #expect(PacketNotes(bytes) == PacketNotes(), "\(length)")
    }
  }
}

extension PacketNotes {
  fileprivate init(hopsLeft: Int? = nil, stamp: Int64? = nil, departure: UInt32? = nil) {
    self.init()
    (self.hopsLeft, self.stamp, self.departure) = (hopsLeft, stamp, departure)
  }
}
