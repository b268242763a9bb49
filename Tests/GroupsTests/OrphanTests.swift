// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Groups

/// What a member knows of the slots that the dead may not have run.
@Suite struct OrphanTests {
  /// One of two members, and what it gained when the other went.
  private func gained(
    atOnce: Int? = nil, _ go: (inout SimWorld) -> Void
  ) -> (taken: Int, orphaned: [Duration]) {
    var world = SimWorld(seed: 4, agents: 2, checks: 12, atOnce: atOnce)
    world.advance(20_000)
    let before = world.agents[0].member.assignment.owned
    // The member is driven without the world's agent taking what it has taken.
    world.keepsTaken = true
    _ = world.agents[0].member.takeTaken()
    go(&world)
    world.advance(12_000)
    #expect(world.agents[0].member.assignment.owned == 12)
    let orphaned = world.agents[0].member.takeOrphaned(at: world.reading.boot)
    #expect(world.agents[0].member.takeOrphaned(at: world.reading.boot).isEmpty, "told once")
    #expect(world.agents[0].member.takeTaken().count == 12 - before)
    return (12 - before, Array(orphaned.values))
  }

  /// However long it takes to work out who has what, and whether it is the watch that tells of it or a reading.
  @Test(arguments: [nil, 0], [false, true])
  func whatTheDeadHadIsOrphaned(atOnce: Int?, isRead: Bool) {
    let (taken, orphaned) = gained(atOnce: atOnce) {
      $0.agents[1].isDead = true
      if isRead { $0.agents[0].watch?.isDeaf = true }
    }
    #expect(orphaned.count == taken && taken > 0)
    // Of the 12 s until now, and of a lease before the end of the lease.
    #expect(orphaned.allSatisfy { $0 > .seconds(5) && $0 < .seconds(17) })
  }

  @Test func whatOneGivesAwayIsNot() {
    let (taken, orphaned) = gained { $0.stop(1) }
    #expect(taken > 0 && orphaned.isEmpty)
  }

  /// The moment it has what the dead had: the dead renewed a lease ago at the latest, and may have run nothing since.
  @Test(arguments: [4, 5, 6, 7] as [UInt64], [false, true])
  func itCountsFromTheLastSign(seed: UInt64, isRead: Bool) {
    var world = SimWorld(seed: seed, agents: 2, checks: 12)
    world.advance(20_000)
    world.keepsTaken = true
    let before = world.agents[0].member.assignment.owned
    world.agents[1].isDead = true
    if isRead { world.agents[0].watch?.isDeaf = true }
    let death = world.now
    while world.agents[0].member.assignment.owned < 12, world.now < death + 60_000 {
      world.advance(SimWorld.step)
    }
    let orphaned = world.agents[0].member.takeOrphaned(at: world.reading.boot)
    #expect(orphaned.count == 12 - before)
    let span = Duration.seconds(world.ttl)
    #expect(
      orphaned.values.allSatisfy { $0 >= span && $0 <= span + .milliseconds(2 * SimWorld.step) },
      "\(orphaned.values.map(\.self))")
  }
}
