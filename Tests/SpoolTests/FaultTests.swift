// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import Spool

@Suite("A disk that fails")
struct FaultTests {
  @Test(
    "K6: one failed write or sync costs nothing: the group goes to a new segment",
    arguments: ["write", "sync"])
  func rotates(_ operation: String) {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<5)
    disk.fail(operation, EIO)
    #expect(store.add(5..<10))
    #expect(store.status.isDurable)
    #expect(store.status.faults == 1)
    #expect(store.status.segments == 2)
    store.add(10..<15)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let after = TestStore(disk.afterPowerCut(using: &random))
      #expect(after.waiting() == Array(0..<15))
      #expect(after.status.damaged == 0)
    }
    #expect(disk.snapshot.syncsAfterFailure == 0)
  }

  @Test("K5: a disk that keeps failing switches to memory within one write, and back when it is well")
  func memoryAndBack() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<5)
    disk.fail("sync", EIO, count: -1)
    #expect(!store.add(5..<10))
    #expect(!store.status.isDurable)
    #expect(store.waiting() == Array(0..<10))
    store.core.tick(at: time(30))
    #expect(!store.status.isDurable)
    disk.heal()
    store.core.tick(at: time(62))
    #expect(store.status.isDurable)
    #expect(store.add(10..<12))
    var random = SeededGenerator(seed: 2)
    #expect(TestStore(disk.afterPowerCut(using: &random)).waiting() == Array(0..<12))
  }

  @Test(
    "a start that can read and not write tells what is there, once, and goes on above it",
    arguments: ["write", "sync", "rename", "everything"])
  func readsWithoutWriting(_ operation: String) throws {
    let disk = MemoryFileSystem()
    let before = TestStore(disk)
    before.add(0..<5, post: false)
    before.add(5..<8)
    let last = before.core.nextSequence - 1
    let after = disk.afterKill()
    if operation == "everything" {
      after.change { $0.isReadOnly = true }
    } else {
      after.fail(operation, EIO, count: -1)
    }
    let store = TestStore(after)
    #expect(!store.status.isDurable)
    #expect(store.everything == Array(0..<8))
    #expect(store.status.recordedThrough >= last)
    store.add(8..<10)
    #expect(store.everything == Array(0..<10))
    after.heal()
    store.core.tick(at: time(62))
    #expect(store.status.isDurable)
    #expect(store.everything == Array(0..<10))
    #expect(store.waiting() == Array(5..<10))
    #expect(TestStore(after.afterKill()).everything == Array(0..<10))
  }

  @Test("what was delivered while the disk was away is on it afterwards, and is not sent again")
  func deliveredFromMemory() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<5)
    disk.fail("write", EIO, count: -1)
    store.add(5..<8)
    store.acknowledge(through: store.core.nextSequence - 2)
    #expect(store.waiting() == [7])
    #expect(store.status.depth == 1 && store.everything == Array(0..<8))
    disk.heal()
    store.core.tick(at: time(62))
    #expect(store.everything == Array(0..<8) && store.waiting() == [7])
    let after = TestStore(disk.afterKill())
    #expect(after.everything == Array(0..<8))
    #expect(after.waiting() == [7] && after.status.damaged == 0 && after.status.gaps.isEmpty)
  }

  @Test("in memory the delivered make room first, and no result of theirs is called lost")
  func deliveredMakeRoom() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, twentyInMemory)
    disk.change { $0.isReadOnly = true }
    store.add(0..<20)
    store.core.acknowledge(.live, store.pending().filter { $0.sequence % 2 == 0 }.map(\.sequence))
    let kept = store.waiting()
    #expect(kept.count == 10)
    store.add(20..<30)
    #expect(store.status.dropped == 0 && store.status.gaps.isEmpty)
    #expect(store.waiting() == kept + Array(20..<30) && store.everything == store.waiting())
    store.add(30..<32)
    #expect(store.status.dropped == 2 && store.waiting() == kept.dropFirst(2) + Array(20..<32))
    #expect(store.status.gaps.map(\.lost) == [2])
    #expect(store.status.gaps[0].firstTime == sampleRecord(kept[0]).scheduledAt)
    #expect(store.status.gaps[0].lastTime == sampleRecord(kept[1]).scheduledAt)
  }

  private var twentyInMemory: SpoolSettings {
    var settings = smallSettings()
    settings.queueLimit = 20
    return settings
  }

  @Test("memory mode is bounded, drops the oldest and leaves a gap record")
  func memoryBound() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, twentyInMemory)
    disk.change { $0.isReadOnly = true }
    store.add(0..<50)
    #expect(store.waiting() == Array(30..<50))
    #expect(store.status.dropped == 30)
    disk.heal()
    store.core.tick(at: time(62))
    let after = TestStore(disk.afterKill(), twentyInMemory)
    #expect(after.waiting() == Array(30..<50))
    let gap = try #require(after.status.gaps.first { $0.cause == .memoryOverflow })
    #expect(gap.lost == 30)
    #expect(gap.firstTime == sampleRecord(0).scheduledAt)
    #expect(gap.lastTime == sampleRecord(29).scheduledAt)
    #expect(after.status.damaged == 0)
  }

  @Test("refused results in memory are bounded, and what found no room stays counted when the disk is back")
  func refusedInMemory() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.change { $0.isReadOnly = true }
    store.add(0..<1)
    #expect(!store.status.isDurable)
    let many = SpoolCore.refusedLimit + 6
    store.core.quarantine(
      (0..<many).map { QueuedRecord(sequence: 9, record: sampleRecord($0)) }, code: "23503", at: time(2))
    #expect(store.status.quarantineDropped == 6)
    #expect(store.status.quarantined == SpoolCore.refusedLimit)
    #expect(store.core.quarantinedRecords().first?.record == sampleRecord(6))
    disk.heal()
    store.core.tick(at: time(70))
    #expect(store.status.isDurable)
    // Fewer find room on this small disk: all that made room is counted, in memory and there.
    #expect(store.status.quarantineDropped > 6)
    #expect(store.status.quarantined + store.status.quarantineDropped == many)
    #expect(store.core.quarantinedRecords().last?.record == sampleRecord(many - 1))
  }

  @Test("in memory the outage that is covered is the buffer's, not the disk's")
  func coverInMemory() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, twentyInMemory)
    store.add(0..<10, at: 0)
    let onDisk = try #require(store.core.status(at: time(60)).hoursCovered)
    disk.change { $0.isReadOnly = true }
    store.add(10..<20, at: 60)
    // 20 in a minute; ten places are left.
    let inMemory = try #require(store.core.status(at: time(60)).hoursCovered)
    #expect(abs(inMemory - 0.5 / 60) < 1e-9)
    #expect(onDisk > inMemory)
  }

  @Test(
    "K4: no space at the start: a smaller ring with a note, or memory with the reason",
    arguments: [0, 40, 100])
  func noSpace(_ kibibytes: Int) {
    let disk = MemoryFileSystem()
    disk.change { $0.space = kibibytes << 10 }
    let store = TestStore(disk, smallSettings(segments: 8))
    store.add(0..<5)
    #expect(store.waiting() == Array(0..<5))
    #expect(store.status.isDurable == (kibibytes == 100))
    if case .memory(let notice) = store.status.mode {
      #expect(notice.what.contains("No space left"))
    } else {
      #expect(store.status.notes.first?.what.hasPrefix("only 0 of 0 MiB could be reserved") == true)
    }
  }

  @Test("K3: a disk filled by others after the start does not stop recording")
  func filledLater() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.change { $0.space = 0 }
    for start in stride(from: 0, to: 600, by: 20) { #expect(store.add(start..<start + 20)) }
    #expect(store.status.isDurable)
  }

  @Test("a segment that cannot be read for a while is neither acknowledged nor lost")
  func unreadable() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<120)
    disk.fail("open", EIO, count: -1)
    let batch = store.pending()
    #expect(batch.first?.record == sampleRecord(97))
    store.acknowledge(through: batch.last?.sequence ?? 0)
    disk.heal()
    #expect(store.waiting() == Array(0..<97))
  }

  @Test("a segment that can never be read is set aside and counted, after three attempts")
  func neverReadable() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<120)
    let after = disk.afterKill()
    after.fail("read", EIO, count: -1)
    let waiting = TestStore(after)
    #expect(!waiting.status.isDurable)
    for minute in 1...3 { waiting.core.tick(at: time(Int64(minute) * 61)) }
    #expect(waiting.status.isDurable)
    #expect(waiting.status.setAside == 2)
    #expect(waiting.status.damaged >= 97)
    #expect(waiting.add(200..<205))
  }

  @Test(
    "K5: a full ring whose oldest file will not move keeps its results and counts none of them as dropped")
  func immovable() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    var next = 0
    while store.status.segments < 4 && store.status.dropped == 0 {
      #expect(store.add(next..<next + 10))
      next += 10
    }
    let before = Int(store.status.dropped)
    // The spare is lost, no other is to be had, and the oldest segment cannot be renamed into one.
    disk.fail("reserve", ENOSPC, count: -1)
    disk.fail("rename", EIO, count: -1)
    while store.status.isDurable {
      store.add(next..<next + 10)
      next += 10
    }
    disk.heal()
    #expect(store.waiting() == Array(before..<next), "all of it is still there")
    #expect(Int(store.status.dropped) == before)
    store.core.tick(at: time(62))
    #expect(store.status.isDurable)
    let kept = store.waiting()
    #expect(kept == Array((kept.first ?? next)..<next))
    #expect(Int(store.status.dropped) == kept.first)
    let after = TestStore(disk.afterKill())
    #expect(after.waiting() == kept)
    #expect(after.status.gaps.reduce(0) { $0 + $1.lost } == UInt64(kept.first ?? 0))
  }

  @Test("with `interval` a kill loses nothing that was written, and the sync comes within 500 ms")
  func interval() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk, smallSettings(durability: .interval))
    let before = disk.count(of: "sync")
    store.add(0..<10)
    #expect(disk.count(of: "sync") == before)
    #expect(TestStore(disk.afterKill()).waiting() == Array(0..<10))
    #expect(store.core.nextTick == time(1).monotonic + 500_000)
    store.core.tick(at: SpoolTime(wall: time(2).wall, monotonic: time(1).monotonic + 500_000))
    #expect(disk.count(of: "sync") == before + 1)
    var random = SeededGenerator(seed: 4)
    #expect(TestStore(disk.afterPowerCut(using: &random)).waiting() == Array(0..<10))
  }
}
