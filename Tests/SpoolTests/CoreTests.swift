// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Spool

@Suite("What the store keeps")
struct CoreTests {
  @Test("K1: results come back in order after a kill, with everything that was recorded")
  func survivesKill() {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    #expect(core.add(0..<10))
    #expect(core.add(10..<20, post: false))
    #expect(core.add(20..<30))
    let next = core.core.nextSequence
    let after = TestStore(disk.afterKill())
    #expect(after.waiting() == Array(0..<10) + Array(20..<30))
    #expect(after.everything == Array(0..<30))
    #expect(after.core.nextSequence == next)
    #expect(after.status.damaged == 0)
  }

  @Test("an acknowledgement outlives the process, and records outside the lanes do not hold it up")
  func acknowledges() {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    core.add(0..<5, post: false)
    core.add(5..<10)
    let batch = core.pending(.live, limit: 3)
    #expect(batch.count == 3)
    core.acknowledge(.live, through: batch[2].sequence)
    #expect(core.waiting() == [8, 9])
    #expect(core.status.depth == 2)
    let after = TestStore(disk.afterKill())
    #expect(after.waiting() == [8, 9])
    #expect(after.status.depth == 2)
    #expect(after.status.oldest == sampleRecord(8).scheduledAt)
  }

  @Test("after an outage new results go first and the backlog follows, also across a restart")
  func lanes() {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    core.add(0..<10)
    core.core.startLiveLane()
    core.add(10..<15)
    #expect(core.waiting(.live) == Array(10..<15))
    #expect(core.waiting(.backlog) == Array(0..<10))
    core.acknowledge(.live, through: core.pending(.live, limit: 3)[2].sequence)
    core.acknowledge(.backlog, through: core.pending(.backlog, limit: 4)[3].sequence)
    let after = TestStore(disk.afterKill())
    #expect(after.waiting(.live) == [13, 14])
    #expect(after.waiting(.backlog) == Array(4..<10))
    after.core.startLiveLane()
    #expect(after.waiting(.backlog) == Array(4..<10) + [13, 14])
    after.acknowledge(.backlog, through: .max)
    #expect(after.status.depth == 0)
    after.add(15..<16)
    #expect(after.waiting(.live) == [15])
  }

  @Test("a full ring drops the oldest segment and says in a record how many results and which")
  func ringFull() throws {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    for start in stride(from: 0, to: 400, by: 20) { core.add(start..<start + 20) }
    let status = core.status
    let kept = core.waiting()
    #expect(kept == Array(400 - kept.count..<400))
    #expect(status.depth == kept.count)
    #expect(status.dropped == UInt64(400 - kept.count))
    #expect(status.bytesReserved == 64 << 10)
    let gap = try #require(status.gaps.last)
    #expect(gap.cause == .ringFull)
    #expect(gap.lastTime == sampleRecord(399 - kept.count).scheduledAt)
    let after = TestStore(disk.afterKill())
    #expect(after.waiting() == kept)
    #expect(after.status.damaged == 0)
    #expect(after.status.gaps.contains(gap))
  }

  @Test("a ring that goes round many times still says all that was ever lost, in a record a segment at most")
  func lapped() {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    for start in stride(from: 0, to: 2000, by: 20) { core.add(start..<start + 20) }
    let kept = core.waiting().count
    for store in [core, TestStore(disk.afterKill())] {
      let gaps = store.status.gaps
      #expect(gaps.count <= store.status.segments)
      #expect(gaps.allSatisfy { $0.cause == .ringFull })
      #expect(gaps.reduce(0) { $0 + $1.lost } == UInt64(2000 - kept))
      #expect(gaps.first?.firstTime == sampleRecord(0).scheduledAt)
      #expect(gaps.last?.lastTime == sampleRecord(1999 - kept).scheduledAt)
    }
  }

  @Test("a loss is remembered for 30 days, also when all the rest was delivered and its segment went")
  func remembered() {
    let disk = MemoryFileSystem()
    var core = TestStore(disk)
    for start in stride(from: 0, to: 400, by: 20) { core.add(start..<start + 20) }
    let gaps = core.status.gaps
    func goRound(at seconds: Int64) {
      for _ in 0..<20 {
        core.add(1000..<1020, at: seconds)
        core.acknowledge(.live, through: .max)
        core.core.markSnapshotted(through: core.core.nextSequence - 1)
      }
    }
    #expect(gaps.reduce(0) { $0 + $1.lost } == core.status.dropped)
    goRound(at: 29 * 86400)
    core = TestStore(disk.afterKill(), at: 29 * 86400)
    #expect(Set(core.status.gaps) == Set(gaps))
    #expect(core.status.depth == 0)
    goRound(at: 31 * 86400)
    #expect(core.status.gaps.isEmpty)
  }

  @Test("delivered results are dropped from a full ring without a word")
  func deliveredMakesRoom() {
    let core = TestStore(MemoryFileSystem())
    for start in stride(from: 0, to: 400, by: 20) {
      core.add(start..<start + 20)
      core.acknowledge(.live, through: core.core.nextSequence - 1)
    }
    let status = core.status
    #expect(status.dropped == 0)
    #expect(status.gaps.isEmpty)
    #expect(status.depth == 0)
  }

  @Test("a segment stays until its results are delivered and in a snapshot")
  func recycles() {
    let core = TestStore(MemoryFileSystem(), smallSettings(segments: 8))
    core.add(0..<200)
    core.acknowledge(.live, through: .max)
    #expect(core.everything.first == 0)
    core.core.markSnapshotted(through: core.core.nextSequence - 1)
    #expect(core.everything.first ?? 200 > 100)
    #expect(core.status.segments == 1)
  }

  @Test("one result that waits keeps its segment, and all behind it")
  func oneThatWaits() {
    let core = TestStore(MemoryFileSystem(), smallSettings(segments: 8))
    core.add(0..<200)
    let all = core.pending(.live, limit: 200).map(\.sequence)
    core.core.markSnapshotted(through: core.core.nextSequence - 1)
    core.core.acknowledge(.live, all.filter { $0 != all[5] })
    #expect(core.waiting() == [5])
    #expect(core.everything == Array(0..<200))
    core.core.acknowledge(.live, [all[5]])
    #expect(core.everything.first ?? 200 > 100)
  }

  @Test("a hundred starts do not use up the ring")
  func manyStarts() {
    var disk = MemoryFileSystem()
    for number in 0..<100 {
      let core = TestStore(disk)
      core.add([number])
      disk = disk.afterKill()
    }
    let core = TestStore(disk)
    #expect(core.waiting() == Array(0..<100))
    #expect(core.status.dropped == 0)
  }

  @Test("refused results survive in the quarantine, which is bounded")
  func quarantine() {
    let disk = MemoryFileSystem()
    let core = TestStore(disk)
    core.add(0..<3)
    let batch = core.pending(.live, limit: 3)
    core.core.quarantine([batch[1]], code: "23503", at: time(1))
    core.acknowledge(.live, through: batch[2].sequence)
    let after = TestStore(disk.afterKill())
    #expect(after.waiting().isEmpty)
    let kept = after.core.quarantinedRecords()
    #expect(kept.map(\.code) == ["23503"])
    #expect(kept.first?.record == sampleRecord(1))
    for number in 0..<40 {
      let records = (0..<20).map { QueuedRecord(sequence: 9, record: sampleRecord(number * 20 + $0)) }
      after.core.quarantine(records, code: "23503", at: time(2))
    }
    let status = after.status
    #expect(status.quarantineDropped > 0)
    #expect(status.quarantined + status.quarantineDropped == 801)
    let last = after.core.quarantinedRecords().last
    #expect(last?.record == sampleRecord(799))
  }
}
