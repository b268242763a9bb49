// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// When a member asks next: after each answer, and after none.
@Suite struct MemberTimeTests {
  /// Of one failure after the other, at most: they double up to two seconds where the store fails at once.
  private static let limits = [200, 400, 800, 1600, 2000, 2000]

  private func expectPauses(_ bench: inout MemberBench, _ limits: [Int], _ label: Comment) {
    for limit in limits {
      bench.answer(.read, MemberBench.late)
      let pause = bench.wait(bench.member.nextRead) ?? .zero
      #expect(pause >= .milliseconds(limit / 2) && pause < .milliseconds(limit), label)
      bench.tick(at: bench.now + limit)
      #expect(bench.requests.contains(.read), label)
    }
  }

  /// Once everything was read, the pauses begin short again.
  @Test func afterAnAnswerThePausesAreShortAgain() {
    var bench = MemberBench()
    bench.claim()
    expectPauses(&bench, Self.limits, "at first")
    bench.answer(.read, .read(bench.view(1, revision: 10)))
    #expect(bench.member.stage == .inside && bench.member.failures == 0)
    bench.handle(.watchEnded(bench.member.watch, .compacted))
    #expect(bench.requests.contains(.read))
    expectPauses(&bench, [200, 400, 800], "after an answer")
  }

  /// A store that takes its time gets four times as much of it, up to a lease.
  @Test(arguments: [(0, 2000), (400, 2000), (600, 2400), (2000, 8000), (3000, 10_000)])
  func aSlowStoreGetsMoreTime(takes: Int, limit: Int) {
    var bench = MemberBench()
    bench.claim()
    var pause: Duration = .zero
    for _ in 0..<8 {
      bench.now += takes
      bench.answer(.read, MemberBench.late)
      pause = bench.wait(bench.member.nextRead) ?? .zero
      bench.tick(at: bench.now + 12_800)
    }
    let most = min(limit, 12_800)
    #expect(pause >= .milliseconds(most / 2) && pause < .milliseconds(most), "\(pause)")
  }

  /// From one proof of the lease to the next: a third of it since the last was asked for, sooner after a failure.
  @Test(arguments: [(9, 3000, 1000), (30, 10_000, 1000), (3, 1000, 500)])
  func proofs(ttl: Int, beat: Int, again: Int) {
    var bench = MemberBench(ttl: ttl)
    bench.join()
    #expect(bench.wait(bench.member.nextKeep) == .milliseconds(beat))
    bench.tick(at: bench.now + beat - 1)
    #expect(bench.open[.keepAlive] == nil)
    bench.tick(at: bench.now + 1)
    #expect(bench.requests == [.keepAlive(lease: 4, known: bench.member.position)])
    bench.now += 300
    bench.answer(.keepAlive, .alive(StoreAudit(cluster: 7, revision: 10, members: 2, newest: 10)))
    #expect(bench.wait(bench.member.nextKeep) == .milliseconds(beat - 300))
    #expect(bench.member.lastOK == bench.boot - .milliseconds(300))
    bench.tick(at: bench.now + beat)
    bench.answer(.keepAlive, MemberBench.late)
    #expect(bench.wait(bench.member.nextKeep) == .milliseconds(again))
    #expect(bench.member.journal.trouble?.what == StoreTrouble(.unreachable, "no answer"))
  }

  /// A store that has not changed proves the lease without a count, for a lease at most; what is doubted is counted.
  @Test func idleStores() {
    var bench = MemberBench(ttl: 9)
    bench.join()
    let known = bench.member.position
    let mark = StoreMark(cluster: 7, revision: 10)
    #expect(known.isIdle(mark) && bench.member.proof?.store == mark)
    for _ in 0..<2 {
      bench.tick(at: bench.now + 3000)
      #expect(bench.requests == [.keepAlive(lease: 4, known: known)])
      bench.answer(.keepAlive, .idle(mark))
      #expect(bench.requests == [] && bench.member.lastOK == bench.boot)
      #expect(bench.member.proof?.at == bench.boot && bench.member.proof?.lease == 4)
    }
    #expect(bench.member.proof?.seenAt.map { $0.duration(to: bench.boot) } == .seconds(6))
    bench.tick(at: bench.now + 3000)
    #expect(bench.requests == [.keepAlive(lease: 4)], "a lease has passed since it was counted")
    bench.answer(.keepAlive, .alive(StoreAudit(cluster: 7, revision: 14, members: 2, newest: 10)))
    #expect(bench.member.proof?.store == StoreMark(cluster: 7, revision: 14))
    #expect(bench.member.position.isIdle(StoreMark(cluster: 7, revision: 14)))
    bench.handle(.watchEnded(bench.member.watch, .trouble(StoreTrouble(.denied, "a"))))
    bench.tick(at: bench.now + 3000)
    #expect(bench.requests == [.keepAlive(lease: 4, known: bench.member.position)])
    #expect(!bench.member.position.isIdle(StoreMark(cluster: 7, revision: 14)))
  }

  /// A lease that another part of the agent was told has ended is looked at at once; another one is not.
  @Test func aLeaseThatIsToldToHaveEnded() {
    var bench = MemberBench()
    bench.join()
    bench.handle(.leaseEnded(5))
    #expect(bench.open[.keepAlive] == nil)
    bench.handle(.leaseEnded(4))
    #expect(bench.open[.keepAlive] != nil)
    bench.answer(.keepAlive, .dead)
    #expect(bench.member.proof == nil && bench.member.stage == .granting)
  }

  /// A lease that is dead is asked for again at once, as one of seconds.
  @Test func aDeadLease() {
    var bench = MemberBench()
    #expect(bench.open[.grant] != nil && bench.member.stage == .granting)
    bench.join()
    let watch = bench.member.watch
    bench.tick(at: bench.now + 3400)
    bench.answer(.keepAlive, .dead)
    #expect(bench.requests == [.grant(seconds: 10)] && bench.member.stage == .granting)
    #expect(bench.member.lease == nil && bench.member.watch == watch + 1)
  }

  /// Of a card that was written, that found another lease, and that could not be written.
  @Test(arguments: [(1, 60), (19, 60), (20, 63), (99, 300)])
  func cards(others: Int, refresh: Int) {
    var bench = MemberBench(ttl: 900)
    bench.join(others: others)
    #expect(bench.wait(bench.member.nextRefresh) == .seconds(refresh))
    bench.tick(at: bench.now + refresh * 1000 - 1)
    #expect(bench.open[.put] == nil)
    bench.tick(at: bench.now + 1)
    #expect(bench.open[.put] != nil && bench.wait(bench.member.nextRefresh) == .seconds(refresh))
    #expect(bench.member.card.clock == Int64(bench.now))
    bench.answer(.put, MemberBench.late)
    #expect(bench.member.owesPut && bench.wait(bench.member.nextPut) == .milliseconds(500))
    bench.tick(at: bench.now + 499)
    #expect(bench.open[.put] == nil)
    bench.tick(at: bench.now + 1)
    bench.answer(.put, .lost)
    #expect(bench.open[.keepAlive] != nil && !bench.member.owesPut)
  }

  /// A reading that is older than what the watch has told meanwhile is asked for again; one before all of it is of
  /// another world.
  @Test(
    arguments: [(9, "other"), (10, "late"), (13, "late"), (14, "taken"), (15, "taken")] as [(Int64, String)])
  func readingsThatCross(revision: Int64, meaning: String) {
    var bench = MemberBench()
    bench.join()
    bench.handle(.watchEnded(bench.member.watch, .compacted))
    let change = StoreReading.Entry(name: "m0", card: MemberBench.other(0), revision: 14)
    bench.handle(.changes(watch: bench.member.watch, [.card(change)]))
    #expect(bench.member.seen == 14)
    bench.answer(.read, .read(bench.view(1, revision: revision)))
    let isLate = meaning == "late"
    #expect((bench.member.stage == .reading) == isLate && (bench.member.stage == .inside) == !isLate)
    #expect(bench.member.seen == (isLate ? 14 : revision))
    #expect((bench.wait(bench.member.nextRead) == .milliseconds(50)) == isLate)
    let isOther = bench.member.journal.entries.contains { $0.what == .newWorld }
    #expect(isOther == (meaning == "other"))
  }

  /// The steps after the end of a watch.
  @Test func endsOfAWatch() {
    var bench = MemberBench()
    bench.join()
    bench.handle(.watchEnded(bench.member.watch + 1, .compacted))
    #expect(bench.actions.isEmpty, "it is of no watch of now")
    bench.handle(.watchEnded(bench.member.watch, .over))
    #expect(bench.actions == [.watch(bench.member.watch, after: 10)])
    let trouble = StoreTrouble(.noQuorum, "no leader")
    bench.handle(.watchEnded(bench.member.watch, .trouble(trouble)))
    #expect(bench.actions.isEmpty && bench.member.journal.trouble?.what == trouble)
    bench.tick(at: bench.now + 199)
    #expect(!bench.watches)
    bench.tick(at: bench.now + 1)
    #expect(bench.watches)
    for end in [WatchEnd.compacted, .otherStore] {
      bench.handle(.watchEnded(bench.member.watch, end))
      #expect(bench.requests == [.read] && bench.member.stage == .reading)
      bench.answer(.read, .read(bench.view(1, revision: 10)))
    }
  }

  /// A proof finds the group as known, another world, or more than the watch has told, which is waited for.
  @Test(
    arguments: [
      (7, 10, 2, 10, "known"), (7, 10, 2, 9, "known"), (7, 99, 2, 10, "known"), (8, 10, 2, 10, "other"),
      (7, 9, 2, 9, "other"), (7, 10, 3, 10, "suspect"), (7, 10, 1, 10, "suspect"), (7, 11, 2, 11, "suspect"),
    ] as [(UInt64, Int64, Int, Int64, String)])
  func audits(cluster: UInt64, revision: Int64, members: Int, newest: Int64, meaning: String) {
    var bench = MemberBench()
    bench.join()
    let audit = StoreAudit(cluster: cluster, revision: revision, members: members, newest: newest)
    bench.tick(at: bench.now + 3334)
    bench.answer(.keepAlive, .alive(audit))
    #expect((bench.member.suspicion != nil) == (meaning == "suspect"))
    #expect(bench.requests == (meaning == "other" ? [.read] : []))
    #expect(bench.member.journal.entries.contains { $0.what == .newWorld } == (meaning == "other"))
    guard meaning == "suspect" else { return }
    #expect(bench.wait(bench.member.nextKeep) == .milliseconds(1000))
    bench.tick(at: bench.now + 1000)
    bench.answer(.keepAlive, .alive(audit))
    #expect(bench.requests == [.read] && bench.member.suspicion == nil)
  }
}
