// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// The tasks that a raw socket leaves to its user: the IPv4 header before each packet, ICMP's checksum over IPv4, and
/// telling one's own packets from those of every other ping of this machine. Pure.
package enum RawEcho {
  /// The ICMP message of an IPv4 packet (RFC 791 3.1), options skipped; nil for anything else: cut short, a fragment,
  /// another protocol, or a wrong ICMP checksum, which the kernel does not look at before it hands the packet over.
  package static func message(inIPv4 packet: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let bytes = packet.prefix(65_535)
    guard bytes.count >= 20 else { return nil }
    let start = bytes.startIndex
    func word(_ offset: Int) -> Int { Int(bytes[start + offset]) << 8 | Int(bytes[start + offset + 1]) }
    guard bytes[start] >> 4 == 4, bytes[start + 9] == 1 else { return nil }
    // More fragments, or not the first of them: the kernel has put all together before.
    guard word(6) & 0x3fff == 0 else { return nil }
    let header = Int(bytes[start] & 15) * 4
    let total = word(2)
    guard header >= 20, total >= header + 8, total <= bytes.count else { return nil }
    let message = bytes[(start + header)..<(start + total)]
    return checksum(message) == 0 ? message : nil
  }

  /// The Internet checksum (RFC 1071): zero over a message that holds its own.
  package static func checksum(_ bytes: some Collection<UInt8>) -> UInt16 {
    var sum: UInt64 = 0
    var isHigh = true
    for byte in bytes {
      sum &+= isHigh ? UInt64(byte) << 8 : UInt64(byte)
      isHigh.toggle()
    }
    while sum >> 16 != 0 { sum = (sum & 0xffff) &+ (sum >> 16) }
    return ~UInt16(truncatingIfNeeded: sum)
  }

  /// The identifier of an echo packet.
  package static func identifier(of message: ArraySlice<UInt8>) -> UInt16? {
    guard message.count >= 8 else { return nil }
    let start = message.startIndex
    return UInt16(message[start + 4]) << 8 | UInt16(message[start + 5])
  }
}

/// The identifiers of this process's raw pings. Each is held by one run at a time: with an empty payload it is all that
/// tells one run's packets from another's.
package final class EchoIdentifiers: Sendable {
  package static let shared = EchoIdentifiers()

  private let taken = Mutex<Set<UInt16>>([])

  /// At random, as others guess what is counted up. `nil` when all 65,536 are in use.
  package func take() -> UInt16? {
    taken.withLock { taken in
      guard taken.count <= Int(UInt16.max) else { return nil }
      var identifier = UInt16.random(in: .min ... .max)
      while !taken.insert(identifier).inserted { identifier &+= 1 }
      return identifier
    }
  }

  package func giveBack(_ identifier: UInt16) { taken.withLock { _ = $0.remove(identifier) } }
}
