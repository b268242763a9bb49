// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Testing

// Sockets of a test's own. Apart from the tests that import the C module: with it in a file, `SOCK_STREAM` belongs to
// another module than everywhere else.

/// The caller's to close.
func connectedSocket(to port: UInt16) throws -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var place = sockaddr_in()
  place.sin_family = sa_family_t(AF_INET)
  place.sin_port = port.bigEndian
  inet_pton(AF_INET, "127.0.0.1", &place.sin_addr)
  let code = withUnsafePointer(to: &place) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  try #require(code == 0)
  return descriptor
}

/// Two ends of one connection, the caller's to close.
func socketPair() throws -> (own: Int32, other: Int32) {
  var pair: [Int32] = [-1, -1]
  try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
  return (pair[0], pair[1])
}

/// The two ends of a TCP connection on loopback: the caller's to close.
func tcpPair() throws -> (one: Int32, other: Int32) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(listener) }
  let any = SocketAddress(.v4(0x7f00_0001), port: 0)
  try #require(any.withPointer { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
  let place = try #require(socketName(listener, getsockname))
  let one = try connectedSocket(to: place.port)
  return (one, accept(listener, nil, nil))
}
