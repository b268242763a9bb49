// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// How a member comes, is alone, and goes, at the bounds of each time.
@Suite struct MemberStageTests {
  /// For a lease it may still be heard; then it is alone, and after half a lease more it stands in.
  @Test(
    arguments: [
      (10_000, false, false), (10_001, true, false), (15_000, true, false), (15_001, true, true),
    ])
  func alone(silence: Int, isAlone: Bool, standsIn: Bool) throws {
    var bench = MemberBench(checks: 24)
    bench.claim()
    bench.answer(.read, .read(bench.view(3, revision: 10)))
    let (start, owned) = (bench.now, bench.member.assignment.owned)
    let standby = (0..<24).filter { bench.member.placement.standby($0) == "a" }
    try #require(owned > 0 && !standby.isEmpty)
    _ = bench.member.takeTaken()
    bench.tick(at: start + silence)
    #expect((bench.member.alone != nil) == isAlone && bench.member.alone?.standsIn ?? false == standsIn)
    #expect(bench.member.alone?.since == (isAlone ? Timestamp(milliseconds: Int64(start)) : nil))
    #expect(bench.member.assignment.owned == owned && bench.member.alone?.runsAll != true)
    #expect(bench.member.assignment.standingIn == (standsIn ? standby.count : 0))
    let taken = bench.member.takeTaken()
    #expect(taken == (standsIn ? Set(standby.map { bench.member.placement.id($0) }) : []))
    #expect(bench.actions.contains(.arrange) == isAlone)
    let late = bench.member.isLate(at: bench.boot)
    #expect(!late)
  }

  @Test func whoIsLate() {
    var bench = MemberBench()
    bench.join()
    let asked = bench.boot
    let found = [9999, 10_000, 10_001].map { bench.member.isLate(at: asked + .milliseconds($0)) }
    #expect(found == [false, false, true])
  }

  private func memory(_ names: [String]) -> GroupMemory {
    var view = GroupView()
    view.placed = 6
    for (number, name) in names.enumerated() {
      view.members[ByteText(name)] = .init(card: MemberBench.other(number), revision: 0)
    }
    return GroupMemory(root: "/q/g/", name: "a", cluster: 7, view: view, at: .epoch)
  }

  /// With a view of the disk alone everything is run after sixty leases; without one, after the first.
  @Test(arguments: [(10_000, 0, 0), (10_001, 24, 0), (600_000, 24, 0), (600_001, 24, 24)])
  func aMemory(silence: Int, withoutMemory: Int, all: Int) {
    var bench = MemberBench(checks: 24, memory: memory(["a", "b", "c", "d"]))
    let start = bench.now
    bench.tick(at: start + silence)
    let assignment = bench.member.assignment
    #expect((assignment.revisions.count == 24) == (all == 24))
    #expect((bench.member.alone?.runsAll == true) == (all == 24))
    #expect((bench.member.isRecalled && bench.member.isPlaced) == (silence > 10_000))
    #expect(assignment.owned == 0 || assignment.revisions.values.max() == 6)
    var blind = MemberBench(checks: 24)
    blind.tick(at: start + silence)
    #expect(blind.member.assignment.revisions.count == withoutMemory)
    #expect(blind.member.assignment.standingIn == withoutMemory && blind.member.alone?.runsAll != true)
    let what = (bench.member.journal.entries + blind.member.journal.entries).map(\.what)
    #expect(what == (silence > 10_000 ? [.unreached, .unreached] : []))
  }

  /// A name that is taken: by this agent before its restart, by bytes that are no card, or by another agent.
  @Test(arguments: [(2, 1000), (3, 1000), (9, 3000)])
  func aNameThatIsTaken(ttl: Int, pause: Int) {
    for (card, isReplaced) in [(nil, true), (MemberBench.other(1), false)] as [(MemberCard?, Bool)] {
      var bench = MemberBench(ttl: ttl)
      bench.answer(.grant, .granted(lease: 4))
      bench.answer(.claim, .occupied(.init(name: "a", card: card, revision: 8)))
      if isReplaced {
        #expect(bench.requests == [.claim(lease: 4, card: bench.member.card, replacing: 8)])
        continue
      }
      #expect(bench.requests == [.revoke(lease: 4)] && bench.member.lease == nil)
      #expect(bench.member.stage == .out(retry: bench.boot + .milliseconds(pause)))
      #expect(bench.member.journal.rival?.card == card)
      bench.tick(at: bench.now + pause)
      #expect(bench.requests == [.grant(seconds: Int64(ttl))])
      bench.answer(.grant, .granted(lease: 5))
      bench.answer(.claim, .claimed(revision: 12))
      #expect(bench.member.journal.rival == nil)
    }
    var own = MemberBench.other(1)
    var bench = MemberBench(ttl: ttl)
    own.home = bench.member.card.home
    bench.answer(.grant, .granted(lease: 4))
    bench.answer(.claim, .occupied(.init(name: "a", card: own, revision: 8)))
    #expect(bench.requests == [.claim(lease: 4, card: bench.member.card, replacing: 8)])
  }

  /// A lease is used again in its first half.
  @Test(arguments: [(4999, true), (5000, false)])
  func aLeaseIsUsedAgain(age: Int, again: Bool) {
    var bench = MemberBench()
    bench.answer(.grant, .granted(lease: 4))
    bench.now += age - 300
    bench.answer(.claim, MemberBench.late)
    bench.tick(at: bench.now + 300)
    let claim = StoreRequest.claim(lease: 4, card: bench.member.card, replacing: nil)
    #expect(bench.requests == [again ? claim : .grant(seconds: 10)])
  }

  /// It says that it leaves, waits four seconds for those that take what it has, and one for the end of its lease.
  @Test func leaving() {
    var bench = MemberBench(checks: 24)
    bench.join(others: 3)
    bench.handle(.leave)
    #expect(bench.member.stage == .leaving(until: bench.boot + .seconds(4)) && bench.member.card.weight == 0)
    guard case .put(let lease, let card)? = bench.requests.last else {
      Issue.record("it does not say so")
      return
    }
    #expect(lease == 4 && card.weight == 0)
    bench.tick(at: bench.now + 3999)
    #expect(!bench.requests.contains(.revoke(lease: 4)))
    bench.tick(at: bench.now + 1)
    #expect(bench.requests.contains(.revoke(lease: 4)))
    #expect(bench.member.stage == .revoking(until: bench.boot + .seconds(1)))
    bench.tick(at: bench.now + 999)
    #expect(bench.member.stage != .left)
    bench.tick(at: bench.now + 1)
    #expect(bench.member.stage == .left && bench.actions.last == .done)
    bench.tick(at: bench.now + 9000)
    #expect(bench.actions.isEmpty)
  }

  /// Without checks there is nothing to hand over, without a store none to hear of it, without a lease nothing at all.
  @Test func leavingAtOnce() {
    var empty = MemberBench()
    empty.join()
    empty.handle(.leave)
    #expect(empty.requests.contains(.revoke(lease: 4)))
    empty.answer(.revoke, .revoked)
    #expect(empty.actions == [.done] && empty.member.lease == nil)
    var alone = MemberBench(checks: 24)
    alone.join(others: 3)
    alone.tick(at: alone.now + 10_001)
    alone.handle(.leave)
    #expect(alone.requests.contains(.revoke(lease: 4)) && alone.member.card.weight == 1)
    var outside = MemberBench()
    outside.handle(.leave)
    #expect(outside.actions == [.done] && outside.member.stage == .left)
    var claiming = MemberBench()
    claiming.answer(.grant, .granted(lease: 4))
    claiming.handle(.leave)
    #expect(claiming.requests == [.revoke(lease: 4)])
  }
}
