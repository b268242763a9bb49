// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization

/// A TCP server on 127.0.0.1 (or ::1) and a port of the kernel's choice, for what no real server does. Inside a network
/// namespace of the test it may have any address and port.
///
/// Each connection runs the script on a thread of its own, so a script may block. It ends with `stop()`, which
/// also shuts every open connection and waits for the threads; `withLoopbackServer` does that for you.
package final class LoopbackServer: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let open = Mutex<(stopped: Bool, connections: [Int32: Int32], accepted: Int)>((false, [:], 0))
  private let threads = ThreadCount()

  /// Connections accepted so far.
  package var accepted: Int { open.withLock { $0.accepted } }

  package init(
    ipv6: Bool = false, address: UInt32 = 0x7f00_0001, port wanted: UInt16 = 0, backlog: Int32 = 1024,
    script: @escaping @Sendable (LoopbackConnection) -> Void
  ) throws {
    let family = ipv6 ? AF_INET6 : AF_INET
    listener = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw POSIXFailure("socket", errno) }
    port = try bindLoopback(listener, ipv6: ipv6, address: address, port: wanted)
    guard listen(listener, backlog) == 0 else { throw POSIXFailure("listen", errno) }
    threads.start { [self] in acceptLoop(script) }
  }

  private func acceptLoop(_ script: @escaping @Sendable (LoopbackConnection) -> Void) {
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED || errno == EMFILE { continue }
        break
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let admitted = open.withLock { state in
        if state.stopped { return false }
        state.accepted += 1
        state.connections[descriptor] = descriptor
        return true
      }
      guard admitted else {
        close(descriptor)
        break
      }
      threads.start { [self] in
        script(LoopbackConnection(descriptor: descriptor))
        open.withLock { _ = $0.connections.removeValue(forKey: descriptor) }
        close(descriptor)
      }
    }
    close(listener)
  }

  /// No thread of it runs on, but for a script that waits for something else than its connection.
  package func stop() {
    open.withLock { state in
      guard !state.stopped else { return }
      state.stopped = true
      shutdown(listener, Int32(SHUT_RDWR))
      for descriptor in state.connections.keys { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    threads.wait()
  }
}

/// The server's side of one connection; valid inside the script only.
package struct LoopbackConnection: Sendable {
  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// What arrives next, at most `count` bytes; empty at the end of the stream or on an error.
  package func read(_ count: Int = 65_536) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &buffer, count, 0)
    return got > 0 ? Array(buffer[..<got]) : []
  }

  /// Reads until the bytes seen so far contain `marker`, and returns all of them.
  @discardableResult
  package func read(until marker: String) -> String {
    var seen: [UInt8] = []
    while !String(decoding: seen, as: UTF8.self).contains(marker) {
      let more = read(4096)
      if more.isEmpty { break }
      seen += more
    }
    return String(decoding: seen, as: UTF8.self)
  }

  /// False once the other side is gone.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// The other side sees a reset instead of an orderly end when the script returns.
  package func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Blocks until the other side ends the connection or the server stops.
  package func waitForEnd() {
    while !read(4096).isEmpty {}
  }
}

/// Runs `body` with a server that lives exactly as long.
package func withLoopbackServer<Value>(
  ipv6: Bool = false, script: @escaping @Sendable (LoopbackConnection) -> Void,
  _ body: (LoopbackServer) async throws -> Value
) async throws -> Value {
  let server = try LoopbackServer(ipv6: ipv6, script: script)
  defer { server.stop() }
  return try await body(server)
}

/// Binds to loopback and a port of the kernel's choice, and returns the port.
package func bindLoopback(
  _ descriptor: Int32, ipv6: Bool = false, address: UInt32 = 0x7f00_0001, port: UInt16 = 0
) throws -> UInt16 {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  let result = withUnsafeMutablePointer(to: &storage) { pointer -> Int32 in
    if ipv6 {
      pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        $0.pointee.sin6_family = sa_family_t(AF_INET6)
        $0.pointee.sin6_addr = in6addr_loopback
      }
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    } else {
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        $0.pointee.sin_family = sa_family_t(AF_INET)
        $0.pointee.sin_addr.s_addr = address.bigEndian
        $0.pointee.sin_port = port.bigEndian
      }
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
    }
    return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      let bound = bind(descriptor, address, length)
      return bound == 0 ? getsockname(descriptor, address, &length) : bound
    }
  }
  guard result == 0 else { throw POSIXFailure("bind", errno) }
  return withUnsafePointer(to: &storage) {
    $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
  }
}

/// A port nothing listens on at the moment of asking. Another process may take it: for real servers that cannot
/// bind to port 0, and for "refused" tests.
package func freePort(udp: Bool = false) throws -> UInt16 {
  let type = udp ? SOCK_DGRAM : SOCK_STREAM
  let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
  guard descriptor >= 0 else { throw POSIXFailure("socket", errno) }
  defer { close(descriptor) }
  return try bindLoopback(descriptor)
}

/// A system call of the test's own that failed.
package struct POSIXFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package init(_ call: String, _ code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
