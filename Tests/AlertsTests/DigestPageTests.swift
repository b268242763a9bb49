// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A digest of more incidents than it has lines, at a receiver that refuses a part of it.
@Suite struct DigestPageTests {
  private func desk(_ count: Int) throws -> Desk {
    let checks = try StormTests.checks(count)
    var settings = quickSettings([rule("down", .low)])
    settings.digest = 30
    var desk = Desk(settings, checks)
    for check in checks { desk.down(check, at: 0) }
    return desk
  }

  /// One page is refused: the others are sent, and it is tried once more after them.
  @Test func aPageThatIsRefused() throws {
    var desk = try desk(101)
    desk.answer = { message, _ in message.memberCount == 100 ? .refused("413") : .delivered }
    desk.pass(from: 0, to: 100)
    #expect(desk.sent.map(\.at) == [30, 31, 32])
    #expect(desk.lines == ["31 digest 1 incident since the last digest; 100 more follow"])
    #expect(!desk.book.notifier.state(of: "ops").isDigestDue)
  }
}
