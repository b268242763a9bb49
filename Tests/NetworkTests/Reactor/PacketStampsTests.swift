// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Network

/// Which stamps count, and what they say.
@Suite struct PacketStampsTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  /// Of a wall clock that is this much ahead.
  private static let ahead: Int64 = 1_700_000_000_000_000_000

  private func reading(_ milliseconds: Int64, ahead: Int64 = Self.ahead) -> StampClockReading {
    StampClockReading(instant: start + .milliseconds(milliseconds), ahead: ahead)
  }

  private func stamp(_ milliseconds: Int64, ahead: Int64 = Self.ahead) -> Int64 {
    (start + .milliseconds(milliseconds)).nanoseconds + ahead
  }

  private func clock() -> StampClock {
    var clock = StampClock()
    clock.begin(reading(0))
    return clock
  }

  /// The thread had no core for 300 ms: the packet came when it came.
  @Test func aStampSaysWhenItCame() {
    var clock = clock()
    let instant = clock.instant(of: stamp(20), notBefore: start, reading: reading(320))
    #expect(instant == start + .milliseconds(20))
  }

  /// Later than now, or before the flow began: nobody knows what it is of.
  @Test func whatCannotBeIsNone() {
    var clock = clock()
    #expect(clock.instant(of: stamp(21), notBefore: start, reading: reading(20)) == nil)
    #expect(clock.instant(of: stamp(-5), notBefore: start, reading: reading(20)) == nil)
    #expect(clock.instant(of: .min, notBefore: start, reading: reading(20)) == nil)
    #expect(clock.instant(of: .max, notBefore: start, reading: reading(20)) == nil)
    #expect(clock.instant(of: stamp(10), notBefore: start, reading: nil) == nil)
    // By less than the clocks can be read.
    let early = stamp(0) - 30_000
    #expect(clock.instant(of: early, notBefore: start, reading: reading(20)) == start)
  }

  /// Set forth or back between a packet and the look at its stamp, by an hour or by a millisecond: what it says is wrong
  /// by as much, also where it seems possible. The next one counts again.
  @Test(
    arguments: [3_600_000_000_000, -3_600_000_000_000, 1_000_000, -1_000_000, 60_000, -60_000] as [Int64])
  func aClockThatWasSetIsNotBelieved(by step: Int64) {
    var clock = clock()
    let set = Self.ahead + step
    #expect(clock.instant(of: stamp(10), notBefore: start, reading: reading(20, ahead: set)) == nil)
    let next = clock.instant(of: stamp(25, ahead: set), notBefore: start, reading: reading(30, ahead: set))
    #expect(next == start + .milliseconds(25))
  }

  /// What reading two clocks differs by is no step.
  @Test func aReadingMayBeOffByAFewMicroseconds() {
    var clock = clock()
    let off = reading(20, ahead: Self.ahead + 20_000)
    #expect(clock.instant(of: stamp(10), notBefore: start, reading: off) != nil)
  }

  @Test func withoutABeginningTheFirstIsNotBelieved() {
    var clock = StampClock()
    #expect(clock.instant(of: stamp(10), notBefore: start, reading: reading(20)) == nil)
    let next = clock.instant(of: stamp(10), notBefore: start, reading: reading(20))
    #expect(next == start + .milliseconds(10))
  }

  @Test func readingTheClocksIsExact() throws {
    let (one, other) = (try #require(StampClockReading.now()), try #require(StampClockReading.now()))
    #expect((one.ahead - other.ahead).magnitude <= StampClock.tolerance.magnitude)
  }

  /// A socket serves flow after flow: a stamp that comes late is not the next one's.
  @Test func aDatagramIsKnownByItsNumber() {
    var departures = Departures(from: 7)
    #expect(departures.arrived(7) == nil)
    departures.send(isSure: true)
    departures.send(isSure: true)
    #expect(departures.missing == 2)
    #expect(departures.arrived(6) == nil && departures.arrived(9) == nil)
    #expect(departures.arrived(8) == 1 && departures.arrived(7) == 0)
    #expect(departures.missing == 0 && departures.next == 9)
    var last = Departures(from: .max)
    last.send(isSure: true)
    last.send(isSure: true)
    #expect(last.arrived(0) == 1 && last.arrived(.max) == 0 && last.next == 1)
  }

  /// The kernel may have counted what it lost, or not: from there on nobody knows.
  @Test func afterAFailedSendNothingIsKnown() {
    var departures = Departures(from: 0)
    departures.send(isSure: true)
    departures.send(isSure: false)
    #expect(departures.arrived(0) == nil && departures.next == nil && departures.missing == 0)
  }
}
