// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Network
import TestSupport
import Tracing

/// A way of routers that exist in this process only, behind a tun device: 10.88.1.n answers to TTL n as it is told, and
/// 10.88.0.9 is four hops away and has no open UDP port. Beside each answer comes a forged one that quotes a packet which was
/// never sent.
final class QuotingLine: Sendable {
  /// What router 2 quotes.
  enum Style: Sendable {
    /// 128 bytes and their length, then labels (RFC 4884).
    case counted
    /// 128 bytes, then labels, and no length, as before RFC 4884.
    case uncounted
    /// Eight bytes behind the IP header (RFC 792).
    case short
  }

  private let stopping: Int32
  /// The namespace it is in.
  let place: Int32

  /// In the namespace that the calling thread is in.
  init(_ style: Style) throws {
    let device = try openTunnel("quote0")
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw POSIXFailure("pipe", errno) }
    (stopping, place) = (ends[1], open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC))
    try NetworkNamespace.shell(
      "ip addr add 10.88.0.1/32 dev quote0 && ip link set quote0 up && ip route add 10.88.0.0/16 dev quote0 src 10.88.0.1"
    )
    let stop = ends[0]
    TestThread { answer(device, stop, style) }.start()
  }

  func end() {
    close(stopping)
    close(place)
  }
}

private func answer(_ device: Int32, _ stop: Int32, _ style: QuotingLine.Style) {
  while true {
    var watched = [
      pollfd(fd: device, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    poll(&watched, 2, -1)
    guard watched[1].revents == 0 else { break }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(device, &buffer, buffer.count)
    guard count >= 28, buffer[0] >> 4 == 4 else { continue }
    for reply in replies(to: Array(buffer[..<count]), style) { _ = write(device, reply, reply.count) }
  }
  close(device)
  close(stop)
}

private func replies(to packet: [UInt8], _ style: QuotingLine.Style) -> [[UInt8]] {
  let ttl = packet[8]
  // TTL 4 is the target's: a datagram meets a closed port.
  guard ttl < 4 || packet[9] == 17 else { return [] }
  var forged = packet
  // Another TCP sequence number, and another first byte of a nonce.
  forged[packet[9] == 6 ? 24 : 32] ^= 0x55
  let stranger = message(from: [10, 88, 66, 66], to: packet, type: 11, code: 0, quoting: forged)
  if ttl >= 4 {
    return [stranger, message(from: Array(packet[16..<20]), to: packet, type: 3, code: 3, quoting: packet)]
  }
  let router: [UInt8] = [10, 88, 1, ttl]
  guard ttl == 2 else {
    return [stranger, message(from: router, to: packet, type: 11, code: 0, quoting: packet)]
  }
  if style == .short {
    return [message(from: router, to: packet, type: 11, code: 0, quoting: Array(packet[..<28]))]
  }
  let quoted = Array((packet + [UInt8](repeating: 0, count: 128)).prefix(128))
  var labels: [UInt8] = [0x20, 0, 0, 0, 0, 8, 1, 1, 0x03, 0xe8, 0x11, 1]
  let sum = RawEcho.checksum(labels)
  (labels[2], labels[3]) = (UInt8(sum >> 8), UInt8(sum & 255))
  return [
    message(
      from: router, to: packet, type: 11, code: 0, quoting: quoted + labels, words: style == .counted ? 32 : 0
    )
  ]
}

/// An ICMP error in an IPv4 packet.
private func message(
  from: [UInt8], to packet: [UInt8], type: UInt8, code: UInt8, quoting: [UInt8], words: UInt8 = 0
) -> [UInt8] {
  var body: [UInt8] = [type, code, 0, 0, 0, words, 0, 0] + quoting
  let sum = RawEcho.checksum(body)
  (body[2], body[3]) = (UInt8(sum >> 8), UInt8(sum & 255))
  let length = 20 + body.count
  var header: [UInt8] =
    [0x45, 0, UInt8(length >> 8), UInt8(length & 255), 0, 1, 0, 0, 61, 1, 0, 0] + from + packet[12..<16]
  let headerSum = RawEcho.checksum(header)
  (header[10], header[11]) = (UInt8(headerSum >> 8), UInt8(headerSum & 255))
  return header + body
}
