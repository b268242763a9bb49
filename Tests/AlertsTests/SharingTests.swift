// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Agents of a group that keep their incidents together: one clock, one store in memory, no network.
@Suite struct SharingTests {
  private func world(_ checks: [MonitoringCheck], agents: Int = 2) -> ShareWorld {
    ShareWorld(agents: agents, checks)
  }

  /// Killed after it told: the next one tells the end, with the same id and begin, and nothing else.
  @Test func aKilledAgentIsFollowedByAnother() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard == ["0 opened Shop is down"])
    world.kill(0)
    world.give(shop, to: 1)
    world.fail(shop, by: 1)
    world.pass(60)
    world.fail(shop, by: 1)
    world.pass(60)
    #expect(world.heard.count == 1)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["0 opened Shop is down", "1 recovered Shop is up again"])
    #expect(world.messages[0].incident == world.messages[1].incident)
    #expect(world.messages[1].begin == world.messages[0].begin && world.messages[1].begin == after(0))
    #expect(world.store.isEmpty)
  }

  /// Killed before anybody was told: the next one tells.
  @Test func whatWasNotToldIsTold() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(5)
    #expect(world.heard.isEmpty && world.store.count == 1)
    world.kill(0)
    world.give(shop, to: 1)
    world.pass(30)
    #expect(world.heard == ["1 opened Shop is down"])
    #expect(world.messages[0].begin == after(0), "it began when the first one found it")
  }

  /// Its receiver does not answer: the check goes to another, and so does the message.
  @Test func whatWaitsGoesWithTheCheck() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.deaf = [0]
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard.isEmpty)
    world.give(shop, to: 1)
    world.pass(30)
    world.deaf = []
    world.pass(60)
    #expect(world.heard == ["1 opened Shop is down"])
  }

  /// Two checks of one incident go to two agents: the end is told once, when both are well.
  @Test func oneIncidentOfTwoAgents() throws {
    let checks = [try makeCheck("Shop"), try makeCheck("Till")]
    var world = world(checks, agents: 3)
    for check in checks { world.fail(check, by: 0) }
    world.pass(40)
    #expect(world.messages.map(\.kind) == [.opened] && world.messages[0].memberCount == 2)
    world.kill(0)
    world.give(checks[0], to: 1)
    world.give(checks[1], to: 2)
    world.mend(checks[0], by: 1)
    world.pass(120)
    #expect(world.heard.count == 1, "the other one is down still")
    world.mend(checks[1], by: 2)
    world.pass(120)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    #expect(Set(world.messages.map(\.incident)).count == 1)
    #expect(world.store.isEmpty)
  }

  /// What fails together with agents apart is one incident: who finds it second joins.
  @Test func oneHostTwoAgents() throws {
    let checks = [try makeCheck("Shop"), try makeCheck("Till")]
    var world = world(checks)
    world.give(checks[1], to: 1)
    world.fail(checks[0], by: 0)
    world.pass(5)
    world.fail(checks[1], by: 1)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened] && world.messages[0].memberCount == 2)
    world.mend(checks[0], by: 0)
    world.mend(checks[1], by: 1)
    world.pass(60)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
  }

  /// Without a store people are told at once, and when it is back nothing is told again.
  @Test func theStoreIsAway() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.isAway = true
    world.fail(shop, by: 0)
    world.pass(30)
    #expect(world.heard == ["0 opened Shop is down"])
    world.isAway = false
    world.pass(60)
    #expect(world.heard.count == 1 && world.store.count == 1)
    world.isAway = true
    world.pass(60)
    world.isAway = false
    world.give(shop, to: 1)
    world.pass(30)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["0 opened Shop is down", "1 recovered Shop is up again"])
    #expect(world.messages[0].incident == world.messages[1].incident)
  }

  /// Both ran it while the store was away and found the same: one incident to whoever is told, and one end afterwards.
  @Test func bothFoundItWhileTheStoreWasAway() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.isAway = true
    world.assist(shop, 1)
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

  /// The store is wiped: what is open is put there again, and nobody hears of it.
  @Test func theStoreIsWiped() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.wipe()
    world.pass(20)
    #expect(world.store.count == 1 && world.heard.count == 1)
    world.kill(0)
    world.give(shop, to: 1)
    world.pass(30)
    world.mend(shop, by: 1)
    world.pass(60)
    #expect(world.heard == ["0 opened Shop is down", "1 recovered Shop is up again"])
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
    try world.restart(0)
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

  /// An agent that is started again within its lease keeps its incidents, as without a group.
  @Test func aRestartInBetween() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.kill(0)
    world.pass(3)
    try world.restart(0)
    world.fail(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(60)
    #expect(world.heard == ["0 opened Shop is down", "0 recovered Shop is up again"])
  }

  /// A check that is in no list any more: whoever cleans ends what is open of it.
  @Test func aRemovedCheck() throws {
    let shop = try makeCheck("Shop")
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.remove(shop)
    world.pass(60)
    #expect(world.store.count == 1, "the others may have another list yet")
    world.pass(180)
    #expect(world.messages.map(\.kind) == [.opened, .recovered])
    #expect(world.store.isEmpty)
  }

  /// What is no entry ends nothing, and does not keep anybody from telling.
  @Test func garbageInTheStore() throws {
    let shop = try makeCheck("Shop")
    let text = Array(#"{"v":1,"by":"x","incident":{"id":"nothing"}}"#.utf8)
    #expect(SharedPart(json: text, of: shop.id) == nil)
    #expect(SharedPart(json: Array("[]".utf8), of: shop.id) == nil)
    #expect(SharedPart(json: Array(repeating: 0x20, count: 100_000), of: shop.id) == nil)
    var world = world([shop])
    world.fail(shop, by: 0)
    world.pass(5)
    let part = try #require(world.store[shop.id]?.part)
    let bytes = try #require(part.json)
    // Members that another version knows mean nothing.
    let more = String(decoding: bytes, as: UTF8.self).replacing("{\"v\":1", with: "{\"v\":1,\"new\":[{}]")
    #expect(SharedPart(json: Array(more.utf8), of: shop.id) == part)
    world.garble(shop)
    world.pass(60)
    #expect(world.heard == ["0 opened Shop is down"])
  }

  /// Any number of moves, deaths and outages: nobody is ever told less than once, and at most once while the store is there.
  @Test(arguments: 0..<8) func anyHistory(seed: UInt64) throws {
    var random = Counter(state: seed &* 7919)
    let checks = try (0..<3).map { try makeCheck("c\($0)", host: "10.\($0).0.1") }
    var world = world(checks, agents: 3)
    var isDown = [false, false, false]
    for _ in 0..<60 {
      let place = Int(random.next() % 3)
      switch random.next() % 4 {
      case 0: isDown[place].toggle()
      case 1:
        let agent = Int(random.next() % 3)
        if !world.isDead(agent) { world.give(checks[place], to: agent) }
      case 2 where world.deadCount == 0:
        let agent = Int(random.next() % 3)
        world.kill(agent)
        for check in checks where world.owner(check) == agent { world.give(check, to: (agent + 1) % 3) }
      default: try world.restartAll()
      }
      for (place, check) in checks.enumerated() {
        let owner = world.owner(check)
        if isDown[place] { world.fail(check, by: owner) } else { world.mend(check, by: owner) }
      }
      // Long enough for a message to be told, and for that to be known.
      world.pass(60)
      for (place, check) in checks.enumerated() {
        let own = world.messages.filter { $0.members.contains { $0.checkID == check.id } }
        let kinds = own.map(\.kind)
        let wanted: AlertMessage.Kind? = isDown[place] ? .opened : kinds.isEmpty ? nil : .recovered
        #expect(kinds.last == wanted, "\(seed)")
        for (one, next) in zip(kinds, kinds.dropFirst()) { #expect(one != next, "\(seed)") }
      }
    }
  }
}
