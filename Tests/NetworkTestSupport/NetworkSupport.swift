// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Synchronization
import TestSupport

/// A UDP server on a loopback address, for what no real server sends. It answers from a thread of its own.
package final class UDPResponder: Sendable {
  package let port: UInt16
  private let descriptor: Int32
  private let state = Mutex((stopped: false, received: [[UInt8]]()))

  /// What came in so far.
  package var received: [[UInt8]] { state.withLock { $0.received } }

  package init(
    _ address: UInt32 = 0x7f00_0001, port: UInt16 = 0,
    script: @escaping @Sendable (_ request: [UInt8], _ client: UDPClient) -> Void
  ) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure("socket", errno) }
    self.port = try bindUDP(descriptor, address, port)
    // To notice the end: a datagram to itself would have to come from the same network namespace.
    var patience = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let thread = TestThread { [self] in serve(script) }
    thread.start()
  }

  private func serve(_ script: (_ request: [UInt8], _ client: UDPClient) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var peer = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
        }
      }
      let stopped = state.withLock { $0.stopped }
      if stopped { break }
      if count < 0 { continue }
      let request = Array(buffer[..<count])
      state.withLock { $0.received.append(request) }
      script(request, UDPClient(server: descriptor, address: peer))
    }
    close(descriptor)
  }

  /// It ends within the patience of one receive.
  package func stop() { state.withLock { $0.stopped = true } }
}

/// Who asked, and the ways to answer.
package struct UDPClient: Sendable {
  package let server: Int32
  package let port: UInt16
  private let host: UInt32

  package init(server: Int32, address: sockaddr_in) {
    self.server = server
    self.port = UInt16(bigEndian: address.sin_port)
    self.host = UInt32(bigEndian: address.sin_addr.s_addr)
  }

  package func send(_ bytes: [UInt8]) { send(bytes, from: server) }

  /// As somebody else would: from another port, or another address of this machine.
  package func sendFromElsewhere(_ bytes: [UInt8], address: UInt32 = 0x7f00_0001) throws {
    let other = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(other) }
    _ = try bindUDP(other, address, 0)
    send(bytes, from: other)
  }

  private func send(_ bytes: [UInt8], from descriptor: Int32) {
    var target = loopbackAddress(host, port)
    withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

package func loopbackAddress(_ address: UInt32, _ port: UInt16) -> sockaddr_in {
  var raw = sockaddr_in()
  raw.sin_family = sa_family_t(AF_INET)
  raw.sin_port = port.bigEndian
  raw.sin_addr.s_addr = address.bigEndian
  return raw
}

/// Binds, and returns the port that was chosen.
package func bindUDP(_ descriptor: Int32, _ address: UInt32, _ port: UInt16) throws -> UInt16 {
  var raw = loopbackAddress(address, port)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &raw) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
    }
  }
  guard result == 0 else { throw POSIXFailure("bind", errno) }
  return UInt16(bigEndian: raw.sin_port)
}

package func withUDPResponder<Value>(
  _ address: UInt32 = 0x7f00_0001, port: UInt16 = 0,
  script: @escaping @Sendable (_ request: [UInt8], _ client: UDPClient) -> Void,
  _ body: (UDPResponder) async throws -> Value
) async throws -> Value {
  let responder = try UDPResponder(address, port: port, script: script)
  defer { responder.stop() }
  return try await body(responder)
}

/// A UDP and a TCP server on one port. The kernel chooses it for UDP; where somebody has it for TCP already, another
/// is taken.
package func withServersOfOnePort(
  datagrams: @escaping @Sendable (_ request: [UInt8], _ client: UDPClient) -> Void,
  stream: @escaping @Sendable (LoopbackConnection) -> Void, _ body: (UDPResponder) async throws -> Void
) async throws {
  for attempt in 1... {
    let responder = try UDPResponder(script: datagrams)
    defer { responder.stop() }
    do {
      let server = try LoopbackServer(port: responder.port, script: stream)
      defer { server.stop() }
      return try await body(responder)
    } catch let failure as POSIXFailure where failure.code == EADDRINUSE && attempt < 20 {
      continue
    }
  }
}

extension IPAddress {
  package static let loopback = IPAddress.v4(0x7f00_0001)
}

extension Instant {
  package static func after(_ duration: Duration) -> Self { .now + duration }
}

/// A check through the one door there is.
package func makeCheck(_ type: String, _ change: (inout CheckDefinition) -> Void) throws -> MonitoringCheck {
  var definition = CheckDefinition()
  definition.name = "\(type) under test"
  definition.type = type
  definition.retries = 0
  change(&definition)
  return try MonitoringCheck(definition)
}
