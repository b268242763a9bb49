// SPDX-License-Identifier: MIT

import Basics
import Groups
import Testing

/// A store that answers late, or not: who wants to be a member does not make it worse.
@Suite struct SlowStoreTests {
  private func reading(_ milliseconds: Int) -> ClockReading {
    ClockReading(
      boot: Instant(nanoseconds: Int64(milliseconds) * 1_000_000),
      wall: Timestamp(milliseconds: Int64(milliseconds)))
  }

  private func member(_ number: UInt64) -> GroupMember {
    var card = MemberCard()
    card.boot = UniqueID(high: number, low: 1)
    return GroupMember(.init(name: "agent-\(number)", ttl: .seconds(10)), card: card, at: reading(0))
  }

  /// What is asked next, and when, with a tick each 10 ms; nil: nothing for a minute.
  private func next(_ member: inout GroupMember, from start: Int) -> (
    at: Int, number: Int, request: StoreRequest
  )? {
    for now in stride(from: start, to: start + 60_000, by: 10) {
      for case .ask(let number, let request) in member.handle(.tick, at: reading(now)) {
        return (now, number, request)
      }
    }
    return nil
  }

  private let late = StoreAnswer.trouble(StoreTrouble(.unreachable, "no answer within 2s"))

  /// Each lease more is one that the store has to end.
  @Test func aLeaseThatWasGivenIsUsedAgain() throws {
    var member = member(1)
    let first = try #require(next(&member, from: 0))
    #expect(first.request == .grant(seconds: 10))
    var claims = member.handle(.answer(first.number, .granted(lease: 7)), at: reading(100))
    var at = 100
    while at < 5000 {
      guard case .ask(let number, .claim(let lease, _, _))? = claims.first else { throw Unexpected() }
      #expect(lease == 7)
      claims = member.handle(.answer(number, late), at: reading(at + 2000))
      let again = try #require(next(&member, from: at + 2010))
      at = again.at
      if at >= 5000 {
        #expect(again.request == .grant(seconds: 10), "half of the lease is gone")
      } else {
        claims = [.ask(again.number, again.request)]
      }
    }
  }

  /// It is given more time each time, up to the lease's, and each member comes at another instant.
  @Test func whoFailedTogetherComesBackApart() throws {
    var comebacks: [[Int]] = []
    for number in UInt64(1)...20 {
      var member = member(number)
      var (now, pauses) = (0, [Int]())
      for _ in 0..<10 {
        let asked = try #require(next(&member, from: now))
        now = asked.at + 2000
        _ = member.handle(.answer(asked.number, late), at: reading(now))
        let again = try #require(next(&member, from: now))
        pauses.append(again.at - now)
        now = again.at + 2000
        _ = member.handle(.answer(again.number, late), at: reading(now))
      }
      #expect(pauses.allSatisfy { $0 <= 8000 } && pauses.last.map { $0 >= 4000 } == true, "\(pauses)")
      comebacks.append(pauses)
    }
    #expect(Set(comebacks.map { $0[5] / 100 }).count > 10)
  }

  /// One that is in the group, with a store of five cards.
  private func settled() throws -> GroupMember {
    var member = member(1)
    let grant = try #require(next(&member, from: 0))
    var mail = [(grant.number, grant.request)]
    while let (number, request) = mail.popLast() {
      let answer: StoreAnswer =
        switch request {
        case .grant: .granted(lease: 7)
        case .claim: .claimed(revision: 5)
        case .read:
          .read(StoreReading(cluster: 1, revision: 5, members: [entry("agent-1", member.card, 5)]))
        case .keepAlive: .alive(StoreAudit(cluster: 1, revision: 5, members: 1, newest: 5))
        default: .put(revision: 5)
        }
      for case .ask(let number, let request) in member.handle(.answer(number, answer), at: reading(10)) {
        mail.append((number, request))
      }
    }
    return member
  }

  private func entry(_ name: String, _ card: MemberCard, _ revision: Int64) -> StoreReading.Entry {
    StoreReading.Entry(name: name, card: card, revision: revision)
  }

  /// Each look finds ten cards, where the watch has told of fewer.
  ///
  /// - Parameter tells: what the watch tells before each look.
  /// - Returns: when everything was read again, milliseconds; nil: not within so many.
  private func rereads(
    _ member: inout GroupMember, within limit: Int, tells: (Int) -> [StoreChange]
  ) -> Int? {
    for now in stride(from: 100, to: limit, by: 100) {
      // The first watch.
      var actions = member.handle(.changes(watch: 1, tells(now)), at: reading(now))
      actions += member.handle(.tick, at: reading(now))
      for case .ask(let number, let request) in actions {
        if request == .read { return now }
        let audit = StoreAudit(cluster: 1, revision: 1000, members: 10, newest: 900)
        if case .keepAlive = request {
          for case .ask(_, .read) in member.handle(.answer(number, .alive(audit)), at: reading(now)) {
            return now
          }
        } else {
          _ = member.handle(.answer(number, .put(revision: 6)), at: reading(now))
        }
      }
    }
    return nil
  }

  /// A silent watch is a dead one.
  @Test func aSilentWatchIsNotTrusted() throws {
    var member = try settled()
    let at = try #require(rereads(&member, within: 30_000) { _ in [] })
    #expect(at <= 3400 + 1500, "a third of the lease, and a second and a half")
  }

  /// All reading everything again because the store is behind would keep it behind.
  @Test func aWatchThatStillTellsIsLateNotDead() throws {
    var member = try settled()
    var card = MemberCard()
    card.boot = UniqueID(high: 2, low: 2)
    let at = rereads(&member, within: 30_000) { now in
      card.clock = Int64(now)
      return [.card(entry("agent-2", card, Int64(10 + now / 100)))]
    }
    // Not for ever: what it tells may not be all.
    #expect(try #require(at) >= 10_000)
  }

  /// A reading is most of what a store of many cards has to do.
  @Test func aReadingThatFailedWaitsLongerEachTime() throws {
    var member = member(1)
    let grant = try #require(next(&member, from: 0))
    let claims = member.handle(.answer(grant.number, .granted(lease: 7)), at: reading(10))
    guard case .ask(let claim, _)? = claims.first else { throw Unexpected() }
    var reads = member.handle(.answer(claim, .claimed(revision: 5)), at: reading(20))
    var (now, pauses) = (20, [Int]())
    for _ in 0..<8 {
      guard
        let number = reads.compactMap({ if case .ask(let number, .read) = $0 { number } else { nil } }).first
      else { throw Unexpected() }
      now += 2000
      _ = member.handle(.answer(number, late), at: reading(now))
      let start = now
      reads = []
      while !reads.contains(where: { if case .ask(_, .read) = $0 { true } else { false } }) {
        now += 10
        reads = member.handle(.tick, at: reading(now))
        for case .ask(let number, .keepAlive) in reads {
          let audit = StoreAudit(cluster: 1, revision: 5, members: 1, newest: 5)
          _ = member.handle(.answer(number, .alive(audit)), at: reading(now))
        }
        if now > start + 20_000 { throw Unexpected() }
      }
      pauses.append(now - start)
    }
    #expect(pauses[0] <= 200)
    #expect(pauses.allSatisfy { $0 <= 8010 } && pauses.last.map { $0 >= 4000 } == true, "\(pauses)")
  }

  /// What was seconds on its way is no clock that is behind; one that is ahead is for sure.
  @Test(arguments: [(2000, 2000), (900, 900), (-900, -900), (-3000, nil), (-20_000, -20_000)])
  func whatComesLateIsNoWrongClock(offset: Int, told: Int?) throws {
    var member = try settled()
    var card = MemberCard()
    card.boot = UniqueID(high: 2, low: 2)
    card.clock = Int64(60_000 + offset)
    _ = member.handle(.changes(watch: 1, [.card(entry("agent-2", card, 6))]), at: reading(60_000))
    let seen = try #require(member.view?.members[ByteText("agent-2")])
    #expect(seen.ahead == told.map { .milliseconds($0) })
  }

  private struct Unexpected: Error {}
}
