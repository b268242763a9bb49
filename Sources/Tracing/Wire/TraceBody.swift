// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Payload of a flow's packets, and how they are recognised. Pure.
///
/// ICMP has no ports: routers that balance flows look at its identifier and its checksum, so that both stay the same
/// over all packets (a word of the payload makes up for the number).
struct TraceBody: Hashable, Sendable {
  let version: Int
  /// At random for each flow: tells our packets from anybody else's.
  let nonce: UInt64
  let isICMP: Bool
  /// Over a raw socket; nil: the kernel's own.
  var identifier: UInt16?

  /// Bytes of payload at least: the number, what makes up for it, and the nonce.
  static let least = 12

  /// - Parameter payload: bytes behind the header of UDP or ICMP.
  func packet(_ sequence: UInt16, payload: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload + 8)  // bounded: a packet's size, ours
    if isICMP {
      // bounded: lists that are joined
      bytes += [version == 4 ? 8 : 128, 0, 0, 0] + twoBytes(identifier ?? 0) + twoBytes(sequence)
    } else {
      bytes += twoBytes(sequence)
    }
    // bounded: lists that are joined, and places in 64 bits
    bytes += twoBytes(~sequence) + (0..<8).map { UInt8(truncatingIfNeeded: nonce >> (56 - 8 * UInt64($0))) }
    let length = payload + (isICMP ? 8 : 0)  // bounded: a packet's size, ours
    // bounded: by the condition
    if bytes.count < length { bytes += Array(repeating: 0, count: length - bytes.count) }
    // The kernel fills it in for its own sockets, and for ICMPv6 always.
    if isICMP, identifier != nil, version == 4 {
      let sum = twoBytes(RawEcho.checksum(bytes))
      (bytes[2], bytes[3]) = (sum[0], sum[1])
    }
    return bytes
  }

  /// The number of the packet that an error quotes. `nil` where it is none of ours, or too little is quoted to tell.
  func sequence(quoted: ArraySlice<UInt8>) -> UInt16? {
    if !isICMP { return sequence(payload: quoted) }
    var message = quoted
    // Some kernels quote a raw ICMPv6 packet from its IP header on (RFC 8200 3: 40 bytes, next header 58).
    if version == 6, message.first.map({ $0 >> 4 == 6 }) ?? false,
      message.dropFirst(6).first == 58
    {
      message = message.dropFirst(40)
    }
    guard message.first == (version == 4 ? 8 : 128) else { return nil }
    if let identifier, word(message, 4) != identifier { return nil }
    guard let sequence = word(message, 6) else { return nil }
    // RFC 792 wants eight bytes quoted; who quotes more shows whose it is.
    let payload = message.dropFirst(8)
    return payload.count >= 10 && !hasNonce(payload.dropFirst(2)) ? nil : sequence
  }

  /// The number of an echo reply. `nil` where it is none of ours.
  func sequence(replied message: ArraySlice<UInt8>) -> UInt16? {
    guard message.first == (version == 4 ? 0 : 129), message.dropFirst(1).first == 0 else { return nil }
    if let identifier, word(message, 4) != identifier { return nil }
    return hasNonce(message.dropFirst(10)) ? word(message, 6) : nil
  }

  private func sequence(payload: ArraySlice<UInt8>) -> UInt16? {
    guard let sequence = word(payload, 0), word(payload, 2) == ~sequence, hasNonce(payload.dropFirst(4))
    else {
      return nil
    }
    return sequence
  }

  private func hasNonce(_ bytes: ArraySlice<UInt8>) -> Bool {
    // bounded: a byte of eight
    bytes.count >= 8 && bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == nonce
  }

  private func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt16? {
    let two = bytes.dropFirst(offset).prefix(2)
    // bounded: a byte of two
    return two.count == 2 ? two.reduce(0) { $0 << 8 | UInt16($1) } : nil
  }

  private func twoBytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
}
