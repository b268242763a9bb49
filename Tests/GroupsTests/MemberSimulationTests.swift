// SPDX-License-Identifier: MIT

import Basics
import Groups
import Testing
import TestSupport

/// The rule above all, under faults of every kind: no slot without a run where the interval is as long as detection, and
/// exactly one run where all is well.
@Suite struct MemberSimulationTests {
  @Test func inPeaceEachSlotIsRunOnce() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      world.expectSteady(seed)
      let owned = world.agents.map(\.member.assignment.owned)
      #expect(owned.reduce(0, +) == 24)
    }
  }

  /// One of four goes; nothing is lost by then, nor later.
  private func expectNothingLost(_ go: (inout SimWorld, _ index: Int, _ seed: UInt64) -> Void) {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      let start = world.now
      go(&world, Int(seed % 4), seed)
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  @Test func aDeathCostsNoSlot() {
    expectNothingLost { world, index, _ in world.agents[index].isDead = true }
  }

  @Test func leavingCostsNoSlotAndNoWait() {
    expectNothingLost { world, index, seed in
      world.stop(index)
      world.advance(2000)
      let hasLeft = world.agents[index].hasLeft
      #expect(hasLeft, "seed \(seed)")
    }
  }

  @Test func theStoreAwayStopsNobody() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
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
      world.expectSteady(seed)
    }
  }

  /// Nobody knows of the death yet when the store goes, and nobody is told while it is away.
  @Test func aDeathJustBeforeTheStoreGoesCostsNoSlot() {
    for seed in UInt64(1)...6 {
      // Three leases, as short as intervals may be without a loss here.
      var world = SimWorld(seed: seed, agents: 4, checks: 24, intervals: 15...16)
      world.advance(20_000)
      let start = world.now
      world.agents[Int(seed % 4)].isDead = true
      world.advance(Int(seed % 6) * 1000)
      world.isStoreAway = true
      world.advance(60_000)
      world.store.changeLeader(at: world.now)
      world.isStoreAway = false
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
    }
  }

  @Test func oneThatStoodStillComesBack() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      let start = world.now
      world.agents[0].pausedUntil = world.now + 15_000
      world.advance(60_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  @Test func aRestartTakesItsOwnNameBack() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      let agent = world.agents[1]
      world.agents[1].isDead = true
      world.advance(500)
      world.start(agent.name, home: agent.home, isReturning: true)
      world.advance(1500)
      #expect(world.agents[1].member.assignment.owned > 0, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  @Test func aWipedStoreIsANewWorld() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      let start = world.now
      world.store.wipe()
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  /// It is the first in the new world, and sees nobody there whose checks these were: they were its own.
  @Test func aRestartWhileTheStoreIsWipedCostsNoSlot() {
    for seed in UInt64(1)...6 {
      var world = SimWorld.settled(seed: seed)
      let start = world.now, index = Int(seed % 4), agent = world.agents[index]
      world.agents[index].isDead = true
      world.advance(3000)
      world.store.wipe()
      for other in world.agents.indices where other != index { world.agents[other].isCut = true }
      world.start(agent.name, home: agent.home, isReturning: true)
      world.advance(1500)
      #expect(world.agents[index].member.view?.members.count == 1, "seed \(seed)")
      for other in world.agents.indices { world.agents[other].isCut = false }
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  @Test func aWatchThatDiedWithoutAWordIsNoticed() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      let start = world.now
      world.agents[0].watch?.isDeaf = true
      world.agents[1].isDead = true
      world.advance(40_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  /// Who has what takes up to two seconds to be worked out, at each change: nothing that is run stops meanwhile.
  @Test func whatIsWorkedOutAsideCostsNoSlot() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed, atOnce: 0)
      let start = world.now
      switch seed % 4 {
      case 0: world.agents[1].isDead = true
      case 1: world.stop(1)
      case 2: world.start("agent-9", home: UniqueID(high: 9, low: 99))
      default: world.change(world.checks.dropLast(6))
      }
      world.advance(20_000)
      world.change(world.checks[...])
      world.advance(40_000)
      #expect(world.jobs > 4, "seed \(seed)")
      // What was on no list for a while was run by nobody.
      let unlisted = seed % 4 == 3 ? world.checks.suffix(6).map(\.id.description) : []
      let missed = world.judged(from: start, to: world.now).missed
      #expect(
        missed.allSatisfy { line in unlisted.contains { line.hasPrefix($0) } }, "seed \(seed): \(missed)")
      world.expectSteady(seed)
    }
  }

  /// Everything at once, over and over, one death at a time; and so where every change is worked out aside.
  @Test(arguments: [nil, 0])
  func anyRowOfFaults(atOnce: Int?) {
    for seed in (0..<3).map({ UInt64.random(in: 0...(.max / 4)) * 3 + $0 }) {
      var world = SimWorld(seed: seed, agents: 5, checks: 30, atOnce: atOnce)
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
      world.expectSteady(seed)
    }
  }
}

extension SimWorld {
  /// Another list, for all that live.
  mutating func change(_ list: ArraySlice<Check>) {
    for index in agents.indices where !agents[index].isDead && !agents[index].hasLeft {
      agents[index].mail.append((now, .checks(list.map { Placement.GroupCheck($0.id, .api) })))
    }
  }

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
      if agents[index].isDead || agents[index].hasLeft {
        start(agents[index].name, home: agents[index].home, isReturning: true)
      }
    }
  }
}
