// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

struct MaintenanceJudgeTests {
  private func problems(_ fill: (inout MaintenanceDefinition) -> Void) -> [String] {
    var definition = MaintenanceDefinition()
    definition.name = "Patch night"
    definition.start = "2026-01-04T02:00"
    fill(&definition)
    do throws(InvalidMaintenance) {
      _ = try MaintenanceWindow(definition)
      return []
    } catch { return error.problems.map { "\(CheckProblem.keyText($0.path)): \($0.message)" } }
  }

  @Test("every problem is told at once, each at its key")
  func all() {
    let found = problems {
      $0.name = nil
      $0.start = "2026-02-30T02:00"
      $0.checks = []
      $0.resources = ["db"]
      $0.repetition = "yearly"
      $0.timezone = "Mars/Olympus"
    }
    #expect(
      found == [
        "name: name is missing", "checks: checks is empty",
        "resources[0]: resources[0] must be a UUID, found \"db\"",
        "start: start must be a date and a time of day, found \"2026-02-30T02:00\"",
        "repeat: repeat must be one of none, daily, weekly, monthly, found \"yearly\"",
        "duration: the window has no end",
        "timezone: timezone is no time zone this system knows, found \"Mars/Olympus\"",
      ])
  }

  @Test("start and end that are equal are refused")
  func empty() {
    let words = "end: end is the start itself: the window would never hold"
    #expect(problems { $0.end = "02:00" } == [words])
    #expect(problems { $0.end = "2026-01-04T02:00" } == [words])
    #expect(problems { $0.duration = .zero } == ["duration: duration must be at least 1m, found 0s"])
    #expect(problems { $0.end = "01:00" } == [])
    #expect(
      problems { $0.end = "2026-01-04T01:00" } == [
        "end: end (2026-01-04T01:00) must be after start (2026-01-04T02:00)"
      ])
  }

  @Test("a window may not begin again before it ends")
  func period() {
    #expect(
      problems {
        $0.repetition = "daily"
        $0.duration = .seconds(90_000)
      } == ["duration: a daily window may last at most 1d, found 25h"])
    #expect(
      problems {
        $0.repetition = "monthly"
        $0.end = "2026-02-04T02:00"
      } == ["end: a monthly window may last at most 28d, found 31d"])
    #expect(
      problems {
        $0.repetition = "daily"
        $0.duration = .seconds(86_400)
      } == [])
  }

  @Test("a window may last as long as its shortest period, and no longer")
  func longest() {
    for (repetition, days) in [("daily", 1), ("weekly", 7), ("monthly", 28)] {
      for more in [0, 1] {
        let found = problems {
          ($0.repetition, $0.duration) = (repetition, .seconds(days * 86_400 + more))
        }
        #expect(found.count == more, "\(repetition)")
      }
    }
  }

  @Test("a start with an offset, and two ways to end, are refused")
  func others() {
    #expect(
      problems {
        $0.start = "2026-01-04T02:00:00Z"
        $0.duration = .seconds(60)
      } == ["start: start must be a local time without an offset, found \"2026-01-04T02:00:00Z\""])
    #expect(
      problems {
        $0.duration = .seconds(60)
        $0.end = "04:00"
      } == ["end: duration and end exclude each other"])
  }

  @Test("a window of the API is in UTC and for one resource")
  func api() throws {
    let resource = UniqueID(high: 1, low: 2)
    let starts = try #require(Timestamp(rfc3339: "2026-01-31T02:00:00+00:00"))
    func window(_ hours: Int, _ repetition: String?) throws(InvalidMaintenance) -> MaintenanceWindow {
      try MaintenanceWindow(
        id: UniqueID(high: 0, low: 9), title: "Patch\nnight", resource: resource, starts: starts,
        ends: starts.advanced(by: .seconds(hours * 3600)), repetition: repetition)
    }
    let monthly = try window(2, "monthly")
    #expect(monthly.selection.resources == [resource])
    #expect(monthly.origin == .api)
    #expect(!monthly.name.contains("\n"))
    // The 31st of February is its last day.
    let second = starts.advanced(by: .seconds(28 * 86_400))
    #expect(monthly.occurrence(at: second) == second..<second.advanced(by: .seconds(7200)))
    #expect(throws: InvalidMaintenance.self) { try window(0, nil) }
    #expect(throws: InvalidMaintenance.self) { try window(-1, nil) }
    #expect(throws: InvalidMaintenance.self) { try window(25, "daily") }
    #expect(throws: InvalidMaintenance.self) { try window(1, "yearly") }
  }

  @Test("a window names checks by name, id, tag or resource, or all of them")
  func selection() throws {
    var definition = CheckDefinition()
    definition.name = "Postgres"
    definition.type = "tcp"
    definition.host = "db.internal"
    definition.port = 5432
    definition.tags = ["db", "prod"]
    definition.resource = "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"
    let check = try MonitoringCheck(definition)
    let resource = try #require(check.resourceID)
    #expect(MaintenanceSelection().contains(check))
    #expect(MaintenanceSelection(checks: ["Postgres"]).contains(check))
    #expect(MaintenanceSelection(checks: [ByteText(check.id.description)]).contains(check))
    #expect(MaintenanceSelection(checks: ["Redis"], tags: ["prod"]).contains(check))
    #expect(MaintenanceSelection(resources: [resource]).contains(check))
    #expect(!MaintenanceSelection(checks: ["postgres"], tags: ["web"]).contains(check))
    var window = MaintenanceDefinition()
    window.name = "x"
    window.start = "2026-01-04T02:00"
    window.duration = .seconds(3600)
    window.tags = ["db"]
    window.skip = true
    let plan = MaintenancePlan([try MaintenanceWindow(window)], checks: [check])
    let inside = Timestamp(rfc3339: "2026-01-04T02:30:00Z") ?? .epoch
    #expect(plan.skips(check.id, at: inside))
    #expect(plan.active(check.id, at: inside).map(\.name) == ["x"])
    #expect(plan.active(UniqueID(high: 0, low: 0), at: inside).isEmpty)
    #expect(plan.counts == [1])
  }
}
