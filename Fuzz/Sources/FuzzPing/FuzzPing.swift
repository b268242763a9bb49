// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Network
@testable import Monitoring

/// Datagrams that come to a ping: replies, and the packets that an ICMP error quotes; and what the kernel says beside them.
/// The first byte chooses the family, the second how the rest is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let target: IPAddress = bytes[0] & 1 == 0 ? .v4(0x7f00_0001) : .v6(high: 0, low: 1)
  let settings = PingSettings(
    host: "h", method: .icmp, port: nil, count: 5, packetInterval: .milliseconds(10),
    size: Int(bytes[0] >> 2),
    loss: Thresholds(), rtt: Thresholds())
  var series = EchoSeries(target: target, settings: settings, nonce: 0x0102_0304_0506_0708)
  var now = Instant.now
  let first = series.opened(at: now)
  for _ in 0..<4 {
    now += .milliseconds(10)
    _ = series.woke(at: now)
  }
  var rest = bytes.dropFirst(2)
  while !rest.isEmpty {
    let piece = rest.prefix(max(1, Int(bytes[1])))
    rest = rest.dropFirst(piece.count)
    _ = series.received(piece, from: target, at: now)
    _ = series.refused(ICMPError(code: Int32(piece.first ?? 0), offender: nil), about: piece)
    precondition(series.tally.roundTrips.keys.allSatisfy { (1...5).contains($0) })
    _ = series.tally.facts
  }
  let notes = PacketNotes(Array(bytes.dropFirst(2)))
  precondition(notes.hopsLeft.map { (0...255).contains($0) } ?? true)
  var clock = StampClock()
  for stamp in [notes.stamp, notes.departure.map(Int64.init)].compactMap(\.self) {
    let reading = StampClockReading(instant: now, ahead: Int64(truncatingIfNeeded: count))
    let instant = clock.instant(of: stamp, notBefore: now, reading: reading)
    precondition(instant.map { $0 == now } ?? true)
  }
  // A reply is known by its whole payload: nothing but our own echo is one.
  guard var reply = first.send else { return 0 }
  reply[0] = target.version == 4 ? 0 : 129
  _ = series.received(reply[...], from: target, at: now)
  precondition(series.tally.roundTrips[1] != nil)
  return 0
}
