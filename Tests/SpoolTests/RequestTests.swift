// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Spool

/// Results of a request that make room while it is under way.
@Suite("Open request")
struct RequestTests {
  /// A store whose first segment made room while a request with the results 0 to 19 was under way.
  private struct FullRing {
    let disk = MemoryFileSystem()
    let store: TestStore
    let sent: [UInt64]
    /// The first result that is still there.
    let first: Int

    init() {
      store = TestStore(disk)
      store.add(0..<50)
      sent = store.pending(limit: 20).map(\.sequence)
      #expect(store.core.beginDelivery(sent, at: time(1)) == Set(sent))
      var next = 50
      while store.core.request.dropped.isEmpty, next < 2000 {
        store.add(next..<next + 10)
        next += 10
      }
      first = store.waiting().first ?? 0
      #expect(first > 20 && store.waiting() == Array(first..<next))
    }
  }

  @Test("what is confirmed after it made room is not lost")
  func confirmed() {
    let ring = FullRing()
    let (store, others) = (ring.store, UInt64(ring.first - 20))
    let depth = store.waiting().count
    #expect(store.status.dropped == others && store.status.gaps.map(\.lost) == [others])
    #expect(store.status.gaps.map(\.firstTime) == [sampleRecord(20).scheduledAt])
    #expect(store.status.depth == depth + 20)
    store.core.acknowledge(.live, ring.sent)
    store.core.endDelivery(at: time(2))
    #expect(store.status.dropped == others && store.status.gaps.map(\.lost) == [others])
    #expect(store.status.depth == depth)
    let after = TestStore(ring.disk.afterKill())
    #expect(after.waiting().first == ring.first && after.status.damaged == 0)
    #expect(after.status.gaps.map(\.lost) == [others])
  }

  @Test("what is not confirmed is lost, once, and is not sent again")
  func unconfirmed() {
    let ring = FullRing()
    let (store, others) = (ring.store, UInt64(ring.first - 20))
    store.core.acknowledge(.live, Array(ring.sent[5..<10]))
    store.core.endDelivery(at: time(2))
    #expect(store.status.dropped == others + 15 && store.status.gaps.map(\.lost) == [others, 15])
    #expect(store.status.gaps.last?.firstTime == sampleRecord(0).scheduledAt)
    #expect(store.status.gaps.last?.lastTime == sampleRecord(19).scheduledAt)
    #expect(store.core.beginDelivery(ring.sent, at: time(3)) == [])
    store.core.endDelivery(at: time(3))
    #expect(store.status.dropped == others + 15)
    let after = TestStore(ring.disk.afterKill())
    #expect(after.waiting().first == ring.first && after.status.damaged == 0)
    #expect(after.status.gaps.map(\.lost) == [others, 15])
  }

  @Test("a crash before the request ended counts them as damaged")
  func crash() {
    let ring = FullRing()
    let after = TestStore(ring.disk.afterKill())
    #expect(after.waiting().first == ring.first && after.status.damaged == 20)
    #expect(after.status.gaps.reduce(0) { $0 + $1.lost } == UInt64(ring.first))
  }

  @Test("a crash before their segment went counts them like the others of it")
  func crashBeforeTheSegmentWent() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<50)
    _ = store.core.beginDelivery(store.pending(limit: 20).map(\.sequence), at: time(1))
    var next = 50
    while store.core.request.dropped.isEmpty, next < 2000 {
      // The new segment gets its name, and the old one keeps its own.
      disk.fail("rename", EIO, count: -1, after: 1)
      store.add(next..<next + 10)
      next += 10
    }
    disk.heal()
    let first = store.waiting().first ?? 0
    let after = TestStore(disk.afterKill())
    #expect(after.waiting() == Array(first..<next) && after.status.damaged == 0)
    #expect(after.status.dropped == 20)
    #expect(after.status.gaps.reduce(0) { $0 + $1.lost } == UInt64(first))
  }

  @Test("a stop ends the request", arguments: [false, true])
  func stop(isConfirmed: Bool) {
    let ring = FullRing()
    if isConfirmed { ring.store.core.acknowledge(.live, ring.sent) }
    ring.store.core.close(at: time(2))
    let after = TestStore(ring.disk.afterKill())
    #expect(after.status.damaged == 0)
    #expect(after.status.gaps.reduce(0) { $0 + $1.lost } == UInt64(ring.first - (isConfirmed ? 20 : 0)))
  }

  @Test("the same of the buffer in memory", arguments: [false, true])
  func memory(isConfirmed: Bool) {
    var settings = smallSettings()
    settings.queueLimit = 20
    let disk = MemoryFileSystem()
    let store = TestStore(disk, settings)
    disk.change { $0.isReadOnly = true }
    store.add(0..<20)
    let sent = store.pending(limit: 5).map(\.sequence)
    #expect(store.core.beginDelivery(sent, at: time(1)) == Set(sent))
    store.add(20..<30)
    #expect(store.status.dropped == 5 && store.status.depth == 25)
    if isConfirmed { store.core.acknowledge(.live, sent) }
    store.core.endDelivery(at: time(2))
    let lost: UInt64 = isConfirmed ? 5 : 10
    #expect(store.status.dropped == lost && store.status.depth == 20)
    #expect(store.core.beginDelivery(sent, at: time(3)) == [])
    disk.heal()
    disk.change { $0.isReadOnly = false }
    store.core.tick(at: time(70))
    #expect(store.status.isDurable && store.waiting() == Array(10..<30))
    #expect(store.status.gaps.reduce(0) { $0 + $1.lost } == lost && store.status.damaged == 0)
  }

  @Test("a store that was removed leaves its gap records, and one for what waited in it", arguments: [0, 4])
  func removed(sent count: Int) {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    var earlier = GapRecord(cause: .memoryOverflow, lost: 3, records: 3, sequences: 5...7)
    store.core.record([], overflow: earlier, at: time(1))
    earlier.notedAt = time(1).wall
    store.add(0..<10)
    let sent = store.pending(limit: count).map(\.sequence)
    _ = store.core.beginDelivery(sent, at: time(1))
    disk.change { disk in
      (disk.names, disk.durableNames, disk.isReadOnly) = ([:], [:], true)
    }
    store.add(10..<15)
    #expect(store.status.depth == 15 && store.status.unread == 10)
    disk.heal()
    disk.change { $0.isReadOnly = false }
    store.core.tick(at: time(70))
    let lost = UInt64(10 - count)
    #expect(store.status.isDurable && store.waiting() == Array(10..<15) && store.status.unread == 0)
    #expect(store.status.dropped == 3 + lost && store.status.depth == 5 + count)
    #expect(store.status.gaps.map(\.cause) == [.memoryOverflow, .storeGone])
    #expect(store.status.gaps.map(\.lost) == [3, lost] && store.status.gaps.first == earlier)
    store.core.acknowledge(.live, sent)
    store.core.endDelivery(at: time(71))
    #expect(store.status.dropped == 3 + lost && store.status.depth == 5)
    let after = TestStore(disk.afterKill(), at: 72)
    #expect(after.status.gaps.map(\.lost) == [3, lost] && after.status.damaged == 0)
  }
}
