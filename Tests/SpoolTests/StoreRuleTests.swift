// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Spool

/// Rules of the store one at a time: what a start finds, what is told of trouble, and what a closed store answers.
@Suite("Single rules of the store")
struct StoreRuleTests {
  private func recovery(
    _ disk: MemoryFileSystem, segmentSize: Int = 16 << 10
  ) throws -> LogRecovery {
    try LogRecoverer(
      files: disk, log: .results, segmentSize: segmentSize, identity: nil, progress: nil,
      limit: RecordFrame.sequenceLimit
    ).recover()
  }

  private func spares(_ disk: MemoryFileSystem) throws -> [String] {
    try disk.list().keys.filter { SegmentName.spareNumber($0, .results) != nil }.sorted()
  }

  @Test("a start keeps the reserves of the right size, and gives back every other")
  func reserves() throws {
    let disk = MemoryFileSystem()
    for (name, size) in [
      (SegmentName.spare(.results, 3), 16 << 10), (SegmentName.spare(.results, 9), 16 << 10),
      (SegmentName.spare(.results, 4), 16 << 10 - 1), (SegmentName.spare(.results, 5), 16 << 10 + 1),
      (SegmentName.spare(.results, 1 << 31 + 1), 16 << 10), (SegmentName.spare(.quarantine, 7), 16 << 10),
    ] {
      let file = try disk.open(name, create: true)
      try disk.reserve(file, size: size)
      disk.close(file)
    }
    let found = try recovery(disk)
    let kept = [SegmentName.spare(.results, 3), SegmentName.spare(.results, 9)]
    #expect(found.spares.map(\.file) == kept && found.spares.allSatisfy { !$0.isClean })
    #expect(found.spareNumber == 9)
    #expect(try spares(disk) == kept)
    #expect(try disk.list()[SegmentName.spare(.quarantine, 7)] == 16 << 10)
  }

  @Test("a start that finds all its reserves makes none and gives none back")
  func nothingIsMadeTwice() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<2)
    let files = try disk.list()
    let again = disk.afterKill()
    let (made, gone) = (again.count(of: "reserve"), again.count(of: "remove"))
    let second = TestStore(again)
    #expect(second.everything == [0, 1])
    // The end of the log is written again into a reserve that was clean; no file more or less than before.
    #expect(try again.list().count == files.count)
    #expect(again.count(of: "remove") - gone == 0, "nothing was given back")
    #expect(again.count(of: "reserve") - made <= 1, "only what was used before is emptied")
  }

  @Test("the state of a log at a start: its numbers, its reserves, and nothing wrong")
  func stateOfALog() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    let first = store.core.nextSequence
    // Nothing recorded: the number before the first is the last that may have been used.
    let empty = try recovery(disk.afterKill())
    #expect(empty.highest == first - 1 && empty.oldest == nil && empty.setAside == 0)
    #expect(empty.segments.count == 1 && empty.segments[0].records == 0 && !empty.unreadableTail)
    store.add(0..<3)
    store.add(3..<4, post: false)
    let found = try recovery(disk.afterKill())
    #expect(found.identity == store.core.identity && found.progress == nil)
    #expect(found.highest == first + 3 && found.oldest == first && found.generation == 1)
    #expect(found.segments.map(\.records) == [4] && found.segments.map(\.unsettled) == [3])
    #expect(found.segments[0].first == first && found.segments[0].last == first + 3)
    #expect(found.spares.count == 3 && found.spareNumber == 3)
    #expect(found.holes == [] && !found.unreadableTail && found.setAside == 0 && found.unknownRecords == 0)
    #expect(found.unreadableFiles == [])
    // A file that is shorter than it was made may have been cut.
    let cut = disk.afterKill()
    cut.tamper(found.segments[0].file) { $0.removeLast() }
    #expect(try recovery(cut).unreadableTail)
  }

  @Test("a segment whose header and only record are damaged is not set aside: its number was used")
  func damagedButUsed() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<1)
    let sequence = store.core.nextSequence - 1
    let name = try #require(store.core.log?.segments.first?.file)
    let killed = disk.afterKill()
    killed.tamper(name) {
      $0[8] ^= 1
      $0[SegmentHeader.size + RecordFrame.headerSize + 3] ^= 1
    }
    let found = try recovery(killed)
    #expect(found.setAside == 0 && found.highest == sequence && found.segments.count == 1)
    #expect(found.holes == [sequence...sequence] && found.unreadableTail)
    // Without a trace of a record only the name says that it is one of ours.
    killed.tamper(name) { bytes in for place in 0..<512 { bytes[place] = 0xee } }
    #expect(try recovery(killed).setAside == 1)
  }

  @Test("what the quarantine's trouble is told as, and that the store goes on")
  func quarantineTrouble() {
    for (left, note) in [
      (
        2,
        "the quarantine has less space than it should: cannot reserve : "
          + "No space left on device (free space, or make spool.size smaller)"
      ),
      (4, nil),
    ] as [(Int, String?)] {
      var disk = MemoryDisk()
      // Four segments, the cursor, and so many of the quarantine's four.
      disk.space = 4 * (16 << 10) + Cursor.fileSize + left * (16 << 10)
      let store = TestStore(MemoryFileSystem(disk))
      #expect(store.status.isDurable && store.status.faults == (note == nil ? 0 : 1))
      #expect(store.status.notes.map(\.what) == (note.map { [$0] } ?? []))
      #expect(
        store.status.lastFault
          == note.map { _ in
            "cannot reserve : No space left on device (free space, or make spool.size smaller)"
          })
    }
    let disk = MemoryFileSystem()
    // The first look is the opener's, the second the log's.
    disk.fail("list", EIO, count: 1, after: 2)
    let store = TestStore(disk)
    #expect(store.status.isDurable && store.status.faults == 1 && store.core.quarantined == nil)
    #expect(
      store.status.notes.map(\.what)
        == ["the quarantine is kept in memory only: cannot list : Input/output error"])
  }

  @Test("each fault says what, where, and what next")
  func faults() {
    func text(_ code: Int32) -> String {
      FileFault.failed(operation: "write", name: "a", code: code).description
    }
    let space = " (free space, or make spool.size smaller)"
    let place = " (the agent's user needs to write there)"
    for (code, words) in [
      (ENOSPC, "No space left on device" + space), (EDQUOT, "Disk quota exceeded" + space),
      (EROFS, "Read-only file system (the disk is mounted read-only)"),
      (EACCES, "Permission denied" + place), (EPERM, "Operation not permitted" + place),
      (ENOENT, "No such file or directory (create the directory, owned by the agent's user)"),
      (EIO, "Input/output error"),
    ] as [(Int32, String)] {
      #expect(text(code) == "cannot write a: " + words)
    }
    #expect(FileFault.refused("odd").description == "odd")
    #expect(FileFault.locked("/x").description == "/x is in use by another agent")
    let again = "; the agent tries again every minute"
    let room = "free space, or make spool.size smaller"
    let usable = "make state_dir usable"
    for (fault, place, remedy) in [
      (.failed(operation: "sync", name: "a", code: EIO), .stateDirectory, usable),
      (.failed(operation: "sync", name: "a", code: ENOSPC), .stateDirectory, room),
      (.failed(operation: "sync", name: "a", code: EDQUOT), .stateDirectory, room),
      (.refused("odd"), .store, usable), (.locked("/x"), .store, usable),
    ] as [(FileFault, Notice.Place, String)] {
      let notice = fault.notice(since: .epoch)
      #expect(notice == .critical(place, fault.description, hint: remedy + again, since: .epoch))
    }
  }

  @Test("a directory whose parent is not there cannot be made")
  func noParent() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path + "/a/b"
    #expect(throws: FileFault.failed(operation: "make directory", name: path, code: ENOENT)) {
      _ = try PosixFileSystem(path: path)
    }
    let made = try PosixFileSystem(path: scratch.path + "/a")
    #expect(scratch.mode("a") == 0o700)
    made.release()
    // One that is there is taken as it is.
    _ = try PosixFileSystem(path: scratch.path + "/a")
  }

  @Test("a closed store takes nothing and says so")
  func closed() async {
    let store = TurnedSpool(
      smallSettings(), nonce: 1, clock: { ClockReading(boot: Instant(microseconds: 5), wall: .epoch) },
      ring: {}, open: { () throws(FileFault) in MemoryFileSystem() })
    let spool = store.spool
    #expect(spool.enqueue(sampleRecord(1)) > 0 && store.next > 0)
    store.end()
    await spool.close()
    #expect(spool.enqueue(sampleRecord(2)) == 0)
    #expect(await spool.append(sampleRecord(2)) == false)
    #expect(await spool.record(sampleRecord(2)) == nil)
    #expect(await spool.flush() == false)
    #expect(await spool.pending(.live, limit: 9).isEmpty)
    #expect(await spool.quarantined().isEmpty)
    #expect(await spool.read { _ in 7 } == nil)
    let told = Mutex(0)
    spool.requestFlush { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1, "whoever waits for it goes on")
  }

  @Test("a segment is filled to its last byte before the next one begins")
  func wholeSegments() {
    let store = TestStore(MemoryFileSystem(), smallSettings(segments: 8))
    func entries(_ sizes: [Int]) -> [SpoolEntry] {
      sizes.enumerated().map { place, size in
        SpoolEntry(
          sequence: store.core.nextSequence + UInt64(place), kind: .result, deliverable: false,
          payload: [UInt8](repeating: 7, count: size - 28))
      }
    }
    let whole = [4080, 4080, 4080, 4080]
    #expect(whole.reduce(SegmentHeader.size, +) == 16 << 10)
    #expect(entries(whole).map(\.size) == whole)
    store.core.record(entries(whole), overflow: nil, at: time(1))
    #expect(store.status.segments == 1 && store.status.bytesUsed == 16 << 10)
    // The next group begins a segment, and fills that one as well.
    store.core.record(entries(whole), overflow: nil, at: time(2))
    #expect(store.status.segments == 2 && store.status.bytesUsed == 32 << 10)
    store.core.record(entries([4080, 4080, 4080, 4088]), overflow: nil, at: time(3))
    #expect(store.core.log?.segments.map(\.records) == [4, 4, 3, 1])
  }

  @Test("a fault while results are looked for is counted and told")
  func faultWhileReading() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<3)
    #expect(store.status.faults == 0 && store.status.lastFault == nil)
    disk.fail("read", EIO)
    #expect(store.waiting().isEmpty)
    #expect(store.status.faults == 1 && store.status.lastFault == "cannot read : Input/output error")
    #expect(store.waiting() == [0, 1, 2] && store.status.faults == 1 && store.status.isDurable)
  }

  @Test("of damage in very many places sixty-three are told one by one, and the rest together")
  func manyHoles() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(segments: 8))
    store.add(0..<200)
    let log = try #require(store.core.log)
    let files = Dictionary(uniqueKeysWithValues: log.segments.map { ($0.name.generation, $0.file) })
    var places: [(file: String, offset: Int, sequence: UInt64)] = []
    _ = log.walk(from: nil) { record in
      let file = files[record.position.generation] ?? ""
      places.append((file, record.position.offset, record.frame.sequence))
      return true
    }
    #expect(places.count == 200)
    // Every second one, so that each is a hole of its own.
    let damaged = (0..<70).map { places[2 * $0 + 1] }
    let killed = disk.afterKill()
    for place in damaged {
      killed.tamper(place.file) { $0[place.offset + RecordFrame.headerSize + 2] ^= 1 }
    }
    let again = TestStore(killed, smallSettings(segments: 8))
    #expect(again.status.damaged == 70 && again.status.depth == 130)
    let gaps = again.status.gaps
    #expect(gaps.allSatisfy { $0.cause == .damage } && gaps.count == 64)
    #expect(gaps.map(\.lost) == [UInt64](repeating: 1, count: 63) + [7])
    #expect(gaps.map(\.records) == gaps.map(\.lost))
    #expect(gaps.map(\.firstSequence) == damaged.prefix(64).map(\.sequence))
    #expect(gaps.last?.lastSequence == damaged.last?.sequence)
    #expect(gaps.prefix(63).allSatisfy { $0.firstSequence == $0.lastSequence })
  }
}
