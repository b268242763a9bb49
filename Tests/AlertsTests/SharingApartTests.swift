// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Members whose lists of checks are different run each the checks of their own list.
@Suite struct SharingApartTests {
  private let check: MonitoringCheck
  private let opened = "0 opened Shop is down: refused"
  private let recovered = "0 recovered Shop is up again"

  init() throws { check = try makeCheck("Shop") }

  /// What one of them finds is told by the one that notifies, also of a check that is not in its own list.
  @Test func anAlertOfAnotherListIsTold() throws {
    var world = ShareWorld(agents: 2, [check, try makeCheck("Mail")])
    world.lacking = [0: [check.id]]
    world.fail(check, by: 1)
    world.pass(200)
    #expect(world.heard == [opened])
    world.mend(check, by: 1)
    world.pass(30)
    let store = world.store.values.map { String(decoding: $0.value, as: UTF8.self) }
    #expect(world.heard == [opened, recovered], "\(store)")
  }

  /// Both find a check down, at different instants: there is one alert, and its entry is written once.
  @Test func theyDoNotWriteOverEachOther() throws {
    var world = ShareWorld(agents: 2, [check])
    world.lacking = [:]
    world.fail(check, by: 1)
    world.pass(3)
    world.fail(check, by: 0)
    world.pass(60)
    let first = try #require(world.store[check.id]).changed
    world.pass(60)
    #expect(world.store[check.id]?.changed == first)
    #expect(world.heard == [opened])
  }

  /// Only one of them finds it down, and the other up: it is down until neither does.
  @Test func downIsDownWhereOneFindsIt() {
    var world = ShareWorld(agents: 2, [check])
    world.lacking = [:]
    world.fail(check, by: 1)
    world.pass(30)
    world.mend(check, by: 0)
    world.pass(30)
    #expect(world.heard == [opened])
    world.mend(check, by: 1)
    world.pass(30)
    #expect(world.heard == [opened, recovered])
  }

  /// With one list again, the check's owner goes on with the alert.
  @Test func theListsAreOneAgain() {
    var world = ShareWorld(agents: 2, [check])
    world.lacking = [0: [check.id]]
    world.fail(check, by: 1)
    world.pass(30)
    world.lacking = nil
    world.fail(check, by: 0)
    world.pass(30)
    world.mend(check, by: 0)
    world.pass(30)
    #expect(world.heard == [opened, recovered])
  }
}
