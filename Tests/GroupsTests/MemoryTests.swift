// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Groups

/// The last view on the disk, and a start while the store is away.
@Suite struct MemoryTests {
  private func settled(seed: UInt64) -> SimWorld {
    var world = SimWorld(seed: seed, agents: 4, checks: 24)
    world.advance(20_000)
    return world
  }

  /// The power goes everywhere at once; the agents come back before the store.
  private func cutPower(_ world: inout SimWorld, missing: Set<Int> = [], forgetting: Bool = false) {
    world.isStoreAway = true
    for index in world.agents.indices { world.agents[index].isDead = true }
    world.advance(1000)
    for index in world.agents.indices where !missing.contains(index) {
      let agent = world.agents[index]
      world.start(agent.name, home: agent.home, recalling: forgetting ? nil : agent.memory)
    }
  }

  @Test func afterAPowerCutEachRunsItsOwn() {
    for seed in UInt64(1)...6 {
      var world = settled(seed: seed)
      let owned = world.agents.map(\.member.assignment.owned)
      let start = world.now
      cutPower(&world)
      world.advance(6500)
      #expect(world.agents.map(\.member.assignment.owned) == owned, "seed \(seed)")
      #expect(world.agents.allSatisfy { $0.member.assignment.standingIn == 0 }, "seed \(seed)")
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      let inAll = world.agents.map { $0.member.assignment.revisions.count }.reduce(0, +)
      #expect(inAll == 48, "its own, and the standby's: two for each check")
      world.isStoreAway = false
      world.advance(30_000)
      let back = world.now
      world.advance(60_000)
      let (missed, doubled) = world.judged(from: back, to: world.now)
      #expect(missed.isEmpty && doubled.isEmpty, "seed \(seed)")
      #expect(world.agents.map(\.member.assignment.owned) == owned, "seed \(seed)")
      #expect(world.agents.allSatisfy { $0.member.memory == nil })
    }
  }

  @Test func withoutAMemoryEachRunsAll() {
    var world = settled(seed: 2)
    cutPower(&world, forgetting: true)
    world.advance(8000)
    #expect(world.agents.allSatisfy { $0.member.assignment.revisions.count == 24 })
  }

  /// Two of four never come back, an owner and its standby among them: for a while nobody has what both had.
  @Test func oneThatIsLeftAloneRunsAllAtLast() {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      cutPower(&world, missing: [0, 1, 2])
      world.advance(290_000)
      #expect(world.agents[3].member.assignment.revisions.count < 24)
      world.advance(20_000)
      #expect(world.agents[3].member.alone?.runsAll == true)
      #expect(world.agents[3].member.assignment.revisions.count == 24, "seed \(seed)")
      #expect(world.agents[3].member.does(.listTask) { _ in true })
      // Who has seen the group since its start keeps to its own and its standby's.
      world.isStoreAway = false
      world.advance(30_000)
      #expect(world.agents[3].member.assignment.owned == 24)
    }
  }

  /// The weight that the others remember counts, not one that was set since: nobody else knows it.
  @Test func aNewWeightTakesNothingFromAnybody() throws {
    var world = settled(seed: 5)
    let owned = world.agents[1].member.assignment.owned
    let memory = try #require(world.agents[1].memory)
    var card = world.agents[1].member.card
    (card.weight, card.boot) = (100, UniqueID(high: 1, low: 77))
    world.isStoreAway = true
    var member = GroupMember(.init(name: "agent-1", ttl: .seconds(5)), card: card, at: world.reading)
    member.recall(memory)
    _ = member.handle(.checks(world.checks.map { .init($0.id, .api) }), at: world.reading)
    #expect(member.assignment.revisions.isEmpty, "it may still find the store")
    world.now += 6000
    _ = member.handle(.tick, at: world.reading)
    #expect(member.assignment.owned == owned)
    #expect(member.takeTaken().count == owned, "and their last slots at once")
  }

  /// What a member writes while it leaves would tell it, the next time, that it has nothing.
  @Test func leavingIsNotRemembered() {
    var world = settled(seed: 1)
    for index in 0..<4 {
      world.stop(index)
      world.advance(3000)
      #expect(world.agents[index].hasLeft)
      let own = world.agents[index].memory?.view.members[ByteText("agent-\(index)")]
      #expect(own?.card.weight == 1)
    }
    let start = world.now
    cutPower(&world)
    world.advance(60_000)
    #expect(world.judged(from: start, to: world.now).missed.isEmpty)
  }

  private var sample: GroupMemory {
    var view = GroupView()
    (view.revision, view.placed) = (90, 80)
    for name in ["one", "zwei \u{7}\"", "três"] {
      var card = MemberCard()
      (card.boot, card.weight, card.applied, card.clock) = (UniqueID(high: 1, low: 2), 3, 70, 5)
      card.pools.file = "abc"
      view.members[ByteText(name)] = .init(card: card, revision: 60)
    }
    return GroupMemory(
      root: "/quartz/london/", name: "one", cluster: .max, view: view,
      at: Timestamp(milliseconds: 1_800_000_000_123))
  }

  @Test func itComesBackAsItWas() throws {
    let back = try #require(GroupMemory(json: sample.json))
    #expect(back == sample)
    #expect(back.view.members[ByteText("one")]?.card.applied == 0)
    #expect(back.view.placed == 80)
  }

  @Test func whatItDoesNotHoldForIsToldApart() {
    let at = sample.at
    #expect(
      sample.objection(root: "/quartz/london/", name: "one", now: at.advanced(by: .seconds(86_399))) == nil)
    for (root, name, now) in [
      ("/quartz/paris/", "one", at), ("/quartz/london/", "two", at),
      ("/quartz/london/", "one", at.advanced(by: .seconds(86_401))),
      ("/quartz/london/", "one", at.advanced(by: .seconds(-3700))),
    ] {
      #expect(sample.objection(root: root, name: name, now: now) != nil, "\(root) \(name) \(now)")
    }
    var without = sample
    without.view.members[ByteText("one")] = nil
    #expect(without.objection(root: "/quartz/london/", name: "one", now: at) != nil)
  }

  /// Of two members one may have left: the other one goes on with it, and the one that had left does not.
  @Test(arguments: [0, 1, 1000], [0, 1, 1000]) func whoHadLeftIsNotInIt(one: Int, other: Int) {
    var memory = sample
    memory.view.members[ByteText("one")]?.card.weight = one
    memory.view.members[ByteText("três")]?.card.weight = other
    let objections = ["one", "três"].map { name in
      GroupMemory(root: memory.root, name: name, cluster: 1, view: memory.view, at: memory.at)
        .objection(root: memory.root, name: name, now: memory.at)
    }
    #expect(objections == [one, other].map { $0 == 0 ? "this member is not in it" : nil })
  }

  /// Each byte gone or another one: it is read as it was or not at all, and nothing falls over.
  @Test func garbageIsNone() {
    let whole = sample.json
    for end in whole.indices { #expect(GroupMemory(json: Array(whole[..<end])) == nil) }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      var bytes = whole
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      guard let read = GroupMemory(json: bytes) else { continue }
      #expect(read.view.members.values.allSatisfy { (0...1000).contains($0.card.weight) })
    }
    #expect(GroupMemory(json: Array("[]".utf8)) == nil)
    #expect(GroupMemory(json: [UInt8](repeating: UInt8(ascii: "["), count: GroupMemory.mostBytes)) == nil)
    #expect(GroupMemory(json: [UInt8](repeating: 32, count: GroupMemory.mostBytes + 1)) == nil)
  }

  /// The store keeps its lease and cannot be read, so that for the others it is there: what it had it runs, by what it
  /// remembers. A member that has never had anything waits: what is to be its own its former owners go on with.
  @Test(arguments: [true, false]) func aStoreThatCannotBeRead(remembers: Bool) throws {
    var world = settled(seed: 5)
    let owned = world.agents[1].member.assignment.owned
    var card = world.agents[1].member.card
    card.boot = UniqueID(high: 1, low: 77)
    var member = GroupMember(.init(name: "agent-1", ttl: .seconds(5)), card: card, at: world.reading)
    if remembers { member.recall(try #require(world.agents[1].memory)) }
    var actions = member.handle(.checks(world.checks.map { .init($0.id, .api) }), at: world.reading)
    var reads = 0
    for step in 0..<80 {
      while let action = actions.popLast() {
        guard case .ask(let number, let request) = action else { continue }
        let answer: StoreAnswer? =
          switch request {
          case .grant: .granted(lease: 1)
          case .claim: .claimed(revision: 900)
          case .keepAlive: .alive(.init(cluster: 1, revision: 901, members: 4, newest: 900))
          case .put: .put(revision: 902)
          case .read, .revoke: nil
          }
        if case .read = request { reads += 1 }
        actions += member.handle(
          .answer(number, answer ?? .trouble(.init(.unreachable, "it is cut off"))), at: world.reading)
      }
      let runs = member.assignment.revisions.count
      if step < 10 { #expect(runs == 0, "after \(step) half seconds it may still be read") }
      if step == 11 { #expect(member.assignment.owned == (remembers ? owned : 0)) }
      if step > 16 { #expect(remembers ? runs > owned : runs == 0, "and those of which it is the standby") }
      world.now += 500
      actions += member.handle(.tick, at: world.reading)
    }
    #expect(reads > 5, "it goes on asking")
  }
}
