// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Who of a group acknowledges, who notifies, and what the others know of it.
@Suite struct SharingPairTests {
  private func known(_ world: ShareWorld, _ agent: Int) -> String? {
    world.incidents(agent).first?.acknowledged?.by
  }

  /// At any member, whoever of them runs the check: all know of it, and it is in the store.
  @Test(arguments: [0, 1, 2], [0, 1, 2]) func allKnow(acknowledges: Int, runs: Int) throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 3, [shop])
    world.give(shop, to: runs)
    world.pass(5)
    world.fail(shop, by: runs)
    world.pass(40)
    #expect((0..<3).map { known(world, $0) } == [nil, nil, nil])
    world.acknowledge(acknowledges)
    world.pass(10)
    #expect((0..<3).map { known(world, $0) } == ["ann", "ann", "ann"])
    let stored = world.store.values.compactMap { stored -> String? in
      let json = try? JSONValue.parse(stored.value)
      return json?["incident"]?["ack"]?["by"]?.string
    }
    #expect(stored == ["ann"])
  }

  /// An acknowledgement at a member that does not notify is written once, and not again because its instant has more digits.
  @Test func itIsWrittenOnce() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop])
    world.fail(shop, by: 0)
    world.pass(40)
    world.acknowledge(1)
    world.pass(10)
    let id = try #require(world.incidents(0).first?.id)
    let changed = try #require(world.store[id]).changed
    #expect([0, 1].map { world.incidents($0).first?.acknowledged?.by } == ["ann", "ann"])
    world.pass(120)
    #expect(world.store[id]?.changed == changed)
  }

  /// The member that notified dies after the acknowledgement: the next one knows of it, and tells the end alone.
  @Test(arguments: [0, 1, 2]) func theNextOneKnows(acknowledges: Int) throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 3, [shop])
    world.give(shop, to: 2)
    world.pass(5)
    world.fail(shop, by: 2)
    world.pass(40)
    world.acknowledge(acknowledges)
    world.pass(10)
    world.kill(0)
    world.pass(100)
    #expect(known(world, 1) == "ann" && known(world, 2) == "ann")
    world.fail(shop, by: 2)
    world.pass(60)
    world.mend(shop, by: 2)
    world.pass(60)
    #expect(
      world.heard == ["0 opened Shop is down: refused", "1 recovered Shop is up again"])
    #expect(world.messages.map(\.acknowledgedBy).first == .some(nil))
  }

  /// The end of one alert of a check leaves another one of it in the store, and the incident open.
  @Test func oneOfTwoAlertsEnds() throws {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop]) { settings in
      let slow = AlertRule("slow", .consecutiveFailures(threshold: 1, recoveries: 3), severity: .high)
      settings.rules = [rule("down", .high), slow]
    }
    world.fail(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(60)
    world.mend(shop, by: 0)
    world.pass(200)
    #expect((0..<2).map { world.incidents($0).map(\.activeCount) } == [[1], [1]])
    #expect(!world.messages.map(\.kind).contains(.recovered) && world.store[shop.id] != nil)
    world.mend(shop, by: 0)
    world.pass(120)
    #expect(world.messages.map(\.kind).filter { $0 == .recovered }.count == 1 && world.store.isEmpty)
  }

  /// An incident waits ten seconds for a store that does not take it, and is sent then.
  @Test func aStoreThatTakesNothing() throws {
    let shop = try makeCheck("Shop")
    let settings = quickSettings()
    var book = AlertBook(settings, now: reading(0), generator: Counter())
    let names = IncidentNames(group: "london", checks: [shop.id])
    book.apply([shop], DependencyGraph([shop]), names: names, now: reading(0))
    var view = ShareView()
    (view.touch, view.world, view.revision, view.notifies) = (.fresh, 1, 10, true)
    book.follow(view, writer: "a", now: reading(0)) { _ in .owner }
    book.note(result(shop, .down, at: 0), now: reading(0))
    // The store has the alert, and not the incident.
    let own = try #require(book.share?.own[shop.id])
    view.entries[shop.id] = ShareEntry(.alerts(own), changed: 10)
    let sent = (Int64(0)...12).filter { second in
      book.follow(view, writer: "a", now: reading(second)) { _ in .owner }
      _ = book.writes(now: reading(second)) { _ in .owner }
      return !book.next(NotifyContext(now: reading(second), settings: settings)).isEmpty
    }
    #expect(sent.first == 10)
  }
}
