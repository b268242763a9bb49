// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import Testing

@testable import Spool

/// The rows of the fault table that need a real directory, a real device, or a disk that takes its time.
@Suite("Faults of disk and store")
struct DiskFaultTests {
  private func settings(_ directory: ScratchDirectory) -> SpoolSettings {
    SpoolSettings(path: directory.path + "/spool", size: 1 << 20, segmentSize: 256 << 10)
  }

  /// A core on the real disk, driven by hand.
  private func core(_ settings: SpoolSettings) -> SpoolCore {
    var core = SpoolCore(settings: settings, nonce: 7, at: time(0)) { () throws(FileFault) in
      try PosixFileSystem(path: settings.path)
    }
    core.attach(at: time(0))
    return core
  }

  private func add(_ numbers: Range<Int>, to core: inout SpoolCore) -> Bool {
    let first = core.nextSequence
    let entries = numbers.enumerated().map { entry(first + UInt64($0.offset), sampleRecord($0.element)) }
    return core.record(entries, overflow: nil, at: time(1))
  }

  private func waiting(_ core: inout SpoolCore) -> [Int] {
    (core.pending(.backlog, limit: .max) + core.pending(.live, limit: .max)).map { number($0.record) }
  }

  @Test(
    "K5: a directory that is deleted or moved away: in memory within one write, durable again when it is back"
  )
  func directoryGone() throws {
    for way in ["deleted", "moved"] {
      let directory = try ScratchDirectory()
      let settings = settings(directory)
      var core = core(settings)
      #expect(add(0..<5, to: &core))
      #expect(rename(settings.path, directory.path + "/elsewhere") == 0)
      if way == "deleted" {
        for name in directory.list("elsewhere") { unlink("\(directory.path)/elsewhere/\(name)") }
      }
      #expect(!add(5..<10, to: &core), "\(way): a file without a place takes no result")
      let status = core.status(at: time(2))
      guard case .memory(let notice) = status.mode else {
        Issue.record("\(way): not in memory")
        continue
      }
      #expect(notice.what.contains("No such file or directory"))
      #expect(waiting(&core).suffix(5) == [5, 6, 7, 8, 9])
      if way == "moved" { #expect(rename(directory.path + "/elsewhere", settings.path) == 0) }
      core.tick(at: time(70))
      #expect(core.status(at: time(70)).isDurable, "\(way)")
      #expect(waiting(&core) == (way == "moved" ? Array(0..<10) : Array(5..<10)))
      let gaps = core.status(at: time(70)).gaps
      #expect(gaps.map(\.cause) == (way == "moved" ? [] : [.storeGone]) && core.counters.damaged == 0)
      #expect(gaps.map(\.lost) == (way == "moved" ? [] : [5]))
      core.close(at: time(71))
    }
  }

  @Test(
    "K8: a terabyte of nothing, a file without bytes, names that belong to nobody: the store starts and keeps its own"
  )
  func oddFiles() throws {
    let directory = try ScratchDirectory()
    let settings = settings(directory)
    var first = core(settings)
    #expect(add(0..<5, to: &first))
    first.close(at: time(2))
    let sparse = open(settings.path + "/results-0000000000000001-00000001.seg", O_CREAT | O_WRONLY, 0o600)
    // Where the file system has a smaller limit, as much as it takes.
    for power in [40, 36, 32] where ftruncate(sparse, off_t(1) << power) == 0 { break }
    close(sparse)
    close(open(settings.path + "/results-0000000000000002-00000002.seg", O_CREAT | O_WRONLY, 0o600))
    close(open(settings.path + "/results-.seg", O_CREAT | O_WRONLY, 0o600))
    var second = core(settings)
    #expect(second.status(at: time(3)).isDurable)
    #expect(waiting(&second) == Array(0..<5))
    #expect(second.status(at: time(3)).setAside == 2)
    // It takes no more of the disk than before: filled up, it would be all of it.
    let files = try FileManager.default.contentsOfDirectory(atPath: settings.path).map { name in
      var info = stat()
      #expect(stat(settings.path + "/" + name, &info) == 0)
      return (size: info.st_size, taken: info.st_blocks * 512)
    }
    let odd = try #require(files.max { $0.size < $1.size })
    #expect(odd.size >= 1 << 32 && odd.taken == 0)
    second.close(at: time(4))
  }

  @Test(
    "K10: links and devices under the store's names are not followed; another user's directory is refused")
  func planted() throws {
    let directory = try ScratchDirectory()
    let settings = settings(directory)
    var first = core(settings)
    #expect(add(0..<5, to: &first))
    first.close(at: time(2))
    unlink(settings.path + "/cursor")
    let target = directory.path + "/target"
    close(open(target, O_CREAT | O_WRONLY, 0o600))
    symlink(target, settings.path + "/cursor")
    symlink(target, settings.path + "/results-0000000000000001-000000ff.seg")
    mkfifo(settings.path + "/results-spare-000000ee.seg", 0o600)
    var second = core(settings)
    #expect(second.status(at: time(3)).isDurable)
    #expect(waiting(&second) == Array(0..<5))
    second.acknowledge(.live, second.pending(.live, limit: .max).map(\.sequence))
    second.close(at: time(4))
    var info = stat()
    #expect(stat(target, &info) == 0 && info.st_size == 0, "nothing was written through a link")
    let foreign: String
    if geteuid() == 0 {
      chown(settings.path, 12345, 12345)
      foreign = settings.path
    } else {
      foreign = "/usr"
    }
    var third = core(SpoolSettings(path: foreign, size: 1 << 20, segmentSize: 256 << 10))
    guard case .memory(let notice) = third.status(at: time(5)).mode else {
      Issue.record("another user's directory was used")
      return
    }
    #expect(notice.what.contains("belongs to user"))
    third.close(at: time(6))
  }

  @Test("K13: without an inode to be had, the ring goes round: its files were made at the start")
  func noInodes() {
    let disk = MemoryFileSystem()
    let store = TestStore(disk)
    disk.change { $0.inodes = 0 }
    for start in stride(from: 0, to: 600, by: 20) { #expect(store.add(start..<start + 20)) }
    #expect(store.status.isDurable)
    #expect(store.status.faults == 0)
  }

  @Test(
    "K14: a disk that takes its time holds nobody up; groups grow, the queue is bounded, what is dropped is counted"
  )
  func slowDisk() async throws {
    let disk = SlowDisk()
    var settings = smallSettings(segments: 128)
    settings.queueLimit = 1000
    let spool = try await ResultSpool.open(settings, on: { () throws(FileFault) in disk })
    disk.stall()
    #expect(spool.enqueue(sampleRecord(0)) > 0)
    await disk.isStalled()
    // The disk sits in a sync. Handing in goes on all the same.
    for number in 1...3000 { spool.enqueue(sampleRecord(number)) }
    let before = disk.disk.count(of: "sync")
    disk.goOn()
    #expect(await spool.flush())
    let status = spool.status()
    #expect(status.dropped >= 1900 && status.depth == 3001 - Int(status.dropped))
    #expect(status.gaps.map(\.cause) == [.memoryOverflow])
    #expect(disk.disk.count(of: "sync") - before < 40, "a thousand results in a few groups")
    await spool.close()
  }

  @Test(
    "what went back from the quarantine is delivered with its id, is not counted again, and stays away after a kill"
  )
  func resubmit() async throws {
    let directory = try ScratchDirectory()
    let spool = try await ResultSpool.open(settings(directory))
    for number in 0..<10 { #expect(await spool.append(sampleRecord(number))) }
    let batch = await spool.pending(.live, limit: 10)
    await spool.quarantine([batch[2], batch[7]], code: "23503")
    await spool.acknowledge(.live, batch.map(\.sequence))
    #expect(await spool.pending(.live, limit: 10).isEmpty)
    #expect(await spool.resubmit() == 2)
    #expect(await spool.pending(.live, limit: 10).map { number($0.record) } == [2, 7])
    #expect(await spool.quarantined().isEmpty)
    #expect(await spool.resubmit() == 0)
    let replayed = Mutex<[Int]>([])
    await spool.replay(after: 0) { record in replayed.withLock { $0.append(number(record.record)) } }
    #expect(replayed.withLock { $0 } == Array(0..<10), "each result once")
    let check = await spool.read { $0.check() }
    #expect(check?.isSound == true && check?.waiting == 2 && check?.results == 12)
    let image = try directory.copy("spool", to: "image")
    let after = try await ResultSpool.open(SpoolSettings(path: image, size: 1 << 20, segmentSize: 256 << 10))
    #expect(await after.pending(.live, limit: 10).map { number($0.record) } == [2, 7])
    #expect(after.status().quarantined == 0)
    await after.close()
    await spool.close()
  }

  @Test("a smaller ring drops its oldest results at the start, says which, and stays durable")
  func smallerRing() throws {
    let disk = MemoryFileSystem()
    let large = TestStore(disk, smallSettings(segments: 12))
    for start in stride(from: 0, to: 900, by: 20) { large.add(start..<start + 20) }
    let small = TestStore(disk.afterKill(), smallSettings(segments: 4))
    let kept = small.waiting()
    #expect(small.status.isDurable)
    #expect(kept == Array(900 - kept.count..<900) && kept.count > 150)
    #expect(small.status.gaps.reduce(0) { $0 + $1.lost } == UInt64(900 - kept.count))
    #expect(small.status.dropped == UInt64(900 - kept.count))
    for start in stride(from: 900, to: 1900, by: 20) { #expect(small.add(start..<start + 20)) }
    #expect(small.status.bytesReserved == 64 << 10)
  }

  @Test(
    "what is more than a smaller ring goes, and the last spare stays",
    arguments: [
      (0, 4, 4, 4), (1, 4, 4, 3), (2, 1, 4, 1), (3, 2, 2, 1), (5, 1, 2, 1), (0, 3, 1, 1), (2, 0, 1, 0),
    ])
  func trimmed(segments: Int, spares: Int, count: Int, left: Int) {
    var recovery = LogRecovery()
    for number in 0..<segments {
      let name = SegmentName(log: .results, base: UInt64(number + 1), generation: UInt32(number + 1))
      recovery.segments.append(Segment(file: name.text, name: name))
    }
    for number in 0..<spares {
      recovery.spares.append(SegmentLog.Spare(file: "spare-\(number)", isClean: true))
    }
    let layout = SegmentLog.Layout(
      log: .results, segmentSize: 4 << 10, count: count, identity: UniqueID(high: 1, low: 2), nonce: 7)
    var log = SegmentLog(files: MemoryFileSystem(), layout: layout, recovered: recovery)
    log.trim()
    #expect(log.spareCount == left)
  }

  @Test("a check of a store finds a flipped bit, and nothing where nothing is wrong")
  func checkFinds() throws {
    let directory = try ScratchDirectory()
    let settings = settings(directory)
    var store = core(settings)
    #expect(add(0..<50, to: &store))
    store.close(at: time(2))
    let sound = try SpoolInspector(path: settings.path).reader.check()
    #expect(sound.isSound && sound.results == 50 && sound.waiting == 50 && sound.segments == 1)
    let name = try #require(directory.list("spool").first { $0.hasPrefix("results-0") })
    let file = open("\(settings.path)/\(name)", O_RDWR)
    var byte: UInt8 = 0
    #expect(pread(file, &byte, 1, 1000) == 1)
    byte ^= 4
    #expect(pwrite(file, &byte, 1, 1000) == 1)
    close(file)
    let damaged = try SpoolInspector(path: settings.path).reader.check()
    #expect(!damaged.isSound && damaged.damaged == 1 && damaged.results == 49)
  }
}
