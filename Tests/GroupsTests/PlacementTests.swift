// SPDX-License-Identifier: MIT

import Basics
import Groups
import Testing
import TestSupport

@Suite struct PlacementTests {
  private func checks(_ count: Int) -> [Placement.GroupCheck] {
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
    placement.replace(checks(count))
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
      placement.replace(checks(1000))
      placement.follow(GroupView(reading))
      if placement.owner(0) == "c" { other = placement } else { mine = placement }
    }
    #expect(Set((0..<1000).compactMap { mine.owner($0) }) == ["a", "b"])
    #expect(Set((0..<1000).compactMap { other.owner($0) }) == ["c"])
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
