// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// Results that wait while those after them are delivered.
@Suite("Results that are overtaken")
struct ParkedTests {
  /// Acknowledges everything that waits in the live lane but these.
  private func deliver(_ store: TestStore, allBut parked: Set<Int>) {
    let done = store.pending().filter { !parked.contains(number($0.record)) }
    store.core.acknowledge(.live, done.map(\.sequence))
  }

  @Test("only they wait, are counted and come again after a kill", arguments: [false, true])
  func overtaken(hasOthers: Bool) {
    let disk = MemoryFileSystem()
    let settings = smallSettings(segments: 24)
    let store = TestStore(disk, settings)
    let parked = Set(20..<164)
    for start in stride(from: 0, to: 400, by: 10) {
      // Between any two may be results that no lane holds.
      if hasOthers { store.add(10_000 + start..<10_003 + start, post: false) }
      store.add(start..<start + 10)
      deliver(store, allBut: parked)
    }
    #expect(store.waiting() == parked.sorted())
    #expect(store.status.depth == parked.count)
    // What lies between batches is settled with them; between those that wait, on its own.
    #expect(store.core.progress.settled.ranges.count == (hasOthers ? 15 : 1))
    let killed = disk.afterKill()
    let after = TestStore(killed, settings)
    #expect(after.waiting() == parked.sorted())
    #expect(after.status.depth == parked.count)
    #expect(after.status.oldest == sampleRecord(20).scheduledAt)
    // They are delivered in the end, and one number says it all again.
    deliver(after, allBut: [])
    #expect(after.core.progress.settled.isEmpty)
    #expect(TestStore(killed.afterKill(), settings).status.depth == 0)
  }

  @Test("they stay what they are when the lanes part")
  func lanes() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<20)
    deliver(store, allBut: [3, 4, 9])
    store.core.startLiveLane()
    store.add(20..<30)
    deliver(store, allBut: [25])
    #expect(store.waiting(.backlog) == [3, 4, 9])
    let after = TestStore(disk.afterKill())
    #expect(after.waiting(.backlog) == [3, 4, 9] && after.waiting(.live) == [25])
    after.core.startLiveLane()
    #expect(after.waiting(.backlog) == [3, 4, 9, 25] && after.waiting(.live).isEmpty)
    after.core.acknowledge(.backlog, after.pending(.backlog).map(\.sequence))
    #expect(after.status.depth == 0)
  }

  @Test("a row that was never read is not settled with its neighbours")
  func neighbours() {
    let store = TestStore(MemoryFileSystem())
    store.add(0..<10)
    let batch = store.pending()
    store.core.acknowledge(.live, [batch[1].sequence, batch[8].sequence, batch[8].sequence + 100])
    #expect(store.waiting() == [0, 2, 3, 4, 5, 6, 7, 9])
    store.core.acknowledge(.live, [batch[1].sequence])
    store.core.acknowledge(.backlog, [batch[2].sequence])
    #expect(store.status.depth == 8)
  }

  /// More ranges than a slot has room for: the widest are kept, the others go again, and nothing is skipped.
  @Test("what the cursor has no room for comes again after a kill, and nothing else does")
  func bound() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(segments: 24))
    let count = Cursor.rangeLimit + 40
    store.add(0..<count * 3 + 200)
    // One waits, two are done; behind them one waits and many are done.
    deliver(store, allBut: Set((0...count).map { $0 * 3 }))
    #expect(store.status.depth == count + 1)
    let after = TestStore(disk.afterKill(), smallSettings(segments: 24))
    let again = Set(after.waiting())
    #expect(again.isSuperset(of: (0...count).map { $0 * 3 }))
    #expect(again.count == count + 1 + 2 * 41)
    #expect(!again.contains(count * 3 + 100), "the widest range is kept")
    #expect(after.status.depth == again.count)
    #expect((disk.contents(Cursor.fileName) ?? []).count == Cursor.fileSize)
    let (cursor, damaged) = Cursor.newest(in: disk.contents(Cursor.fileName) ?? [])
    #expect(cursor?.ranges.count == Cursor.rangeLimit && damaged == 0)
  }

  @Test("a slot with a damaged range does not count at all: the other one does")
  func damage() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<40)
    let batch = store.pending()
    store.core.acknowledge(.live, batch[10..<20].map(\.sequence))
    store.core.acknowledge(.live, batch[25..<30].map(\.sequence))
    let bytes = disk.contents(Cursor.fileName) ?? []
    let slot = bytes[6] == 2 ? 0 : Cursor.slotDistance
    for bit in 0..<(Cursor.size + 2 * Cursor.rangeSize) * 8 {
      let copy = disk.afterKill()
      copy.tamper(Cursor.fileName) { $0[slot + bit / 8] ^= 1 << (bit % 8) }
      let after = TestStore(copy)
      #expect(after.waiting() == Array(0..<10) + Array(20..<40), "bit \(bit)")
      #expect(after.status.cursorDamaged == 1)
    }
  }
}
