// SPDX-License-Identifier: MIT

import Basics
import Synchronization
import Testing

@testable import Spool

/// The store without its thread: somebody else takes the same turns, on a clock of their own.
@Suite struct DrivenStoreTests {
  /// One thread of the test drives it; the lock is for the compiler.
  private final class Driver: Sendable {
    let now = Mutex<Int64>(1_000_000)
    let rings = Mutex(0)

    var time: SpoolTime { SpoolTime(wall: Timestamp(seconds: 1_767_225_600), monotonic: now.withLock { $0 }) }
  }

  @Test func aGroupIsWrittenWhenItsTimeComesOnTheDriversClock() {
    let driver = Driver()
    let settings = SpoolSettings(path: "/store", size: 256 << 10, segmentSize: 64 << 10)
    let disk = MemoryFileSystem()
    var core = SpoolCore(settings: settings, nonce: 1, at: driver.time) { () throws(FileFault) in disk }
    core.attach(at: driver.time)
    let mailbox = SpoolMailbox(
      settings: settings, next: core.nextSequence, status: core.status(at: driver.time),
      clock: { driver.time }, driver: { driver.rings.withLock { $0 += 1 } })
    let spool = ResultSpool(mailbox)
    let sequence = spool.enqueue(sampleRecord(1))
    #expect(driver.rings.withLock { $0 } == 1)
    // Fifty milliseconds for company.
    #expect(turnSpool(&core, mailbox) == .wait(until: 1_050_000))
    #expect(spool.status().stored == 0)
    driver.now.withLock { $0 = 1_050_000 }
    #expect(turnSpool(&core, mailbox) == .wait(until: nil))
    #expect(spool.status().stored == 1)
    #expect(spool.status().recordedThrough == sequence)
    mailbox.close()
    #expect(turnSpool(&core, mailbox) == .last)
    endSpool(&core, mailbox)
    #expect(spool.enqueue(sampleRecord(2)) == 0)
  }

  /// The newest results stay in the queue, as many as fit: what was dropped takes no room in it.
  @Test(arguments: [(9, 384, 3), (9, 383, 4), (2, 384, 4), (9, 10_000, 1)] as [(Int, Int, UInt64)])
  func whatWasDroppedTakesNoRoom(count: Int, bytes: Int, first: UInt64) {
    let driver = Driver()
    var settings = SpoolSettings(path: "/store")
    (settings.queueLimit, settings.queueBytes) = (count, bytes)
    let mailbox = SpoolMailbox(
      settings: settings, next: 1, status: SpoolStatus(mode: .durable, durability: .always),
      clock: { driver.time }, driver: {})
    // 128 bytes each with their frame, and one of 328.
    for length in [100, 300, 100, 100, 100] {
      _ = mailbox.add([UInt8](repeating: 1, count: length), deliverable: true, waiter: nil)
    }
    let load = mailbox.take(at: 2_000_000)
    #expect(load.results.map(\.entry.sequence) == Array(first...5))
    #expect(load.overflow?.sequences == (first > 1 ? 1...first - 1 : nil))
  }
}
