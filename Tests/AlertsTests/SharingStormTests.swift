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
        "1 update 11 checks of 11 incidents are still down; the storm had 12 incidents",
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
      settings.digest = 30
    }
    world.notifying = [member]
    for check in checks { world.fail(check, by: 0) }
    world.pass(90)
    #expect(world.heard == ["\(member) digest 4 incidents since the last digest"], "\(world.heard)")
  }

  /// An open incident that a channel was told of in a storm.
  private func told(_ number: UInt64, in storm: UniqueID, begin: Int64) throws -> Incident {
    let check = try makeCheck("c\(number)", host: "10.0.\(number).1")
    var trouble = Trouble(
      key: .init(rule: "down", check: check.id), subject: .availability, severity: .high, name: check.name,
      since: after(begin))
    trouble.state = .down
    var incident = Incident(
      id: UniqueID(high: 9, low: number), subject: .availability, begin: after(begin), opened: after(begin),
      at: reading(begin).boot)
    incident.take(trouble, at: reading(begin))
    var record = NotificationRecord()
    record.heard.alerts[trouble.key] = .init(severity: .high, level: 1)
    (record.first, record.last, record.lastAt) = (after(20), after(20), reading(20).boot)
    record.storm = storm
    incident.log["ops"] = record
    return incident
  }

  /// Of two storms of the same size every member adopts the same: the one that began first, and of those the older id.
  @Test(arguments: UInt64(0)..<24) func ofTwoStormsTheEarlier(_ seed: UInt64) throws {
    let ids = [UniqueID(high: seed, low: 1), UniqueID(high: seed, low: 2)]
    for (begins, expected) in [([Int64(5), 3], 1), ([3, 5], 0), ([3, 3], 0)] {
      let incidents = try (0..<2).flatMap { place in
        try (0..<12).map { try told(UInt64(place * 12 + $0), in: ids[place], begin: begins[place]) }
      }
      var notifier = Notifier(quickSettings(), now: after(30))
      let context = NotifyContext(now: reading(30), settings: quickSettings())
      notifier.watchStorm(incidents, notifier.channels[0], context)
      #expect(notifier.state(of: "ops").storm?.id == ids[expected])
    }
  }
}
