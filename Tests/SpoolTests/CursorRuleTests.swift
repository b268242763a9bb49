// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// The cursor's words, and how far they are believed.
@Suite("Rules of the cursor")
struct CursorRuleTests {
  private let limit = RecordFrame.sequenceLimit

  private func cursor(
    generation: UInt64 = 9, _ settled: UInt64 = 10, _ start: UInt64 = 15, _ through: UInt64 = 17,
    _ ranges: [ClosedRange<UInt64>] = []
  ) -> Cursor {
    var cursor = Cursor(
      generation: generation, progress: DeliveryProgress(settledThrough: 0),
      identity: UniqueID(high: 1, low: 2))
    (cursor.settledThrough, cursor.liveStart, cursor.liveThrough) = (settled, start, through)
    cursor.ranges = ranges
    return cursor
  }

  private func read(_ cursor: Cursor) -> Cursor? { cursor.bytes.withUnsafeBytes { Cursor(slot: $0) } }

  @Test("the last number it speaks of")
  func highest() {
    #expect(cursor(10, 5, 3).highest == 10)
    #expect(cursor(1, 20, 3).highest == 19)
    #expect(cursor(0, 0, 0).highest == 0 && cursor(0, 1, 0).highest == 0 && cursor(0, 2, 0).highest == 1)
    #expect(cursor(1, 5, 30).highest == 30)
    #expect(cursor(1, 5, 3, [7...9, 40...50]).highest == 50)
  }

  @Test("numbers up to the limit are read back, and none at it")
  func limits() {
    let (last, over) = (limit - 1, limit)
    for one in [
      cursor(generation: last), cursor(last, last, last), cursor(1, 2, 1, [3...3, 5...last]),
    ] { #expect(read(one) == one) }
    for one in [
      cursor(generation: over), cursor(over), cursor(1, over), cursor(1, 2, over),
      cursor(1, 2, 1, [3...3, 5...over]),
    ] { #expect(read(one) == nil) }
  }

  @Test("ranges rise and do not meet")
  func ranges() {
    let good: [[ClosedRange<UInt64>]] = [[], [1...1], [5...9, 10...12], [5...9, 20...20]]
    let bad: [[ClosedRange<UInt64>]] = [[0...3], [5...9, 9...12], [5...9, 3...4], [5...9, 5...9]]
    for ranges in good { #expect(read(cursor(1, 2, 1, ranges)) == cursor(1, 2, 1, ranges), "\(ranges)") }
    for ranges in bad { #expect(read(cursor(1, 2, 1, ranges)) == nil, "\(ranges)") }
    let many = (0..<UInt64(Cursor.rangeLimit)).map { 10 + 2 * $0...10 + 2 * $0 }
    #expect(Cursor.rangeLimit == 252 && read(cursor(1, 2, 1, many))?.ranges.count == 252)
    #expect(read(cursor(1, 2, 1, many + [9000...9000])) == nil)
  }

  @Test(
    "of two slots the newer counts, and the second where both are as new",
    arguments: [(1, 2, 20), (2, 1, 10), (3, 3, 20), (0, 0, 20), (nil, 1, 20), (1, nil, 10), (nil, nil, nil)]
      as [(UInt64?, UInt64?, UInt64?)])
  func newest(first: UInt64?, second: UInt64?, settled: UInt64?) {
    for isDamaged in [false, true] {
      var file = [UInt8](repeating: 0, count: Cursor.fileSize)
      for (slot, generation, number) in [(0, first, 10), (1, second, 20)] as [(Int, UInt64?, UInt64)] {
        let start = slot * Cursor.slotDistance
        guard let generation else {
          if isDamaged { file[start + 63] = 1 }
          continue
        }
        put(cursor(generation: generation, number).bytes, into: &file, at: start)
      }
      let found = Cursor.newest(in: file)
      #expect(found.cursor?.settledThrough == settled)
      #expect(found.damaged == (isDamaged ? [first, second].count { $0 == nil } : 0))
    }
    #expect(Cursor.newest(in: cursor(7).bytes).cursor?.settledThrough == 7)
    #expect(Cursor.newest(in: []).cursor == nil && Cursor.newest(in: []).damaged == 0)
  }

  @Test("a start goes on from its numbers and its ranges, taken together")
  func progress() {
    func settled(_ cursor: Cursor) -> [UInt64] {
      let progress = DeliveryProgress(cursor)
      return (1...30).filter { progress.isSettled($0) }
    }
    #expect(settled(cursor(3, 15, 17, [6...7, 20...20])) == [1, 2, 3, 6, 7, 15, 16, 17, 20])
    #expect(settled(cursor(3, 15, 14)) == [1, 2, 3])
    #expect(settled(cursor(3, 15, 15)) == [1, 2, 3, 15])
    #expect(settled(cursor(3, 4, 6)) == [1, 2, 3, 4, 5, 6])
    #expect(settled(cursor(3, 5, 6, [4...4])) == [1, 2, 3, 4, 5, 6])
    #expect(DeliveryProgress(cursor(3, 0, 0)).liveStart == 1)
    #expect(DeliveryProgress(cursor(3, 5, 6, [4...4])).settledThrough == 6)
    let back = Cursor(
      generation: 9, progress: DeliveryProgress(cursor(3, 15, 17, [6...7, 20...20])),
      identity: UniqueID(high: 1, low: 2))
    #expect(back == cursor(3, 15, 17, [6...7, 20...20]))
  }

  @Test("the file is written in turns, and not where nothing has changed")
  func turns() throws {
    let disk = MemoryFileSystem()
    let identity = UniqueID(high: 1, low: 2)
    var file = CursorFile(files: disk, after: cursor(generation: 5), isSuspect: true)
    func generations() throws -> [UInt64] {
      let bytes = try #require(disk.contents(Cursor.fileName))
      return [0, Cursor.slotDistance].map { start in
        bytes.withUnsafeBytes { $0.integer(UInt64.self, at: start + 8) }
      }
    }
    try file.write(DeliveryProgress(settledThrough: 1), identity: identity)
    #expect(try generations() == [6, 0])
    try file.write(DeliveryProgress(settledThrough: 2), identity: identity)
    try file.write(DeliveryProgress(settledThrough: 2), identity: identity)
    #expect(try generations() == [6, 7])
    try file.prove(DeliveryProgress(settledThrough: 2), identity: identity)
    #expect(try generations() == [8, 7])
    #expect(file.written == DeliveryProgress(settledThrough: 2) && !file.isSuspect)
  }
}
