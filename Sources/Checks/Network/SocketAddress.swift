// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

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

  var family: Int32 {
    switch address {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Calls `body` with the kernel's form of the address, valid inside the closure only.
  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
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

  /// Reads what the kernel wrote. Nil for a family that is neither IPv4 nor IPv6.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch Int32(storage.ss_family) {
    case AF_INET:
      let raw = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
      self.init(.v4(UInt32(bigEndian: raw.sin_addr.s_addr)), port: UInt16(bigEndian: raw.sin_port))
    case AF_INET6:
      let raw = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
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

private func withSockaddr<Raw, Value>(
  of raw: inout Raw, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
) -> Value {
  withUnsafePointer(to: &raw) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<Raw>.size))
    }
  }
}
