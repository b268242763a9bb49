// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// How records follow one another in a segment, and what is stepped over.
@Suite("Records of a segment")
struct ScanTests {
  private func frame(
    _ sequence: UInt64, _ kind: RecordKind = .result, deliverable: Bool = true, payload: Int = 3
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    RecordFrame.encode(
      SpoolEntry(
        sequence: sequence, kind: kind, deliverable: deliverable,
        payload: [UInt8](repeating: 7, count: payload)), into: &bytes)
    return bytes
  }

  private func read(_ bytes: [UInt8]) -> RecordFrame? { bytes.withUnsafeBytes { RecordFrame($0, at: 0) } }

  private func steps(_ bytes: [UInt8], from next: UInt64 = 0, below limit: UInt64 = 100) -> [String] {
    var scan = SegmentScan(offset: 0, from: next, below: limit)
    var steps: [String] = []
    bytes.withUnsafeBytes { bytes in
      while steps.count < 20 {
        switch scan.step(bytes, complete: true) {
        case .record(let frame, let offset): steps.append("\(frame.sequence) at \(offset)")
        case .damage(let sequence, let deliverable):
          steps.append("damage \(sequence.map { "\($0)" } ?? "?")\(deliverable ? " to deliver" : "")")
        case .needsMore: return steps.append("more")
        case .end: return
        }
      }
    }
    return steps
  }

  @Test(
    "a record takes its header, its payload and a checksum, up to a multiple of eight",
    arguments: [(0, 32), (4, 32), (5, 40), (12, 40), (13, 48), (4096, 4128)])
  func sizes(payload: Int, size: Int) throws {
    let bytes = frame(1, payload: payload)
    #expect(bytes.count == size && RecordFrame.size(payload: payload) == size)
    let found = try #require(read(bytes))
    #expect(found.payloadLength == payload && found.size == size)
    #expect(bytes.withUnsafeBytes { found.isIntact($0, at: 0) })
    let cut = Array(bytes.dropLast())
    #expect(!cut.withUnsafeBytes { found.isIntact($0, at: 0) })
  }

  @Test("a payload longer than a record may have is no record's")
  func payloadLimit() {
    #expect(read(frame(1, payload: 4097)) == nil && RecordFrame.sizeLimit == 4128)
  }

  @Test("only results are to be delivered, and only those that say so")
  func kinds() throws {
    for (kind, deliverable, isDeliverable, isGap) in [
      (.result, true, true, false), (.result, false, false, false), (.gap, true, false, true),
      (.refused, true, false, false),
    ] as [(RecordKind, Bool, Bool, Bool)] {
      let found = try #require(read(frame(1, kind, deliverable: deliverable)))
      #expect(found.kind == kind.rawValue && found.isDeliverable == isDeliverable && found.isGap == isGap)
    }
    #expect([RecordKind.result, .gap, .refused].map(\.rawValue) == [1, 2, 3])
  }

  @Test("at the limit of a segment stands a gap and nothing else")
  func limit() {
    let (eight, nine, ten) = (frame(8), frame(9), frame(10))
    let (gap, later) = (frame(9, .gap), frame(10, .gap))
    #expect(steps(eight + nine, below: 9) == ["8 at 0", "damage ?"])
    #expect(steps(eight + gap, below: 9) == ["8 at 0", "9 at 32"])
    #expect(steps(gap + gap, below: 9) == ["9 at 0", "9 at 32"])
    #expect(steps(eight + later, below: 9) == ["8 at 0", "damage ?"])
    #expect(steps(eight + nine + ten, below: 10) == ["8 at 0", "9 at 32", "damage ?"])
  }

  @Test("a gap has the number of the record after it")
  func gapBeforeItsRecord() {
    #expect(steps(frame(5) + frame(6, .gap) + frame(6) + frame(7)).count == 4)
    #expect(steps(frame(6) + frame(6, .gap) + frame(7)) == ["6 at 0", "damage ?", "7 at 64"])
    #expect(steps(frame(5), from: 6) == ["damage ?"] && steps(frame(6), from: 6) == ["6 at 0"])
  }

  @Test("of a payload that is damaged the header still says what it was, and where the next record is")
  func damagedPayload() {
    for (bytes, told) in [
      (frame(6), "damage 6 to deliver"), (frame(6, deliverable: false), "damage 6"),
      (frame(6, .gap), "damage ?"), (frame(6, .refused), "damage 6"),
    ] {
      var damaged = bytes
      damaged[24] ^= 1
      #expect(steps(frame(5) + damaged + frame(7)) == ["5 at 0", told, "7 at 64"])
    }
    #expect(steps(frame(5) + frame(6).dropLast(8)) == ["5 at 0", "damage 6 to deliver"])
    #expect(steps(frame(5) + [0, 0, 0, 9]) == ["5 at 0", "damage ?"])
    #expect(steps(frame(5) + [UInt8](repeating: 0, count: 100)) == ["5 at 0"])
  }

  @Test("a window that may end within a record is not believed")
  func windows() {
    for (rest, goesOn) in [(RecordFrame.sizeLimit - 1, false), (RecordFrame.sizeLimit, true)] {
      var bytes = frame(5)
      bytes += [UInt8](repeating: 0, count: rest - bytes.count)
      var scan = SegmentScan(offset: 0, from: 0)
      let step = bytes.withUnsafeBytes { scan.step($0, complete: false) }
      #expect((step == .needsMore) == !goesOn && scan.offset == (goesOn ? 32 : 0))
      var whole = SegmentScan(offset: 0, from: 0)
      let all = bytes.withUnsafeBytes { whole.step($0, complete: true) }
      #expect(all != .needsMore)
    }
  }

  @Test("the first byte that is not zero, wherever it is")
  func nonZero() {
    for place in 0..<27 {
      var bytes = [UInt8](repeating: 0, count: 27)
      bytes[place] = 1
      for start in 0...27 {
        let found = bytes.withUnsafeBytes { firstNonZero($0, from: start) }
        #expect(found == (start <= place ? place : nil))
      }
    }
  }

  @Test("a segment counts its records, those that wait, and its gaps")
  func segments() {
    var segment = Segment(file: "x", name: SegmentName(log: .results, base: 5, generation: 1))
    let gap = GapRecord(cause: .damage, lost: 1, records: 1, sequences: 2...3)
    segment.note(entry(6, sampleRecord(1)), isSettled: false)
    segment.note(gap.entry(before: 7), isSettled: false)
    segment.note(entry(7, sampleRecord(2)), isSettled: true)
    segment.note(entry(8, sampleRecord(3, post: false)), isSettled: false)
    segment.note(entry(9, sampleRecord(4)), isSettled: false)
    #expect(segment.records == 4 && segment.unsettled == 2 && segment.gaps == [gap])
    #expect(segment.first == 6 && segment.last == 9)
    let sizes = [1, 2, 3, 4].map { entry(1, sampleRecord($0, post: $0 != 3)).size }
    #expect(segment.end == 64 + sizes.reduce(0, +) + gap.entry(before: 7).size)
  }

  @Test("names of spares are spelled with eight digits, and the ring counts on from half of them")
  func spares() {
    #expect(SegmentName.spare(.results, 0xab) == "results-spare-000000ab.seg")
    for (text, number) in [
      ("results-spare-000000ab.seg", 0xab), ("results-spare-ffffffff.seg", .max),
      ("results-spare-0000000ab.seg", nil), ("results-spare-00000ab.seg", nil),
      ("results-spare-000000xy.seg", nil), ("quarantine-spare-000000ab.seg", nil),
      ("results-spare-000000ab", nil),
    ] as [(String, UInt32?)] {
      #expect(SegmentName.spareNumber(text, .results) == number, "\(text)")
    }
    #expect(SegmentName.spareNumber("quarantine-spare-00000001.seg", .quarantine) == 1)
    #expect(SegmentName.isCounted(1 << 31) && !SegmentName.isCounted(1 << 31 + 1))
    #expect(SegmentName("results-0000000000000001-80000000.seg")?.generation == 1 << 31)
    #expect(SegmentName("results-0000000000000001-80000001.seg") == nil)
    #expect(SegmentName("results-3fffffffffffffff-00000001.seg")?.base == 1 << 62 - 1)
    #expect(SegmentName("results-4000000000000000-00000001.seg") == nil)
    #expect(SegmentName("quarantine-0000000000000001-00000001.seg")?.log == .quarantine)
  }
}
