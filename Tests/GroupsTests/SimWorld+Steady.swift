// SPDX-License-Identifier: MIT

import Basics
import Groups
import TestSupport
import Testing

extension SimWorld {
  static func settled(seed: UInt64, agents: Int = 4, atOnce: Int? = nil) -> SimWorld {
    var world = SimWorld(seed: seed, agents: agents, checks: 24, atOnce: atOnce)
    world.advance(20_000)
    return world
  }

  /// From there on all is quiet: exactly one run a slot, and nothing is held.
  mutating func expectSteady(_ seed: UInt64) {
    advance(30_000)
    let start = now
    advance(120_000)
    let (missed, doubled) = judged(from: start, to: now)
    #expect(missed.isEmpty, "seed \(seed)")
    #expect(doubled.isEmpty, "seed \(seed)")
    for agent in agents where !agent.isDead && !agent.hasLeft {
      #expect(agent.member.assignment.held == 0)
      #expect(agent.member.assignment.standingIn == 0)
    }
  }
}
