// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// What happens to a group's incidents in the moments between two of their steps.
@Suite struct SharingMomentTests {
  private func world(_ checks: [MonitoringCheck], agents: Int = 2) -> ShareWorld {
    ShareWorld(agents: agents, checks)
  }

  /// All know of what the store has lost, and one tells its end.
  @Test func theStoreIsWipedBeforeTheEnd() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop], agents: 3)
    world.fail(shop, by: 0)
    world.pass(40)
    world.mend(shop, by: 0)
    world.pass(15)
    world.wipe()
    world.pass(120)
    #expect(world.heard == ["0 opened Shop is down", "0 recovered Shop is up again"])
    world.give(shop, to: 1)
    world.pass(60)
    #expect(world.heard.count == 2, "nor when the check has another agent")
  }

  /// Somebody joins an incident in the moment in which its end is written, and is well soon after, or is not.
  @Test(arguments: [true, false]) func aJoinMeetsTheEnd(isBlink: Bool) throws {
    let (shop, till) = (try makeCheck("Shop"), try makeCheck("Till"))
    var world = world([shop, till])
    world.give(till, to: 1)
    world.fail(shop, by: 0)
    world.pass(40)
    world.mend(shop, by: 0)
    world.pass(15)
    world.fail(till, by: 1)
    world.freeze(1)
    world.pass(1)
    #expect(world.store.count == 2)
    world.thaw()
    if isBlink { world.mend(till, by: 1) }
    world.pass(20)
    if !isBlink { world.fail(till, by: 1) }
    world.pass(40)
    #expect(world.messages.map(\.kind) == [.opened, .recovered] + (isBlink ? [] : [.opened]))
    if !isBlink { #expect(world.messages.last?.incident != world.messages.first?.incident) }
    world.mend(till, by: 1)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .recovered] + (isBlink ? [] : [.opened, .recovered]))
    #expect(world.store.isEmpty)
  }

  /// A check goes to another agent in the moment in which its message arrives.
  @Test func theCheckMovesBeforeTheNote() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.givenAtDelivery = 1
    world.fail(shop, by: 0)
    world.pass(40)
    world.pass(40)
    #expect(world.heard == ["0 opened Shop is down"] && world.owner(shop) == 1)
    world.givenAtDelivery = 0
    world.mend(shop, by: 1)
    world.pass(120)
    #expect(world.heard == ["0 opened Shop is down", "1 recovered Shop is up again"])
    #expect(world.store.isEmpty)
  }
}
