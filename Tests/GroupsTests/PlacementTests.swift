// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Testing
import TestSupport

@testable import Groups

@Suite struct PlacementTests {
  static func checks(_ count: Int) -> [Placement.GroupCheck] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in
      Placement.GroupCheck(UniqueID(high: generator.next(), low: generator.next()), .api)
    }
  }

  private func view(_ weights: [String: Int]) -> GroupView {
    let entries = weights.map { name, weight in
      var card = MemberCard()
      card.weight = weight
      return StoreReading.Entry(name: name, card: card, revision: 5)
    }
    return GroupView(StoreReading(cluster: 1, revision: 5, members: entries))
  }

  private func placement(_ weights: [String: Int], _ count: Int = 10_000) -> Placement {
    var placement = Placement(own: "a")
    placement.replace(Self.checks(count))
    placement.follow(view(weights))
    return placement
  }

  private func shares(_ placement: Placement) -> [String: Double] {
    var counts: [String: Double] = [:]
    for position in placement.checks.indices { counts[placement.owner(position) ?? "-", default: 0] += 1 }
    return counts.mapValues { $0 / Double(placement.checks.count) }
  }

  @Test func membersShareAlike() {
    let names = (0..<5).map { "london-\($0)" }
    for (_, share) in shares(placement(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))) {
      #expect(abs(share - 0.2) < 0.015)
    }
  }

  @Test func weightsAreShares() {
    let found = shares(placement(["a": 1, "b": 2, "c": 5]))
    #expect(abs((found["a"] ?? 0) - 0.125) < 0.015)
    #expect(abs((found["b"] ?? 0) - 0.25) < 0.015)
    #expect(abs((found["c"] ?? 0) - 0.625) < 0.015)
  }

  @Test(arguments: [2, 3, 5, 10, 50])
  func oneThatComesMovesItsOwnShareAndNothingElse(_ count: Int) {
    let weights = Dictionary(uniqueKeysWithValues: (0..<count).map { ("m\($0)", 1) })
    let before = placement(weights)
    var after = before
    after.follow(view(weights.merging(["new": 1]) { first, _ in first }))
    var moved = 0
    for position in before.checks.indices where before.owner(position) != after.owner(position) {
      moved += 1
      #expect(after.owner(position) == "new")
    }
    #expect(Double(moved) / 10_000 <= 1 / Double(count + 1) + 0.02)
    // And goes: all is as it was, the standbys too.
    after.follow(view(weights))
    for position in before.checks.indices {
      #expect(before.owner(position) == after.owner(position))
      #expect(before.standby(position) == after.standby(position))
    }
  }

  @Test func theStandbyIsWhoComesNext() {
    let before = placement(["a": 1, "b": 3, "c": 2, "d": 1])
    for gone in ["a", "b", "c", "d"] {
      var after = before
      after.follow(view(["a": 1, "b": 3, "c": 2, "d": 1].filter { $0.key != gone }))
      for position in before.checks.indices where before.owner(position) == gone {
        #expect(after.owner(position) == before.standby(position))
      }
    }
  }

  /// Step by step and at once, whatever the order.
  @Test func allComeToTheSameAnswer() {
    var generator = SeededGenerator(seed: 11)
    var weights = ["a": 1]
    var stepwise = placement(weights, 2000)
    for _ in 0..<60 {
      let name = "m\(generator.next() % 12)"
      weights[name] = weights[name] == nil ? Int(generator.next() % 4) : nil
      stepwise.follow(view(weights))
      let fresh = placement(weights, 2000)
      for position in fresh.checks.indices {
        #expect(fresh.owner(position) == stepwise.owner(position))
        #expect(fresh.standby(position) == stepwise.standby(position))
      }
    }
  }

  /// By the claims alone, one after the other: what is quicker comes to the same.
  private func counted(_ weights: [String: Int], _ check: UniqueID) -> [String] {
    var claims: [String: Float] = [:]
    for (name, weight) in weights where weight > 0 {
      claims[name] = Rendezvous.claim(check, seed: Rendezvous.seed(name), weight: weight)
    }
    return claims.sorted { one, next in
      one.value != next.value ? one.value > next.value : one.key < next.key
    }
    .map(\.key)
  }

  @Test(arguments: [1, 4, 1000])
  func theQuickWayIsTheWayOfTheClaims(_ heaviest: Int) {
    var generator = SeededGenerator(seed: UInt64(heaviest))
    var weights = Dictionary(
      uniqueKeysWithValues: (0..<300).map { ("m\($0)", Int.random(in: 1...heaviest, using: &generator)) })
    var placement = placement(weights, 400)
    for round in 0..<6 {
      for position in 0..<placement.count {
        let wanted = counted(weights, placement.id(position))
        #expect(placement.owner(position) == wanted[0])
        #expect(placement.standby(position) == wanted[1])
      }
      // Some come, some go, some weigh another.
      weights["m\(round * 7)"] = nil
      weights["new-\(round)"] = Int.random(in: 1...heaviest, using: &generator)
      weights["m\(round + 100)"] = heaviest
      placement.follow(view(weights))
    }
  }

  /// What is turned away by its hash alone has the smaller claim, also at the ends of the range.
  @Test(arguments: [1, 3, 1000])
  func noHashIsTurnedAwayWrongly(_ weight: Int) {
    var generator = SeededGenerator(seed: 5)
    var edges: [UInt64] = [0, 1, 2047, 2048, 1 << 43, 1 << 52, 1 << 63, .max - 1 << 43, .max - 2048, .max]
    for _ in 0..<2000 { edges.append(generator.next() >> (generator.next() % 64)) }
    for hash in edges {
      let claim = Rendezvous.claim(of: hash, weight: weight)
      for other in [1, 2, weight, 1000] {
        let floor = Rendezvous.floor(of: claim, weight: other)
        guard floor > 0 else { continue }
        #expect(Rendezvous.claim(of: floor - 1, weight: other) < claim, "\(hash) \(other)")
        if other == weight { #expect(floor <= hash) }
      }
      if hash > 1 << 43 {
        #expect(Rendezvous.claim(of: hash - 1 << 43 - 1, weight: weight) < claim, "\(hash)")
      }
    }
  }

  @Test func equalClaimsGoByName() throws {
    let placement = placement(["b": 1, "a": 1, "c": 1], 1)
    let seats = PlacementSeats(placement)
    let found = ["a", "b", "c"].compactMap { placement.place($0) }.map { Claim(value: -1, seat: UInt16($0)) }
    try #require(found.count == 3)
    #expect(seats.isBefore(found[0], found[1]) && seats.isBefore(found[1], found[2]))
    #expect(!seats.isBefore(found[1], found[0]) && seats.isBefore(found[2], .none))
  }

  @Test func anotherListKeepsWhatIsInBoth() {
    let weights = ["a": 1, "b": 3, "c": 2]
    let all = Self.checks(3000)
    var placement = placement(weights, 2000)
    placement.replace(Array(all[500...].reversed()))
    var fresh = Placement(own: "a")
    fresh.replace(Array(all[500...].reversed()))
    fresh.follow(view(weights))
    for position in 0..<2500 {
      #expect(placement.check(position) == fresh.check(position))
      #expect(placement.owner(position) == fresh.owner(position))
      #expect(placement.standby(position) == fresh.standby(position))
    }
    #expect(placement.isOf(fresh.checks) && !placement.isOf(all))
  }

  @Test func whatAChangeCostsIsKnownBefore() {
    var weights = Dictionary(uniqueKeysWithValues: (0..<100).map { ("m\($0)", 1) })
    var placement = Placement(own: "m0")
    placement.replace(Self.checks(1000))
    #expect(placement.cost(of: view(weights)) == 100_000)
    #expect(placement.cost(of: placement.checks) == 0)
    placement.follow(view(weights))
    #expect(placement.cost(of: view(weights)) == 0)
    #expect(placement.cost(of: Self.checks(1500)) == 50_000)
    weights["new"] = 1
    #expect(placement.cost(of: view(weights)) == 2000)
    weights["m5"] = nil
    #expect(placement.cost(of: view(weights)) == 2000 + 20 * 99)
  }

  /// The ids, who has them, and the revision since when: no more than 24 bytes a check.
  @Test func aCheckTakesTwentyFourBytes() {
    #expect(Placement.bytesACheck + GainTable.bytesACheck == 24)
  }

  @Test func revisionsOfManyViewsAreKeptApart() {
    var table = GainTable(count: 50)
    var plain = [Int64](repeating: 0, count: 50)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let (position, revision) = (Int(generator.next() % 50), Int64(generator.next() % 3000))
      table[position] = revision
      plain[position] = revision
    }
    #expect(table.indices.allSatisfy { table[$0] == plain[$0] })
    #expect(!table.isEmpty && GainTable(count: 3).isEmpty)
  }

  @Test func whoLeavesHasNothing() {
    #expect(shares(placement(["a": 1, "b": 0]))["b"] == nil)
    #expect(shares(placement(["a": 0]))["-"] == 1)
  }

  @Test func onlyMembersThatAgreeDivide() {
    var reading = StoreReading(cluster: 1, revision: 5, members: [])
    for (name, pool) in [("a", "x"), ("b", "x"), ("c", "y")] {
      var card = MemberCard()
      card.pools.api = pool
      reading.members.append(.init(name: name, card: card, revision: 5))
    }
    var mine = Placement(own: "a"), other = Placement(own: "c")
    for var placement in [mine, other] {
      placement.replace(Self.checks(1000))
      placement.follow(GroupView(reading))
      if placement.owner(0) == "c" { other = placement } else { mine = placement }
    }
    #expect(Set((0..<1000).compactMap { mine.owner($0) }) == ["a", "b"])
    #expect(Set((0..<1000).compactMap { other.owner($0) }) == ["c"])
  }

  /// Also while the store does not show this member's card: what was divided with those that agreed before is its own.
  @Test func otherRulesCountWithTheNextView() {
    var placement = Placement(own: "me")
    placement.replace(Self.checks(200))
    placement.follow(view(["me": 1, "a": 1, "b": 1]))
    placement.follow(view(["a": 1, "b": 1]))
    placement.ownPools.api = "x"
    var card = MemberCard()
    card.pools.api = "x"
    var entries = [StoreReading.Entry(name: "me", card: card, revision: 6)]
    for name in ["a", "b"] { entries.append(.init(name: name, card: MemberCard(), revision: 5)) }
    placement.follow(GroupView(StoreReading(cluster: 1, revision: 6, members: entries)))
    #expect((0..<200).allSatisfy { placement.owner($0) == "me" && placement.standby($0) == nil })
  }

  /// What a version places is what every other places: these numbers never change.
  @Test func theHashIsForEver() {
    let check = UniqueID(high: 0x0123_4567_89ab_7def, low: 0x8123_4567_89ab_cdef)
    let claims = ["a", "london-1", "łódź"].map {
      Rendezvous.claim(check, seed: Rendezvous.seed($0), weight: 1)
    }
    #expect(claims == Self.known)
  }

  private static let known: [Float] = [-0.55820405, -0.88000065, -0.37318704]

  @Test func idsOfASlotAreOne() {
    let check = UniqueID(high: 1, low: 2)
    let slot = Timestamp(seconds: 1_767_492_000)
    let id = SlotID.id(group: "london", check: check, slot: slot)
    #expect(id == SlotID.id(group: "london", check: check, slot: slot))
    #expect(id.high >> 12 & 0xf == 8)
    #expect(id.low >> 62 == 2)
    let others = [
      SlotID.id(group: "paris", check: check, slot: slot),
      SlotID.id(group: "london", check: UniqueID(high: 1, low: 3), slot: slot),
      SlotID.id(group: "london", check: check, slot: slot.advanced(by: .microseconds(1))),
    ]
    #expect(Set(others + [id]).count == 4)
  }
}
