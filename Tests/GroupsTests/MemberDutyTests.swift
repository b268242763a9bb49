// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// A member's duties for all, whose words it waits for, and how long it waits with its own.
@Suite struct MemberDutyTests {
  /// The first claim does what a group does once; alone, the second as well, once it stands in.
  @Test func whatIsDoneOnce() {
    for others in 1...6 {
      var bench = MemberBench()
      let fresh = bench.member.does(.listTask) { _ in true }
      #expect(!fresh, "it has just begun")
      bench.claim()
      bench.answer(.read, .read(bench.view(others, revision: 10)))
      let start = bench.now
      let ranked = (["a"] + (0..<others).map { "m\($0)" }).sorted {
        Rendezvous.claim(.listTask, seed: Rendezvous.seed($0), weight: 1)
          > Rendezvous.claim(.listTask, seed: Rendezvous.seed($1), weight: 1)
      }
      func does(_ isFit: (MemberCard) -> Bool = { _ in true }) -> Bool {
        bench.member.does(.listTask, where: isFit)
      }
      #expect(does() == (ranked[0] == "a"))
      // Only those that are fit, and only with the same rules.
      let own = bench.member.card.boot
      #expect(does { $0.boot == own } && !does { $0.boot != own })
      bench.tick(at: start + 15_000)
      #expect(does() == (ranked[0] == "a"))
      bench.tick(at: start + 15_001)
      #expect(does() == (ranked[0] == "a" || ranked[1] == "a"))
      var blind = MemberBench()
      blind.tick(at: blind.now + 10_001)
      let isAlone = blind.member.does(.listTask) { _ in false }
      #expect(isAlone)
    }
  }

  /// Members that divide checks with us only now may wait for our word.
  @Test(
    arguments: [
      ("x", "x", "x", false), ("x", "y", "y", true), ("x", "y", "x", false), ("y", "x", "x", true),
      ("", "", "", false),
    ])
  func whoMayHoldForUs(old: String, fresh: String, own: String, mayHold: Bool) {
    for path in [\MemberCard.Pools.api, \MemberCard.Pools.file] {
      var (before, after) = (MemberCard(), MemberCard())
      var bench = MemberBench()
      var pools = MemberCard.Pools()
      (before.pools[keyPath: path], after.pools[keyPath: path], pools[keyPath: path]) = (old, fresh, own)
      bench.handle(.pools(pools))
      #expect(bench.member.mayHoldForUs(before, after) == mayHold)
      #expect(!bench.member.mayHoldForUs(nil, after) && !bench.member.mayHoldForUs(before, nil))
    }
  }

  /// One that waits for a card of ours newer than the revision it names.
  @Test(arguments: [(0, false), (9, false), (10, true), (11, true)] as [(Int64, Bool)])
  func whoWaitsForUs(waits: Int64, isWaiting: Bool) {
    var bench = MemberBench()
    bench.join()
    var card = MemberBench.other(0)
    card.waits = waits
    #expect(bench.member.waitsForUs(card, "m0") == isWaiting)
    #expect(!bench.member.waitsForUs(card, "a") && !bench.member.waitsForUs(nil, "m0"))
  }

  /// One word for many changes: sixty milliseconds a member, for as many as are looked at.
  @Test func pausesOfWords() {
    var bench = MemberBench()
    #expect(bench.member.wordPause == .milliseconds(60))
    bench.join(others: 4)
    #expect(bench.member.wordPause == .milliseconds(300))
    for (others, pauses) in [(99, false), (100, true)] {
      var view = GroupView()
      view.revision = 12
      for number in 0...others {
        view.members[ByteText("m\(number)")] = .init(
          card: MemberBench.other(number, weight: number == 1 ? 0 : 1), revision: 5)
      }
      bench.member.view = view
      let (leaving, staying) = (bench.member.herdPause("m1"), bench.member.herdPause("m2"))
      #expect((leaving != nil) == pauses && staying == nil && bench.member.herdPause(nil) == nil)
      let count = Int64(others + 1)
      if let leaving {
        #expect(leaving >= .milliseconds(count) / 2 && leaving < .milliseconds(count))
      }
    }
  }

  /// A check that is lost is run on until the new owner's word, of the view that gave it.
  @Test(arguments: [(10, true), (11, false), (12, false)] as [(Int64, Bool)])
  func whatIsLostIsHeld(applied: Int64, isHeld: Bool) throws {
    var bench = MemberBench(checks: 24)
    bench.join(others: 0)
    #expect(bench.member.assignment.owned == 24)
    bench.handle(
      .changes(
        watch: bench.member.watch,
        [.card(.init(name: "m0", card: MemberBench.other(0, applied: 0), revision: 11))]))
    let (owned, held) = (bench.member.assignment.owned, bench.member.assignment.held)
    try #require(held > 0 && owned + held == 24)
    let moved = try #require(bench.member.journal.entries.last).what
    #expect(moved == .moved(gained: 0, given: held, because: "m0 joined"))
    bench.handle(
      .changes(
        watch: bench.member.watch,
        [.card(.init(name: "m0", card: MemberBench.other(0, applied: applied), revision: 12))]))
    #expect(bench.member.assignment.held == (isHeld ? held : 0))
    #expect(bench.member.assignment.owned == owned && bench.actions.contains(.arrange) == !isHeld)
    #expect(bench.member.assignment.revisions.count == (isHeld ? 24 : owned))
  }

  /// Each change of a watch once, in order, and none of before; what is no member counts beside them.
  @Test func changesOfAWatch() {
    var bench = MemberBench()
    bench.join(others: 2)
    bench.handle(
      .changes(
        watch: bench.member.watch,
        [
          .gone(name: "m0", revision: 10), .stray(added: 1, revision: 11),
          .gone(name: "m1", revision: 12), .card(.init(name: "odd", card: nil, revision: 13)),
        ]))
    #expect(bench.member.view?.names == ["a", "m0"] && bench.member.view?.strays == 1)
    #expect(bench.member.seen == 13 && bench.member.view?.revision == 13)
    #expect(bench.member.view?.placed == 12 && bench.member.view?.counted == 4)
    let what = bench.member.journal.entries.map(\.what).filter { if case .gone = $0 { true } else { false } }
    #expect(what == [.gone("m1")])
    let head = ListHead(version: 5, parts: 1, sha256: "x", revision: 14)
    bench.handle(.changes(watch: bench.member.watch, [.head(head, revision: 14)]))
    #expect(bench.member.head == head && bench.member.headRevision == 14 && bench.actions.contains(.list))
    bench.handle(.changes(watch: bench.member.watch, [.strangeHead(revision: 15)]))
    #expect(bench.member.head == nil && bench.member.headRevision == 15 && bench.actions.contains(.list))
    bench.handle(.changes(watch: bench.member.watch, [.noHead(revision: 16)]))
    #expect(bench.member.headRevision == 0 && !bench.actions.contains(.list))
  }
}
