// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

@testable import Network

/// What the kernel says of a packet that came to nothing, byte by byte.
@Suite struct PacketFailureTests {
  /// The kernel's words, as `sock_extended_err` and the address behind it lie in memory.
  private func failure(
    code: Int32 = EHOSTUNREACH, origin: UInt8 = 2, type: UInt8 = 3, icmp: UInt8 = 1, info: UInt32 = 0,
    place: UInt16 = 0, flags: UInt8 = 0, sender: [UInt8] = []
  ) -> PacketFailure? {
    var bytes = withUnsafeBytes(of: code) { Array($0) } + [origin, type, icmp, 0]
    bytes += withUnsafeBytes(of: info) { Array($0) }
    bytes += withUnsafeBytes(of: place) { Array($0) } + [flags, 0]
    return (bytes + sender).withUnsafeBytes { PacketFailure($0) }
  }

  /// Each field has its place, and those beside it do not count.
  @Test func fields() throws {
    let found = try #require(failure(code: 113, type: 11, icmp: 4, info: 1280, place: 128))
    #expect(found.code == 113 && found.type == 11 && found.icmpCode == 4 && found.info == 1280)
    #expect(found.extensions == 128 && found.offender == nil && found.isFromNetwork)
  }

  /// The network speaks by ICMP and ICMPv6; 1 is this machine itself, 4 and 5 are other reports of the kernel.
  @Test(arguments: [(UInt8(0), false), (1, false), (2, true), (3, true), (4, false), (5, false)])
  func whereItComesFrom(origin: UInt8, isFromNetwork: Bool) {
    #expect(failure(origin: origin)?.isFromNetwork == isFromNetwork)
  }

  /// Extensions begin at a place behind the first byte, unless their checksum is wrong.
  @Test(
    arguments: [(0, 0, nil), (1, 0, 1), (128, 0, 128), (128, 1, nil), (128, 2, 128), (65_535, 0, 65_535)]
      as [(UInt16, UInt8, Int?)])
  func extensions(place: UInt16, flags: UInt8, found: Int?) {
    #expect(failure(place: place, flags: flags)?.extensions == found)
  }

  /// The sender is read where its address is whole.
  @Test func senders() {
    let family4 = withUnsafeBytes(of: UInt16(AF_INET)) { Array($0) }
    let family6 = withUnsafeBytes(of: UInt16(AF_INET6)) { Array($0) }
    let v4: [UInt8] = [192, 0, 2, 1]
    let v6: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [7]
    #expect(failure(sender: family4 + [0, 53] + v4)?.offender == IPAddress(bytes: v4))
    #expect(failure(sender: family4 + [0, 53] + v4.dropLast())?.offender == nil)
    #expect(failure(sender: family6 + [0, 53, 9, 9, 9, 9] + v6)?.offender == IPAddress(bytes: v6))
    #expect(failure(sender: family6 + [0, 53, 9, 9, 9, 9] + v6.dropLast())?.offender == nil)
    #expect(failure(sender: [0, 0, 0, 53] + v4)?.offender == nil)
  }

  /// Less than the kernel's structure says nothing.
  @Test func cutShort() {
    let whole = [UInt8](repeating: 0, count: 16)
    #expect(whole.withUnsafeBytes { PacketFailure($0) } != nil)
    #expect(whole.dropLast().withUnsafeBytes { PacketFailure($0) } == nil)
  }

  /// A firewall's refusal has one errno, whatever the kernel made of it; only the network refuses so.
  @Test func refusals() {
    var refused: [[UInt8]] = []
    for type in UInt8(0)...12 {
      for icmp in UInt8(0)...16 where failure(type: type, icmp: icmp)?.meaning == ENOANO {
        refused.append([type, icmp])
      }
    }
    #expect(refused == [[1, 1], [1, 5], [1, 6], [3, 9], [3, 10], [3, 13]])
    #expect(failure(type: 3, icmp: 1)?.meaning == EHOSTUNREACH)
    #expect(failure(origin: 1, type: 3, icmp: 13)?.meaning == EHOSTUNREACH)
  }
}
