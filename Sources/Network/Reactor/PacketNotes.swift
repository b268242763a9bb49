// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc

/// The kernel's notes beside a packet: control messages, each a `cmsghdr` (length, level, type) and its data, aligned
/// to 8 bytes, as cmsg(3) and linux/errqueue.h lay them out on 64-bit machines.
package struct PacketNotes: Hashable, Sendable {
  /// TTL or hop limit as it arrived; nil: the kernel did not say.
  package var hopsLeft: Int?
  /// When it came or left, in nanoseconds of the wall clock; nil: the kernel did not say.
  package var stamp: Int64?
  /// Of the error queue: which of the socket's datagrams left then.
  var departure: UInt32?
  /// Of the error queue: an error about a packet of ours.
  package var failure: PacketFailure?

  var error: ICMPError? { failure.map { ICMPError(code: $0.meaning, offender: $0.offender) } }

  /// Of a `cmsghdr`.
  private static let header = 16

  package init() {}

  package init(_ control: UnsafeRawBufferPointer) {
    var rest = control
    while rest.count >= Self.header {
      guard let size = Int(exactly: rest.loadUnaligned(as: UInt64.self)), size >= Self.header,
        size <= rest.count
      else { return }
      let level = rest.loadUnaligned(fromByteOffset: 8, as: Int32.self)
      let type = rest.loadUnaligned(fromByteOffset: 12, as: Int32.self)
      take(level, type, UnsafeRawBufferPointer(rebasing: rest[Self.header..<size]))
      // bounded: the size of a buffer in memory
      rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, (size + 7) & ~7)...])
    }
  }

  package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { PacketNotes($0) } }

  // bounded: constants
  private static let (v4, v6) = (Int32(IPPROTO_IP), Int32(IPPROTO_IPV6))
  // bounded: constants
  private static let (stamps, stampOrigin) = (Int32(QUARTZ_STAMPS), UInt8(QUARTZ_STAMP_ORIGIN))

  /// SO_TIMESTAMPNS, and the message it makes (socket(7)): when packets came, where no more is needed.
  package static let arrivals: Int32 = 35

  private mutating func take(_ level: Int32, _ type: Int32, _ data: UnsafeRawBufferPointer) {
    switch (level, type) {
    case (Self.v4, IP_TTL), (Self.v6, IPV6_HOPLIMIT):
      guard data.count >= 4 else { return }
      let value = data.loadUnaligned(as: UInt32.self)
      if value <= 255 { hopsLeft = Int(value) }  // bounded: by 255
    case (Self.v4, IP_RECVERR), (Self.v6, IPV6_RECVERR): takeError(data)
    case (SOL_SOCKET, Self.stamps), (SOL_SOCKET, Self.arrivals): takeStamp(data)
    default: break
    }
  }

  /// `sock_extended_err`: a word about a packet, or when one left.
  private mutating func takeError(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 16 else { return }
    if data[4] == Self.stampOrigin {
      departure = data.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
    } else if failure == nil {
      failure = PacketFailure(data)
    }
  }

  /// `struct scm_timestamping`: three of seconds and nanoseconds, of which the first is the kernel's own; or that one alone.
  private mutating func takeStamp(_ data: UnsafeRawBufferPointer) {
    guard data.count >= 16 else { return }
    let seconds = data.loadUnaligned(as: Int64.self)
    let rest = data.loadUnaligned(fromByteOffset: 8, as: Int64.self)
    // Zero: this packet has none. Later than 2255 there is no such number.
    guard seconds > 0, seconds < 9_000_000_000, rest >= 0, rest < 1_000_000_000 else { return }
    stamp = seconds * 1_000_000_000 + rest  // bounded: by the lines before
  }
}
