// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import TestSupport

/// Sees every packet of the network namespace it was opened in, on all interfaces, whoever sent it: the witness of
/// what was dialled. Needs root.
final class PacketCapture: Sendable {
  private let descriptor: Int32
  private let state = Mutex((stopped: false, destinations: [IPAddress: Int]()))

  /// Packets seen so far, by destination.
  var destinations: [IPAddress: Int] { state.withLock { $0.destinations } }

  init() throws {
    // AF_PACKET with SOCK_DGRAM: each packet begins with its IP header. ETH_P_ALL in network order.
    descriptor = socket(
      17, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), Int32(UInt16(3).bigEndian))
    guard descriptor >= 0 else { throw POSIXFailure("socket(AF_PACKET)", errno) }
    // SO_RCVBUFFORCE: nothing may be lost while this thread waits for its turn.
    var room: Int32 = 64 << 20
    setsockopt(descriptor, SOL_SOCKET, 33, &room, socklen_t(MemoryLayout<Int32>.size))
    var patience = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    TestThread { [self] in watch() }.start()
  }

  private func watch() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0, let destination = Self.destination(buffer[..<count]) {
        state.withLock { $0.destinations[destination, default: 0] += 1 }
      } else if state.withLock({ $0.stopped }) {
        break
      }
    }
    close(descriptor)
  }

  /// `nil` for what is no IP packet.
  static func destination(_ packet: ArraySlice<UInt8>) -> IPAddress? {
    switch packet.first.map({ $0 >> 4 }) {
    case 4 where packet.count >= 20: IPAddress(bytes: packet[16..<20])
    case 6 where packet.count >= 40: IPAddress(bytes: packet[24..<40])
    default: nil
    }
  }

  /// Packets the kernel could not hand over since the last call: the witness looked away.
  func lost() -> UInt32 {
    var counts: (packets: UInt32, drops: UInt32) = (0, 0)
    var length = socklen_t(MemoryLayout<(UInt32, UInt32)>.size)
    // SOL_PACKET, PACKET_STATISTICS
    guard getsockopt(descriptor, 263, 6, &counts, &length) == 0 else { return .max }
    return counts.drops
  }

  func stop() { state.withLock { $0.stopped = true } }
}
