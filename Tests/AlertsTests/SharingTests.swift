// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Agents of a group that keep their incidents together: one clock, one store in memory, no network.
@Suite struct SharingTests {
  private let down = "opened Shop is down: refused"
  private let up = "recovered Shop is up again"

  private func world(_ checks: [MonitoringCheck], agents: Int = 2) -> ShareWorld {
    ShareWorld(agents: agents, checks)
  }

  /// The agent that notifies is killed after it told: the next one tells the end, with the same id and begin, and no more.
  @Test func aKilledAgentIsFollowedByAnother() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard == ["0 \(down)"])
    #expect(world.incidents(1).map(\.id) == [world.messages[0].incident], "each member knows of it")
    world.kill(0)
    world.give(shop, to: 1)
    for _ in 0..<2 {
      world.fail(shop, by: 1)
      world.pass(60)
    }
    #expect(world.heard.count == 1)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["0 \(down)", "1 \(up)"])
    #expect(world.messages[0].incident == world.messages[1].incident)
    #expect(world.messages[1].begin == world.messages[0].begin && world.messages[1].begin == after(0))
    #expect(world.store.isEmpty)
  }

  /// Killed between the arrival of a message and its note: the next one sends the same, once, under the same id.
  @Test func killedBeforeTheNote() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.diesAfterSending = 0
    world.fail(shop, by: 0)
    world.pass(40)
    world.give(shop, to: 1)
    world.pass(60)
    #expect(world.heard == ["0 \(down)", "1 \(down)"])
    #expect(Set(world.messages.map(\.id)).count == 1)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard.last == "1 \(up)" && world.heard.count == 3)
  }

  /// Killed before it told: the next one does.
  @Test func whatWasNotToldIsTold() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(5)
    #expect(world.heard.isEmpty && world.store.count == 2)
    world.kill(0)
    world.give(shop, to: 1)
    world.pass(30)
    #expect(world.heard == ["1 \(down)"])
    #expect(world.messages[0].begin == after(0), "it began when the first one found it")
  }

  /// Two that both take it for theirs to notify: one of them does, by the store's transaction.
  @Test func twoThatNotify() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.notifying = [0, 1]
    world.fail(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
  }

  /// Two checks of one incident with two agents: one incident, and its end when both are well.
  @Test func oneIncidentOfTwoAgents() throws {
    let checks = [try makeCheck("Shop"), try makeCheck("Till")]
    var world = world(checks, agents: 3)
    world.give(checks[1], to: 1)
    world.fail(checks[0], by: 0)
    world.pass(5)
    world.fail(checks[1], by: 1)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened] && world.messages[0].memberCount == 2)
    world.kill(0)
    world.give(checks[0], to: 2)
    world.mend(checks[1], by: 1)
    world.pass(30)
    #expect(world.messages.count == 1, "the other one is down still")
    world.mend(checks[0], by: 2)
    world.pass(120)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    #expect(Set(world.messages.map(\.incident)).count == 1)
    #expect(world.store.isEmpty)
  }

  /// Without a store people are told at once, and when it is back nothing is told again.
  @Test func theStoreIsAway() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.isAway = true
    world.fail(shop, by: 0)
    world.pass(30)
    #expect(world.heard == ["0 \(down)"])
    world.isAway = false
    world.pass(60)
    #expect(world.heard.count == 1 && world.store.count == 2)
    world.isAway = true
    world.pass(60)
    world.isAway = false
    world.give(shop, to: 1)
    world.pass(30)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["0 \(down)", "0 \(up)"])
    #expect(world.messages[0].incident == world.messages[1].incident)
  }

  /// A member that does not notify tells of its own check while the store is away; the agent that notifies goes on with it.
  @Test func aMemberTellsWithoutTheStore() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.give(shop, to: 1)
    world.isAway = true
    world.fail(shop, by: 1)
    world.pass(30)
    #expect(world.heard == ["1 \(down)"])
    world.isAway = false
    world.pass(60)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["1 \(down)", "0 \(up)"])
    #expect(Set(world.messages.map(\.incident)).count == 1)
    #expect(world.store.isEmpty)
  }

  /// Both ran it while the store was away and found the same: one incident for who is told, and one end.
  @Test func bothFoundItWhileTheStoreWasAway() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.isAway = true
    world.assist(shop)
    world.fail(shop, by: 0)
    world.fail(shop, by: 1)
    world.pass(30)
    #expect(world.messages.map(\.kind) == [.opened, .opened], "told twice is better than not at all")
    #expect(Set(world.messages.map(\.incident)).count == 1, "a receiver knows that it is one")
    world.isAway = false
    world.give(shop, to: 0)
    world.pass(200)
    world.mend(shop, by: 0)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .opened, .recovered])
    #expect(Set(world.messages.map(\.incident)).count == 1)
  }

  /// The store is wiped, before the end or in it: what is open is put there again, and no message repeats.
  @Test(arguments: [40, 55, 58, 60, 75]) func theStoreIsWiped(at second: Int64) throws {
    let shop = try makeCheck("Shop")
    var world = world([shop], agents: 3)
    world.fail(shop, by: 0)
    world.pass(40)
    if second > 40 {
      world.mend(shop, by: 0)
      world.pass(second - 40)
    }
    world.wipe()
    world.pass(100)
    if second == 40 {
      #expect(world.heard.count == 1 && world.store.count == 2)
      world.mend(shop, by: 0)
      world.pass(60)
    }
    #expect(world.heard == ["0 \(down)", "0 \(up)"])
    world.kill(0)
    world.give(shop, to: 1)
    world.pass(100)
    #expect(world.heard.count == 2)
  }

  /// An agent comes back with what it knew, and another has told the end meanwhile.
  @Test(arguments: [false, true]) func aRestartAfterTheEnd(isWiped: Bool) throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    if isWiped {
      world.wipe()
      world.pass(20)
    }
    world.kill(0)
    world.give(shop, to: 1)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    world.restart(0)
    world.pass(20)
    world.give(shop, to: 0)
    world.mend(shop, by: 0)
    world.pass(120)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    // And it finds a new one as ever.
    world.fail(shop, by: 0)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .recovered, .opened])
    #expect(world.messages[2].incident != world.messages[0].incident)
  }

  /// An agent that is started again within its lease goes on.
  @Test func aRestartInBetween() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.kill(0)
    world.pass(3)
    world.restart(0)
    world.fail(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(60)
    #expect(world.heard == ["0 \(down)", "0 \(up)"])
  }

  /// Acknowledged at a member that does not notify: the agent that does knows.
  @Test func anAcknowledgementGoesRound() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.acknowledge(1)
    world.pass(5)
    #expect(world.incidents(0).first?.acknowledged?.by == "ann")
  }

  /// A check that is in no list any more is resolved as that.
  @Test func aRemovedCheck() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.remove(shop)
    world.pass(240)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    #expect(world.messages[1].title == "Shop is not monitored any more: removed from the configuration")
    #expect(world.store.isEmpty)
  }

  /// What is no entry ends nothing, and keeps nothing from being told.
  @Test func garbageInTheStore() throws {
    let shop = try makeCheck("Shop")
    for text in [
      #"{"v":2,"by":"x","incident":{"id":"nothing"}}"#, "[]", String(repeating: " ", count: 100_000),
    ] {
      #expect(SharedValue(json: Array(text.utf8), at: shop.id, now: reading(0)) == nil)
    }
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(5)
    let bytes = try #require(world.store[shop.id]?.value)
    // Members that another version knows mean nothing.
    let more = String(decoding: bytes, as: UTF8.self).replacing("{\"v\":2", with: "{\"v\":2,\"new\":[{}]")
    #expect(
      SharedValue(json: Array(more.utf8), at: shop.id, now: reading(0))
        == SharedValue(json: bytes, at: shop.id, now: reading(0)))
    world.garble(shop)
    world.pass(60)
    #expect(world.heard == ["0 \(down)"])
  }
}
