// SPDX-License-Identifier: MIT

import Basics

/// The wall clock and ours, read as one.
struct StampClockReading: Hashable, Sendable {
  var instant: Instant
  /// Wall clock minus boot clock, in nanoseconds. Both run at the rate that NTP gives them, so it changes only when the
  /// wall clock is set.
  var ahead: Int64

  /// `nil` where the thread lost its core between the two reads each time.
  static func now() -> StampClockReading? {
    for _ in 0..<4 {
      let before = Instant.now
      let wall = SystemClock.wall.nanoseconds
      let after = Instant.now
      let span = after.nanoseconds &- before.nanoseconds
      guard span >= 0, span <= 20_000 else { continue }
      // bounded: clocks of this century, whose difference fits
      return StampClockReading(instant: after, ahead: wall &- (before.nanoseconds &+ span / 2))
    }
    return nil
  }
}

/// Turns the kernel's stamps of packets, which are of the wall clock, into instants. Pure but for reading the clocks.
///
/// A stamp says when a packet came or left, whatever the thread did meanwhile: a busy core makes no round trip longer.
/// A wall clock that is set makes a stamp worthless, so one counts only while the clock was not set since the last one,
/// and where the instant is possible at all; a caller that gets none takes its own time.
struct StampClock {
  /// Reading takes as long; what a clock is set by less is no mistake that matters.
  static let tolerance: Int64 = 50_000

  private var ahead: Int64?

  /// - Parameters:
  ///   - stamp: nanoseconds of the wall clock.
  ///   - earliest: before this it cannot have been.
  ///   - reading: of the clocks, after the stamp was made; nil: they could not be read.
  mutating func instant(
    of stamp: Int64, notBefore earliest: Instant, reading: StampClockReading?
  ) -> Instant? {
    guard let reading else { return nil }
    let known = ahead
    ahead = reading.ahead
    // Of the first nobody knows whether the clock was set between it and now.
    guard let known else { return nil }
    let (change, isWide) = reading.ahead.subtractingReportingOverflow(known)
    guard !isWide, change.magnitude <= Self.tolerance.magnitude else { return nil }
    let (moment, isBeyond) = stamp.subtractingReportingOverflow(reading.ahead)
    guard !isBeyond, moment <= reading.instant.nanoseconds else { return nil }
    // By as much as the reading is wrong it may seem earlier than it was.
    guard moment >= earliest.nanoseconds &- Self.tolerance else { return nil }
    return max(earliest, Instant(nanoseconds: moment))
  }

  /// So that the first stamp counts already.
  mutating func begin(_ reading: StampClockReading?) { if ahead == nil { ahead = reading?.ahead } }
}

/// Which of a flow's datagrams a stamp in the error queue is about: the kernel numbers those that leave by one socket.
struct Departures {
  /// The number of the flow's first. `nil` where it is not known, and its stamps say nothing.
  private var first: UInt32?
  private(set) var sent: UInt32 = 0
  /// Those that left and whose stamps have not come.
  private(set) var missing = 0

  init(from first: UInt32?) { self.first = first }

  /// The number that the socket's next one will have; nil: unknown.
  var next: UInt32? { first.map { $0 &+ sent } }

  /// - Parameter isSure: false where the kernel may have counted it or not.
  mutating func send(isSure: Bool) {
    sent &+= 1
    // bounded: by what is sent, a hundred at most
    if isSure, first != nil { missing += 1 } else { (first, missing) = (nil, 0) }
  }

  /// The place of the datagram among the flow's. `nil` for another flow's, or where it is not known.
  mutating func arrived(_ number: UInt32) -> Int? {
    guard let first else { return nil }
    let place = number &- first
    guard place < sent else { return nil }
    // bounded: below what was sent, a hundred at most
    missing = max(0, missing - 1)
    return Int(place)  // bounded: below what was sent
  }
}
