// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// A packet, or an entry of the error queue.
struct TraceMessage: Sendable {
  var notes: PacketNotes
  /// Sender of a datagram that came.
  var sender: IPAddress?
  var data: [UInt8]
}

/// `nil` where there is none. Leaves `errno` as the call left it.
///
/// - Parameters:
///   - isError: from the queue of errors.
///   - room: bytes of it that are of interest; a reply that is cut short matches no packet.
func receiveMessage(_ number: Int32, isError: Bool, room: Int = 2048) -> TraceMessage? {
  var data = [UInt8](repeating: 0, count: room)
  var control = [UInt8](repeating: 0, count: 512)
  let packet = readPacket(number, &data, &control, ofErrors: isError)
  guard packet.count >= 0 else { return nil }
  return TraceMessage(
    notes: packet.notes, sender: packet.sender, data: Array(data[..<min(packet.count, data.count)]))
}

/// A socket option that is one number.
@discardableResult
func setOption(_ number: Int32, _ level: Int32, _ name: Int32, _ value: Int32) -> Int32 {
  var value = value
  return setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// Asks the kernel to tell who says what about packets of this socket, with the TTL and the instant of its word.
func askForErrors(_ number: Int32, version: Int) {
  if version == 4 {
    setOption(number, Int32(IPPROTO_IP), IP_RECVERR, 1)
    setOption(number, Int32(IPPROTO_IP), IP_RECVTTL, 1)
    // IP_RECVERR_RFC4884 of Linux 5.9; before, it is refused and labels are guessed.
    setOption(number, Int32(IPPROTO_IP), 26, 1)
  } else {
    setOption(number, Int32(IPPROTO_IPV6), IPV6_RECVERR, 1)
    setOption(number, Int32(IPPROTO_IPV6), IPV6_RECVHOPLIMIT, 1)
    // IPV6_RECVERR_RFC4884.
    setOption(number, Int32(IPPROTO_IPV6), 31, 1)
  }
  setOption(number, SOL_SOCKET, PacketNotes.arrivals, 1)
}

func setHops(_ number: Int32, version: Int, _ ttl: Int) {
  if version == 4 {
    setOption(number, Int32(IPPROTO_IP), IP_TTL, Int32(ttl))
  } else {
    setOption(number, Int32(IPPROTO_IPV6), IPV6_UNICAST_HOPS, Int32(ttl))
  }
}

extension PacketNotes {
  /// From when a packet was sent to when the kernel had its answer, where it says that; else to now. The kernel's stamp
  /// is of the wall clock, which people set: it only takes off how long the answer waited for us.
  func roundTrip(from sent: Instant) -> Duration {
    // The wall clock first: what passes between the two reads makes the wait shorter, never the way.
    let wall = SystemClock.wall.nanoseconds
    let whole = sent.duration(to: .now)
    guard let stamp, let age = wall.difference(stamp), age >= 0 else { return whole }
    let waited = Duration.nanoseconds(age)
    return waited < whole ? whole - waited : whole
  }
}
