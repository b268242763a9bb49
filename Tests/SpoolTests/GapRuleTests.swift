// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// A loss as it is written, how long it is remembered, and how losses are added up.
@Suite("Rules of gap records")
struct GapRuleTests {
  private func gap(
    _ cause: GapRecord.Cause = .ringFull, lost: UInt64 = 2, records: UInt64 = 3,
    _ sequences: ClosedRange<UInt64> = 5...9, first: Int64? = nil, last: Int64? = nil, noted: Int64? = nil
  ) -> GapRecord {
    var gap = GapRecord(cause: cause, lost: lost, records: records, sequences: sequences)
    gap.firstTime = first.map { Timestamp(seconds: $0) }
    gap.lastTime = last.map { Timestamp(seconds: $0) }
    gap.notedAt = noted.map { Timestamp(seconds: $0) }
    return gap
  }

  private func read(_ bytes: [UInt8]) -> GapRecord? { bytes.withUnsafeBytes { GapRecord(payload: $0) } }

  private func payload(_ cause: String, _ numbers: [(UInt64, Int64)]) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(1, cause)
    for (tag, number) in numbers { fields.put(tag, integer: number) }
    return fields.bytes
  }

  @Test("each part has its tag, and comes back")
  func fields() {
    let words = ["ring_full", "memory_overflow", "damage", "unreadable_tail", "store_gone", "skipped"]
    #expect(GapRecord.Cause.allCases.map(\.rawValue) == words)
    for cause in GapRecord.Cause.allCases {
      let whole = gap(cause, first: 1, last: 2, noted: 3)
      let bytes = payload(
        cause.rawValue,
        [(2, 2), (3, 3), (4, 5), (5, 9), (6, 1_000_000), (7, 2_000_000), (8, 3_000_000)])
      #expect(whole.payload == bytes && read(bytes) == whole)
    }
    let least = gap()
    #expect(least.payload == payload("ring_full", [(2, 2), (3, 3), (4, 5), (5, 9)]))
    #expect(read(least.payload) == least)
    let entry = least.entry(before: 12)
    #expect(entry.sequence == 12 && entry.kind == .gap && !entry.deliverable)
    #expect(GapRecord(entry: entry) == least)
  }

  @Test("what cannot be a gap is none, and a number that says nothing is 0")
  func limits() {
    let last = Int64(RecordFrame.sequenceLimit) - 1
    for (first, end, isGap) in [
      (0, 0, true), (5, 5, true), (5, 4, false), (-1, 4, false), (5, last, true), (5, last + 1, false),
    ] as [(Int64, Int64, Bool)] {
      #expect((read(payload("damage", [(4, first), (5, end)])) != nil) == isGap, "\(first) \(end)")
    }
    #expect(read(payload("damage", [(4, 5)])) == nil && read(payload("damage", [(5, 5)])) == nil)
    #expect(read(payload("other", [(4, 5), (5, 5)])) == nil)
    let bare = read(payload("damage", [(2, -4), (3, -1), (4, 5), (5, 6), (99, 1)]))
    #expect(bare == gap(.damage, lost: 0, records: 0, 5...6))
  }

  @Test("a loss is remembered for thirty days since it was noted, or since the last result of it")
  func memory() {
    let now = Timestamp(seconds: 40 * 86_400)
    let (young, old) = (Int64(10 * 86_400 + 1), Int64(10 * 86_400))
    for (record, isRemembered) in [
      (gap(noted: young), true), (gap(noted: old), false), (gap(last: young), true), (gap(last: old), false),
      (gap(last: old, noted: young), true), (gap(last: young, noted: old), false), (gap(), true),
      (gap(first: old), true), (gap(.skipped, noted: young), false), (gap(lost: 0, noted: young), false),
      (gap(.damage, lost: 1, noted: young), true),
    ] {
      #expect(record.isRemembered(at: now) == isRemembered, "\(record)")
    }
  }

  @Test("losses of one cause are one, from the first to the last of them")
  func merged() {
    let merged = GapRecord.merged([
      gap(lost: 2, records: 3, 20...29, first: 5, last: 8, noted: 10),
      gap(.damage, lost: 1, 40...41, noted: 3),
      gap(lost: 4, records: 6, 5...9, first: 2, last: 9, noted: 4), gap(lost: 1, records: 1, 7...30),
    ])
    #expect(
      merged == [
        gap(lost: 7, records: 10, 5...30, first: 2, last: 9, noted: 10),
        gap(.damage, lost: 1, 40...41, noted: 3),
      ])
    let timed = GapRecord.merged([gap(), gap(first: 4, last: 5, noted: 6)])
    #expect(timed == [gap(lost: 4, records: 6, first: 4, last: 5, noted: 6)])
    #expect(GapRecord.merged([]) == [])
  }

  @Test("only what waited counts as lost, all that is gone as gone")
  func added() {
    var grown = gap(.memoryOverflow, lost: 0, records: 0, 7...7)
    grown.add(entry(7, sampleRecord(3, post: false)))
    #expect(grown.lost == 0 && grown.records == 1)
    #expect(grown.firstTime == sampleRecord(3).scheduledAt && grown.lastTime == sampleRecord(3).scheduledAt)
    grown.add(entry(9, sampleRecord(8)))
    grown.add(entry(6, sampleRecord(5)))
    #expect(grown.lost == 2 && grown.records == 3 && grown.sequences == 6...9)
    #expect(grown.firstTime == sampleRecord(5).scheduledAt && grown.lastTime == sampleRecord(8).scheduledAt)
    grown.add(sequence: 12, deliverable: true, time: nil)
    #expect(grown.lost == 3 && grown.lastTime == sampleRecord(8).scheduledAt)
  }
}
