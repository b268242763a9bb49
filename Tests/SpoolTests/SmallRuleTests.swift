// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Spool

/// Small parts of the store: what is passed on, what is read of what waits in memory, and what counts as trouble.
@Suite("Small parts of the store")
struct SmallRuleTests {
  /// A file system that says nothing itself.
  private struct Plain: WrappingFileSystem {
    let base: any SpoolFileSystem

    func reattached() throws(FileFault) -> any SpoolFileSystem { self }
  }

  /// Notes what it is told beside the work.
  private final class Told: WrappingFileSystem {
    let disk = MemoryFileSystem()
    var base: any SpoolFileSystem { disk }
    let calls = Mutex<[String]>([])
    let notes: [Notice] = [.warning(.store, "slow")]

    private func note(_ call: String) { calls.withLock { $0.append(call) } }

    func release() { note("release") }
    func isPoison(_ name: String) -> Bool { name == "bad" }
    func begins(_ name: String) { note("begins \(name)") }
    func ended(_ name: String) { note("ended \(name)") }
    func reattached() throws(FileFault) -> any SpoolFileSystem { self }
  }

  @Test("what one file system does not say itself, the other does")
  func passedOn() throws {
    let told = Told()
    let files = Plain(base: told)
    let file = try files.open("a", create: true)
    try files.reserve(file, size: 100)
    try files.write(file, at: 3, [7, 8])
    #expect(try files.read(file, at: 2, count: 4) == [0, 7, 8, 0])
    try files.sync(file)
    #expect(told.disk.snapshot.handles.count == 1)
    files.close(file)
    #expect(told.disk.snapshot.handles.isEmpty)
    #expect(throws: FileFault.failed(operation: "open", name: "c", code: ENOENT)) {
      _ = try files.open("c", create: false)
    }
    try files.rename("a", to: "b")
    #expect(try files.list() == ["b": 100])
    try files.syncDirectory()
    try files.remove("b")
    #expect(try files.list() == [:])
    for operation in ["reserve", "write", "sync", "rename", "syncDirectory", "remove"] {
      #expect(told.disk.count(of: operation) == 1, "\(operation)")
    }
    #expect(files.notes.map(\.what) == ["slow"] && files.isPoison("bad") && !files.isPoison("good"))
    files.begins("x")
    files.ended("y")
    files.release()
    #expect(told.calls.withLock { $0 } == ["begins x", "ended y", "release"])
    // Where nothing is said at all, no file is poison.
    #expect(!told.disk.isPoison("bad"))
  }

  @Test(
    "what waits in memory is read in its order, above a number, until it is enough",
    arguments: [false, true])
  func readFromMemory(isAway: Bool) {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    if isAway { disk.fail("sync", EIO, count: -1) }
    store.add(0..<3)
    store.add(3..<5, post: false)
    #expect(store.status.isDurable == !isAway)
    let first = store.core.nextSequence - 5
    store.core.acknowledge(.live, [first + 1])
    func results(after sequence: UInt64, _ most: Int) -> [UInt64] {
      var found: [UInt64] = []
      store.core.reader().results(after: sequence) { record, _ in
        found.append(record.sequence - first)
        return found.count < most
      }
      return found
    }
    #expect(results(after: 0, .max) == [0, 1, 2, 3, 4])
    #expect(results(after: first + 1, .max) == [2, 3, 4])
    #expect(results(after: first + 4, .max) == [] && results(after: first, 2) == [1, 2])
    #expect(results(after: 0, 1) == [0])
    var settled: [Bool] = []
    store.core.reader().results { _, isSettled in
      settled.append(isSettled)
      return true
    }
    #expect(settled == [false, true, false, true, true])
    let check = store.core.reader().check()
    #expect(check.results == 5 && check.waiting == 2)
    #expect(store.status.depth == 2 && store.status.stored == 5)
    #expect(store.status.oldest == Timestamp(seconds: 1_700_000_000))
  }

  @Test("a store is sound without damage, damaged headers and files that cannot be read")
  func soundness() {
    var check = SpoolCheck()
    #expect(check.isSound)
    (check.gaps, check.unknown, check.quarantined, check.waiting, check.cursors) = (1, 1, 1, 1, 1)
    #expect(check.isSound)
    for change in [
      { $0.damaged = 1 }, { $0.headers = 1 }, { $0.unreadable = ["a"] },
      { $0.isCursorLost = true },
    ] as [(inout SpoolCheck) -> Void] {
      var changed = check
      change(&changed)
      #expect(!changed.isSound)
    }
  }

  @Test("the worst trouble comes first, and says that results are in memory")
  func problems() {
    var status = SpoolStatus(mode: .durable, durability: .always)
    #expect(status.isDurable && status.trouble == nil && status.problem == nil && status.lostInGaps == 0)
    status.notes = [.warning(.store, "first"), .warning(.store, "second")]
    #expect(status.problem == .warning(.store, "first"))
    let trouble = Notice.critical(.stateDirectory, "cannot write", hint: "do", since: .epoch)
    status.mode = .memory(trouble)
    #expect(!status.isDurable && status.trouble == trouble)
    #expect(
      status.problem
        == .critical(
          .stateDirectory, "results are kept in memory only: cannot write", hint: "do", since: .epoch))
    status.gaps = [
      GapRecord(cause: .damage, lost: 2, records: 3, sequences: 1...3),
      GapRecord(cause: .ringFull, lost: .max, records: 3, sequences: 4...6),
    ]
    #expect(status.lostInGaps == 1 << 40 + 2)
  }

  @Test("a gap that is carried on, and stands in two places for a while, is one")
  func aCarriedGapIsOne() throws {
    let store = TestStore(MemoryFileSystem())
    let gap = GapRecord(cause: .memoryOverflow, lost: 1, records: 1, sequences: 1...1)
    store.core.record([entry(store.core.nextSequence, sampleRecord(6))], overflow: gap, at: time(2))
    #expect(store.status.gaps.count == 1 && store.status.dropped == 1)
    store.core.pendingGaps = store.status.gaps
    #expect(store.status.gaps.count == 1)
    store.core.pendingGaps.append(
      GapRecord(cause: .skipped, lost: 0, records: 0, sequences: 5...5))
    store.core.pendingGaps.append(
      GapRecord(cause: .ringFull, lost: 0, records: 4, sequences: 5...5))
    #expect(store.status.gaps.count == 1, "nothing is lost there")
  }

  @Test("what was delivered and makes room is no loss, and leaves no gap")
  func deliveredLeavesNoGap() {
    let store = TestStore(MemoryFileSystem())
    for batch in 0..<20 {
      store.add(batch * 50..<batch * 50 + 50)
      store.acknowledge()
    }
    #expect(store.everything.first ?? 0 > 0, "the ring went round")
    let gaps = store.core.log?.segments.flatMap(\.gaps) ?? []
    #expect(gaps.isEmpty && store.core.pendingGaps.isEmpty && store.status.dropped == 0)
  }

  @Test("what is in a snapshot stays until it is delivered")
  func snapshotsAreNotDeliveries() {
    let store = TestStore(MemoryFileSystem(), smallSettings(segments: 8))
    store.add(0..<200)
    store.core.markSnapshotted(through: store.core.nextSequence - 1)
    #expect(store.everything == Array(0..<200) && store.waiting().count == 200)
    // A snapshot that knows less takes nothing back.
    store.core.markSnapshotted(through: 1)
    #expect(store.core.snapshottedThrough == store.core.nextSequence - 1)
    store.acknowledge()
    #expect(store.status.segments == 1 && store.status.dropped == 0)
  }

  @Test("nothing to write is no reason for a sync")
  func nothingIsNotSynced() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(durability: .interval))
    let syncs = disk.count(of: "sync")
    #expect(store.core.nextTick == nil)
    store.core.record([], overflow: nil, at: time(2))
    #expect(store.core.nextTick == nil)
    store.add(0..<1, at: 3)
    #expect(store.core.nextTick == 3_500_000 && disk.count(of: "sync") == syncs)
    store.core.tick(at: SpoolTime(wall: time(3).wall, monotonic: 3_499_999))
    #expect(disk.count(of: "sync") == syncs)
    store.core.tick(at: SpoolTime(wall: time(3).wall, monotonic: 3_500_000))
    #expect(store.core.nextTick == nil && disk.count(of: "sync") == syncs + 1)
  }

  @Test("a turn works off what is due, also without a result")
  func aTurnTicks() {
    let now = Mutex<Int64>(3_000_000)
    let clock: @Sendable () -> ClockReading = {
      ClockReading(boot: Instant(microseconds: now.withLock { $0 }), wall: Timestamp(seconds: 1_700_000_000))
    }
    let disk = MemoryFileSystem()
    disk.fail("list", EIO, count: 1)
    let store = TurnedSpool(
      smallSettings(durability: .interval), nonce: 1, clock: clock, ring: {},
      open: { () throws(FileFault) in
        _ = try disk.list()
        return disk
      })
    #expect(!store.isSettled && !store.spool.status().isDurable)
    #expect(store.turn() == .wait(until: 63_000_000))
    now.withLock { $0 = 63_000_000 }
    #expect(store.turn() == .wait(until: nil))
    #expect(store.isSettled && store.spool.status().isDurable)
    let sequence = store.spool.enqueue(sampleRecord(1))
    #expect(sequence == store.next)
    now.withLock { $0 += 50_000 }
    #expect(store.turn() == .wait(until: 63_550_000), "the sync of the interval")
    #expect(store.results(after: sequence - 1) == [sequence] && store.results(after: sequence) == [])
    now.withLock { $0 = 63_550_000 }
    #expect(store.turn() == .wait(until: nil))
  }

  @Test("a file is said to be read before it is believed, and closed again")
  func readingIsTold() throws {
    let told = Told()
    #expect(CursorFile.read(told).cursor == nil)
    #expect(told.calls.withLock { $0 } == ["begins cursor", "ended cursor"])
    var core = SpoolCore(settings: smallSettings(), nonce: 7, at: time(0)) { () throws(FileFault) in told }
    core.attach(at: time(0))
    core.record([entry(core.nextSequence, sampleRecord(1))], overflow: nil, at: time(1))
    told.calls.withLock { $0 = [] }
    let open = told.disk.snapshot.handles.count
    #expect(CursorFile.read(told).cursor?.identity == core.identity)
    #expect(told.calls.withLock { $0 } == ["begins cursor", "ended cursor"])
    told.calls.withLock { $0 = [] }
    let segment = try #require(core.log?.segments.first?.file)
    var visited = 0
    core.reader().results { _, _ in
      visited += 1
      return true
    }
    #expect(visited == 1 && told.calls.withLock { $0 } == ["begins \(segment)", "ended \(segment)"])
    #expect(told.disk.snapshot.handles.count == open, "what was opened to be read is closed")
    core.close(at: time(2))
    #expect(told.disk.snapshot.handles.isEmpty && told.calls.withLock { $0.last } == "release")
  }

  @Test("a segment that cannot make room is still there, with all it holds")
  func noRoomIsMade() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(segments: 8))
    store.add(0..<200)
    let before = try #require(store.core.log?.segments)
    #expect(before.count > 1)
    disk.fail("rename", EIO)
    #expect(throws: FileFault.failed(operation: "rename", name: before[0].file, code: EIO)) {
      try store.core.log?.yieldFirst()
    }
    #expect(store.core.log?.segments == before && store.everything == Array(0..<200))
    try store.core.log?.yieldFirst()
    #expect(store.core.log?.segments == Array(before.dropFirst()))
  }

  @Test("two estimates of the rate are the same by results, bytes and their beginning")
  func estimates() {
    func rate(_ count: Int, _ bytes: Int, _ start: Int64) -> RateEstimate {
      var rate = RateEstimate()
      rate.add(count: count, bytes: bytes, at: start)
      return rate
    }
    #expect(rate(2, 300, 5) == rate(2, 300, 5) && rate(2, 300, 5).bytesPerResult == 150)
    for other in [rate(3, 300, 5), rate(2, 301, 5), rate(2, 300, 6)] { #expect(other != rate(2, 300, 5)) }
    #expect(RateEstimate().bytesPerResult == nil)
  }
}
