// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import Spool

/// When what was handed in is written: after fifty milliseconds, or sixty-four results.
@Suite("The queue before the disk")
struct MailboxTests {
  /// The clock of the queue, and how often it called for its thread.
  private final class Bench: Sendable {
    let now = Mutex<Int64>(1_000_000)
    let wakes = Mutex(0)

    func mailbox(next: UInt64 = 1) -> SpoolMailbox {
      SpoolMailbox(
        settings: SpoolSettings(path: "/store"), next: next,
        status: SpoolStatus(mode: .durable, durability: .always),
        clock: { SpoolTime(wall: .epoch, monotonic: self.now.withLock { $0 }) },
        driver: { self.wakes.withLock { $0 += 1 } })
    }

    var woken: Int { wakes.withLock { $0 } }
  }

  private func add(_ mailbox: SpoolMailbox, _ count: Int = 1) -> [UInt64] {
    (0..<count).map { _ in mailbox.add([1, 2, 3], deliverable: true, waiter: nil) }
  }

  private func job(isBarrier: Bool) -> SpoolMailbox.Job {
    SpoolMailbox.Job(work: { _, _ in }, isBarrier: isBarrier)
  }

  @Test("the first of a group calls for the thread, and the sixty-fourth")
  func wakes() {
    let bench = Bench()
    let mailbox = bench.mailbox()
    #expect(add(mailbox) == [1] && bench.woken == 1)
    #expect(add(mailbox, 62) == Array(2...63) && bench.woken == 1)
    #expect(add(mailbox) == [64] && bench.woken == 2)
    #expect(add(mailbox, 10).last == 74 && bench.woken == 2)
    #expect(mailbox.take(at: 1_000_000).results.map(\.entry.sequence) == Array(1...74))
    #expect(add(mailbox) == [75] && bench.woken == 3)
  }

  @Test("a group is due fifty milliseconds after its first result, or when it is full")
  func due() {
    let bench = Bench()
    let mailbox = bench.mailbox()
    #expect(mailbox.take(at: 9_000_000).dueAt == nil)
    _ = add(mailbox)
    bench.now.withLock { $0 = 1_030_000 }
    _ = add(mailbox, 62)
    let early = mailbox.take(at: 1_049_999)
    #expect(early.results.isEmpty && early.dueAt == 1_050_000 && !early.isLast)
    let whole = mailbox.take(at: 1_050_000)
    #expect(whole.results.count == 63 && whole.dueAt == nil)
    _ = add(mailbox, 63)
    #expect(mailbox.take(at: 1_030_000).dueAt == 1_080_000)
    _ = add(mailbox)
    #expect(mailbox.take(at: 1_030_000).results.count == 64)
  }

  @Test("a job takes what was handed in before it along only where it says so")
  func jobs() {
    let bench = Bench()
    let mailbox = bench.mailbox()
    _ = add(mailbox, 2)
    #expect(mailbox.add(job(isBarrier: false)) && bench.woken == 2)
    let first = mailbox.take(at: 1_000_000)
    #expect(first.jobs.count == 1 && first.results.isEmpty && first.dueAt == 1_050_000)
    #expect(mailbox.add(job(isBarrier: false)) && mailbox.add(job(isBarrier: true)))
    let second = mailbox.take(at: 1_000_000)
    #expect(second.jobs.count == 2 && second.results.count == 2)
    #expect(mailbox.take(at: 1_000_000).jobs.isEmpty)
  }

  @Test("after its end nothing is taken in but jobs, and after those nothing at all")
  func closing() {
    let bench = Bench()
    let mailbox = bench.mailbox()
    _ = add(mailbox, 2)
    mailbox.close()
    #expect(add(mailbox) == [0] && bench.woken == 2)
    let last = mailbox.take(at: 1_000_000)
    #expect(last.isLast && last.results.count == 2)
    #expect(mailbox.add(job(isBarrier: false)))
    #expect(mailbox.endJobs().count == 1 && !mailbox.add(job(isBarrier: true)))
    #expect(mailbox.endJobs().isEmpty)
  }

  @Test("the store may raise the next number, and never lowers it")
  func numbers() {
    let mailbox = Bench().mailbox(next: 7)
    #expect(add(mailbox) == [7])
    var status = SpoolStatus(mode: .durable, durability: .interval)
    status.depth = 3
    mailbox.publish(status, next: 50)
    #expect(add(mailbox) == [50] && mailbox.status == status)
    mailbox.publish(status, next: 10)
    #expect(add(mailbox) == [51])
  }
}
