// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// What is read back is believed only as far as it can be true, one rule at a time.
@Suite("Rules of the format")
struct PlainFormatTests {
  private func frame(_ sequence: UInt64, payload: [UInt8] = [1, 2, 3]) -> [UInt8] {
    var bytes: [UInt8] = []
    RecordFrame.encode(
      SpoolEntry(sequence: sequence, kind: .result, deliverable: true, payload: payload), into: &bytes)
    return bytes
  }

  private func read(_ bytes: [UInt8]) -> RecordFrame? { bytes.withUnsafeBytes { RecordFrame($0, at: 0) } }

  private func steps(_ bytes: [UInt8], from next: UInt64 = 0) -> [SegmentScan.Step] {
    var scan = SegmentScan(offset: 0, from: next)
    var steps: [SegmentScan.Step] = []
    bytes.withUnsafeBytes { bytes in
      repeat { steps.append(scan.step(bytes, complete: true)) } while steps.last != .end && steps.count < 20
    }
    return steps
  }

  private func records(_ steps: [SegmentScan.Step]) -> [UInt64] {
    steps.compactMap { if case .record(let frame, _) = $0 { frame.sequence } else { nil } }
  }

  private var damage: SegmentScan.Step { .damage(sequence: nil, deliverable: false) }

  @Test("a sequence beyond the limit is none, whatever its checksum says")
  func sequenceLimit() {
    #expect(read(frame(RecordFrame.sequenceLimit - 1))?.sequence == RecordFrame.sequenceLimit - 1)
    #expect(read(frame(RecordFrame.sequenceLimit)) == nil)
    #expect(read(frame(.max)) == nil)
  }

  @Test("a record that is older than the one before it is damage", arguments: [5, 6] as [UInt64])
  func order(again: UInt64) {
    let steps = steps(frame(5) + frame(6) + frame(again) + frame(9))
    #expect(records(steps) == [5, 6, 9])
    #expect(steps.contains(damage))
  }

  @Test("the record right behind garbage is found", arguments: [8, 16, 40, 48])
  func search(garbage: Int) {
    let steps = steps(frame(5) + [UInt8](repeating: 0xa5, count: garbage) + frame(6))
    #expect(records(steps) == [5, 6])
    #expect(steps.contains(damage))
  }

  @Test("zeros before garbage move no record out of its place", arguments: 0...16)
  func searchBehindZeros(zeros: Int) {
    let garbage = [UInt8](repeating: 0, count: zeros) + [UInt8](repeating: 0xa5, count: 24 - zeros)
    let steps = steps(frame(5) + garbage + frame(6))
    #expect(records(steps) == [5, 6])
    #expect(steps.contains(damage))
  }

  @Test(
    "the cursor's identity counts where a segment bears it or none bears any, else that of most segments",
    arguments: [
      ([], 1, 1), ([1], 1, 1), ([2], 1, 2), ([2, 2, 1], 1, 1), ([2, 3, 3], 1, 3), ([3, 2, 2], nil, 2),
      ([], nil, nil),
    ] as [([UInt64], UInt64?, UInt64?)])
  func identity(segments: [UInt64], cursor: UInt64?, found: UInt64?) throws {
    let disk = MemoryFileSystem()
    for (index, low) in segments.enumerated() {
      let name = SegmentName(log: .results, base: UInt64(index + 1), generation: UInt32(index + 1))
      let header = SegmentHeader(
        log: .results, identity: UniqueID(high: 1, low: low), nonce: 3, base: name.base,
        generation: name.generation, segmentSize: 16 << 10, createdAt: Timestamp(seconds: 1_700_000_000))
      let file = try disk.open(name.text, create: true)
      try disk.write(file, at: 0, header.bytes)
    }
    let recovery = try LogRecoverer(
      files: disk, log: .results, segmentSize: 16 << 10, identity: cursor.map { UniqueID(high: 1, low: $0) },
      progress: DeliveryProgress(settledThrough: 9), limit: RecordFrame.sequenceLimit
    ).recover()
    #expect(recovery.identity == found.map { UniqueID(high: 1, low: $0) })
    #expect((recovery.progress != nil) == (cursor == nil || cursor == found))
  }

  private let header = SegmentHeader(
    log: .results, identity: UniqueID(high: 1, low: 2), nonce: 3, base: 4, generation: 5,
    segmentSize: 1 << 22,
    createdAt: Timestamp(seconds: 1_700_000_000))

  @Test("a header is believed only with its checksum, whichever bit is another")
  func headerChecksum() {
    let good = header.bytes
    #expect(good.withUnsafeBytes { SegmentHeader($0) } == header)
    for bit in 0..<(good.count * 8) {
      var bytes = good
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(bytes.withUnsafeBytes { SegmentHeader($0) } == nil, "bit \(bit)")
    }
  }

  @Test("a name is spelled in one way")
  func names() {
    let name = SegmentName(log: .results, base: 0xabc, generation: 0x1f)
    #expect(name.text == "results-0000000000000abc-0000001f.seg")
    #expect(SegmentName(name.text) == name)
    for other in [
      "results-0000000000000ABC-0000001f.seg", "results-0000000000000abc-0000001F.seg",
      "results-+000000000000abc-0000001f.seg", "results-abc-1f.seg", "results-0000000000000abc-0000001f.seg~",
    ] {
      #expect(SegmentName(other) == nil, "\(other)")
    }
  }

  @Test("no record that does not exist yet is settled")
  func newest() {
    var progress = DeliveryProgress(settledThrough: 0)
    progress.acknowledge(.live, 1...10, newest: 4)
    #expect(progress.isSettled(4) && !progress.isSettled(5))
    progress.acknowledge(.live, 1...10, newest: 6)
    #expect(progress.isSettled(6) && !progress.isSettled(7))
  }

  @Test("a gap has lost only what waited, which its times are of, and spans all that is gone")
  func gap() {
    var gap = GapRecord(cause: .ringFull, lost: 0, records: 0, sequences: 7...7)
    gap.add(sequence: 5, deliverable: false, time: Timestamp(seconds: 40))
    gap.add(sequence: 9, deliverable: true, time: Timestamp(seconds: 30))
    #expect(gap.lost == 1 && gap.records == 2)
    #expect(gap.sequences == 5...9)
    #expect(gap.firstTime == Timestamp(seconds: 30) && gap.lastTime == Timestamp(seconds: 30))
    gap.add(sequence: 10, deliverable: false, time: Timestamp(seconds: 50))
    gap.add(sequence: 11, deliverable: true, time: Timestamp(seconds: 20))
    #expect(gap.firstTime == Timestamp(seconds: 20) && gap.lastTime == Timestamp(seconds: 30))
  }

  @Test("of many ranges beside the cursor the longest are kept, in their order")
  func ranges() {
    var progress = DeliveryProgress(settledThrough: 0)
    for range in [3...3, 10...19, 30...31, 40...59] as [ClosedRange<UInt64>] {
      progress.acknowledge(.live, range, newest: 100)
    }
    #expect(progress.cursorRanges(atMost: 2) == [10...19, 40...59])
    #expect(progress.cursorRanges(atMost: 3) == [10...19, 30...31, 40...59])
  }
}
