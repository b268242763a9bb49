// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Testing

@testable import Tracing

/// What the kernel hands over with a message, as bytes.
@Suite struct ErrorQueueEntryTests {
  private func message(_ level: Int32, _ type: Int32, _ data: [UInt8]) -> [UInt8] {
    func word(_ value: Int32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let bytes = word(Int32(16 + data.count)) + [0, 0, 0, 0] + word(level) + word(type) + data
    return bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  /// EHOSTUNREACH, by ICMP, time exceeded, from 192.0.2.1; extensions at byte 108.
  private let failure: [UInt8] =
    [113, 0, 0, 0, 2, 11, 0, 0, 0, 0, 0, 0, 108, 0, 0, 0] + [2, 0, 0, 0, 192, 0, 2, 1]
    + [UInt8](repeating: 0, count: 8)

  @Test func allOfIt() throws {
    let stamp: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]
    let bytes =
      message(SOL_SOCKET, 35, stamp) + message(Int32(IPPROTO_IP), IP_TTL, [61, 0, 0, 0])
      + message(Int32(IPPROTO_IP), IP_RECVERR, failure)
    let facts = PacketNotes(bytes)
    #expect(facts.hopsLeft == 61 && facts.stamp == 2_000_000_007)
    let found = try #require(facts.failure)
    #expect(found.code == EHOSTUNREACH && found.isFromNetwork && found.type == 11 && found.icmpCode == 0)
    #expect(found.offender == IPAddress("192.0.2.1") && found.extensions == 108)
    #expect(AnswerMeaning(found, version: 4, isTarget: false) == .passesOn)
  }

  /// Whatever is cut off, nothing is read that is not there; and the first failure is the one that counts.
  @Test func cutAnywhere() {
    let bytes = message(Int32(IPPROTO_IP), IP_RECVERR, failure)
    for count in 0..<bytes.count {
      let facts = PacketNotes(Array(bytes[..<count]))
      #expect(facts.failure == nil || count >= 32)
    }
    var long = bytes
    long[3] = 0xff
    #expect(PacketNotes(long) == PacketNotes())
    long = bytes
    long[0] = 3
    #expect(PacketNotes(long) == PacketNotes())
    #expect(PacketNotes(message(Int32(IPPROTO_IP), IP_TTL, [0, 1, 0, 0])).hopsLeft == nil)
  }

  /// This machine's own word, such as a packet that is too big for its link, is nobody's on the way.
  @Test func ownErrorsAreNobodys() throws {
    var own = failure
    own[4] = 1
    let facts = PacketNotes(message(Int32(IPPROTO_IP), IP_RECVERR, own))
    let found = try #require(facts.failure)
    #expect(!found.isFromNetwork)
    #expect(AnswerMeaning(found, version: 4, isTarget: false) == nil)
  }

  @Test(
    arguments: [
      (4, 3, 13, "administratively prohibited"), (4, 3, 10, "host administratively prohibited"),
      (4, 3, 1, "host unreachable"),
      (4, 3, 77, "unreachable, code 77"), (6, 1, 1, "administratively prohibited"), (6, 1, 0, "no route"),
      (6, 1, 3, "host unreachable"),
    ] as [(Int, UInt8, UInt8, String)])
  func refusals(version: Int, type: UInt8, code: UInt8, words: String) throws {
    let failure = Self.failure(type, code)
    #expect(AnswerMeaning(failure, version: version, isTarget: false) == .refusal(words))
  }

  /// Each code of "unreachable" has its words; of a port, and of a protocol in IPv4, they are the target's own.
  @Test func everyRefusal() {
    let words4: [String?] = [
      "network unreachable", "host unreachable", "protocol unreachable", "port unreachable", nil,
      "source route failed", "network unknown", "host unknown", "source host isolated",
      "network administratively prohibited", "host administratively prohibited",
      "network unreachable for this type of service", "host unreachable for this type of service",
      "administratively prohibited", "host precedence violation", "precedence cutoff in effect",
      "unreachable, code 16",
    ]
    let words6: [String?] = [
      "no route", "administratively prohibited", "beyond the scope of the source address", "host unreachable",
      "port unreachable", "source address failed ingress or egress policy", "route rejected",
      "error in the source routing header", "unreachable, code 8",
    ]
    for (version, type, words, ends) in [(4, 3, words4, [2, 3]), (6, 1, words6, [4])]
      as [(Int, UInt8, [String?], [Int])]
    {
      for (code, words) in words.enumerated() {
        let failure = Self.failure(type, UInt8(code))
        let refusal = words.map { AnswerMeaning.refusal($0) } ?? .tooBig(0)
        let end = words.map { AnswerMeaning.target($0) } ?? .tooBig(0)
        #expect(AnswerMeaning(failure, version: version, isTarget: false) == refusal, "\(version) \(code)")
        let own = ends.contains(code) ? end : refusal
        #expect(AnswerMeaning(failure, version: version, isTarget: true) == own, "\(version) \(code)")
      }
    }
  }

  /// What else a router may say, by version: each type is of one of the two.
  @Test func everyType() {
    var found: [String] = []
    for version in [4, 6] {
      for type in UInt8(0)...20 where type != (version == 4 ? 3 : 1) {
        guard let meaning = AnswerMeaning(Self.failure(type, 0), version: version, isTarget: false) else {
          continue
        }
        found.append("\(version) \(type) \(meaning.words ?? "passes on")")
      }
    }
    #expect(
      found == [
        "4 11 passes on", "4 12 parameter problem", "6 2 packet too big", "6 3 passes on",
        "6 4 parameter problem",
      ])
    let rewritten = AnswerMeaning(Self.failure(11, 0), version: 4, isTarget: true)
    #expect(rewritten == .passesRewritten && rewritten?.isRouter == true)
    #expect(rewritten?.words == "passed on in the target's name (NAT)")
    #expect(AnswerMeaning(Self.failure(3, 0), version: 6, isTarget: true) == .passesRewritten)
    #expect(AnswerMeaning.tooBig(1400).words == "packet too big, next link 1400 bytes")
    #expect(!AnswerMeaning.tooBig(1400).isRouter && !AnswerMeaning.target("a").isRouter)
  }

  private static func failure(_ type: UInt8, _ code: UInt8, info: UInt32 = 0) -> PacketFailure {
    var bytes: [UInt8] = [113, 0, 0, 0, 2, type, code, 0]
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: info >> (8 * $0)) } + [0, 0, 0, 0]
    let head: [UInt8] = [32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(IP_RECVERR), 0, 0, 0]
    let facts = PacketNotes(head + bytes)
    guard let failure = facts.failure else { preconditionFailure("no failure in it") }
    return failure
  }

  @Test func onlyTheTargetsPortIsTheEnd() {
    #expect(
      AnswerMeaning(Self.failure(3, 3), version: 4, isTarget: true) == .target("port unreachable"))
    #expect(
      AnswerMeaning(Self.failure(3, 3), version: 4, isTarget: false) == .refusal("port unreachable"))
    #expect(AnswerMeaning(Self.failure(3, 4, info: 1400), version: 4, isTarget: false) == .tooBig(1400))
    #expect(
      AnswerMeaning(Self.failure(2, 0, info: .max), version: 6, isTarget: false) == .tooBig(4_294_967_295))
    // A redirect, and fragments that did not come together in time.
    #expect(AnswerMeaning(Self.failure(5, 1), version: 4, isTarget: false) == nil)
    #expect(AnswerMeaning(Self.failure(11, 1), version: 4, isTarget: false) == nil)
  }
}

/// MPLS labels behind a quoted packet.
@Suite struct LabelQuoteTests {
  /// Version 2, a checksum, one object of class 1 and type 1 with two entries: 16001 with TTL 1, 24 with TTL 2.
  private static func extensions(sum: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = [0x20, 0, 0, 0, 0, 12, 1, 1, 0x03, 0xe8, 0x10, 1, 0x00, 0x01, 0x81, 2]
    if sum {
      let value = RawEcho.checksum(bytes)
      (bytes[2], bytes[3]) = (UInt8(value >> 8), UInt8(value & 255))
    }
    return bytes
  }

  private let labels = [MPLSLabel(label: 16_001, ttl: 1), MPLSLabel(label: 24, ttl: 2)]

  @Test func whereTheKernelSays() {
    let quoted = [UInt8](repeating: 7, count: 108) + Self.extensions()
    #expect(LabelQuote.labels(in: quoted[...], at: 108, orAt: 0) == labels)
    let plain = [UInt8](repeating: 7, count: 108) + Self.extensions(sum: false)
    #expect(LabelQuote.labels(in: plain[...], at: 108, orAt: 0) == labels)
  }

  /// Older routers say no length: what only looks like extensions is none.
  @Test func whereOldRoutersPutThem() {
    let quoted = [UInt8](repeating: 7, count: 108) + Self.extensions()
    #expect(LabelQuote.labels(in: quoted[...], at: nil, orAt: 108) == labels)
    let unproven = [UInt8](repeating: 7, count: 108) + Self.extensions(sum: false)
    #expect(LabelQuote.labels(in: unproven[...], at: nil, orAt: 108).isEmpty)
  }

  @Test func cutAnywhere() {
    let bytes = Self.extensions(sum: false)
    for count in 0..<bytes.count {
      let found = LabelQuote.labels(in: bytes[..<count], at: 0, orAt: 0)
      #expect(found.isEmpty || found == labels.prefix(found.count).map { $0 })
    }
    #expect(LabelQuote.labels(in: bytes[...], at: .max, orAt: 0).isEmpty)
    #expect(LabelQuote.labels(in: bytes[...], at: -1, orAt: 0).isEmpty)
    let endless = [0x20, 0, 0, 0, 0, 0, 1, 1] as [UInt8]
    #expect(LabelQuote.labels(in: endless[...], at: 0, orAt: 0).isEmpty)
  }

  @Test func atMostEight() {
    let entries = (0..<40).flatMap { _ in [0, 1, 0, 9] as [UInt8] }
    let bytes = [0x20, 0, 0, 0, 0, UInt8(4 + entries.count), 1, 1] + entries
    #expect(LabelQuote.labels(in: bytes[...], at: 0, orAt: 0).count == 8)
  }
}

/// What is sent, and how it is known again.
@Suite struct TraceBodyTests {
  private func body(_ version: Int, isICMP: Bool, identifier: UInt16? = nil) -> TraceBody {
    TraceBody(version: version, nonce: 0x0102_0304_0506_0708, isICMP: isICMP, identifier: identifier)
  }

  /// A router that balances by the checksum sends all of a flow the same way.
  @Test func theChecksumStays() {
    let raw = body(4, isICMP: true, identifier: 77)
    let sums = (UInt16(1)...300).map { raw.packet($0, payload: 40)[2...3].map(\.self) }
    #expect(Set(sums).count == 1)
    #expect(RawEcho.checksum(raw.packet(9, payload: 41)) == 0)
    let plain = body(6, isICMP: true)
    #expect(Set((UInt16(1)...300).map { RawEcho.checksum(plain.packet($0, payload: 40)) }).count == 1)
  }

  /// The bytes of a packet: number, its complement and the nonce, behind the header of ICMP where it is one.
  @Test func bytesOfAPacket() {
    let nonce: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let tail = [2, 1, 0xfd, 0xfe] as [UInt8]
    #expect(body(4, isICMP: false).packet(513, payload: 14) == tail + nonce + [0, 0])
    let echo = Array(tail[2...]) + nonce + [0]
    #expect(body(6, isICMP: true).packet(513, payload: 11) == [128, 0, 0, 0, 0, 0, 2, 1] + echo)
    #expect(body(4, isICMP: true).packet(513, payload: 11) == [8, 0, 0, 0, 0, 0, 2, 1] + echo)
    #expect(
      body(6, isICMP: true, identifier: 258).packet(513, payload: 11) == [128, 0, 0, 0, 1, 2, 2, 1] + echo)
    let raw = body(4, isICMP: true, identifier: 258).packet(513, payload: 11)
    #expect(raw[0] == 8 && Array(raw[4...]) == [1, 2, 2, 1] + echo && RawEcho.checksum(raw) == 0)
  }

  @Test func ownPacketsAreKnown() {
    let udp = body(4, isICMP: false)
    #expect(udp.sequence(quoted: udp.packet(513, payload: 20)[...]) == 513)
    #expect(udp.sequence(quoted: udp.packet(513, payload: 20)[..<8]) == nil)
    let icmp = body(4, isICMP: true)
    #expect(icmp.sequence(quoted: icmp.packet(513, payload: 20)[...]) == 513)
    // RFC 792 wants no more than this.
    #expect(icmp.sequence(quoted: icmp.packet(513, payload: 20)[..<8]) == 513)
    var reply = icmp.packet(7, payload: 20)
    reply[0] = 0
    #expect(icmp.sequence(replied: reply[...]) == 7)
    #expect(icmp.packet(1, payload: 1472).count == 1480 && udp.packet(1, payload: 32).count == 32)
  }

  @Test func strangersAreNot() {
    let icmp = body(6, isICMP: true, identifier: 5)
    let other = TraceBody(version: 6, nonce: 1, isICMP: true, identifier: 5)
    #expect(icmp.sequence(quoted: other.packet(3, payload: 40)[...]) == nil)
    #expect(icmp.sequence(quoted: body(6, isICMP: true, identifier: 6).packet(3, payload: 40)[...]) == nil)
    var reply = other.packet(3, payload: 40)
    reply[0] = 129
    #expect(icmp.sequence(replied: reply[...]) == nil)
    #expect(icmp.sequence(replied: []) == nil && icmp.sequence(quoted: [96]) == nil)
    let udp = body(4, isICMP: false)
    var packet = udp.packet(3, payload: 40)
    packet[2] ^= 1
    #expect(udp.sequence(quoted: packet[...]) == nil)
  }

  /// Raw ICMPv6 is quoted with its IP header by some kernels.
  @Test func behindAnIPHeader() {
    let icmp = body(6, isICMP: true, identifier: 5)
    let header: [UInt8] = [0x60, 0, 0, 0, 0, 48, 58, 1] + [UInt8](repeating: 0xfd, count: 32)
    #expect(icmp.sequence(quoted: (header + icmp.packet(3, payload: 40))[...]) == 3)
  }

  /// How long an answer waited for us is no part of its round trip; a stamp that makes no sense takes nothing off.
  @Test func roundTrips() {
    func seconds(sent: Int64, came: Int64?) -> Int64 {
      var notes = PacketNotes()
      notes.stamp = came.map { SystemClock.wall.nanoseconds - $0 * 1_000_000_000 }
      let trip = notes.roundTrip(from: Instant.now - .seconds(sent))
      return trip.microseconds / 1_000_000
    }
    #expect((600..<700).contains(seconds(sent: 600, came: nil)))
    #expect((99..<200).contains(seconds(sent: 600, came: 500)))
    #expect((600..<700).contains(seconds(sent: 600, came: -500)), "the clock was set back")
    #expect((600..<700).contains(seconds(sent: 600, came: 5000)), "it came before it was sent")
  }
}
