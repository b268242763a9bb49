// SPDX-License-Identifier: MIT

import Basics
import Network

/// An ICMP or ICMPv6 echo request and its reply (RFC 792, RFC 4443 4). The kernel fills in the identifier and the
/// checksum of an unprivileged socket, and hands over only packets with its identifier; over a raw socket only the
/// checksum of ICMPv6 is its business.
struct ICMPEcho: Hashable, Sendable {
  let sequence: UInt16
  /// At random for each run: tells our packets from an earlier run's that used the same identifier.
  let nonce: UInt64
  /// Payload bytes.
  let size: Int
  /// Over a raw socket; nil: the kernel's choice.
  var identifier: UInt16?

  func request(version: Int) -> [UInt8] {
    // bounded: the halves of 16 bits
    var bytes: [UInt8] = [version == 4 ? 8 : 128, 0, 0, 0, 0, 0, UInt8(sequence >> 8), UInt8(sequence & 255)]
    bytes.reserveCapacity(8 + size)  // bounded: a size of at most 1,472
    for index in 0..<size { bytes.append(payloadByte(index)) }
    guard let identifier else { return bytes }
    // bounded: the halves of 16 bits
    (bytes[4], bytes[5]) = (UInt8(identifier >> 8), UInt8(identifier & 255))
    guard version == 4 else { return bytes }
    let sum = RawEcho.checksum(bytes)
    (bytes[2], bytes[3]) = (UInt8(sum >> 8), UInt8(sum & 255))  // bounded: the halves of 16 bits
    return bytes
  }

  /// The payload begins with the nonce; the rest is a pattern that shows damage.
  private func payloadByte(_ index: Int) -> UInt8 {
    // bounded: a size of at most 1,472, held against the datagram's first
    index < 8 ? UInt8(truncatingIfNeeded: nonce >> (56 - 8 * index)) : UInt8(truncatingIfNeeded: index)
  }

  /// The sequence number of a reply whose payload is exactly what we sent; nil for anything else.
  static func repliedSequence(_ bytes: ArraySlice<UInt8>, version: Int, nonce: UInt64, size: Int) -> UInt16? {
    // bounded: a size of at most 1,472
    guard bytes.count == 8 + size, let sequence = sequence(of: bytes) else { return nil }
    let start = bytes.startIndex
    // bounded: eight bytes at least, by the size that was asked for
    guard bytes[start] == (version == 4 ? 0 : 129), bytes[start + 1] == 0 else { return nil }
    let echo = ICMPEcho(sequence: sequence, nonce: nonce, size: size)
    // bounded: the datagram has eight bytes and the size, as was asked for
    for index in 0..<size where bytes[start + 8 + index] != echo.payloadByte(index) { return nil }
    return sequence
  }

  /// The sequence number of any echo packet, such as the one an ICMP error quotes.
  static func sequence(of bytes: ArraySlice<UInt8>) -> UInt16? {
    // bounded: a size of at most 1,472, held against the datagram's first
    guard bytes.count >= 8 else { return nil }
    let start = bytes.startIndex
    return UInt16(bytes[start + 6]) << 8 | UInt16(bytes[start + 7])
  }
}
