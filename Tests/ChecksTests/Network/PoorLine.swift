// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NetworkTestSupport
import TestSupport

/// A cable that delays, loses and doubles packets: a tun device that gives each packet back with its two addresses
/// exchanged, so that 10.99.0.2 is this machine at the far end. Made in a namespace, which it does not leave.
final class PoorLine: Sendable {
  /// What the cable does to packets, each way.
  struct Quality: Sendable {
    var delay: Duration
    /// Of 100 packets.
    var lost: UInt64
    /// Of 100 packets.
    var doubled: UInt64
  }

  private let device: Int32
  private let stopping: (read: Int32, write: Int32)

  /// Inside the namespace: makes the device, gives it 10.99.0.1 and starts to carry.
  init(_ quality: Quality, seed: UInt64, configure: (String) throws -> Void) throws {
    device = try openTunnel("poor0")
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXFailure("pipe", errno) }
    stopping = (ends[0], ends[1])
    try configure("ip addr add 10.99.0.1/24 dev poor0 && ip link set poor0 up")
    let cable = Cable(device: device, stop: stopping.read, quality: quality, seed: seed)
    TestThread { carry(cable) }.start()
  }

  /// The thread ends by itself; the device goes with its descriptor.
  func stop() { close(stopping.write) }
}

private struct Cable: Sendable {
  let device: Int32
  let stop: Int32
  let quality: PoorLine.Quality
  let seed: UInt64
}

private func carry(_ cable: Cable) {
  var dice = SeededGenerator(seed: cable.seed)
  var waiting: [(due: ContinuousClock.Instant, packet: [UInt8])] = []
  while true {
    let next = waiting.first.map {
      max(0, Int32(ContinuousClock.now.duration(to: $0.due) / .milliseconds(1)))
    }
    var watched = [
      pollfd(fd: cable.device, events: Int16(POLLIN), revents: 0),
      pollfd(fd: cable.stop, events: Int16(POLLIN), revents: 0),
    ]
    poll(&watched, 2, next ?? -1)
    guard watched[1].revents == 0 else { break }
    var buffer = [UInt8](repeating: 0, count: 2048)
    while true {
      let count = read(cable.device, &buffer, buffer.count)
      guard count >= 20 else { break }
      guard buffer[0] >> 4 == 4, (dice.next() % 100) >= cable.quality.lost else { continue }
      let due = ContinuousClock.now + cable.quality.delay
      let copies = (dice.next() % 100) < cable.quality.doubled ? 2 : 1
      for _ in 0..<copies { waiting.append((due, turned(buffer[..<count]))) }
    }
    while let first = waiting.first, first.due <= .now {
      _ = write(cable.device, first.packet, first.packet.count)
      waiting.removeFirst()
    }
  }
  close(cable.device)
  close(cable.stop)
}

/// Source and destination exchanged: the checksums add the same numbers and still hold.
private func turned(_ packet: ArraySlice<UInt8>) -> [UInt8] {
  var turned = Array(packet)
  turned.replaceSubrange(12..<16, with: packet[16..<20])
  turned.replaceSubrange(16..<20, with: packet[12..<16])
  return turned
}
