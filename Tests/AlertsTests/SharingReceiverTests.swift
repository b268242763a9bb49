// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A channel of a group that leads to another receiver, from member to member: the old receiver gets one end, the new one one
/// begin, whichever member is reloaded first.
@Suite struct SharingReceiverTests {
  private let opened = "opened Shop is down: refused"
  private let left =
    "recovered channel removed; the incident is still open: Shop is down: refused"

  private func settings(_ path: String) throws -> (inout AlertSettings) -> Void {
    let channel = try ReceiverChangeTests.webhook(path)
    return { $0.channels = [channel] }
  }

  @Test(arguments: [[0, 1], [1, 0]], [0, 20] as [Int64]) func aRollingReload(order: [Int], pause: Int64)
    throws
  {
    let shop = try makeCheck("Shop")
    var world = ShareWorld(agents: 2, [shop], try settings("a"))
    world.fail(shop, by: 0)
    world.pass(40)
    #expect(world.heard == ["0 \(opened)"])
    for agent in order {
      world.reload(agent, try settings("b"))
      world.pass(pause)
    }
    world.pass(20)
    #expect(world.heard.dropFirst().sorted() == ["0 \(opened)", "0 \(left)"])
    world.kill(0)
    world.give(shop, to: 1)
    world.fail(shop, by: 1)
    world.pass(60)
    world.mend(shop, by: 1)
    world.pass(90)
    #expect(world.heard.dropFirst(3) == ["1 recovered Shop is up again"])
    #expect(world.store.isEmpty)
  }
}
