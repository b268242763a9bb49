// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// What a raw socket leaves to us: headers, checksums, and whose packet it is.
@Suite struct RawEchoTests {
  private let target = IPAddress.v4(0xc000_0201)
  private let start = Instant.now

  private func series(size: Int = 8) throws -> EchoSeries {
    let check = try makeCheck("ping") { ($0.host, $0.ping.count, $0.size) = ("192.0.2.1", 2, size) }
    guard case .ping(let settings) = check.kind else { throw SetUpFailed(line: "ping") }
    return EchoSeries(target: target, settings: settings, nonce: 7, identifier: 0x1234)
  }

  private func reply(_ sequence: UInt16 = 1, identifier: UInt16 = 0x1234, nonce: UInt64 = 7, size: Int = 8)
    -> [UInt8]
  {
    var echo = ICMPEcho(sequence: sequence, nonce: nonce, size: size)
    echo.identifier = identifier
    var bytes = echo.request(version: 4)
    (bytes[0], bytes[2], bytes[3]) = (0, 0, 0)
    let sum = RawEcho.checksum(bytes)
    (bytes[2], bytes[3]) = (UInt8(sum >> 8), UInt8(sum & 255))
    return bytes
  }

  /// An IPv4 packet (RFC 791 3.1) around a message.
  private func packet(_ message: [UInt8], options: Int = 0) -> [UInt8] {
    let total = UInt16(20 + options + message.count)
    var bytes: [UInt8] = [
      0x45 + UInt8(options / 4), 0, UInt8(total >> 8), UInt8(total & 255), 0, 0, 0x40, 0, 64, 1,
    ]
    bytes += [0, 0, 192, 0, 2, 1, 192, 0, 2, 9] + [UInt8](repeating: 1, count: options)
    return bytes + message
  }

  /// RFC 1071 3, the example of its section 3, and what every packet has that holds its own sum.
  @Test func checksums() throws {
    #expect(RawEcho.checksum([UInt8]([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7])) == 0x220d)
    #expect(RawEcho.checksum([UInt8]()) == 0xffff)
    #expect(RawEcho.checksum([1] as [UInt8]) == 0xfeff)
    var series = try series()
    let request = series.opened(at: start).send ?? []
    #expect(request.prefix(2) == [8, 0] && request[4...7] == [0x12, 0x34, 0, 1])
    #expect(RawEcho.checksum(request) == 0)
  }

  /// Options are skipped, and what follows the packet is none of it.
  @Test(arguments: [0, 4, 40]) func theMessageIsFound(options: Int) {
    let message = reply()
    #expect(RawEcho.message(inIPv4: packet(message, options: options)[...]).map { Array($0) } == message)
    #expect(
      RawEcho.message(inIPv4: (packet(message, options: options) + [9, 9])[...]).map { Array($0) } == message)
  }

  @Test func nothingElseIs() {
    let whole = packet(reply())
    for length in 0..<whole.count { #expect(RawEcho.message(inIPv4: whole[..<length]) == nil) }
    // Another version, header and total lengths that lie, a fragment, another protocol, a damaged message.
    let spoils: [(Int, UInt8)] = [
      (0, 0x65), (0, 0x44), (0, 0x40), (0, 0x4f), (2, 0xff), (3, 20), (3, 27), (6, 0x20), (7, 1), (9, 17),
      (24, 9),
    ]
    for (place, byte) in spoils {
      var spoilt = whole
      spoilt[place] = byte
      #expect(RawEcho.message(inIPv4: spoilt[...]) == nil, "\(place)")
    }
  }

  /// Any bytes at any place: an answer or nil, and no trap. A slice does not begin at zero.
  @Test func arbitraryBytesDoNotTrap() {
    var seed = SystemRandomNumberGenerator()
    for _ in 0..<100_000 {
      var bytes = (0..<Int.random(in: 0...64, using: &seed)).map { _ in
        UInt8.random(in: 0...255, using: &seed)
      }
      if bytes.count > 9, Bool.random() { (bytes[0], bytes[9]) = (0x40 | (bytes[0] & 15), 1) }
      _ = RawEcho.message(inIPv4: ([0, 0, 0] + bytes)[3...])
      _ = RawEcho.identifier(of: bytes[...])
    }
  }

  /// Of all that a raw socket hears only our own replies count, from the target and unforged.
  @Test func othersRepliesAreNotOurs() throws {
    var series = try series()
    _ = series.opened(at: start)
    var request = reply()
    request[0] = 8
    var wrongSum = reply()
    wrongSum[2] ^= 1
    let strays = [
      reply(identifier: 0x1235), reply(nonce: 8), reply(2), reply(size: 9), request, wrongSum, [],
    ]
    for stray in strays { #expect(series.received(packet(stray)[...], from: target, at: start) == .wait) }
    // Without the header before it, as another kind of socket has it, and from somebody else.
    #expect(series.received(reply()[...], from: target, at: start) == .wait)
    #expect(series.received(packet(reply())[...], from: .v4(1), at: start) == .wait)
    #expect(series.tally.facts.received == 0)
    _ = series.received(packet(reply(), options: 8)[...], from: target, at: start + .milliseconds(1))
    #expect(series.tally.facts.received == 1)
  }

  /// The error queue of a raw socket holds what routers say of everybody's packets to the target.
  @Test func othersErrorsAreNotOurs() throws {
    var series = try series()
    let request = series.opened(at: start).send ?? []
    var other = request
    other[5] ^= 1
    _ = series.refused(ICMPError(code: EHOSTUNREACH), about: other[...])
    _ = series.refused(ICMPError(code: EHOSTUNREACH), about: request[..<7])
    #expect(series.tally.errors.isEmpty)
    _ = series.refused(ICMPError(code: EHOSTUNREACH), about: request[...])
    #expect(series.tally.errors[1]?.code == EHOSTUNREACH)
  }

  /// With an empty payload the identifier is all there is: no two runs have the same.
  @Test func identifiersAreHeldByOneRunAtATime() {
    let identifiers = EchoIdentifiers()
    var taken: Set<UInt16> = []
    for _ in 0...UInt16.max { if let one = identifiers.take() { taken.insert(one) } }
    #expect(taken.count == 65_536)
    #expect(identifiers.take() == nil)
    identifiers.giveBack(99)
    #expect(identifiers.take() == 99)
  }
}
