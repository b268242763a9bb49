// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Curl

/// Bytes that an origin, and within it a host, may hold.
struct MemoryBudgetTests {
  private let first = WorkOrigin(.asked, key: 1)
  private let second = WorkOrigin(.asked, key: 2)
  private let third = WorkOrigin(.asked, key: 3)
  private let shares: [WorkOrigin.Kind: Shares.Share] = [
    .asked: Shares.Share(guaranteed: 0, bound: 60), .apiChecks: Shares.Share(guaranteed: 4, bound: 4),
  ]

  /// One host takes two thirds of what its origin may, and another always finds room.
  @Test func eachHostTakesTwiceWhatIsLeft() {
    let budget = MemoryBudget(limit: 64, shares: shares, areKeyed: true)
    #expect(!budget.take(41, for: first) && budget.take(40, for: first) && !budget.take(1, for: first))
    #expect(
      !budget.hasRoom(for: 14, of: second) && budget.take(13, for: second) && !budget.take(1, for: second))
    #expect(budget.take(4, for: third) && !budget.take(1, for: third))
    #expect([first, second, third].map { budget.inUse(by: $0) } == [40, 13, 4])
    #expect(budget.inUse(by: .asked) == 57 && budget.inUse == 57)
    // Another origin has its own.
    #expect(budget.take(2, for: WorkOrigin(.apiChecks, key: 1)) && budget.inUse == 59)
    budget.give(40, of: first)
    #expect(budget.inUse(by: first) == 0 && budget.inUse(by: .asked) == 17)
    #expect(budget.take(28, for: first) && !budget.take(1, for: first))
  }

  /// Of one host's bytes no more than half of what an origin may begin count for the others.
  @Test func oneHostCrowdsItselfAlone() {
    let budget = MemoryBudget(limit: 64, shares: shares, areKeyed: true)
    func crowded() -> [Bool] {
      [budget.isCrowded(.asked)] + [first, second, third].map { budget.isCrowded(by: $0) }
    }
    #expect(budget.take(8, for: first) && crowded() == [false, false, false, false])
    #expect(budget.take(32, for: first) && crowded() == [false, true, false, false])
    #expect(budget.take(13, for: second) && crowded() == [false, true, false, false])
    #expect(budget.take(1, for: third) && crowded() == [true, true, false, false])
    budget.give(36, of: first)
    #expect(crowded() == [false, false, false, false])
  }

  /// Where hosts are not told apart, one may have all of it.
  @Test func withoutKeysOneMayHaveAll() {
    let budget = MemoryBudget(limit: 64, shares: shares)
    #expect(budget.take(60, for: first) && !budget.take(1, for: second))
    #expect(budget.isCrowded(.asked) && !budget.isCrowded(by: first))
  }
}
