// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Spool

/// What was delivered is no loss, wherever it was when it had to go; what is not known to be delivered waits.
@Suite("What was delivered is not lost")
struct DeliveredTests {
  private let identity = UniqueID(high: 1, low: 2)

  @Test("of a segment those wait that are to be delivered and were not; without a cursor all of them")
  func unsettledOfASegment() throws {
    let disk = MemoryFileSystem()
    let layout = SegmentLog.Layout(
      log: .results, segmentSize: 16 << 10, count: 4, identity: identity, nonce: 7)
    var log = SegmentLog(files: disk, layout: layout, recovered: LogRecovery())
    try log.replenish()
    // 4 and 8 are of checks that are not delivered.
    let entries = (1..<11).map { entry(UInt64($0), sampleRecord($0, post: $0 % 4 != 0)) }
    let count = try log.start(base: 1, with: entries[...], at: .epoch) { _ in false }
    #expect(count == 10)
    func unsettled(_ progress: DeliveryProgress?, of identity: UniqueID?) throws -> [Int] {
      let recovery = try LogRecoverer(
        files: disk, log: .results, segmentSize: 16 << 10, identity: identity, progress: progress,
        limit: RecordFrame.sequenceLimit
      ).recover()
      #expect(recovery.identity == self.identity && recovery.segments.map(\.records) == [10])
      return recovery.segments.map(\.unsettled)
    }
    #expect(try unsettled(nil, of: identity) == [8])
    #expect(try unsettled(nil, of: nil) == [8])
    for (through, waiting) in [(0, 8), (1, 7), (3, 5), (4, 5), (7, 2), (9, 1), (10, 0), (99, 0)] {
      #expect(
        try unsettled(DeliveryProgress(settledThrough: UInt64(through)), of: identity) == [waiting])
    }
    // Two lanes: 3 and 5 wait of the backlog, 9 and 10 of the live lane.
    var lanes = DeliveryProgress(settledThrough: 2)
    lanes.startLive(at: 6)
    lanes.acknowledge(.live, 6...7, newest: 10)
    #expect(try unsettled(lanes, of: identity) == [4])
    // The cursor of another store says nothing of this one.
    #expect(try unsettled(DeliveryProgress(settledThrough: 10), of: UniqueID(high: 3, low: 4)) == [8])
  }

  @Test("a store that lost its cursor delivers again what it has, and keeps count of it")
  func withoutACursor() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<6)
    store.add(6..<8, post: false)
    store.add(8..<10)
    store.core.acknowledge(.live, store.pending(limit: 5).map(\.sequence))
    #expect(store.status.depth == 3)
    let after = disk.afterKill()
    try after.remove(Cursor.fileName)
    let again = TestStore(after)
    #expect(again.waiting() == Array(0..<6) + [8, 9])
    #expect(again.status.depth == 8 && again.status.stored == 10)
    again.acknowledge()
    #expect(again.status.depth == 0 && again.status.oldest == nil)
  }

  /// Every second result is delivered before the ring is full.
  @Test("with a segment those are lost that waited, and no others")
  func lostWithASegment() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    for start in stride(from: 0, to: 400, by: 20) {
      store.add(start..<start + 20)
      store.core.acknowledge(
        .live, store.pending().filter { number($0.record) % 2 == 0 }.map(\.sequence))
    }
    let kept = store.waiting()
    let first = try #require(kept.first)
    #expect(first > 1 && kept == Array(stride(from: first, to: 400, by: 2)) && first % 2 == 1)
    let status = store.status
    #expect(status.dropped == UInt64(first / 2) && status.lostInGaps == UInt64(first / 2))
    #expect(status.gaps.first?.firstTime == sampleRecord(1).scheduledAt)
    #expect(status.gaps.last?.lastTime == sampleRecord(first - 2).scheduledAt)
    #expect(status.depth == kept.count)
    let after = TestStore(disk.afterKill())
    #expect(after.status.lostInGaps == UInt64(first / 2) && after.status.damaged == 0)
  }

  @Test("of a segment that was delivered but for one result that one is lost")
  func oneIsLost() throws {
    let store = TestStore(MemoryFileSystem())
    store.add(0..<20)
    store.core.acknowledge(.live, store.pending().filter { number($0.record) != 7 }.map(\.sequence))
    for start in stride(from: 20, to: 400, by: 20) {
      store.add(start..<start + 20)
      store.core.acknowledge(.live, store.pending().filter { number($0.record) != 7 }.map(\.sequence))
    }
    let gap = try #require(store.status.gaps.first)
    #expect(store.status.gaps.count == 1 && gap.cause == .ringFull && gap.lost == 1)
    #expect(gap.firstTime == sampleRecord(7).scheduledAt && gap.lastTime == sampleRecord(7).scheduledAt)
    #expect(store.status.dropped == 1 && store.waiting().isEmpty)
  }

  /// Written and delivered before the medium had them: they are in memory again when the sync fails.
  @Test("what was delivered before the disk failed leaves the memory without being lost")
  func deliveredInMemory() throws {
    let disk = MemoryFileSystem()
    var settings = smallSettings(durability: .interval)
    settings.queueLimit = 10
    let store = TestStore(disk, settings)
    store.add(0..<1, at: 1)
    store.core.flush(at: time(1))
    store.add(1..<11, at: 1)
    store.core.acknowledge(.live, store.pending(limit: 5).map(\.sequence))
    disk.fail("sync", EIO, count: -1)
    store.core.tick(at: time(2))
    #expect(!store.status.isDurable && store.core.held.entries.count == 10)
    #expect(store.waiting() == Array(5..<11))
    store.add(11..<15, at: 3)
    #expect(store.status.dropped == 0 && store.status.gaps.isEmpty)
    let quiet = try #require(store.core.pendingGaps.last)
    #expect(quiet.cause == .memoryOverflow && quiet.lost == 0 && quiet.records == 4)
    #expect(store.waiting() == Array(5..<15))
    store.add(15..<17, at: 3)
    let gap = try #require(store.core.pendingGaps.last)
    #expect(gap.lost == 2 && gap.records == 6 && gap.lastTime == sampleRecord(6).scheduledAt)
    #expect(store.status.dropped == 2 && store.waiting() == Array(7..<17))
  }

  @Test("the sync is due half a second after the first write that waits for it, however many follow")
  func dueSync() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(durability: .interval))
    func write(_ number: Int, at microseconds: Int64) {
      store.core.record(
        [entry(store.core.nextSequence, sampleRecord(number))], overflow: nil,
        at: SpoolTime(wall: time(1).wall, monotonic: microseconds))
    }
    func tick(at microseconds: Int64) {
      store.core.tick(at: SpoolTime(wall: time(1).wall, monotonic: microseconds))
    }
    #expect(store.core.nextTick == nil)
    write(0, at: 1_000_000)
    #expect(store.core.nextTick == 1_500_000)
    for (number, instant) in [(1, 1_000_001), (2, 1_300_000), (3, 1_499_999)] as [(Int, Int64)] {
      write(number, at: instant)
      #expect(store.core.nextTick == 1_500_000, "\(instant)")
    }
    let before = disk.count(of: "sync")
    tick(at: 1_499_999)
    #expect(store.core.nextTick == 1_500_000 && disk.count(of: "sync") == before)
    tick(at: 1_500_000)
    #expect(store.core.nextTick == nil && disk.count(of: "sync") == before + 1)
    store.core.record([], overflow: nil, at: SpoolTime(wall: time(1).wall, monotonic: 1_550_000))
    #expect(store.core.nextTick == nil, "nothing was written")
    write(4, at: 1_600_000)
    #expect(store.core.nextTick == 2_100_000)
    store.core.flush(at: SpoolTime(wall: time(1).wall, monotonic: 1_700_000))
    #expect(store.core.nextTick == nil)
    write(5, at: 1_800_000)
    #expect(store.core.nextTick == 2_300_000)
    let always = TestStore(MemoryFileSystem())
    always.add(0..<5)
    #expect(always.core.nextTick == nil)
  }

  /// Lanes that begin are looked through from their first number, and each has what belongs to it.
  @Test("a live lane that begins leaves no place of the lanes before it")
  func placesOfLanes() {
    let store = TestStore(MemoryFileSystem())
    store.add(0..<10)
    #expect(store.waiting(.live, limit: 3) == [0, 1, 2] && store.waiting(.backlog).isEmpty)
    #expect(store.core.search.positions[.live] != nil)
    store.core.startLiveLane()
    #expect(store.core.search.positions.isEmpty)
    store.add(10..<15)
    #expect(store.waiting(.live) == Array(10..<15) && store.waiting(.backlog) == Array(0..<10))
    store.core.acknowledge(.backlog, store.pending(.backlog, limit: 4).map(\.sequence))
    store.core.acknowledge(.live, [store.pending(.live)[2].sequence])
    store.core.startLiveLane()
    #expect(store.core.search.positions.isEmpty)
    store.add(15..<17)
    #expect(store.waiting(.backlog) == Array(4..<12) + [13, 14] && store.waiting(.live) == [15, 16])
  }
}
