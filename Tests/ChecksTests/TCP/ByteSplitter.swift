// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NetworkTestSupport
import TestSupport

/// A proxy that hands on everything its server says in single bytes, each in a packet of its own.
func withByteSplitter<Value>(
  before port: UInt16, _ body: (UInt16) async throws -> Value
) async throws -> Value {
  try await withLoopbackServer(script: { client in
    guard let server = dial(port) else { return }
    defer { close(server) }
    var on: Int32 = 1
    setsockopt(client.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let upward = Thread {
      while true {
        let bytes = client.read()
        if bytes.isEmpty || !LoopbackConnection(descriptor: server).write(bytes) { break }
      }
      shutdown(server, Int32(SHUT_WR))
    }
    upward.start()
    while true {
      let bytes = LoopbackConnection(descriptor: server).read()
      if bytes.isEmpty { break }
      for byte in bytes {
        if !client.write([byte]) { return }
        // Long enough for the reader to take it before the next.
        usleep(30)
      }
    }
    shutdown(client.descriptor, Int32(SHUT_RDWR))
    while !upward.isFinished { usleep(1000) }
  }) { try await body($0.port) }
}

private func dial(_ port: UInt16) -> Int32? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  var address = loopbackAddress(0x7f00_0001, port)
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  if result == 0 { return descriptor }
  close(descriptor)
  return nil
}
