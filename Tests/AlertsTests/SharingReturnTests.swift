// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A member that was away, alone or under another's name ends what it told of, once for the group.
@Suite struct SharingReturnTests {
  private let down = "opened Shop is down: refused"
  private let up = "recovered Shop is up again"

  /// It missed the end, and the store was wiped since: the member that told of the end says so, before it is told again.
  @Test func whatIsOverIsNotToldAgainAfterAWipe() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.kill(0)
    world.wipe()
    world.give(shop, to: 1)
    world.fail(shop, by: 1)
    world.pass(5)
    world.mend(shop, by: 1)
    world.pass(120)
    let before = world.heard
    world.wipe()
    world.restart(0)
    world.pass(300)
    #expect(world.heard == before, "\(world.heard)")
    #expect(world.incidents(0).isEmpty && world.store.isEmpty)
  }

  /// What it told of while it was alone, and another member tells of under its own id, is ended in those words.
  @Test func whatItToldOfAloneEndsAsMoved() throws {
    let shop = try makeCheck("Shop")
    var world = alone(shop)
    world.pass(40)
    #expect(world.heard == ["0 \(down)"])
    world.outside = [0]
    world.takeOver(shop, by: 1)
    world.mend(shop, by: 1)
    world.pass(400)
    #expect(world.heard == ["0 \(down)", "0 recovered Shop is reported in another incident of the group"])
    #expect(world.messages.last?.members.first?.outcome == .moved)
  }

  /// It opened an incident, stood still before anybody knew, and another member told of the same alert meanwhile: its own ends
  /// without a word.
  @Test func aTwinThatNobodyKnowsIsGivenUp() throws {
    let shop = try makeCheck("Shop")
    var world = alone(shop)
    world.pass(2)
    world.asleep = [0]
    world.takeOver(shop, by: 1)
    world.fail(shop, by: 1)
    world.pass(40)
    #expect(world.heard == ["1 \(down)"])
    world.asleep = []
    world.takeOver(shop, by: 0)
    world.fail(shop, by: 0)
    world.pass(100)
    #expect(world.heard == ["1 \(down)"])
    world.mend(shop, by: 0)
    world.pass(100)
    #expect(world.heard == ["1 \(down)", "0 \(up)"])
    #expect(world.messages[0].incident == world.messages[1].incident && world.store.isEmpty)
    // Both are over: what fails then is an incident of its own.
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard == ["1 \(down)", "0 \(up)", "0 \(down)"])
  }

  /// It comes back with an alert that it told to nobody, after the group told of it and of its end: what fails then begins
  /// then, under an id of its own.
  @Test func whatWasNotToldBeginsAnew() throws {
    let shop = try makeCheck("Shop")
    var world = alone(shop)
    world.pass(2)
    world.outside = [0]
    world.takeOver(shop, by: 1)
    world.fail(shop, by: 1)
    world.pass(40)
    world.mend(shop, by: 1)
    world.pass(200)
    #expect(world.heard == ["1 \(down)", "1 \(up)"])
    world.outside = []
    world.takeOver(shop, by: 0)
    let back = world.moment
    world.pass(5)
    world.fail(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(60)
    #expect(world.heard == ["1 \(down)", "1 \(up)", "0 \(down)", "0 \(up)"])
    #expect(world.messages[2].begin >= back && world.messages[2].incident != world.messages[0].incident)
    #expect(world.store.isEmpty)
  }

  /// Its store is away, and it has found the check down.
  private func alone(_ shop: MonitoringCheck) -> ShareWorld {
    var world = ShareWorld(agents: 2, [shop])
    world.notifying = [0]
    world.isAway = true
    world.fail(shop, by: 0)
    return world
  }
}
