// SPDX-License-Identifier: MIT

import Basics
import Groups
import TestSupport
import Testing

/// A store that was set back to a copy has cards of before.
@Suite struct RestoredStoreTests {
  /// The copy says that a member runs what it has, which is another process by now and runs nothing yet.
  @Test(arguments: UInt64(1)...6) func theWordOfACopyEndsNothing(seed: UInt64) {
    var world = SimWorld(seed: seed, agents: 3, checks: 24)
    world.advance(20_000)
    let copy = world.store, agent = world.agents[0], start = world.now
    world.agents[0].isDead = true
    world.advance(12_000)
    world.store.headRevision = 5
    // It has no list, and so takes nothing from the others.
    world.start(agent.name, home: agent.home, isReturning: true, awaitsList: true)
    world.advance(5000)
    world.store.setBack(to: copy, at: world.now)
    world.store.headRevision = 5
    world.advance(60_000)
    #expect(world.judged(from: start, to: world.now).missed.isEmpty)
    world.list(0)
    world.advance(60_000)
    #expect(world.judged(from: start, to: world.now).missed.isEmpty)
    #expect(world.agents.allSatisfy { $0.member.assignment.held == 0 })
    let later = world.now
    world.advance(60_000)
    #expect(world.judged(from: later, to: world.now).doubled.isEmpty)
  }
}
