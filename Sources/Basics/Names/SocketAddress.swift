// SPDX-License-Identifier: MIT

import Glibc

/// An address and a port to dial.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  package var address: IPAddress
  package var port: UInt16
  /// The interface of a link-local IPv6 address; zero: none.
  package var scope: UInt32
  /// The address of this machine to dial from; nil: the kernel chooses.
  package var source: IPAddress?

  package init(_ address: IPAddress, port: UInt16, scope: UInt32 = 0, source: IPAddress? = nil) {
    self.address = address
    self.port = port
    self.scope = scope
    self.source = source
  }

  /// `192.0.2.1:53`, `[2001:db8::1]:53`.
  package var description: String { address.description(port: port) }

  package var family: Int32 {
    switch address {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Calls `body` with the kernel's form of the address, valid inside the closure only.
  package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    switch address {
    case .v4(let bits):
      var raw = sockaddr_in()
      raw.sin_family = sa_family_t(AF_INET)
      raw.sin_port = port.bigEndian
      raw.sin_addr.s_addr = bits.bigEndian
      return withSockaddr(of: &raw, body)
    case .v6(let high, let low):
      var raw = sockaddr_in6()
      raw.sin6_family = sa_family_t(AF_INET6)
      raw.sin6_port = port.bigEndian
      raw.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &raw.sin6_addr) { bytes in
        bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return withSockaddr(of: &raw, body)
    }
  }

  /// Reads what the kernel wrote. `nil` for a family that is neither IPv4 nor IPv6.
  package init?(_ storage: sockaddr_storage) {
    var storage = storage
    let family = Int32(storage.ss_family)
    guard let read = withUnsafeMutablePointer(to: &storage, { Self(family: family, at: $0) }) else {
      return nil
    }
    self = read
  }

  /// - Parameter raw: an address as long as those of the family are.
  package init?(family: Int32, at raw: UnsafeRawPointer) {
    switch family {
    case AF_INET:
      let raw = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(.v4(UInt32(bigEndian: raw.sin_addr.s_addr)), port: UInt16(bigEndian: raw.sin_port))
    case AF_INET6:
      let raw = raw.loadUnaligned(as: sockaddr_in6.self)
      let (high, low) = withUnsafeBytes(of: raw.sin6_addr) { bytes in
        (
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
      }
      self.init(.v6(high: high, low: low), port: UInt16(bigEndian: raw.sin6_port), scope: raw.sin6_scope_id)
    default: return nil
    }
  }
}

extension SocketAddress {
  /// Whether both lead to the same place, wherever they are dialled from.
  package func isPlace(of other: SocketAddress) -> Bool { address == other.address && port == other.port }

  /// Whether the routing table has a way to it. Connecting a datagram socket asks it and sends nothing.
  package var hasRoute: Bool {
    let number = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    defer { close(number) }
    return withPointer { connect(number, $0, $1) } == 0
  }

  /// Binds a socket that is to be dialled to the source, if there is one: zero, or -1 with errno.
  package func bindSource(of number: Int32) -> Int32 {
    guard let source else { return 0 }
    // The port is chosen by `connect`, when the other end is known: one of ours may then serve many of theirs.
    var on: Int32 = 1
    setsockopt(number, Int32(IPPROTO_IP), bindAddressNoPort, &on, socklen_t(MemoryLayout<Int32>.size))
    return SocketAddress(source, port: 0, scope: scope).withPointer { bind(number, $0, $1) }
  }
}

/// Address that `getsockname` or `getpeername` reports. `nil` on failure, with errno, which is zero for an address of
/// another family.
package func socketName(
  _ number: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
) -> SocketAddress? {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  errno = 0
  let result = withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(number, $0, &length) }
  }
  return result == 0 ? SocketAddress(storage) : nil
}

/// IP_BIND_ADDRESS_NO_PORT of linux/in.h, for both families.
private let bindAddressNoPort: Int32 = 24

private func withSockaddr<Raw, Value>(
  of raw: inout Raw, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
) -> Value {
  withUnsafePointer(to: &raw) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<Raw>.size))
    }
  }
}
