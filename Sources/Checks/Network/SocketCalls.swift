// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

// The system calls of a flow that need more than one line. Each leaves `errno` as the call left it.

func openSocket(_ transport: Transport, family: Int32) -> Int32 {
  let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  switch transport {
  case .tcp: return socket(family, Int32(SOCK_STREAM.rawValue) | flags, 0)
  case .udp: return socket(family, Int32(SOCK_DGRAM.rawValue) | flags, 0)
  case .icmp, .rawICMP:
    let isV6 = family == AF_INET6
    let kind = isV6 ? Int32(IPPROTO_ICMPV6) : Int32(IPPROTO_ICMP)
    let type = transport == .icmp ? SOCK_DGRAM : SOCK_RAW
    let number = socket(family, Int32(type.rawValue) | flags, kind)
    guard number >= 0 else { return number }
    if transport == .rawICMP { passEchoRepliesOnly(number, isV6: isV6) }
    // Without it the kernel keeps "unreachable" and "time exceeded" to itself.
    var on: Int32 = 1
    let level = isV6 ? Int32(IPPROTO_IPV6) : Int32(IPPROTO_IP)
    setsockopt(number, level, isV6 ? IPV6_RECVERR : IP_RECVERR, &on, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(number, level, isV6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL, &on, socklen_t(MemoryLayout<Int32>.size))
    return number
  }
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
func openSocket(_ transport: Transport, to peer: SocketAddress) -> Int32 {
  let number = openSocket(transport, family: peer.family)
  if number < 0 || peer.bindSource(of: number) == 0 { return number }
  let code = errno
  _ = close(number)
  errno = code
  return -1
}

/// Whether a socket that was connecting is done with it, one way or the other.
func isConnectOver(_ number: Int32) -> Bool {
  var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
  return poll(&entry, 1, 0) > 0
}

/// The error of a finished `connect`; zero: it stands.
///
/// ENETUNREACH here is a router's word (ICMP) and becomes EHOSTUNREACH: a machine without a route of its own is told so
/// by `connect` at once.
func pendingError(_ number: Int32) -> Int32 {
  var code: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
  return code == ENETUNREACH ? EHOSTUNREACH : code
}

/// Whether the kernel joined the socket, which was to reach `peer`, with itself. Its other end is asked for only where
/// the ports agree: an address such as 0.0.0.0 is not the one that is reached by it.
func isSelfConnected(_ number: Int32, _ peer: SocketAddress) -> Bool {
  guard let near = socketName(number, getsockname), near.port == peer.port else { return false }
  return near == socketName(number, getpeername)
}

/// Zero: it has none; nil: nobody can tell.
func nearPort(_ number: Int32) -> UInt16? { socketName(number, getsockname)?.port }

/// One datagram. A full queue loses it, as any router may; the caller's deadline tells.
func sendDatagram(_ bytes: [UInt8], _ number: Int32) -> Bool {
  let count = send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  return count >= 0 || errno == EAGAIN || errno == ENOBUFS || errno == EINTR
}

func read(_ number: Int32, _ buffer: inout [UInt8]) -> Int {
  buffer.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
}

/// Where a datagram of ICMP came from.
struct DatagramOrigin {
  var sender: IPAddress?
  /// TTL or hop limit as it arrived; nil: the kernel did not say.
  var hopsLeft: Int?
}

/// As `read`, and where it came from.
func readFrom(_ number: Int32, _ buffer: inout [UInt8], _ origin: inout DatagramOrigin) -> Int {
  var storage = sockaddr_storage()
  var control = [UInt8](repeating: 0, count: 64)
  var used = 0
  let count = buffer.withUnsafeMutableBytes { bytes in
    control.withUnsafeMutableBytes { controlBytes in
      withUnsafeMutablePointer(to: &storage) { name in
        var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &piece) { vector in
          var message = msghdr()
          message.msg_name = UnsafeMutableRawPointer(name)
          message.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
          (message.msg_iov, message.msg_iovlen) = (vector, 1)
          (message.msg_control, message.msg_controllen) = (controlBytes.baseAddress, controlBytes.count)
          let count = recvmsg(number, &message, 0)
          used = count < 0 ? 0 : Int(message.msg_controllen)
          return count
        }
      }
    }
  }
  origin.sender = SocketAddress(storage)?.address
  origin.hopsLeft = used == 0 ? nil : parseHopsLeft(control[..<min(used, control.count)])
  return count
}

/// Finds IP_TTL or IPV6_HOPLIMIT, an int, among control messages; see `parseExtendedError`.
func parseHopsLeft(_ control: ArraySlice<UInt8>) -> Int? {
  let bytes = Array(control)
  var offset = 0
  while offset + 20 <= bytes.count {
    let length = Int(word(bytes, offset))
    guard length >= 16, offset + length <= bytes.count else { return nil }
    let level = Int32(bitPattern: word(bytes, offset + 8))
    let type = Int32(bitPattern: word(bytes, offset + 12))
    let isLimit =
      level == Int32(IPPROTO_IP) && type == IP_TTL || level == Int32(IPPROTO_IPV6) && type == IPV6_HOPLIMIT
    if isLimit, length >= 20 {
      let value = word(bytes, offset + 16)
      return value <= 255 ? Int(value) : nil
    }
    offset += (length + 7) & ~7
  }
  return nil
}

/// Four bytes as this machine has them, which is little-endian.
private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
}

/// The next ICMP error about a packet of this socket, and the packet it quotes from the ICMP header on.
func readErrorQueue(_ number: Int32) -> (error: ICMPError, quoted: [UInt8])? {
  var data = [UInt8](repeating: 0, count: 128)
  var control = [UInt8](repeating: 0, count: 512)
  let sizes: (data: Int, control: Int)? = data.withUnsafeMutableBytes { dataBytes in
    control.withUnsafeMutableBytes { controlBytes in
      var piece = iovec(iov_base: dataBytes.baseAddress, iov_len: dataBytes.count)
      return withUnsafeMutablePointer(to: &piece) { vector in
        var message = msghdr()
        message.msg_iov = vector
        message.msg_iovlen = 1
        message.msg_control = controlBytes.baseAddress
        message.msg_controllen = controlBytes.count
        let count = recvmsg(number, &message, Int32(MSG_ERRQUEUE))
        return count < 0 ? nil : (count, Int(message.msg_controllen))
      }
    }
  }
  guard let sizes, let error = parseExtendedError(control[..<min(sizes.control, control.count)]) else {
    return nil
  }
  return (error, Array(data[..<min(sizes.data, data.count)]))
}

/// Finds the `sock_extended_err` among control messages: a `cmsghdr` (length, level, type) and its data, aligned to
/// 8 bytes, as linux/errqueue.h and cmsg(3) lay them out on 64-bit machines.
func parseExtendedError(_ control: ArraySlice<UInt8>) -> ICMPError? {
  let bytes = Array(control)
  var offset = 0
  while offset + 32 <= bytes.count {
    let length = Int(word(bytes, offset))
    guard length >= 16, offset + length <= bytes.count else { return nil }
    let level = Int32(bitPattern: word(bytes, offset + 8))
    let type = Int32(bitPattern: word(bytes, offset + 12))
    let isError =
      level == Int32(IPPROTO_IP) && type == IP_RECVERR || level == Int32(IPPROTO_IPV6) && type == IPV6_RECVERR
    if isError, length >= 32 {
      let offender = bytes[(offset + 32)..<(offset + length)]
      return ICMPError(code: Int32(bitPattern: word(bytes, offset + 16)), offender: parseOffender(offender))
    }
    offset += (length + 7) & ~7
  }
  return nil
}

/// The `sockaddr` the kernel puts behind the error.
private func parseOffender(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
  let raw = Array(bytes)
  guard raw.count >= 8 else { return nil }
  switch Int32(raw[0]) | Int32(raw[1]) << 8 {
  case AF_INET: return IPAddress(bytes: raw[4..<8])
  case AF_INET6 where raw.count >= 24: return IPAddress(bytes: raw[8..<24])
  default: return nil
  }
}
