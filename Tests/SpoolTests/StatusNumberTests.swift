// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Spool

/// The numbers that a store tells, worked out by hand.
@Suite("Numbers of the status")
struct StatusNumberTests {
  @Test("a rate an hour is told after a minute, of the hour before")
  func rates() throws {
    var rate = RateEstimate()
    #expect(rate.bytesPerResult == nil && rate.perHour(at: 9_000_000_000) == nil)
    let start: Int64 = 60_000_000
    rate.add(count: 10, bytes: 1000, at: start)
    #expect(rate.perHour(at: start + 59_999_999) == nil)
    let minute = try #require(rate.perHour(at: start + 60_000_000))
    #expect(abs(minute.results - 600) < 1e-6 && abs(minute.bytes - 60_000) < 1e-6)
    rate.add(count: 20, bytes: 5000, at: start + 30_000_000)
    rate.add(count: 30, bytes: 6000, at: start + 59 * 60_000_000)
    #expect(rate.bytesPerResult == 200)
    // An hour is sixty minutes of the clock, the one that has begun among them.
    let whole = try #require(rate.perHour(at: start + 59 * 60_000_000))
    #expect(abs(whole.results - 60 * 60.0 / 59) < 1e-6)
    let later = try #require(rate.perHour(at: start + 60 * 60_000_000))
    #expect(abs(later.results - 30) < 1e-6 && abs(later.bytes - 6000) < 1e-6)
    let none = try #require(rate.perHour(at: start + 119 * 60_000_000))
    #expect(none.results == 0 && none.bytes == 0)
  }

  @Test("the outage that is covered is the room beside what waits, without two segments of the ring")
  func cover() throws {
    let store = TestStore(MemoryFileSystem())
    store.add(0..<10, at: 0)
    #expect(store.core.status(at: time(59)).hoursCovered == nil)
    let status = store.core.status(at: time(60))
    let size = Double(entry(1, sampleRecord(1)).size)
    #expect(status.bytesPerResult == size && status.depth == 10)
    let (hourly, covered) = (try #require(status.resultsPerHour), try #require(status.hoursCovered))
    #expect(abs(hourly - 600) < 1e-6)
    let room = 2.0 * 16 * 1024
    #expect(abs(covered - (room - 10 * size) / (600 * size)) < 1e-9)
    store.acknowledge()
    let empty = store.core.status(at: time(60))
    let whole = try #require(empty.hoursCovered)
    #expect(abs(whole - room / (600 * size)) < 1e-9)
    #expect(empty.depth == 0 && empty.stored == 10 && empty.oldest == nil)
  }

  @Test("a store without a past starts at the clock's microseconds, within what may be counted")
  func firstNumbers() {
    let core = TestStore(MemoryFileSystem()).core
    for (microseconds, first) in [
      (1_700_000_000_000_000, 1_700_000_000_000_000), (0, 1), (1, 1), (-5, 1), (1 << 60, 1 << 60),
      (1 << 60 + 1, 1 << 60), (.max, 1 << 60),
    ] as [(Int64, UInt64)] {
      let time = SpoolTime(wall: Timestamp(microseconds: microseconds), monotonic: 0)
      #expect(core.firstSequence(time) == first, "\(microseconds)")
    }
    #expect(core.nextSequence == 1_700_000_000_000_000)
  }

  @Test("no number is used twice: one that is not above the last is raised")
  func raised() {
    let store = TestStore(MemoryFileSystem())
    let next = store.core.nextSequence
    let entries = [0, 0, 5, 3].map { entry(next - 2 + $0, sampleRecord(Int($0))) }
    let isRecorded = store.core.record(entries, overflow: nil, at: time(1))
    #expect(isRecorded)
    #expect(store.pending().map(\.sequence) == [next, next + 1, next + 3, next + 4])
    #expect(store.core.nextSequence == next + 5 && store.status.recordedThrough == next + 4)
  }

  @Test("a loss of the queue is noted, counted, and written before what follows it")
  func overflow() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    let next = store.core.nextSequence
    let lost = GapRecord(cause: .memoryOverflow, lost: 4, records: 5, sequences: next...next + 4)
    let skipped = GapRecord(cause: .skipped, lost: 0, records: 0, sequences: 1...2)
    store.core.pendingGaps = [skipped]
    let isRecorded = store.core.record([entry(next + 5, sampleRecord(1))], overflow: lost, at: time(3))
    #expect(isRecorded)
    var noted = lost
    noted.notedAt = time(3).wall
    #expect(store.status.gaps == [noted] && store.status.dropped == 4 && store.status.lostInGaps == 4)
    #expect(store.core.pendingGaps.isEmpty)
    let after = TestStore(disk.afterKill())
    #expect(after.status.gaps == [noted] && after.status.dropped == 0 && after.status.damaged == 0)
  }

  @Test("a disk that failed is tried again after a minute")
  func retries() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.fail("sync", EIO, count: -1)
    store.add(0..<1, at: 5)
    #expect(store.core.nextTick == time(65).monotonic)
    disk.heal()
    store.core.tick(at: SpoolTime(wall: time(65).wall, monotonic: time(65).monotonic - 1))
    #expect(!store.status.isDurable)
    store.core.tick(at: time(65))
    #expect(store.status.isDurable && store.core.nextTick == nil)
  }

  @Test("a store that is away is so since it began, however often it is tried")
  func since() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.fail("sync", EIO, count: -1)
    store.add(0..<1, at: 5)
    for minute in 1...3 { store.core.tick(at: time(Int64(5 + 60 * minute))) }
    guard case .memory(let notice) = store.core.mode else {
      Issue.record("it is durable")
      return
    }
    #expect(notice.since == time(5).wall && store.core.reopening.failures == 3)
  }

  @Test(
    "settings that cannot work are named",
    arguments: [
      (16 << 10, 3, 1, 4128, nil), (16 << 10 - 1, 3, 1, 4128, "segment size must be 16 KiB to 64 MiB"),
      (64 << 20, 3, 1, 4128, nil), (64 << 20 + 1, 3, 1, 4128, "segment size must be 16 KiB to 64 MiB"),
      (16 << 10, 2, 1, 4128, "spool size must be at least 3 segments"),
      (16 << 10, 3, 0, 4128, "the queue must hold at least one result"),
      (16 << 10, 3, 1, 4127, "the queue must hold at least one result"),
    ] as [(Int, Int, Int, Int, String?)])
  func settings(segment: Int, count: Int, queue: Int, bytes: Int, problem: String?) {
    var settings = SpoolSettings(path: "/x", size: count * segment, segmentSize: segment)
    (settings.queueLimit, settings.queueBytes) = (queue, bytes)
    #expect(settings.problem() == problem && settings.segmentCount == count)
    if count == 3, problem == nil {
      settings.size -= 1
      #expect(settings.problem() == "spool size must be at least 3 segments")
    }
  }

  @Test("what is set where nothing is said, and why a store is not opened")
  func defaults() {
    let settings = SpoolSettings(path: "/x")
    #expect(settings.size == 268_435_456 && settings.segmentSize == 4_194_304 && settings.segmentCount == 64)
    #expect(settings.durability == .always && settings.isReserved && !settings.requireDurable)
    #expect(settings.queueLimit == 4096 && settings.queueBytes == 4_194_304)
    #expect(settings.quarantineSize == 1_048_576)
    #expect(
      [SpoolError.locked(path: "/x"), .invalidSettings("odd"), .notDurable(reason: "full")].map(\.description)
        == [
          "/x is in use by another agent: stop it, or give this one its own state_dir", "odd",
          "results would not be durable: full",
        ])
  }

  @Test("what is looked at of a stopped store: results, those that wait, gaps, and the quarantine")
  func check() throws {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    store.add(0..<4)
    store.add(4..<6, post: false)
    let gap = GapRecord(cause: .memoryOverflow, lost: 1, records: 1, sequences: 1...1)
    store.core.record([entry(store.core.nextSequence, sampleRecord(6))], overflow: gap, at: time(2))
    store.core.quarantine([store.pending()[1]], code: "1", at: time(2))
    store.core.acknowledge(.live, store.pending().prefix(2).map(\.sequence))
    let check = store.core.reader().check()
    #expect(check.results == 7 && check.waiting == 3 && check.gaps == 1 && check.quarantined == 1)
    #expect(check.isSound && check.segments == 2 && check.unknown == 0)
    let found = try SpoolInspector(disk.afterKill())
    #expect(found.status.depth == 3 && found.status.stored == 7 && found.status.quarantined == 1)
    #expect(found.status.gaps.map(\.cause) == [.memoryOverflow] && found.status.damaged == 0)
    #expect(found.status.recordedThrough == store.core.nextSequence - 1)
  }
}
