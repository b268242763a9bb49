// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Storms and digests of a group: one of each, whichever member tells it.
@Suite struct SharingStormTests {
  private func storm() throws -> (ShareWorld, [MonitoringCheck]) {
    let checks = try (0..<12).map { try makeCheck("c\($0)", host: "10.0.\($0).1") }
    var world = ShareWorld(agents: 2, checks)
    for check in checks { world.fail(check, by: 0) }
    world.pass(40)
    #expect(world.heard == ["0 opened 12 checks of 12 incidents are down"])
    return (world, checks)
  }

  /// Who notifies no more says nothing more of it, and who notifies by then goes on with it as one.
  @Test func aStormGoesOnWithAnotherMember() throws {
    var (world, checks) = try storm()
    world.notifying = [1]
    world.pass(30)
    for check in checks.prefix(1) { world.mend(check, by: 0) }
    world.pass(120)
    for check in checks.dropFirst(1) { world.mend(check, by: 0) }
    world.pass(200)
    #expect(
      world.heard == [
        "0 opened 12 checks of 12 incidents are down",
        "1 update 11 checks of 11 incidents are still down, of 12 incidents in all",
        "1 recovered all 12 incidents of the storm are over",
      ], "\(world.heard)")
    #expect(Set(world.messages.map(\.incident)).count == 1)
    #expect(world.store.isEmpty)
  }

  /// The one that told of it is killed, and comes back when it is over.
  @Test func aStormOutlivesItsMember() throws {
    var (world, checks) = try storm()
    world.kill(0)
    for check in checks { world.give(check, to: 1) }
    for check in checks { world.fail(check, by: 1) }
    world.pass(120)
    for check in checks { world.mend(check, by: 1) }
    world.pass(200)
    world.restart(0)
    world.pass(120)
    #expect(
      world.heard == [
        "0 opened 12 checks of 12 incidents are down", "1 recovered all 12 incidents of the storm are over",
      ], "\(world.heard)")
  }

  /// Another member sends a storm that this one was about to send, and then leaves it to this one: it begins once.
  @Test func aStormThatAnotherMemberSentFirst() throws {
    let checks = try (0..<12).map { try makeCheck("c\($0)", host: "10.0.\($0).1") }
    var world = ShareWorld(agents: 2, checks)
    for check in checks { world.fail(check, by: 0) }
    world.pass(5)
    world.notifying = [1]
    world.pass(40)
    world.notifying = [0]
    world.pass(40)
    for check in checks { world.mend(check, by: 0) }
    world.pass(120)
    #expect(
      world.heard == [
        "1 opened 12 checks of 12 incidents are down", "0 recovered all 12 incidents of the storm are over",
      ], "\(world.heard)")
    #expect(Set(world.messages.map(\.incident)).count == 1)
  }

  /// What is of low severity is in one digest, of the member that notifies.
  @Test(arguments: 0..<3) func oneDigest(notifying member: Int) throws {
    let checks = try (0..<4).map { try makeCheck("c\($0)", host: "10.0.\($0).1") }
    var world = ShareWorld(agents: 3, checks) { settings in
      settings.rules = [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .low)]
      settings.digest = 120
    }
    world.notifying = [member]
    for check in checks { world.fail(check, by: 0) }
    world.pass(300)
    #expect(world.heard == ["\(member) digest 4 incidents since the last digest"], "\(world.heard)")
  }
}
