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
}
