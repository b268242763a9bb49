// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// What people see of windows and of resources.
@Suite struct MaintenanceStatusTests {
  private let resource = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"

  private func check(_ name: String, threshold: Int = 1, tags: [String] = []) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.name = name
    definition.type = "tcp"
    definition.host = "127.0.0.1"
    definition.port = 80
    definition.timeout = .seconds(1)
    definition.resource = resource
    definition.failureThreshold = threshold
    definition.tags = tags
    return try MonitoringCheck(definition)
  }

  private func window(skip: Bool = false) throws -> MaintenanceWindow {
    var definition = MaintenanceDefinition()
    definition.name = "Patch night"
    definition.tags = ["db"]
    definition.start = "2026-01-01T00:05"
    definition.duration = .seconds(600)
    definition.repetition = "weekly"
    definition.skip = skip
    return try MaintenanceWindow(definition)
  }

  /// Two checks of one resource, the first down from the sixth minute on.
  private func store(_ first: MonitoringCheck, _ second: MonitoringCheck) -> HistoryStore {
    let store = HistoryStore()
    store.apply([first, second], now: midnight)
    for (index, var run) in grid(10).enumerated() {
      run.maintenance = index >= 5
      store.record(run.result(of: second), interval: .seconds(60))
      if index >= 6 { run.state = .down }
      store.record(run.result(of: first), interval: .seconds(60))
    }
    return store
  }

  @Test func aCheckInAWindowIsShownAsSuchOnEverySurface() throws {
    let (database, shop) = (try check("Database", tags: ["db"]), try check("Shop"))
    var snapshot = store(database, shop).snapshot(now: midnight + .seconds(600))
    snapshot.mark(MaintenancePlan([try window()], checks: [database, shop]))
    let status = try #require(snapshot.check(database.id))
    #expect(status.maintenance?.name == "Patch night")
    #expect(status.maintenance?.until == midnight + .seconds(900))
    #expect(snapshot.check(shop.id)?.maintenance == nil)
    #expect(snapshot.summary.maintenance == 1 && snapshot.summary.down == 0 && snapshot.summary.up == 1)
    // Down, and nobody need do anything about it.
    #expect(snapshot.problems.isEmpty)
    #expect(status.window(.day).uptime == 100)
    let text = StatusText(width: 100).render(snapshot)
    #expect(text.contains("1 down, 0 unknown") == false && text.contains(", 1 in maintenance"))
    #expect(text.contains("◆ MAINT"))
    #expect(text.contains("maintain  ◆ Patch night until 2026-01-01 00:15 UTC, 1 check"))
    let json = try JSONValue.parse(
      StatusJSON.success(now: midnight) { snapshot.writeSummary(full: true, to: &$0) })
    #expect(json["data"]?["checks"]?["maintenance"]?.integer == 1)
    #expect(json["data"]?["maintenance"]?[0]?["active"]?.bool == true)
    #expect(json["data"]?["maintenance"]?[0]?["until"]?.string == "2026-01-01T00:15:00.000Z")
    #expect(json["data"]?["list"]?[0]?["maintenance"]?["name"]?.string == "Patch night")
    #expect(json["data"]?["list"]?[1]?["maintenance"] == nil)
  }

  @Test func afterTheWindowTheNextIsTold() throws {
    let (database, shop) = (try check("Database", tags: ["db"]), try check("Shop"))
    var snapshot = store(database, shop).snapshot(now: midnight + .seconds(7 * 86_400))
    snapshot.mark(MaintenancePlan([try window()], checks: [database, shop]))
    #expect(snapshot.maintenance.first?.isActive == false)
    let text = StatusText(width: 100).render(snapshot)
    #expect(text.contains("maintain  ◆ Patch night begins 2026-01-08 00:05 UTC, 1 check"))
  }

  @Test func nothingIsStaleWhereNothingIsProbed() throws {
    let (database, shop) = (try check("Database", tags: ["db"]), try check("Shop"))
    let history = HistoryStore()
    history.apply([database, shop], now: midnight)
    history.record(grid(1)[0].result(of: database), interval: .seconds(60))
    var snapshot = history.snapshot(now: midnight + .seconds(890))
    #expect(snapshot.check(database.id)?.stale == true)
    snapshot.mark(MaintenancePlan([try window(skip: true)], checks: [database, shop]))
    #expect(snapshot.check(database.id)?.stale == false)
  }

  /// The backend's rule: all fail is down, some fail or warn is degraded, else up.
  @Test(
    arguments: [
      ([.up, .up], .up), ([.down, .up], .degraded), ([.down, .down], .down), ([.degraded, .up], .degraded),
      ([.degraded, .down], .degraded), ([.unknown, .down], .down), ([.unknown, .up], .up),
      ([.unknown, .unknown], .unknown),
    ] as [([CheckState], CheckState)])
  func aResourceIsWhatAllItsChecksSay(_ states: [CheckState], _ expected: CheckState) throws {
    let checks = try states.indices.map { try check("check \($0)") }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    for (check, state) in zip(checks, states) {
      store.record(Run(slot: midnight, state: state).result(of: check), interval: .seconds(60))
    }
    let resources = store.snapshot(now: midnight + .seconds(10)).resources
    #expect(resources.map(\.state) == [expected])
    #expect(resources.first?.checks == checks.map(\.name))
  }

  @Test func aResourceTakesNoticeFromTheThresholdOn() throws {
    let check = try check("Shop", threshold: 3)
    let store = HistoryStore()
    store.apply([check], now: midnight)
    func after(_ states: CheckState..., from minute: Int) -> CheckState? {
      for (index, state) in states.enumerated() {
        let run = Run(slot: midnight + .seconds(60 * (minute + index)), state: state)
        store.record(run.result(of: check), interval: .seconds(60))
      }
      return store.snapshot(now: midnight + .seconds(3600)).resources.first?.state
    }
    #expect(after(.down, .down, from: 0) == .up)
    // Unknown says nothing, so it does not end the row.
    #expect(after(.unknown, from: 2) == .unknown)
    #expect(after(.down, from: 3) == .down)
    #expect(store.snapshot(now: midnight).check(check.id)?.failures == 3)
    #expect(after(.up, .down, from: 4) == .up)
    let manual = Run(slot: midnight + .seconds(420), state: .down, trigger: .manual)
    for _ in 0..<5 { store.record(manual.result(of: check), interval: .seconds(60)) }
    #expect(store.snapshot(now: midnight).check(check.id)?.failures == 1)
    let restored = HistoryStore(decoding: store.files())
    restored.apply([check], now: midnight + .seconds(480))
    #expect(restored.snapshot(now: midnight).check(check.id)?.failures == 1)
  }

  @Test func aResourceOnWhichSomebodyWorksIsNotJudged() throws {
    let (database, shop) = (try check("Database", tags: ["db"]), try check("Shop"))
    var snapshot = store(database, shop).snapshot(now: midnight + .seconds(600))
    snapshot.mark(MaintenancePlan([try window()], checks: [database, shop]))
    // Both were last seen in maintenance.
    #expect(snapshot.resources.first?.state == .unknown)
  }

  /// Of several windows the one that ends last is shown; a check is not probed while any of them says so.
  @Test func severalWindowsAtOnce() throws {
    func window(_ name: String, minutes: Int, skip: Bool) throws -> MaintenanceWindow {
      var definition = MaintenanceDefinition()
      (definition.name, definition.tags, definition.skip) = (name, ["db"], skip)
      (definition.start, definition.duration) = ("2026-01-01T00:05", .seconds(60 * minutes))
      return try MaintenanceWindow(definition)
    }
    let (database, shop) = (try check("Database", tags: ["db"]), try check("Shop"))
    func mark(_ short: Bool, _ long: Bool, after seconds: Int) throws -> CheckMaintenance? {
      var snapshot = store(database, shop).snapshot(now: midnight + .seconds(seconds))
      let windows = [
        try window("short", minutes: 5, skip: short), try window("long", minutes: 10, skip: long),
      ]
      snapshot.mark(MaintenancePlan(windows, checks: [database, shop]))
      #expect(snapshot.check(shop.id)?.maintenance == nil)
      return snapshot.check(database.id)?.maintenance
    }
    for (short, long) in [(true, false), (false, true), (true, true), (false, false)] {
      let both = try #require(try mark(short, long, after: 599))
      #expect(both == CheckMaintenance(name: "long", until: midnight + .seconds(900), skip: short || long))
      let one = try #require(try mark(short, long, after: 600))
      #expect(one == CheckMaintenance(name: "long", until: midnight + .seconds(900), skip: long))
    }
  }
}
