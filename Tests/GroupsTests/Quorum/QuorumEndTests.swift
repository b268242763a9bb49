// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import TestSupport
import Testing

@Suite struct QuorumEndTests {
  /// An agent that ends takes its voice with it: nobody waits for it.
  @Test(.timeLimit(.minutes(1))) func whoEndsLeavesNothing() async throws {
    let two = try QuorumWorld.makeCheck("Two")
    try await quorumStory(QuorumWorld()) { world in
      let (desk, run) = world.desk("london", through: "x", [two])
      try await world.pause(.seconds(2))
      _ = await world.settle(desk, two, .ok)
      try await world.pause()
      #expect(world.store.vote(two.id, "london") != nil)
      run.cancel()
      await run.value
      await desk.drain()
      #expect(world.store.vote(two.id, "london") != nil, "it lives with the agent's lease")
      world.store.revokeLeases(of: "x")
      #expect(world.store.vote(two.id, "london") == nil)
    }
  }
}
