// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import TestSupport
import Testing

/// What a member says is in effect, and when: others go on with what it has not said that it runs.
@Suite struct MemberWordTests {
  private func settled(seed: UInt64, agents: Int = 3) -> SimWorld {
    var world = SimWorld(seed: seed, agents: agents, checks: 24)
    world.advance(20_000)
    return world
  }

  private func expectNothingHeld(_ world: SimWorld, _ seed: UInt64) {
    #expect(world.agents.allSatisfy { $0.isDead || $0.member.assignment.held == 0 }, "seed \(seed)")
  }

  /// It knows none of the checks that are its own by then.
  @Test func aFreshMemberWithoutItsListTakesNothingFromOthers() throws {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      world.store.headRevision = 5
      let start = world.now
      world.start("fresh", home: UniqueID(high: 9, low: 99), awaitsList: true)
      world.advance(60_000)
      let index = try #require(world.agents.firstIndex { $0.name == "fresh" })
      #expect(world.agents[index].member.card.applied == 0)
      world.list(index)
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      #expect(world.agents[index].member.assignment.owned > 0)
      expectNothingHeld(world, seed)
    }
  }

  /// Its name is in the group, and its lease lasts: it does not know yet what is its own.
  @Test func whoCannotReadTheGroupTakesNothingFromOthers() throws {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      let start = world.now
      world.start("fresh", home: UniqueID(high: 9, low: 99))
      let index = try #require(world.agents.firstIndex { $0.name == "fresh" })
      world.agents[index].cannotRead = true
      world.advance(60_000)
      let isMember = world.agents[0].member.view?.members.count == 4
      #expect(isMember, "seed \(seed)")
      #expect(world.agents.prefix(3).contains { $0.member.assignment.held > 0 }, "seed \(seed)")
      world.agents[index].cannotRead = false
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      #expect(world.agents[index].member.assignment.owned > 0, "seed \(seed)")
      expectNothingHeld(world, seed)
    }
  }

  @Test func whereThereIsNoListYetNobodyWaitsForIt() throws {
    var world = settled(seed: 1)
    world.start("fresh", home: UniqueID(high: 9, low: 99), awaitsList: true)
    world.advance(10_000)
    #expect(try #require(world.agents.last).member.card.applied > 0)
  }

  /// Member by member, as a configuration is changed: those that were alone with the new rules gain nothing.
  @Test(arguments: [2, 3, 5]) func changedRulesLeaveNothingHeld(count: Int) {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed, agents: count)
      for index in 0..<count { world.handle(.pools(MemberCard.Pools(api: "one")), by: index) }
      world.advance(20_000)
      let before = world.now
      for index in 0..<count {
        world.handle(.pools(MemberCard.Pools(api: "two")), by: index)
        world.advance(20_000)
      }
      expectNothingHeld(world, seed)
      let start = world.now
      world.advance(120_000)
      #expect(world.judged(from: before, to: world.now).missed.isEmpty, "seed \(seed)")
      #expect(world.judged(from: start, to: world.now).doubled.isEmpty, "seed \(seed)")
    }
  }

  /// A card for each member at each join would be a million cards where a thousand come.
  @Test func whoGainsNothingSaysNothing() {
    var world = settled(seed: 2, agents: 10)
    let before = world.store.writes
    world.start("fresh", home: UniqueID(high: 9, low: 99))
    world.advance(5000)
    #expect(world.store.writes - before <= 3, "the one that came claims its name, and says what it runs")
  }

  /// Leases end while the store still tells: then it is gone, and one of them dies.
  @Test func whoSawItsOwnKeyGoStandsInAllTheSame() {
    for seed in UInt64(1)...6 {
      var world = settled(seed: seed)
      world.isRefusing = true
      for lease in world.store.leases.keys { world.store.leases[lease]?.end = world.now }
      world.advance(1000)
      world.isStoreAway = true
      world.advance(30_000)
      world.agents[0].isDead = true
      let start = world.now
      world.advance(120_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
    }
  }

  /// They count where all keys are counted, and are no gap in what the watch told.
  @Test func keysThatAreNoMembersAreNotReadAgainAndAgain() {
    var world = settled(seed: 1)
    world.store.strays = 2
    let writes = world.store.writes, reads = world.store.reads
    world.advance(30_000)
    #expect(world.store.reads - reads <= 3, "once each, since no watch told of them")
    #expect(world.store.writes == writes)
    let words = world.status(0).notices.map(\.what)
    #expect(words.contains { $0.contains("2 keys below london/m/ that no agent wrote") }, "\(words)")
    let hints = world.status(0).notices.compactMap(\.hint)
    #expect(hints.contains { $0.contains("etcdctl get --prefix --keys-only london/m/,") }, "\(hints)")
  }

  /// A death between two looks would lose the last slots of what is taken.
  @Test func whatIsTakenIsOfTheSameMomentAsWhatIsRun() {
    var world = settled(seed: 3)
    world.agents[0].isDead = true
    var taken = 0
    for _ in 0..<400 {
      world.advance(50)
      for index in world.agents.indices.dropFirst() {
        let both = world.agents[index].member.takeArrangement(at: world.reading.boot)
        taken += both.taken.count
        #expect(both.taken.allSatisfy { both.assignment.revisions[$0] != nil })
      }
    }
    #expect(taken == 0, "the world arranges at once, and what was taken is taken once")
    #expect(world.judged(from: world.now - 20_000, to: world.now).missed.isEmpty)
  }

  /// Nobody waits for it, and each card is told to all.
  @Test func whatIsInheritedIsSaidAfterAPause() {
    var world = SimWorld(seed: 2, agents: 10, checks: 240)
    world.advance(20_000)
    let cards = world.agents.map { $0.member.card.applied }
    let dead = world.agents[0].name
    world.agents[0].isDead = true
    while world.agents[1].member.view?.members[ByteText(dead)] != nil { world.advance(50) }
    let said = { (world: SimWorld) in
      world.agents.indices.dropFirst().count { world.agents[$0].member.card.applied > cards[$0] }
    }
    #expect(said(world) == 0)
    world.advance(2000)
    #expect(said(world) > 2)
    world.advance(30_000)
    #expect(world.judged(from: world.now - 45_000, to: world.now).missed.isEmpty)
    expectNothingHeld(world, 2)
  }

  /// Many gain at once when one leaves a great group, and the word of each is told to all: the view itself goes before.
  @Test(arguments: [(5, 0), (1000, 500)]) func inAGreatGroupTheWordsOfManyAreSpread(
    count: Int, soonest: Int
  ) {
    var card = MemberCard()
    card.boot = UniqueID(high: 7, low: 7)
    func at(_ milliseconds: Int64) -> ClockReading {
      ClockReading(
        boot: Instant(nanoseconds: milliseconds * 1_000_000), wall: Timestamp(milliseconds: milliseconds))
    }
    func entry(_ number: Int, _ card: MemberCard, _ revision: Int64) -> StoreReading.Entry {
      StoreReading.Entry(name: "m\(number)", card: card, revision: revision)
    }
    var settings = GroupMember.Settings(name: "m0", ttl: .seconds(10))
    settings.atOnce = .max
    var member = GroupMember(settings, card: card, at: at(0))
    let checks = (0..<UInt64(4 * count)).map { Placement.GroupCheck(UniqueID(high: $0, low: $0), .api) }
    var mail = member.handle(.checks(checks), at: at(0))
    while let action = mail.popLast() {
      guard case .ask(let number, let request) = action else { continue }
      let answer: StoreAnswer =
        switch request {
        case .grant: .granted(lease: 1)
        case .claim: .claimed(revision: 5)
        case .read:
          .read(StoreReading(cluster: 1, revision: 5, members: (0..<count).map { entry($0, card, 5) }))
        case .keepAlive: .alive(StoreAudit(cluster: 1, revision: 5, members: count, newest: 5))
        default: .put(revision: 5)
        }
      mail += member.handle(.answer(number, answer), at: at(0))
    }
    var leaving = card
    leaving.weight = 0
    let before = member.assignment.owned
    var changes = (1..<count).lazy.map { number in
      StoreChange.card(entry(number, leaving, Int64(5 + number)))
    }.makeIterator()
    var actions: [GroupMember.Action] = []
    while member.assignment.owned == before {
      guard let change = changes.next() else { return #expect(Bool(false), "nothing was gained") }
      actions = member.handle(.changes(watch: 1, [change]), at: at(100))
    }
    var waited = 0
    func says(_ actions: [GroupMember.Action]) -> Bool {
      actions.contains { if case .ask(_, .put) = $0 { true } else { false } }
    }
    while !says(actions), waited < 5000 {
      waited += 10
      actions = member.handle(.tick, at: at(Int64(100 + waited)))
    }
    #expect((soonest...2 * soonest + 10).contains(waited))
  }
}
