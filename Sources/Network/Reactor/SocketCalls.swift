// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

// The system calls of a flow that need more than one line. Each leaves `errno` as the call left it.

package func openSocket(_ transport: Transport, family: Int32) -> Int32 {
  let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  switch transport {
  case .tcp: return socket(family, Int32(SOCK_STREAM.rawValue) | flags, 0)
  case .udp:
    let number = socket(family, Int32(SOCK_DGRAM.rawValue) | flags, 0)
    if number >= 0 { askForErrors(number, isV6: family == AF_INET6) }
    return number
  case .icmp, .rawICMP:
    let isV6 = family == AF_INET6
    let kind = isV6 ? Int32(IPPROTO_ICMPV6) : Int32(IPPROTO_ICMP)
    let type = transport == .icmp ? SOCK_DGRAM : SOCK_RAW
    let number = socket(family, Int32(type.rawValue) | flags, kind)
    guard number >= 0 else { return number }
    if transport == .rawICMP { passEchoRepliesOnly(number, isV6: isV6) }
    askForErrors(number, isV6: isV6)
    var on: Int32 = 1
    let level = isV6 ? Int32(IPPROTO_IPV6) : Int32(IPPROTO_IP)
    setsockopt(number, level, isV6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL, &on, socklen_t(MemoryLayout<Int32>.size))
    return number
  }
}

/// Without it the kernel keeps "unreachable" and "time exceeded" to itself.
private func askForErrors(_ number: Int32, isV6: Bool) {
  var on: Int32 = 1
  let level = isV6 ? Int32(IPPROTO_IPV6) : Int32(IPPROTO_IP)
  setsockopt(number, level, isV6 ? IPV6_RECVERR : IP_RECVERR, &on, socklen_t(MemoryLayout<Int32>.size))
}

/// A raw socket hears everything of its protocol. ICMP_FILTER of linux/icmp.h (raw(7)) and ICMP6_FILTER of RFC 3542 3.2
/// name the types that are blocked, a bit each; neither is about errors, which come by the error queue. Where the kernel
/// knows no filter the conversation's own is enough.
private func passEchoRepliesOnly(_ number: Int32, isV6: Bool) {
  if isV6 {
    var blocked = [UInt32](repeating: .max, count: 8)
    blocked[129 / 32] &= ~(1 << (129 % 32))
    setsockopt(number, Int32(IPPROTO_ICMPV6), 1, &blocked, socklen_t(32))
  } else {
    // Echo reply is type 0. SOL_RAW is 255.
    var blocked = ~UInt32(1)
    setsockopt(number, 255, 1, &blocked, socklen_t(4))
  }
}

/// A socket ready to connect to `peer`, from its source address where it names one.
package func openSocket(_ transport: Transport, to peer: SocketAddress) -> Int32 {
  let number = openSocket(transport, family: peer.family)
  if number >= 0, transport == .tcp { RouterReports.ask(on: number, peer.family) }
  if number < 0 || peer.bindSource(of: number) == 0 { return number }
  let code = errno
  _ = close(number)
  errno = code
  return -1
}

/// Whether a socket that was connecting is done with it, one way or the other.
package func isConnectOver(_ number: Int32) -> Bool {
  var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
  return poll(&entry, 1, 0) > 0
}

/// The error of a finished `connect`; zero: it stands.
package func pendingError(_ number: Int32) -> Int32 {
  var code: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
  return networkError(code)
}

/// The error of a `connect` that failed, ENOANO where a firewall said no.
func connectError(_ number: Int32, _ code: Int32) -> Int32 {
  code == EHOSTUNREACH && RouterReports.takeProhibition(on: number) ? ENOANO : code
}

/// An error that a connecting or connected socket learned of later. ENETUNREACH then is a router's word (ICMP) and becomes
/// EHOSTUNREACH, and EACCES, which is what ICMPv6 calls administratively prohibited, becomes ENOANO: a machine without a
/// route of its own, or with one that prohibits, is told so by `connect` at once.
func networkError(_ code: Int32) -> Int32 {
  switch code {
  case ENETUNREACH: EHOSTUNREACH
  case EACCES: ENOANO
  default: code
  }
}

/// Whether the kernel joined the socket, which was to reach `peer`, with itself. Its other end is asked for only where
/// the ports agree: an address such as 0.0.0.0 is not the one that is reached by it.
package func isSelfConnected(_ number: Int32, _ peer: SocketAddress) -> Bool {
  guard let near = socketName(number, getsockname), near.port == peer.port else { return false }
  return near == socketName(number, getpeername)
}

/// Zero where it has none. `nil` where it is not known.
package func nearPort(_ number: Int32) -> UInt16? { socketName(number, getsockname)?.port }

enum DatagramSent {
  case sent
  /// A full queue lost it, as any router may; the caller's deadline tells.
  case lost
  case failed
}

/// One datagram.
func sendDatagram(_ bytes: [UInt8], _ number: Int32) -> DatagramSent {
  let count = send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  if count >= 0 { return .sent }
  return errno == EAGAIN || errno == ENOBUFS || errno == EINTR ? .lost : .failed
}

func read(_ number: Int32, _ buffer: inout [UInt8]) -> Int {
  buffer.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
}

/// A datagram, or an entry of the error queue.
package struct ReceivedPacket {
  /// Negative: there was none; `errno` says why.
  package var count: Int
  package var sender: IPAddress?
  package var notes = PacketNotes()
}

/// As `read`, with what the kernel says beside it. Both buffers are the caller's to use again.
package func readPacket(
  _ number: Int32, _ buffer: inout [UInt8], _ control: inout [UInt8], ofErrors: Bool = false
) -> ReceivedPacket {
  var storage = sockaddr_storage()
  return buffer.withUnsafeMutableBytes { bytes in
    control.withUnsafeMutableBytes { controlBytes in
      withUnsafeMutablePointer(to: &storage) { name in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &piece) { vector in
          var message = msghdr()
          message.msg_name = UnsafeMutableRawPointer(name)
          message.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
          (message.msg_iov, message.msg_iovlen) = (vector, 1)
          (message.msg_control, message.msg_controllen) = (controlBytes.baseAddress, controlBytes.count)
          var packet = ReceivedPacket(count: recvmsg(number, &message, ofErrors ? Int32(MSG_ERRQUEUE) : 0))
          guard packet.count >= 0 else { return packet }
          let used = min(Int(message.msg_controllen), controlBytes.count)
          packet.notes = PacketNotes(UnsafeRawBufferPointer(rebasing: controlBytes[..<used]))
          if message.msg_namelen > 0 { packet.sender = SocketAddress(name.pointee)?.address }
          return packet
        }
      }
    }
  }
}
