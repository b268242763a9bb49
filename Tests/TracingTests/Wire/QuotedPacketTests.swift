// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Testing

@testable import Tracing

/// How much of a packet must be quoted to be known again, byte by byte.
@Suite struct QuotedPacketTests {
  private func body(_ version: Int, isICMP: Bool = true, identifier: UInt16? = nil, nonce: UInt64 = 0x1122)
    -> TraceBody
  {
    TraceBody(version: version, nonce: nonce, isICMP: isICMP, identifier: identifier)
  }

  /// Of an echo request eight bytes are enough, and whatever of the nonce is quoted whole must be right.
  @Test func quotedEchoes() {
    for version in [4, 6] {
      let own = body(version)
      let packet = own.packet(513, payload: 20)
      let other = body(version, nonce: 0x1123).packet(513, payload: 20)
      for count in 0...packet.count {
        #expect(own.sequence(quoted: packet[..<count]) == (count < 8 ? nil : 513), "\(version) \(count)")
        #expect(own.sequence(quoted: other[..<count]) == (8...17 ~= count ? 513 : nil), "\(version) \(count)")
      }
      // Of the other version, and a reply in place of a request.
      #expect(body(10 - version).sequence(quoted: packet[...]) == nil)
      var reply = packet
      reply[0] = version == 4 ? 0 : 129
      #expect(own.sequence(quoted: reply[...]) == nil)
    }
  }

  /// A datagram needs its number, the complement and the nonce; a reply to an echo all of its head, of code 0.
  @Test func quotedDatagramsAndReplies() {
    let udp = body(4, isICMP: false)
    let packet = udp.packet(513, payload: 20)
    for count in 0...packet.count {
      #expect(udp.sequence(quoted: packet[..<count]) == (count < 12 ? nil : 513), "\(count)")
    }
    for place in 0..<12 {
      var changed = packet
      changed[place] ^= 1
      #expect(udp.sequence(quoted: changed[...]) == nil, "\(place)")
    }
    for version in [4, 6] {
      let own = body(version, identifier: 77)
      var reply = own.packet(513, payload: 20)
      #expect(own.sequence(replied: reply[...]) == nil, "a request")
      reply[0] = version == 4 ? 0 : 129
      for count in 0...reply.count {
        #expect(own.sequence(replied: reply[..<count]) == (count < 18 ? nil : 513), "\(version) \(count)")
      }
      // Type, code, both bytes of the identifier, and each byte of the nonce.
      for place in [0, 1, 4, 5] + Array(10..<18) {
        var changed = reply
        changed[place] ^= 1
        #expect(own.sequence(replied: changed[...]) == nil, "\(version) \(place)")
      }
    }
  }

  /// Only a header of IPv6 before ICMPv6 is passed over, and only where it is one.
  @Test func headersOfIPv6() {
    let own = body(6)
    let packet = own.packet(513, payload: 40)
    func header(_ first: UInt8, next: UInt8) -> [UInt8] {
      [first, 0, 0, 0, 0, 48, next, 1] + [UInt8](repeating: 0xfd, count: 32)
    }
    #expect(own.sequence(quoted: (header(0x60, next: 58) + packet)[...]) == 513)
    #expect(own.sequence(quoted: (header(0x6f, next: 58) + packet[..<8])[...]) == 513)
    #expect(own.sequence(quoted: (header(0x60, next: 58) + packet[..<7])[...]) == nil)
    #expect(own.sequence(quoted: (header(0x60, next: 17) + packet)[...]) == nil)
    #expect(own.sequence(quoted: (header(0x45, next: 58) + packet)[...]) == nil)
    // A number whose first byte is 58, where a header has what comes next.
    #expect(own.sequence(quoted: own.packet(58 << 8, payload: 60)[...]) == 58 << 8)
    let v4 = body(4)
    #expect(v4.sequence(quoted: (header(0x60, next: 58) + v4.packet(513, payload: 40))[...]) == nil)
  }
}

/// Labels behind a quoted packet, object by object.
@Suite struct LabelObjectTests {
  /// Without a checksum, where the kernel says the place.
  private func labels(_ objects: [UInt8], version: UInt8 = 2) -> [MPLSLabel] {
    let bytes = [version << 4, 0, 0, 0] + objects
    return LabelQuote.labels(in: bytes[...], at: 0, orAt: 99)
  }

  private let stack: [UInt8] = [0, 8, 1, 1, 0x03, 0xe8, 0x11, 1]
  private let found = [MPLSLabel(label: 16_001, ttl: 1)]

  @Test func onlyLabelsAreRead() {
    #expect(labels(stack) == found)
    for version in [0, 1, 3, 15] as [UInt8] { #expect(labels(stack, version: version).isEmpty) }
    // Another class, and another type of it.
    #expect(labels([0, 8, 2, 1, 0x03, 0xe8, 0x11, 1]).isEmpty)
    #expect(labels([0, 8, 1, 2, 0x03, 0xe8, 0x11, 1]).isEmpty)
    #expect(labels([]).isEmpty && labels([0, 4, 1, 1]).isEmpty)
  }

  /// Others are passed over, by their length taken up to four bytes.
  @Test func objectsBeforeIt() {
    #expect(labels([0, 4, 2, 1] + stack) == found)
    #expect(labels([0, 5, 2, 1, 9, 0, 0, 0] + stack) == found)
    #expect(labels([0, 8, 2, 1, 9, 9, 9, 9] + stack) == found)
    #expect(labels([0, 9, 2, 1, 9, 9, 9, 9, 9, 0, 0, 0] + stack) == found)
    // A length below its own head, or beyond the end, ends it.
    #expect(labels([0, 3, 2, 1] + stack).isEmpty && labels([0, 0, 2, 1] + stack).isEmpty)
    #expect(labels([1, 0, 2, 1] + stack).isEmpty)
    #expect(labels([0, 9, 1, 1, 0x03, 0xe8, 0x11, 1]).isEmpty)
    // 260 bytes: both bytes of a length count.
    #expect(labels([1, 4, 2, 1] + [UInt8](repeating: 0, count: 256) + stack) == found)
  }

  /// Twenty bits of label, eight of TTL; the bottom of the stack ends it, and so does an entry that is cut.
  @Test func entries() {
    #expect(
      labels([0, 12, 1, 1, 0xff, 0xff, 0xf0, 255, 0, 0, 0x1f, 2])
        == [MPLSLabel(label: 0xfffff, ttl: 255), MPLSLabel(label: 1, ttl: 2)])
    #expect(labels([0, 12, 1, 1, 0x03, 0xe8, 0x11, 1, 0, 0, 0x10, 2]) == found)
    #expect(labels([0, 11, 1, 1, 0x03, 0xe8, 0x10, 1, 0, 0, 0x10, 2]) == found)
  }

  /// A checksum that is there must hold, wherever it is.
  @Test func checksums() {
    var bytes = [0x20, 0, 0, 0] + stack
    let sum = RawEcho.checksum(bytes)
    (bytes[2], bytes[3]) = (UInt8(sum >> 8), UInt8(sum & 255))
    #expect(LabelQuote.labels(in: bytes[...], at: 0, orAt: 99) == found)
    #expect(LabelQuote.labels(in: bytes[...], at: nil, orAt: 0) == found)
    for place in 2..<4 {
      var changed = bytes
      changed[place] ^= 1
      #expect(LabelQuote.labels(in: changed[...], at: 0, orAt: 99).isEmpty)
      #expect(LabelQuote.labels(in: changed[...], at: nil, orAt: 0).isEmpty)
    }
  }
}

/// What a socket is asked for, as the kernel has it afterwards.
@Suite struct TraceSocketTests {
  private func option(_ number: Int32, _ level: Int, _ name: Int32) -> Int32 {
    var (value, length) = (Int32(-1), socklen_t(4))
    return getsockopt(number, Int32(level), name, &value, &length) == 0 ? value : -1
  }

  /// Errors, the TTL they come with, the extensions of RFC 4884, and when they came.
  @Test func errorsAreAskedFor() throws {
    for (family, level, names) in [
      (AF_INET, Int(IPPROTO_IP), [IP_RECVERR, IP_RECVTTL, 26]),
      (AF_INET6, Int(IPPROTO_IPV6), [IPV6_RECVERR, IPV6_RECVHOPLIMIT, 31]),
    ] {
      let number = openSocket(.tcp, family: family)
      try #require(number >= 0)
      defer { close(number) }
      for name in names { #expect(option(number, level, name) == 0, "\(family) \(name)") }
      askForErrors(number, version: family == AF_INET ? 4 : 6)
      for name in names { #expect(option(number, level, name) == 1, "\(family) \(name)") }
      #expect(option(number, Int(SOL_SOCKET), PacketNotes.arrivals) == 1)
      setHops(number, version: family == AF_INET ? 4 : 6, 7)
      #expect(option(number, level, family == AF_INET ? IP_TTL : IPV6_UNICAST_HOPS) == 7)
    }
  }

  /// Packets that are to find the size of links are never sent in fragments; others are, as the kernel likes.
  @Test func fragments() throws {
    let own = SocketAddress(.v4(0x7f00_0001), port: 9)
    for unbroken in [true, false] {
      let flow = try #require(PacketFlow(.udp, to: own, unbroken: unbroken))
      #expect(option(flow.number, Int(IPPROTO_IP), IP_MTU_DISCOVER) == (unbroken ? 3 : 0))
      #expect(option(flow.number, Int(IPPROTO_IP), IP_RECVTTL) == 1)
    }
  }

  /// This end of a connection: the address that is to be dialled from with its scope, else any of the same version.
  @Test func thisEnd() {
    let v6 = IPAddress.v6(high: 0xfe80 << 48, low: 1)
    let bound = SocketAddress(v6, port: 443, scope: 3, source: .v6(high: 0xfe80 << 48, low: 2))
    let near = bound.near(99)
    #expect(near.address == .v6(high: 0xfe80 << 48, low: 2) && near.port == 99 && near.scope == 3)
    let any = SocketAddress(v6, port: 443, scope: 3).near(7)
    #expect(any.address == .v6(high: 0, low: 0) && any.port == 7 && any.scope == 0)
    #expect(SocketAddress(.v4(9), port: 443).near(0).address == .v4(0))
  }
}

/// Sizes of links that are tried first.
@Suite struct UsualSizeTests {
  /// Each is tried as one more than it, alone between its neighbours; without one the middle is.
  @Test func usualSizes() {
    let usual = [
      576, 1006, 1280, 1300, 1360, 1380, 1400, 1420, 1436, 1450, 1460, 1472, 1480, 1492, 1500, 9000,
    ]
    for size in usual {
      #expect(SizeSearch.middle(size - 2, size + 3) == size + 1, "\(size)")
      #expect(SizeSearch.middle(size - 1, size + 1) == size && SizeSearch.middle(size, size + 2) == size + 1)
    }
    #expect(SizeSearch.middle(577, 1006) == 791 && SizeSearch.middle(1501, 9000) == 5250)
    #expect(SizeSearch.middle(9001, 65_535) == 37_268 && SizeSearch.middle(68, 576) == 322)
    // Of several the middle one: sixteen sizes and one more than each.
    #expect(SizeSearch.middle(68, 65_535) == 1436)
    #expect(SizeSearch.middle(1400, 1500) == 1460)
  }
}
