// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Groups

/// Members that have not all of the group's checks: who refuses one leaves it to those that have it.
@Suite struct WithoutTests {
  private func checks(_ count: Int) -> [Placement.GroupCheck] { PlacementTests.checks(count) }

  private func view(_ names: [String], without: [String: [UniqueID]] = [:]) -> GroupView {
    let entries = names.enumerated().map { index, name in
      var card = MemberCard()
      card.weight = 1 + index % 3
      card.pools.without = without[name] ?? []
      return StoreReading.Entry(name: name, card: card, revision: 5)
    }
    return GroupView(StoreReading(cluster: 1, revision: 5, members: entries))
  }

  private func placement(_ checks: [Placement.GroupCheck], _ view: GroupView) -> Placement {
    var placement = Placement(own: "a")
    placement.replace(checks)
    placement.follow(view)
    return placement
  }

  private func isSame(_ one: Placement, _ other: Placement) -> Bool {
    (0..<one.count).allSatisfy {
      one.owner($0) == other.owner($0) && one.standby($0) == other.standby($0)
    }
  }

  @Test func whoIsWithoutACheckNeitherHasItNorStandsBy() {
    let checks = checks(400)
    let names = ["a", "b", "c", "d"]
    let before = placement(checks, view(names))
    let refused = (0..<400).filter { before.owner($0) == "b" || before.standby($0) == "b" }.prefix(30)
    let now = view(names, without: ["b": refused.map { before.id($0) }])
    var after = before
    after.follow(now, only: "b")
    for position in 0..<400 {
      if refused.contains(position) {
        #expect(after.owner(position) != "b" && after.standby(position) != "b")
        #expect(after.owner(position) != nil && after.standby(position) != nil)
      } else {
        #expect(after.owner(position) == before.owner(position))
        #expect(after.standby(position) == before.standby(position))
      }
    }
    #expect(isSame(after, placement(checks, now)), "whoever counts from nothing comes to the same")
    // Another that comes, one that goes, and the judgement of before.
    let more = view(names + ["e"], without: ["b": refused.map { before.id($0) }])
    var later = after
    later.follow(more, only: "e")
    #expect(isSame(later, placement(checks, more)))
    later.follow(now)
    #expect(isSame(later, after))
    later.follow(view(names), only: "b")
    #expect(isSame(later, before))
  }

  @Test func whatEverybodyIsWithoutNobodyHas() {
    let checks = checks(3)
    let ids = [checks[1].id]
    let placed = placement(checks, view(["a", "b"], without: ["a": ids, "b": ids]))
    #expect(placed.owner(1) == nil && placed.standby(1) == nil)
    #expect(placed.owner(0) != nil && placed.owner(2) != nil)
  }

  /// A member's judgement changes, as where a list names more places than it lets in, and changes back.
  @Test(arguments: UInt64(1)...6) func whatOneRefusesTheOthersRun(seed: UInt64) throws {
    var world = SimWorld(seed: seed, agents: 3, checks: 24)
    world.advance(20_000)
    let mine = world.agents[0].assignment.sorted()
    let refused = Array(mine.prefix(2))
    try #require(refused.count == 2)
    let before = world.now
    let list = world.checks.map { Placement.GroupCheck($0.id, .api) }
    world.handle(.pools(MemberCard.Pools(without: refused)), by: 0)
    world.handle(.checks(list.filter { !refused.contains($0.id) }), by: 0)
    world.advance(120_000)
    for check in refused {
      #expect(!world.agents[0].assignment.contains(check))
      #expect(world.agents.dropFirst().count { $0.assignment.contains(check) } == 1)
    }
    world.handle(.pools(MemberCard.Pools()), by: 0)
    world.handle(.checks(list), by: 0)
    world.advance(30_000)
    #expect(world.agents[0].assignment == Set(mine))
    let judged = world.judged(from: before, to: world.now)
    #expect(judged.missed.isEmpty)
    #expect(world.agents.allSatisfy { $0.member.assignment.held == 0 })
  }

  /// Whoever looks after all of the group's checks should know them.
  @Test func whatIsDoneOnceIsDoneByOneThatHasAll() {
    let names = ["a", "b", "c", "d"]
    let first = view(names).owners(of: .alertsTask) { _ in true }.first ?? ""
    let missing = [UniqueID(high: 1, low: 1)]
    let then = view(names, without: [first: missing]).owners(of: .alertsTask) { _ in true }
    #expect(then.first != first && then.first != nil)
    let all = Dictionary(uniqueKeysWithValues: names.map { ($0, missing) })
    #expect(view(names, without: all).owners(of: .alertsTask) { _ in true }.first == first)
  }

  /// A member without alerts tells nobody anything: one that has some comes first, also where it is without a check.
  @Test func alertsAreWithAMemberThatHasSome() throws {
    let names = ["a", "b", "c", "d"]
    let missing = [UniqueID(high: 1, low: 1)]
    var some = view(names, without: ["c": missing])
    for name in ["a", "b", "d"] { some.members[ByteText(name)]?.card.alerts = false }
    #expect(some.owners(of: .alertsTask) { _ in true }.first == "c")
    #expect(some.owners(of: .listTask) { _ in true }.first != "c")
    some.members[ByteText("c")]?.card.alerts = false
    #expect(some.owners(of: .alertsTask) { _ in true }.first.map { $0 != "c" } == true)
    var card = MemberCard()
    for has in [true, false] {
      card.alerts = has
      #expect(try #require(MemberCard(json: card.json)).alerts == has)
    }
  }

  @Test func aCardNamesWhatItIsWithout() throws {
    var card = MemberCard()
    card.pools.without = checks(40).map(\.id)
    let read = try #require(MemberCard(json: card.json))
    #expect(read.pools.without == Array(card.pools.without.prefix(32)))
    for odd in ["7", "{}", "[7, null, {}]", "[\"x\", \"\"]"] {
      let json = """
        {"boot": "019e0000-0000-7000-8000-000000000001", "weight": 1, "applied": 1, "without": \(odd)}
        """
      #expect(try #require(MemberCard(json: Array(json.utf8))).pools.without == [])
    }
  }
}
