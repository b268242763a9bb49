// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Synchronization
import Testing

@testable import Groups

/// How long a place believes what it knows of the others, and what an operator is told of it.
@Suite struct QuorumLinkTests {
  private let clock = FakeClock(boot: Instant(nanoseconds: 1_000_000_000_000))
  private static let lease = StoreTrouble(.unreachable, "lease")
  private static let read = StoreTrouble(.denied, "read")
  private static let write = StoreTrouble(.noSpace, "write")

  /// With leases of ten seconds.
  private func desk() -> QuorumDesk {
    let store = MemoryQuorumStore(clock.time)
    return QuorumDesk(
      place: "london", store: store.seen(from: "london"),
      lease: KeptLease(store.seen(from: "london"), clock.time), ttl: .seconds(10), time: clock.time
    ) { _ in nil }
  }

  /// Votes are known for as long as an audit may take, and two leases more; the audit's time grows with the keys.
  @Test(arguments: [(0, 15), (1000, 18), (100_000, 315), (100_001, 315)] as [(Int, Int)])
  func howLongVotesAreKnown(keys: Int, audit: Int) {
    let desk = desk()
    var state = QuorumDesk.State()
    var rows = QuorumRows()
    rows.growth = keys
    state.mirror.take(rows, now: clock.wall) { _ in true }
    let every = desk.auditEvery(state)
    #expect(every == .seconds(audit))
    let last = clock.instant + .seconds(audit + 20)
    (state.link.lease, state.link.lastOK, state.link.lastRead) = (7, last, clock.instant)
    let (still, noMore) = (desk.hears(state, at: last), desk.hears(state, at: last + .milliseconds(1)))
    #expect(still && !noMore)
  }

  /// The store is in touch for a lease since the last word of it, and only with a lease.
  @Test func howLongTheStoreIsInTouch() {
    let desk = desk()
    var state = QuorumDesk.State()
    let now = clock.instant
    (state.link.lease, state.link.lastOK, state.link.lastRead) = (7, now, now)
    let found = [0, 10_000, 10_001].map { desk.isInTouch(state, at: now + .milliseconds($0)) }
    #expect(found == [true, true, false])
    let heard = [0, 10_000, 10_001].map { desk.hears(state, at: now + .milliseconds($0)) }
    #expect(heard == [true, true, false])
    state.link.lastRead = nil
    let unread = desk.hears(state, at: now)
    state.link.lease = nil
    let leaseless = desk.isInTouch(state, at: now)
    (state.link.lease, state.link.lastOK) = (7, nil)
    let unheard = desk.isInTouch(state, at: now)
    #expect(!unread && !leaseless && !unheard)
  }

  /// A lease as the test says.
  private final class SaidLease: AgentLease {
    let said = Mutex<(proof: LeaseProof?, trouble: StoreTrouble?)>((nil, nil))
    let ends = Mutex<[Int64]>([])
    var proof: LeaseProof? { said.withLock { $0.proof } }
    var trouble: StoreTrouble? { said.withLock { $0.trouble } }
    func ended(_ lease: Int64) { ends.withLock { $0.append(lease) } }
  }

  /// Votes live with the member's lease: another one is taken over, and one that has ended only with a newer proof of it.
  @Test func theLeaseIsTheMembers() throws {
    let lease = SaidLease()
    let desk = QuorumDesk(
      place: "london", store: MemoryQuorumStore(clock.time).seen(from: "london"), lease: lease,
      ttl: .seconds(10), time: clock.time
    ) { _ in nil }
    func link() -> QuorumLink { desk.state.withLock { $0.link } }
    lease.said.withLock { $0.trouble = Self.lease }
    #expect(!desk.lookAtLease() && link().lease == nil && link().trouble == Self.lease)
    let first = clock.instant
    lease.said.withLock { $0 = (LeaseProof(lease: 7, at: first), nil) }
    #expect(desk.lookAtLease() && link().lease == 7 && link().lastOK == first && link().trouble == nil)
    #expect(!desk.lookAtLease(), "nothing is new")
    clock.advance(by: .seconds(3))
    desk.lose(7)
    #expect(link().lease == nil && lease.ends.withLock(\.self) == [7])
    #expect(!desk.lookAtLease() && link().lease == nil, "the proof is of before")
    lease.said.withLock { $0.proof = LeaseProof(lease: 8, at: first) }
    #expect(desk.lookAtLease() && link().lease == 8)
    desk.lose(8)
    lease.said.withLock { $0.proof = LeaseProof(lease: 8, at: clock.instant + .milliseconds(1)) }
    #expect(desk.lookAtLease() && link().lease == 8)
    lease.said.withLock { $0.proof = nil }
    #expect(!desk.lookAtLease() && link().lease == nil)
  }

  /// What the member has seen of the store is as good as an audit where nothing has changed since everything was told.
  @Test(
    arguments: [(7, 12, true), (7, 11, false), (7, 13, false), (8, 12, false)] as [(UInt64, Int64, Bool)])
  func anIdleStoreIsHeard(cluster: UInt64, revision: Int64, isHeard: Bool) {
    let lease = SaidLease()
    let desk = QuorumDesk(
      place: "london", store: MemoryQuorumStore(clock.time).seen(from: "london"), lease: lease,
      ttl: .seconds(10), time: clock.time
    ) { _ in nil }
    desk.state.withLock { state in
      _ = state.mirror.complete(StoreMark(cluster: 7, revision: 12), before: VoteMirror(), asked: 0)
    }
    let (seen, mark) = (clock.instant, StoreMark(cluster: cluster, revision: revision))
    lease.said.withLock {
      $0.proof = LeaseProof(lease: 7, at: seen + .seconds(3), store: mark, seenAt: seen)
    }
    #expect(desk.lookAtLease())
    #expect(desk.state.withLock { $0.link.lastRead } == (isHeard ? seen : nil))
  }

  /// The newest word counts, whatever order they come in; the others are found once they are heard.
  @Test func theNewestWordCounts() {
    let desk = desk()
    var state = QuorumDesk.State()
    let now = clock.instant
    (state.link.lease, state.link.seeking, state.link.trouble) = (7, now, Self.lease)
    desk.heard(&state, at: now)
    #expect(state.link.lastOK == now && state.link.trouble == nil && state.link.seeking == now)
    desk.heard(&state, at: now - .seconds(5))
    #expect(state.link.lastOK == now)
    desk.heard(&state, at: now + .seconds(5))
    #expect(state.link.lastOK == now + .seconds(5) && state.link.seeking == now)
    state.link.lastRead = now
    desk.found(&state)
    #expect(state.link.seeking == nil)
  }

  /// Writing fails since the first failure, whatever fails later, and again from the first after a success.
  @Test func writingFailsSinceTheFirstFailure() {
    let desk = desk()
    var state = QuorumDesk.State()
    let first = clock.instant
    desk.noteWrite(Self.read, &state)
    clock.advance(by: .seconds(7))
    desk.noteWrite(Self.write, &state)
    #expect(state.link.failingSince == first && state.link.writeTrouble == Self.write)
    desk.noteWrite(nil, &state)
    #expect(state.link.failingSince == nil && state.link.writeTrouble == nil)
    clock.advance(by: .seconds(3))
    desk.noteWrite(Self.read, &state)
    #expect(state.link.failingSince == first + .seconds(10) && state.link.writeTrouble == Self.read)
  }

  /// The gravest problem alone: no lease before no votes before nothing written, which counts after a lease.
  @Test func theGravestProblemIsTold() throws {
    let (desk, now) = (desk(), clock.instant)
    func problems(_ link: QuorumLink) -> [QuorumProblem] {
      desk.state.withLock { $0.link = link }
      return desk.problems
    }
    var link = QuorumLink()
    (link.trouble, link.readTrouble, link.writeTrouble) = (Self.lease, Self.read, Self.write)
    #expect(problems(link) == [], "no check has a vote here")
    desk.apply([try QuorumWorld.makeCheck("Shop")])
    #expect(problems(link) == [.unheard(Self.lease)] && desk.trouble == Self.lease)
    link.trouble = nil
    #expect(problems(link) == [.unheard(Self.read)])
    (link.trouble, link.lease, link.lastOK) = (Self.lease, 7, now - .seconds(10))
    #expect(problems(link) == [.unheard(Self.read)])
    (link.lastRead, link.failingSince) = (now, now - .seconds(10))
    #expect(problems(link) == [] && desk.trouble == nil)
    link.failingSince = now - .milliseconds(10_001)
    #expect(problems(link) == [.untold(Self.write)] && desk.trouble == nil)
    link.lastRead = now - .milliseconds(35_001)
    #expect(problems(link) == [.unheard(Self.read)])
    (link.lastRead, link.lastOK) = (now, now - .milliseconds(10_001))
    #expect(problems(link) == [.unheard(Self.lease)])
  }

  /// Keys that are none, and those that found no room, are told beside it.
  @Test func strangeKeysAreTold() throws {
    let desk = desk()
    desk.apply([try QuorumWorld.makeCheck("Shop")])
    var mirror = VoteMirror(mostOthers: 0)
    var rows = QuorumRows()
    let (one, two) = (UniqueID(high: 7, low: 1), UniqueID(high: 7, low: 2))
    rows.entries = [
      QuorumEntry(.incident(check: one), [1], revision: 4, lease: 0),
      QuorumEntry(.incident(check: two), [1], revision: 5, lease: 3),
    ]
    mirror.take(rows, now: clock.wall) { _ in false }
    let filled = mirror
    desk.state.withLock { $0.mirror = filled }
    var strange = StrangeKeys()
    strange.add("\(one)/i (without a lease)")
    #expect(desk.problems == [.strange(strange), .tooMany(1)])
  }

  /// A question is answered once: by a vote that began after it, and by none before.
  @Test(arguments: [(nil, true), (0, true), (4, true), (5, false), (6, false)] as [(Int64?, Bool)])
  func aQuestionIsAnsweredOnce(answers: Int64?, isAsked: Bool) throws {
    let desk = desk()
    let check = try QuorumWorld.makeCheck("Shop")
    let confirm = try #require(check.plan.confirm)
    var state = QuorumDesk.State()
    state.watched[check.id] = QuorumDesk.Watched(check: check, confirm: confirm)
    var rows = QuorumRows()
    for (place, revision) in [("paris", 5), ("ny", 3), ("london", 9)] as [(String, Int64)] {
      rows.entries.append(
        QuorumEntry(.question(check: check.id, place: place), [1], revision: revision, lease: 3))
    }
    state.mirror.take(rows, now: clock.wall) { _ in true }
    if let answers {
      state.own.say(check.id, Vote(.up, .ok, answers: answers), began: clock.wall, there: nil)
    }
    desk.lookAtQuestions(check.id, &state)
    let asked = state.answers.next(at: clock.instant)
    #expect(asked.map(\.revision) == (isAsked ? [5] : []))
  }

  /// A question that went, or that is about a check which is not run here, is not answered.
  @Test func aQuestionThatWentIsNotAnswered() throws {
    let desk = desk()
    let check = try QuorumWorld.makeCheck("Shop")
    let confirm = try #require(check.plan.confirm)
    let key = QuorumKey.question(check: check.id, place: "paris")
    for isWatched in [true, false] {
      var state = QuorumDesk.State()
      if isWatched { state.watched[check.id] = QuorumDesk.Watched(check: check, confirm: confirm) }
      state.answers.add(AnswerQueue.Question(check: check.id, revision: 5))
      var rows = QuorumRows()
      rows.entries = [QuorumEntry(key, isWatched ? nil : [1], revision: 6, lease: isWatched ? 0 : 3)]
      state.mirror.take(rows, now: clock.wall) { _ in true }
      desk.lookAtQuestions(check.id, &state)
      let asked = state.answers.next(at: clock.instant)
      #expect(asked == [], "watched: \(isWatched)")
    }
  }
}
