// SPDX-License-Identifier: MIT

import Basics
import Groups
import TestSupport
import Testing

/// Two agents of one name: one is in the group, and the other runs nothing.
@Suite struct SameNameTests {
  @Test func anotherOfTheSameNameWaitsAndIsTold() {
    var world = SimWorld.settled(seed: 3)
    world.start("agent-0", home: UniqueID(high: 66, low: 6))
    world.advance(20_000)
    let rival = world.agents[4].member
    #expect(rival.assignment.owned + rival.assignment.standingIn == 0)
    #expect(rival.journal.rival != nil)
    #expect(rival.journal.entries.count { $0.what == .nameTaken } == 1, "said once")
    world.agents[0].isDead = true
    world.advance(15_000)
    #expect(world.agents[4].member.assignment.owned > 0)
    #expect(world.agents[4].member.journal.rival == nil)
  }

  /// It was cut off for so long that the one who waited has its name.
  @Test func whoLosesItsNameStopsWhenTheOtherRunsWhatItHad() {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      world.start("agent-0", home: UniqueID(high: 66, low: 6))
      world.advance(10_000)
      let start = world.now
      world.agents[0].isCut = true
      world.advance(20_000)
      world.agents[0].isCut = false
      world.advance(20_000)
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      #expect(world.agents[0].member.journal.rival != nil, "seed \(seed)")
      world.expectSteady(seed)
    }
  }

  /// It stood still while it read the group: how long it has waited for that is no reason to go on alone.
  @Test func whoLosesItsNameWhileItReadsStopsForGood() throws {
    for seed in UInt64(1)...4 {
      var world = SimWorld.settled(seed: seed)
      world.start("agent-0", home: UniqueID(high: 66, low: 6))
      world.advance(10_000)
      let start = world.now
      world.agents[0].cannotRead = true
      let watch = try #require(world.agents[0].watch)
      world.handle(.watchEnded(watch.number, .compacted), by: 0)
      world.agents[0].pausedUntil = world.now + 15_000
      world.advance(30_000)
      #expect(world.agents[0].member.journal.rival != nil, "seed \(seed)")
      for _ in 0..<20 {
        world.advance(1000)
        let assignment = world.agents[0].member.assignment
        #expect(assignment.owned + assignment.standingIn == 0, "seed \(seed)")
      }
      #expect(world.judged(from: start, to: world.now).missed.isEmpty, "seed \(seed)")
      world.expectSteady(seed)
    }
  }
}
