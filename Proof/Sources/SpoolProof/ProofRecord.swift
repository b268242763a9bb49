// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool

/// The result with this number: everything in it follows from the number, so that the receiver can tell an altered one.
func proofRecord(_ number: Int) -> DeliveryRecord {
  let at = Timestamp(seconds: 1_700_000_000 + Int64(number))
  return DeliveryRecord(
    id: UniqueID(high: 0x0190_0000_0000_7000, low: 1 << 63 | UInt64(number)),
    checkID: UniqueID(high: 1, low: UInt64(number % 7)), agent: "london-1", scheduledAt: at,
    startedAt: at.advanced(by: .milliseconds(number % 900)), trigger: .schedule, status: .failure,
    state: .down,
    reason: .connectRefused, phase: .connect, statusCode: nil, responseTime: .microseconds(number),
    timings: Timings(connect: .microseconds(number), total: .microseconds(number)), certificateNotAfter: nil,
    message: number % 3 == 0 ? String(repeating: "m", count: number % 250) : nil, flags: [.post])
}

func proofNumber(_ record: DeliveryRecord) -> Int { Int(record.id.low & ~(1 << 63)) }

/// FNV-1a of everything the record says.
func proofHash(_ record: DeliveryRecord) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in String(describing: record).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  return hash
}

/// A store small enough that its ring goes round during the proof, and now and then runs full.
func proofSettings(_ directory: String) -> SpoolSettings {
  SpoolSettings(path: directory, size: 1 << 20, segmentSize: 64 << 10)
}

/// SplitMix64: a seed gives the same delays on every machine.
struct ProofGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
