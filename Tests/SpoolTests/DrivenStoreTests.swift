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
    #expect(turnSpool(&core, mailbox) {} == .wait(until: 1_050_000))
    #expect(spool.status().stored == 0)
    driver.now.withLock { $0 = 1_050_000 }
    #expect(turnSpool(&core, mailbox) {} == .wait(until: nil))
    #expect(spool.status().stored == 1)
    #expect(spool.status().recordedThrough == sequence)
    mailbox.close()
    #expect(turnSpool(&core, mailbox) {} == .last)
    endSpool(&core, mailbox)
    #expect(spool.enqueue(sampleRecord(2)) == 0)
  }
}
