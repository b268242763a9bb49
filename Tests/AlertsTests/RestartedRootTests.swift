// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// The first check of an incident works again, and the agent starts again before anybody was told of that.
@Suite struct RestartedRootTests {
  /// What the others do since then is not known: nothing is "still down" before a result says so.
  @Test(arguments: [false, true]) func theOthersAreWaitedFor(_ isStillDown: Bool) throws {
    let checks = try ["web", "db"].map { try makeCheck($0) }
    var settings = quickSettings()
    settings.remind = .seconds(86_400)
    var desk = Desk(settings, checks)
    desk.down(checks[0], at: 0)
    desk.pass(from: 0, to: 9)
    desk.down(checks[1], at: 10)
    desk.pass(from: 10, to: 30)
    desk.up(checks[0], at: 31)
    desk.pass(from: 31, to: 31)
    desk = try desk.restarted(at: 32)
    desk.pass(from: 32, to: 60)
    if isStillDown { desk.down(checks[1], at: 61) } else { desk.up(checks[1], at: 61) }
    desk.pass(from: 61, to: 80)
    #expect(
      desk.told.map { "\($0.at < 61 ? "before" : "after") \($0.message.kind.rawValue)" } == [
        "before opened", "before update", isStillDown ? "after update" : "after recovered",
      ])
  }
}
