// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What a member finds in the store of a time that it does not remember: a copy of before, or its own words without its disk.
@Suite struct SharingCopyTests {
  private let down = "0 opened Shop is down: refused"
  private let up = "0 recovered Shop is up again"

  /// In the copy the check fires. Its member, which has found it up since, takes longer to read it than a group waits.
  @Test func anAlertOfACopyWaitsForItsMember() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.give(shop, to: 1)
    world.pass(1)
    world.fail(shop, by: 1)
    world.pass(1)
    let copy = world.store
    world.pass(40)
    world.mend(shop, by: 1)
    world.pass(120)
    #expect(world.heard == [down, up])
    world.setBack(to: copy)
    world.asleep = [1]
    world.pass(20)
    #expect(world.heard == [down, up])
    world.asleep = []
    world.pass(200)
    #expect(world.heard == [down, up])
    #expect(world.store.isEmpty && world.incidents(0).isEmpty)
  }

  /// Where its member does not take it out, an alert of the copy is told, only later.
  @Test func anAlertOfACopyThatStillFiresIsTold() throws {
    let (shop, mail) = (try makeCheck("Shop"), try makeCheck("Mail"))
    var world = ShareWorld(agents: 2, [shop, mail])
    world.give(shop, to: 1)
    world.pass(1)
    world.fail(shop, by: 1)
    world.pass(1)
    let copy = world.store
    world.fail(mail, by: 0)
    world.pass(1)
    world.setBack(to: copy)
    world.asleep = [1]
    world.pass(24)
    #expect(world.heard == [])
    world.pass(4)
    #expect(world.heard == ["0 opened Shop and 1 more are down: refused"])
  }

  /// A container that begins again under its name goes on with what it wrote before: it has not found it up.
  @Test func aMemberWithoutItsDisk() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.give(shop, to: 1)
    world.pass(1)
    world.fail(shop, by: 1)
    world.pass(40)
    #expect(world.heard == [down])
    world.kill(1)
    world.loseDisk(1)
    world.restart(1)
    world.pass(200)
    #expect(world.heard == [down])
    world.fail(shop, by: 1)
    world.pass(200)
    #expect(world.heard == [down])
    world.mend(shop, by: 1)
    world.pass(200)
    #expect(world.heard == [down, up])
    #expect(world.store.isEmpty)
  }

  /// It was told and ended while this member was off, and the store was wiped: the end is not told again.
  @Test func anIncidentOfAStoreThatIsNoMore() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 3, [shop])
    world.notifying = [1]
    world.fail(shop, by: 0)
    world.pass(40)
    let (opened, ended) = ("1 opened Shop is down: refused", "1 recovered Shop is up again")
    #expect(world.heard == [opened])
    world.kill(2)
    world.mend(shop, by: 0)
    world.pass(120)
    world.wipe()
    world.restart(2)
    world.pass(120)
    world.kill(1)
    world.notifying = [2]
    world.pass(400)
    #expect(world.heard == [opened, ended])
    #expect(world.incidents(2).isEmpty && world.store.isEmpty)
  }

  /// The agent that notifies in the new store was off when it was told: a member that knows of it writes it, and its end is told.
  @Test func anIncidentThatTheNextToNotifyDoesNotKnow() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 3, [shop])
    world.kill(2)
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard == [down])
    world.kill(1)
    world.wipe()
    world.restart(2)
    world.notifying = [2]
    world.give(shop, to: 2)
    world.pass(5)
    world.fail(shop, by: 2)
    world.pass(120)
    world.mend(shop, by: 2)
    world.pass(300)
    let (begins, ends) = (
      world.messages.filter { $0.kind == .opened }, world.messages.filter { $0.kind == .recovered }
    )
    #expect(begins.map(\.incident).contains(world.messages[0].incident))
    #expect(Set(ends.map(\.incident)) == Set(begins.map(\.incident)), "\(world.heard)")
    #expect(ends.count == Set(begins.map(\.incident)).count, "\(world.heard)")
    #expect(world.store.isEmpty)
  }

  /// It told of an update alone, of an incident that the group has under the same id: the group tells its end, once.
  @Test func anUpdateToldAloneIsNoIncidentOfItsOwn() throws {
    let (shop, mail) = (try makeCheck("Shop"), try makeCheck("Mail"))
    var world = ShareWorld(agents: 2, [shop, mail])
    world.fail(shop, by: 0)
    world.pass(40)
    world.isAway = true
    world.fail(mail, by: 0)
    world.pass(300)
    #expect(
      world.heard == [down, "0 update Mail joined: Shop and 1 more are down: refused"], "\(world.heard)")
    world.outside = [0]
    world.takeOver(shop, by: 1)
    world.takeOver(mail, by: 1)
    world.fail(mail, by: 1)
    world.pass(300)
    world.mend(shop, by: 1)
    world.mend(mail, by: 1)
    world.pass(300)
    let ends = world.messages.filter { $0.kind == .recovered }
    #expect(world.heard.filter { $0.contains("recovered") } == ["1 recovered Shop and 1 more are up again"])
    #expect(ends.map(\.incident) == [world.messages[0].incident])
  }

  /// The group's incident was over before anybody heard of it, and this member told of it alone: its end is told, too.
  @Test func theEndOfWhatWasToldAlone() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.fail(shop, by: 0)
    world.pass(3)
    world.asleep = [0]
    world.takeOver(shop, by: 1)
    world.mend(shop, by: 1)
    world.pass(120)
    #expect(world.heard == [] && world.store.isEmpty)
    world.isAway = true
    world.asleep = []
    world.notifying = [0]
    world.give(shop, to: 0)
    world.fail(shop, by: 0)
    world.pass(60)
    #expect(world.heard == [down])
    world.takeOver(shop, by: 1)
    world.pass(200)
    #expect(world.heard == [down, "1 recovered Shop is up again"])
    #expect(world.store.isEmpty)
  }
}
