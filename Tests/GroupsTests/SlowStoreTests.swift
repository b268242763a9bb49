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

  private struct Unexpected: Error {}
}
