// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// Files with sound checksums and numbers that no store of ours writes: it starts, and records on.
@Suite("Far numbers")
struct FarNumberTests {
  private func segment(
    _ log: SegmentName.Log = .results, base: UInt64, generation: UInt32, entries: [SpoolEntry] = []
  ) -> (name: String, bytes: [UInt8]) {
    let header = SegmentHeader(
      log: log, identity: UniqueID(high: 1, low: 2), nonce: 3, base: base, generation: generation,
      segmentSize: 16 << 10, createdAt: .epoch)
    var bytes = header.bytes
    for entry in entries { RecordFrame.encode(entry, into: &bytes) }
    bytes += [UInt8](repeating: 0, count: (16 << 10) - bytes.count)
    return (SegmentName(log: log, base: base, generation: generation).text, bytes)
  }

  private func disk(_ files: [(name: String, bytes: [UInt8])]) throws -> MemoryFileSystem {
    let disk = MemoryFileSystem()
    for (name, bytes) in files {
      let file = try disk.open(name, create: true)
      try disk.write(file, at: 0, bytes)
    }
    return disk
  }

  private func startsAndRecords(_ disk: MemoryFileSystem, _ what: String) {
    for round in 0..<3 {
      let store = TestStore(disk.afterKill())
      #expect(store.status.isDurable, "not durable: \(what)")
      #expect(store.add(round * 10..<round * 10 + 3), "records nothing: \(what)")
      _ = store.pending()
      _ = store.pending(.backlog)
      _ = store.core.reader().check()
      store.core.startLiveLane()
      _ = store.pending()
    }
  }

  /// The last generation leaves none to go on with, whether the name or the header tells it.
  @Test("generations at the end of 32 bits")
  func generations() throws {
    startsAndRecords(try disk([segment(base: 1, generation: .max)]), "generation")
    var lying = segment(base: 1, generation: .max)
    lying.name = SegmentName(log: .results, base: 1, generation: 1).text
    startsAndRecords(try disk([lying]), "generation of the header")
    let spare = (name: SegmentName.spare(.results, .max), bytes: [UInt8](repeating: 0, count: 16 << 10))
    startsAndRecords(try disk([spare]), "spare")
  }

  /// The first number of a store is 1; a file may still say 0.
  @Test("bases of zero")
  func bases() throws {
    let refused = SpoolEntry(
      sequence: 0, kind: .refused, deliverable: false,
      payload: RefusedPayload.encode(QueuedRecord(sequence: 1, record: sampleRecord(1)), code: "1"))
    startsAndRecords(
      try disk([
        segment(base: 0, generation: 1), segment(.quarantine, base: 0, generation: 1, entries: [refused]),
      ]),
      "base")
  }

  /// A gap that says it lost everything, twice, in the segment that makes room.
  @Test("gaps beyond all numbers")
  func gaps() throws {
    var fields = FieldWriter()
    fields.put(1, GapRecord.Cause.ringFull.rawValue)
    for (tag, number) in [(2, Int64.max), (3, .max), (4, 1), (5, .max), (6, .min), (7, .max), (8, .max)]
      as [(UInt64, Int64)]
    { fields.put(tag, integer: number) }
    #expect(fields.bytes.withUnsafeBytes { GapRecord(payload: $0) } == nil)
    let greatest = RecordFrame.sequenceLimit - 1
    var gap = GapRecord(cause: .ringFull, lost: .max, records: .max, sequences: 1...greatest)
    gap.notedAt = time(0).wall
    let other = GapRecord(cause: .ringFull, lost: .max, records: 1, sequences: 2...3)
    #expect(GapRecord.merged([gap, gap, other]).first?.lost == .max)
    let entries = [gap, other, gap].map { $0.entry(before: 5) }
    startsAndRecords(try disk([segment(base: 1, generation: 1, entries: entries)]), "gap")
  }

  /// The last number there is: nothing can follow it, and the lanes still have bounds.
  @Test("sequences at their limit")
  func sequences() throws {
    let last = entry(RecordFrame.sequenceLimit - 1, sampleRecord(1))
    startsAndRecords(try disk([segment(base: 1, generation: 1, entries: [last])]), "sequence")
    var progress = DeliveryProgress(settledThrough: RecordFrame.sequenceLimit + 5)
    progress.startLive(at: RecordFrame.sequenceLimit + 9)
    #expect(progress.bounds(of: .live)?.lowerBound == RecordFrame.sequenceLimit + 9)
  }
}
