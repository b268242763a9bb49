// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The slots of a check: an absolute grid in UTC, one slot an interval since 1970, moved by a phase of its own.
///
/// Nothing in it depends on when the agent started, so a restart finds the same slots, no error adds up, and two
/// agents on one check probe at different times.
package struct Timeline: Hashable, Sendable {
  /// Microseconds from slot to slot, at least 1.
  let interval: Int64
  /// Microseconds from a multiple of the interval to the slot; less than the interval.
  let phase: Int64

  /// The phase is a hash of both names modulo the interval: the same in every process, and spread evenly.
  package init(agent: String, check: UniqueID, interval: Duration) {
    self.interval = max(1, interval.microseconds)
    phase = Int64(bitPattern: stableHash(agent, check) >> 1) % self.interval
  }

  /// The timeline that has a slot at this instant.
  init(slot: Int64, interval: Int64) {
    self.interval = interval
    phase = floorDivide(slot, interval).remainder
  }

  /// The first slot at this instant or later.
  package func slot(atOrAfter instant: Timestamp) -> Timestamp {
    slot(after: Timestamp(microseconds: instant.microseconds.bounded(minus: 1)))
  }

  /// The first slot later than this instant.
  package func slot(after instant: Timestamp) -> Timestamp {
    Timestamp(microseconds: slot(atOrBefore: instant).microseconds.bounded(plus: interval))
  }

  /// The last slot at this instant or earlier.
  package func slot(atOrBefore instant: Timestamp) -> Timestamp {
    Timestamp(microseconds: number(at: instant) * interval + phase)
  }

  /// How many slots lie after `start` and not after `end`. 0 when `end` is earlier.
  package func slots(after start: Timestamp, through end: Timestamp) -> Int {
    guard start < end else { return 0 }
    return Int(number(at: end) - number(at: start))
  }

  /// How many intervals the slot at or before an instant lies after the first. Instants beyond 70,000 years, which
  /// only a damaged record tells, count as that far away.
  private func number(at instant: Timestamp) -> Int64 {
    floorDivide(
      min(max(instant.microseconds, -1 << 61), 1 << 61) - phase, interval
    ).quotient
  }
}

/// FNV-1a over the agent's name, a zero byte and the id. FNV leaves the high bits of short inputs alike, so the
/// finaliser of SplitMix64 follows. Never change either: every agent's phases would move.
///
/// The standard library's `Hasher` is of no use here: it is seeded again in each process.
private func stableHash(_ agent: String, _ check: UniqueID) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  func mix(_ word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { mix(UInt8(truncatingIfNeeded: word >> shift)) }
  }
  for byte in agent.utf8 { mix(byte) }
  mix(0 as UInt8)
  mix(check.high)
  mix(check.low)
  hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
  hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
  return hash ^ (hash >> 31)
}
