// SPDX-License-Identifier: MIT

import Glibc

/// Reports of routers about a TCP connection that is being made over IPv4.
///
/// The errno of "administratively prohibited" is that of a missing route there, and only the error queue tells them apart
/// (IP_RECVERR of ip(7), for TCP since Linux 5.8). ICMPv6 has an errno of its own for it.
package enum RouterReports {
  /// Asks for reports before `connect`. To be ended once the connection stands: a report about it would break it.
  package static func ask(on descriptor: Int32, _ family: Int32) { set(descriptor, family, 1) }

  /// Ends them, and forgets those that came.
  package static func end(on descriptor: Int32, _ family: Int32) { set(descriptor, family, 0) }

  private static func set(_ descriptor: Int32, _ family: Int32, _ value: Int32) {
    guard family == AF_INET else { return }
    var value = value
    setsockopt(
      descriptor, Int32(IPPROTO_IP), IP_RECVERR, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether the next report is that a firewall prohibits the connection: ICMP type 3 with code 9, 10 or 13 (RFC 1812,
  /// section 5.2.7.1). It is taken from the queue.
  package static func takeProhibition(on descriptor: Int32) -> Bool {
    var data = [UInt8](repeating: 0, count: 64)
    var control = [UInt8](repeating: 0, count: 256)
    let used = data.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { room -> Int in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &piece) { vector -> Int in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (vector, 1)
          (message.msg_control, message.msg_controllen) = (room.baseAddress, room.count)
          guard recvmsg(descriptor, &message, Int32(MSG_ERRQUEUE)) >= 0 else { return 0 }
          return min(Int(message.msg_controllen), room.count)
        }
      }
    }
    return isProhibition(Array(control[..<used]))
  }

  /// A `cmsghdr` of 16 bytes and a `sock_extended_err` of linux/errqueue.h: an errno, then origin, type and code.
  static func isProhibition(_ note: [UInt8]) -> Bool {
    guard note.count >= 32 else { return false }
    return note.withUnsafeBytes { bytes in
      let level = bytes.loadUnaligned(fromByteOffset: 8, as: Int32.self)
      let type = bytes.loadUnaligned(fromByteOffset: 12, as: Int32.self)
      // SO_EE_ORIGIN_ICMP is 2.
      return level == Int32(IPPROTO_IP) && type == IP_RECVERR && bytes[20] == 2 && bytes[21] == 3
        && [9, 10, 13].contains(bytes[22])
    }
  }
}
