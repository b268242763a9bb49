// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Spool

/// What is promised to be on the medium is there when the call returns, by the strictest power cut there is: nothing
/// that was not synced is left, no byte and no name.
@Suite("Synced when it returns")
struct SyncTests {
  private let identity = UniqueID(high: 1, low: 2)

  /// The disk as the power cut leaves it.
  private func cut(_ disk: MemoryFileSystem, _ cut: PowerCut = .nothing) -> MemoryFileSystem {
    var random = SeededGenerator(seed: 1)
    return MemoryFileSystem(disk.snapshot.after(cut, using: &random))
  }

  private func emptyLog(_ disk: MemoryFileSystem) -> SegmentLog {
    let layout = SegmentLog.Layout(
      log: .results, segmentSize: 4 << 10, count: 4, identity: identity, nonce: 7)
    return SegmentLog(files: disk, layout: layout, recovered: LogRecovery())
  }

  private func entries(_ numbers: Range<Int>) -> [SpoolEntry] {
    numbers.map { entry(UInt64($0), sampleRecord($0)) }
  }

  /// The results that a reader finds in the files of a disk.
  private func found(_ disk: MemoryFileSystem) throws -> [UInt64] {
    let recovery = try LogRecoverer(
      files: disk, log: .results, segmentSize: 4 << 10, identity: identity, progress: nil,
      limit: RecordFrame.sequenceLimit
    ).recover()
    return recovery.segments.flatMap { segment in
      segment.first.flatMap { first in segment.last.map { Array(first...$0) } } ?? []
    }
  }

  @Test("the ring is reserved: its files and their space outlive a power cut")
  func reserved() throws {
    let disk = MemoryFileSystem()
    var log = emptyLog(disk)
    try log.replenish()
    let after = try cut(disk).list()
    #expect(after.count == 4 && after.values.allSatisfy { $0 == 4 << 10 }, "\(after)")
  }

  @Test("a segment that was started is there, by its name and whole")
  func started() throws {
    let disk = MemoryFileSystem()
    var log = emptyLog(disk)
    try log.replenish()
    let count = try log.start(base: 1, with: entries(1..<6)[...], at: .epoch) { _ in false }
    #expect(count == 5)
    #expect(try found(cut(disk)) == [1, 2, 3, 4, 5])
    // What is appended needs its own sync.
    _ = try log.append(entries(6..<9)[...]) { _ in false }
    #expect(try found(cut(disk)) == [1, 2, 3, 4, 5])
    try log.sync()
    #expect(try found(cut(disk)) == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  /// At every instant of a start, whatever has reached the medium of data and of names.
  @Test("a segment that exists by its name is whole, and an old one keeps its name until it is gone")
  func wholeByName() throws {
    let instants = Instants()
    let disk = MemoryFileSystem(MemoryDisk(), watcher: { @Sendable in instants.add($0) })
    var log = emptyLog(disk)
    try log.replenish()
    var next = 1
    // Round the ring: from the fifth on the files are used again.
    for _ in 0..<7 {
      if log.segments.count == 4 || log.spareCount == 0 {
        try log.seal()
        log.recycleFirst()
      }
      try log.seal()
      let count = try log.start(
        base: UInt64(next), with: entries(next..<next + 12)[...], at: .epoch
      ) { _ in false }
      next += count
    }
    var random = SeededGenerator(seed: 3)
    for instant in instants.take() {
      for cut in [PowerCut.nothing, .everything, .names, .data, .units(512), .units(4096)] {
        let after = MemoryFileSystem(instant.after(cut, using: &random))
        for name in try after.list().keys {
          guard let base = SegmentName(name)?.base else { continue }
          let held = sequences(after.contents(name) ?? [])
          #expect(held == Array(base..<base + 12), "\(name) after \(cut) holds \(held)")
        }
      }
    }
  }

  /// Of every record, if all are whole.
  private func sequences(_ bytes: [UInt8]) -> [UInt64] {
    guard bytes.count >= SegmentHeader.size else { return [] }
    return bytes.withUnsafeBytes { bytes in
      var scan = SegmentScan(offset: SegmentHeader.size, from: 0)
      var found: [UInt64] = []
      while true {
        switch scan.step(bytes, complete: true) {
        case .record(let frame, _): found.append(frame.sequence)
        case .end: return found
        case .damage, .needsMore: return []
        }
      }
    }
  }

  @Test("the cursor is durable, also when its file has to be replaced", arguments: [false, true])
  func cursor(isSuspect: Bool) throws {
    let disk = MemoryFileSystem()
    var cursor = CursorFile(files: disk, after: nil, isSuspect: isSuspect)
    for settled in UInt64(10)...13 {
      let progress = DeliveryProgress(settledThrough: settled)
      try cursor.write(progress, identity: identity)
      let read = CursorFile.read(cut(disk))
      #expect(read.cursor?.settledThrough == settled && read.damaged == 0)
    }
  }

  @Test("a cursor that is replaced is whole at every instant, before and after")
  func replacedCursor() throws {
    let instants = Instants()
    let disk = MemoryFileSystem(MemoryDisk(), watcher: { @Sendable in instants.add($0) })
    var cursor = CursorFile(files: disk, after: nil, isSuspect: true)
    try cursor.write(DeliveryProgress(settledThrough: 10), identity: identity)
    _ = instants.take()
    disk.fail("sync", 5)
    try cursor.write(DeliveryProgress(settledThrough: 20), identity: identity)
    var random = SeededGenerator(seed: 2)
    for instant in instants.take() {
      for cut in [PowerCut.nothing, .everything, .names, .data, .units(512)] {
        let read = CursorFile.read(MemoryFileSystem(instant.after(cut, using: &random)))
        #expect([10, 20].contains(read.cursor?.settledThrough), "\(cut): \(String(describing: read.cursor))")
      }
    }
  }

  @Test("what waited in memory is on the medium once the store is durable again, in however many segments")
  func backFromMemory() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<5)
    disk.fail("sync", 5, count: -1)
    store.add(5..<200)
    #expect(!store.status.isDurable)
    disk.heal()
    store.core.tick(at: time(62))
    #expect(store.status.isDurable && store.status.segments > 2)
    #expect(TestStore(cut(disk)).waiting() == Array(0..<200))
  }

  @Test("a refused result that was taken over is in the quarantine for good")
  func quarantined() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<5)
    let refused = store.pending(limit: 3)
    for item in refused { store.core.quarantine([item], code: "23503", at: time(2)) }
    #expect(store.core.refusals.waiting.isEmpty)
    let after = TestStore(cut(disk))
    #expect(after.core.quarantinedRecords().map { number($0.record) } == [0, 1, 2])
  }
}
