// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The turns of a channel that has more to send than one notification a second.
@Suite struct ChannelTurnTests {
  /// 300 incidents at Alertmanager, one more a second: the end of the first comes before the keep-alives. Those go together, the
  /// one that waited longest first, and before news when they are half a minute late.
  @Test func moreKeepAlivesThanTurns() throws {
    let checks = try StormTests.checks(300)
    var settings = quickSettings(channels: ["am"])
    settings.groupInterval = .seconds(1)
    settings.channels[0] = makeWebhook("am", .alertmanager)
    var desk = Desk(settings, checks)
    for (second, check) in checks.enumerated() {
      desk.down(check, at: Int64(second))
      if second == 250 { desk.up(checks[0], at: 250) }
      desk.tick(Int64(second))
    }
    desk.pass(from: 300, to: 305)
    #expect(desk.told.map(\.at) == (3...305).map { Int64($0) })
    let updates = desk.told.filter { $0.message.kind == .update }
    #expect(updates.map(\.at) == [274, 305] && updates[0].message.others.count == 30)
    #expect(
      desk.lines.suffix(3) == [
        "303 opened c271 is down: refused", "304 recovered c0 is up again", "305 update c32 is down: refused",
      ])
  }
}
