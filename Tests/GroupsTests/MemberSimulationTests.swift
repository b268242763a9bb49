// SPDX-License-Identifier: MIT

import Basics
import Groups
import Testing
import TestSupport

/// The rule above all, under faults of every kind: no slot without a run where the interval is as long as detection, and
/// exactly one run where all is well.
@Suite struct MemberSimulationTests {
  private func settled(seed: UInt64, agents: Int = 4) -> SimWorld {
    var world = SimWorld(seed: seed, agents: agents, checks: 24)
    world.advance(20_000)
    return world
  }

  /// From there on all is quiet: exactly one run a slot, and nothing is held.
  private func expectSteady(_ world: inout SimWorld, _ seed: UInt64) {
    world.advance(30_000)
    let start = world.now
    world.advance(120_000)
    let (missed, doubled) = world.judged(from: start, to: world.now)
    #expect(missed.isEmpty, "seed \(seed)")
    #expect(doubled.isEmpty, "seed \(seed)")
    for agent in world.agents where !agent.isDead && !agent.hasLeft {
      #expect(agent.member.assignment.held == 0)
      #expect(agent.member.assignment.standingIn == 0)
    }
  }

  @Test func inPeaceEachSlotIsRunOnce() {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      expectSteady(&world, seed)
      let owned = world.agents.map(\.member.assignment.owned)
      #expect(owned.reduce(0, +) == 24)
    }
  }

  @Test func aDeathCostsNoSlot() {
    for seed in UInt64(1)...8 {
      var world = settled(seed: seed)
      let start = world.now
      world.agents[Int(seed % 4)].isDead = true
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func leavingCostsNoSlotAndNoWait() {
    for seed in UInt64(1)...8 {
      var world = settled(seed: seed)
      let start = world.now
      world.stop(Int(seed % 4))
      world.advance(2000)
      let hasLeft = world.agents[Int(seed % 4)].hasLeft
      #expect(hasLeft, "seed \(seed)")
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func theStoreAwayStopsNobody() {
    for seed in UInt64(1)...8 {
      var world = settled(seed: seed)
      let start = world.now
      world.isStoreAway = true
      world.advance(30_000)
      #expect(world.agents.allSatisfy { $0.member.alone?.standsIn == true })
      // One of them dies meanwhile: the standby has what it had.
      world.agents[Int(seed % 4)].isDead = true
      world.advance(60_000)
      world.store.changeLeader(at: world.now)
      world.isStoreAway = false
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func oneThatStoodStillComesBack() {
    for seed in UInt64(1)...8 {
      var world = settled(seed: seed)
      let start = world.now
      world.agents[0].pausedUntil = world.now + 15_000
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func aRestartTakesItsOwnNameBack() {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      let agent = world.agents[1]
      world.agents[1].isDead = true
      world.advance(500)
      world.start(agent.name, home: agent.home)
      world.advance(1500)
      #expect(world.agents[1].member.assignment.owned > 0, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func anotherOfTheSameNameWaitsAndIsTold() {
    var world = settled(seed: 3)
    world.start("agent-0", home: UniqueID(high: 66, low: 6))
    world.advance(20_000)
    let rival = world.agents[4].member
    #expect(rival.assignment.owned + rival.assignment.standingIn == 0)
    #expect(rival.journal.rival != nil)
    world.agents[0].isDead = true
    world.advance(15_000)
    #expect(world.agents[4].member.assignment.owned > 0)
    #expect(world.agents[4].member.journal.rival == nil)
  }

  @Test func aWipedStoreIsANewWorld() {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      let start = world.now
      world.store.wipe()
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  @Test func aWatchThatDiedWithoutAWordIsNoticed() {
    for seed in UInt64(1)...4 {
      var world = settled(seed: seed)
      let start = world.now
      world.agents[0].watch?.isDeaf = true
      world.agents[1].isDead = true
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }

  /// Everything at once, over and over, one death at a time.
  @Test func anyRowOfFaults() {
    for seed in UInt64(1)...12 {
      var world = SimWorld(seed: seed, agents: 5, checks: 30)
      world.loss = Int(seed % 3) * 20
      world.advance(20_000)
      let start = world.now
      for _ in 0..<6 {
        world.disturb()
        world.advance(world.pick(4...24) * 1000)
        world.calm()
        world.advance(world.pick(12...20) * 1000)
      }
      world.loss = 0
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      expectSteady(&world, seed)
    }
  }
}

extension SimWorld {
  mutating func stop(_ index: Int) {
    agents[index].isStopping = true
    agents[index].mail.append((now, .leave))
  }

  mutating func disturb() {
    let index = pick(0...(agents.count - 1))
    switch pick(0...7) {
    case 0: agents[index].isDead = true
    case 1: stop(index)
    case 2: agents[index].pausedUntil = now + pick(1...18) * 1000
    case 3: agents[index].isCut = true
    case 4: isStoreAway = true
    case 5: store.wipe()
    case 6:
      store.compact()
      for index in agents.indices { agents[index].watch = agents[index].watch.map(deafened) }
    default: store.changeLeader(at: now)
    }
  }

  private func deafened(_ watch: Watch) -> Watch {
    var watch = watch
    watch.isDeaf = true
    return watch
  }

  /// All is mended, and who has died or left is started again.
  mutating func calm() {
    isStoreAway = false
    for index in agents.indices {
      agents[index].isCut = false
      agents[index].pausedUntil = min(agents[index].pausedUntil, now)
      if agents[index].isDead || agents[index].hasLeft { start(agents[index].name, home: agents[index].home) }
    }
  }
}
