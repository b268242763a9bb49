// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// An error that a router, the target or this machine itself reported about a packet of ours: `sock_extended_err` of
/// linux/errqueue.h, and behind it the `sockaddr` of its sender. Pure.
package struct PacketFailure: Hashable, Sendable {
  /// The errno the kernel made of it.
  package var code: Int32
  /// The network said it; else this machine did.
  package var isFromNetwork: Bool
  /// Of ICMP or ICMPv6.
  package var type: UInt8
  package var icmpCode: UInt8
  /// "Too big": bytes that the next link takes.
  package var info: UInt32
  /// Where the extensions of RFC 4884 begin in what is quoted; nil: the router gave none, or the kernel says nothing of
  /// them (before Linux 5.9).
  package var extensions: Int?
  /// Sender of the error.
  package var offender: IPAddress?

  /// The errno, ENOANO where a firewall said no: the kernel has none of its own for that in IPv4. ICMPv6 has other numbers
  /// than ICMP (RFC 792 and RFC 1812 5.2.7.1, RFC 4443 3.1), and none of them twice.
  package var meaning: Int32 {
    guard isFromNetwork else { return code }
    return switch (type, icmpCode) {
    case (3, 9), (3, 10), (3, 13), (1, 1), (1, 5), (1, 6): ENOANO
    default: code
    }
  }

  /// `nil` where it is cut short.
  init?(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 16 else { return nil }
    code = data.loadUnaligned(as: Int32.self)
    // SO_EE_ORIGIN_ICMP and SO_EE_ORIGIN_ICMP6.
    isFromNetwork = data[4] == 2 || data[4] == 3
    (type, icmpCode) = (data[5], data[6])
    info = data.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    let place = Int(data.loadUnaligned(fromByteOffset: 12, as: UInt16.self))  // bounded: sixteen bits
    // SO_EE_RFC4884_FLAG_INVALID: its checksum is wrong.
    extensions = place > 0 && data[14] & 1 == 0 ? place : nil
    offender = Self.address(UnsafeRawBufferPointer(rebasing: data[16...]))
  }

  private static func address(_ bytes: UnsafeRawBufferPointer) -> IPAddress? {
    guard bytes.count >= 8 else { return nil }
    switch Int32(bytes.loadUnaligned(as: UInt16.self)) {  // bounded: sixteen bits
    case AF_INET: return IPAddress(bytes: Array(bytes[4..<8])[...])
    case AF_INET6 where bytes.count >= 24: return IPAddress(bytes: Array(bytes[8..<24])[...])
    default: return nil
    }
  }
}
