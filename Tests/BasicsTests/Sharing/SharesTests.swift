// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct SharesTests {
  private func shares() -> Shares {
    Shares(
      limit: 100,
      [
        .fileChecks: .init(guaranteed: 40, bound: 80), .apiChecks: .init(guaranteed: 20, bound: 30),
        .group: .init(guaranteed: 10, bound: 20),
      ])
  }

  /// One origin that takes all it can get leaves the others their guarantees, to the last unit.
  @Test func aFullOriginTakesNothingOfWhatIsGuaranteed() {
    var shares = shares()
    for _ in 0..<70 { #expect(shares.take(1, for: .fileChecks) == true) }
    #expect(shares.take(1, for: .fileChecks) == false, "30 are guaranteed to others")
    #expect(shares.take(20, for: .apiChecks) == true)
    #expect(shares.take(1, for: .apiChecks) == false, "nothing is left beyond guarantees")
    #expect(shares.take(10, for: .group) == true)
    #expect(shares.take(1, for: .group) == false)
    #expect(shares.inUse == 100)
  }

  @Test func anOriginStopsAtItsBound() {
    var shares = shares()
    #expect(shares.take(30, for: .apiChecks) == true)
    #expect(shares.take(1, for: .apiChecks) == false)
    #expect(shares.used(by: .apiChecks) == 30)
    shares.give(1, of: .apiChecks)
    #expect(shares.take(1, for: .apiChecks) == true)
  }

  /// An origin without a share may take what is not guaranteed to others.
  @Test func theRestIsForEveryone() {
    var shares = shares()
    #expect(shares.take(30, for: .discovery) == true)
    #expect(shares.take(1, for: .discovery) == false)
    #expect(shares.take(11, for: .group) == false)
    #expect(shares.take(10, for: .group) == true)
    #expect(shares.take(40, for: .fileChecks) == true)
  }

  @Test func nothingIsTakenThatDoesNotFit() {
    var shares = shares()
    #expect(shares.take(-1, for: .fileChecks) == false)
    #expect(shares.take(.max, for: .fileChecks) == false)
    #expect(shares.take(81, for: .fileChecks) == false)
    #expect(shares.inUse == 0 && shares.used(by: .fileChecks) == 0)
  }

  /// Shares may change while something is in use; what is used beyond them comes back first.
  @Test func sharesChangeUnderLoad() {
    var whole = Shares(limit: 10)
    #expect(whole.take(9, for: .apiChecks) == true)
    var divided = Shares(limit: 10, [.fileChecks: .init(guaranteed: 4, bound: 10)], inUse: whole)
    #expect(divided.inUse == 9)
    #expect(
      divided.take(1, for: .fileChecks) == false, "one unit is free, and it was promised to nobody before")
    for _ in 0..<3 { divided.give(1, of: .apiChecks) }
    #expect(divided.take(1, for: .apiChecks) == false)
    #expect(divided.take(4, for: .fileChecks) == true)
    #expect(divided.inUse == 10)
  }

  /// Random taking and giving: the sums hold, and each origin always gets its guarantee.
  @Test func guaranteesHoldUnderAnyLoad() {
    var random = Scatter()
    var shares = shares()
    var held: [WorkOrigin.Kind: Int] = [:]
    for _ in 0..<20_000 {
      let kind = WorkOrigin.Kind.allCases[Int.random(in: 0..<WorkOrigin.Kind.allCases.count, using: &random)]
      let count = Int.random(in: 0...7, using: &random)
      let has = held[kind] ?? 0
      if Bool.random(using: &random) {
        let isWithin = has + count <= shares.share(of: kind).guaranteed
        let isTaken = shares.take(count, for: kind)
        #expect(isTaken || !isWithin)
        if isTaken { held[kind] = has + count }
      } else if has >= count {
        shares.give(count, of: kind)
        held[kind] = has - count
      }
      #expect(shares.inUse == held.values.reduce(0, +) && shares.inUse <= 100)
    }
  }
}

/// The same numbers in each run.
private struct Scatter: RandomNumberGenerator {
  private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
