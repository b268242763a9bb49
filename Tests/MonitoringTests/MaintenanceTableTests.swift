// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Maintenance windows: their bounds, their forms, and what a plan of them says of a run.
@Suite struct MaintenanceTableTests {
  private let shop = UniqueID(high: 1, low: 1)

  private func window(_ fill: (inout MaintenanceDefinition) -> Void) throws(InvalidMaintenance)
    -> MaintenanceWindow
  {
    var definition = MaintenanceDefinition()
    (definition.name, definition.start) = ("Patch night", "2026-01-04T02:00")
    fill(&definition)
    return try MaintenanceWindow(definition)
  }

  private func problems(_ fill: (inout MaintenanceDefinition) -> Void) -> [String] {
    do throws(InvalidMaintenance) {
      _ = try window(fill)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  private func check(_ name: String, enabled: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition.tcp(host: "192.0.2.1", port: 80)
    (definition.name, definition.plan.enabled, definition.resource) = (name, enabled, shop.description)
    return try MonitoringCheck(definition)
  }

  @Test func boundsOfLengths() {
    let year = 366 * 86_400
    for (seconds, words) in [
      (60, nil), (59, "at least 1m, found 59s"), (year, nil), (year + 1, "at most 366d, found 31622401s"),
    ] as [(Int, String?)] {
      let found = problems { $0.duration = .seconds(seconds) }
      #expect(found == (words.map { ["duration: duration must be \($0)"] } ?? []), "\(seconds)")
    }
    for (end, words) in [
      ("02:01", nil), ("02:00:59", "at least 1m after start, found 59s after start"),
      ("2027-01-05T02:00", nil), ("2027-01-05T02:01", "at most 366d after start, found 527041m after start"),
    ] as [(String, String?)] {
      let found = problems { $0.end = end }
      #expect(found == (words.map { ["end: end must be \($0)"] } ?? []), "\(end)")
    }
  }

  @Test func namesAndLists() {
    func named(_ name: String) -> [String] { problems { ($0.name, $0.duration) = (name, .seconds(60)) } }
    let long = String(repeating: "x", count: 201)
    #expect(named(" ") == ["name: name is empty"] && named(String(long.dropLast())) == [])
    #expect(named("a\n") == ["name: name contains a control character"])
    #expect(named(long) == ["name: name must be at most 200 bytes, found 201"])
    #expect(problems { ($0.start, $0.duration) = (nil, .seconds(60)) } == ["start: start is missing"])
    let ids = (0..<257).map { UniqueID(high: 1, low: UInt64($0)).description }
    for (key, path) in [
      ("checks", \MaintenanceDefinition.checks), ("tags", \MaintenanceDefinition.tags),
      ("resources", \MaintenanceDefinition.resources),
    ] {
      func listed(_ list: [String]) -> [String] {
        problems {
          $0.duration = .seconds(60)
          $0[keyPath: path] = list
        }
      }
      #expect(listed(Array(ids.dropLast())) == [] && listed([]) == ["\(key): \(key) is empty"])
      #expect(listed(ids) == ["\(key): \(key) may list at most 256, found 257"])
    }
  }

  /// The end by the clock, in seconds after the start; a time of day is the next one.
  @Test(
    arguments: [
      ("02:30", 1800), ("01:59", 86_340), ("00:00", 79_200), ("02:00:30", nil), ("23:59:30", 79_170),
      ("2026-01-04T02:01", 60), ("2026-01-06 02:00", 172_800),
    ] as [(String, Int64?)])
  func endsByTheClock(end: String, seconds: Int64?) {
    let made = try? window { $0.end = end }
    #expect(made?.length == seconds.map { MaintenanceWindow.Length.clock(seconds: $0) })
  }

  @Test func windowsArePrinted() throws {
    let first = try window {
      ($0.checks, $0.tags, $0.resources) = (["b", "a"], ["web", "db"], [shop.description])
      ($0.end, $0.repetition, $0.timezone, $0.skip) = ("01:00", "weekly", "Europe/London", true)
    }
    let second = try window { ($0.start, $0.duration) = ("2026-01-04T02:00:30", .seconds(5400)) }
    var printer = KeyPrinter(secretPaths: [])
    printer.maintenance([first, second])
    #expect(
      printer.text == """
        maintenance:
          - name: "Patch night"
            checks: ["a", "b"]
            tags: ["db", "web"]
            resources: ["00000000-0000-0001-0000-000000000001"]
            start: "2026-01-04T02:00"
            end: "2026-01-05T01:00"
            repeat: weekly
            timezone: "Europe/London"
            skip: true
          - name: "Patch night"
            start: "2026-01-04T02:00:30"
            duration: 90m
            repeat: none
            timezone: "UTC"
            skip: false

        """)
  }

  /// A window by hand begins with the second it was opened in, and ends to the microsecond.
  @Test func windowsByHand() throws {
    let (from, until) = (Timestamp(microseconds: 10_400_000), Timestamp(microseconds: 70_250_000))
    let window = MaintenanceWindow(
      id: UniqueID(high: 9, low: 9), name: "deploy", selection: MaintenanceSelection(tags: ["web"]),
      from: from, until: until, skip: true)
    #expect(window.occurrence(at: Timestamp(microseconds: 9_999_999)) == nil)
    #expect(window.occurrence(at: from) == Timestamp(seconds: 10)..<until)
    #expect(window.occurrence(at: Timestamp(microseconds: 70_249_999)) == Timestamp(seconds: 10)..<until)
    #expect(window.occurrence(at: until) == nil && window.next(after: from) == nil)
    #expect(window.origin == .local && window.skip && window.repetition.rawValue == "none")
    #expect(window.zone == .utc)
  }

  /// A window of the API keeps its time of day in UTC, and is of its resource alone.
  @Test func windowsOfTheAPI() throws {
    let (starts, ends) = (try at("2026-03-28T22:30:00Z"), try at("2026-03-29T01:30:00Z"))
    let daily = try MaintenanceWindow(
      id: shop, title: "Patch", resource: shop, starts: starts, ends: ends, repetition: "daily")
    let (within, after) = (try at("2026-03-30T01:29:59Z"), try at("2026-03-30T01:30:00Z"))
    #expect(daily.occurrence(at: within)?.lowerBound.rfc3339 == "2026-03-29T22:30:00.000Z")
    #expect(daily.occurrence(at: after) == nil && !daily.skip)
    for (repetition, days) in [("daily", 1), ("weekly", 7), ("monthly", 28)] {
      for (more, isTaken) in [(0, true), (1, false)] {
        let end = starts.advanced(by: .seconds(days * 86_400 + more))
        let made = try? MaintenanceWindow(
          id: shop, title: "x", resource: shop, starts: starts, ends: end, repetition: repetition)
        #expect((made != nil) == isTaken, "\(repetition)")
      }
    }
    let once = try MaintenanceWindow(
      id: shop, title: "x", resource: shop, starts: starts, ends: starts.advanced(by: .seconds(400 * 86_400)),
      repetition: nil)
    #expect(once.repetition.rawValue == "none" && once.length == .elapsed(.seconds(400 * 86_400)))
  }

  /// Two windows of a check, of which the later one skips its probes.
  private func plan(_ checks: [MonitoringCheck]) throws -> MaintenancePlan {
    let long = try window { ($0.checks, $0.duration) = (["Front", "Off"], .seconds(7200)) }
    let late = try window {
      ($0.name, $0.checks, $0.start) = ("Late", ["Front"], "2026-01-04T03:00")
      ($0.duration, $0.skip) = (.seconds(7200), true)
    }
    return MaintenancePlan([long, late], checks: checks)
  }

  /// Each window of a check holds at its time.
  @Test func windowsOfACheck() throws {
    let (front, off, other) = (try check("Front"), try check("Off", enabled: false), try check("Other"))
    let plan = try plan([front, off, other])
    #expect(plan.counts == [1, 1])
    let rows: [(String, [String], Bool, String?)] = [
      ("2026-01-04T01:59:59Z", [], false, nil),
      ("2026-01-04T02:00:00Z", ["Patch night"], false, "2026-01-04T04:00:00.000Z"),
      ("2026-01-04T03:30:00Z", ["Patch night", "Late"], true, "2026-01-04T05:00:00.000Z"),
      ("2026-01-04T04:30:00Z", ["Late"], true, "2026-01-04T05:00:00.000Z"),
      ("2026-01-04T05:00:00Z", [], false, nil),
    ]
    for (text, names, skips, ends) in rows {
      let instant = try at(text)
      #expect(plan.active(front.id, at: instant).map(\.name) == names, "\(text)")
      #expect(plan.skips(front.id, at: instant) == skips && plan.ends(front.id, at: instant)?.rfc3339 == ends)
      #expect(plan.active(off.id, at: instant).isEmpty && plan.active(other.id, at: instant).isEmpty)
    }
  }

  /// A run is marked where its slot, its end or something between lies in a window.
  @Test func runsAreMarked() throws {
    let front = try check("Front")
    let plan = try plan([front])
    let slots: [(String, String, Bool)] = [
      ("2026-01-04T01:59:50Z", "2026-01-04T02:00:00Z", true),
      ("2026-01-04T01:59:50Z", "2026-01-04T01:59:59Z", false),
      ("2026-01-04T04:59:59Z", "2026-01-04T05:00:09Z", true),
      ("2026-01-04T05:00:00Z", "2026-01-04T05:00:09Z", false),
      // An end before the slot, of a clock that was set back, is the slot.
      ("2026-01-04T02:30:00Z", "2026-01-04T01:30:00Z", true),
    ]
    for (slot, end, isIn) in slots {
      var result = CheckResult(
        id: shop, check: front, trigger: .schedule, scheduledAt: try at(slot), startedAt: try at(slot),
        late: .zero, verdict: .ok)
      result.maintenance = !isIn
      plan.stamp(&result, endedAt: try at(end))
      #expect(result.maintenance == isIn, "\(slot)")
      var record = DeliveryRecord(result, agent: "a", flags: .post)
      let (right, wrong): (DeliveryRecord.Flags, DeliveryRecord.Flags) =
        isIn ? ([.post, .maintenance], [.post]) : ([.post], [.post, .maintenance])
      record.flags = wrong
      plan.stamp(&record, endedAt: try at(end))
      #expect(record.flags == right, "\(slot)")
    }
  }

  /// A monthly window is the one of its month, by the calendar of its zone.
  @Test func monthsOfAZone() throws {
    let monthly = try window {
      ($0.start, $0.duration) = ("2026-01-31T23:30", .seconds(3600))
      ($0.repetition, $0.timezone) = ("monthly", "America/New_York")
    }
    let rows =
      [
        ("2026-02-01T04:29:59Z", nil), ("2026-02-01T04:30:00Z", "2026-02-01T04:30:00.000Z"),
        ("2026-03-01T04:30:00Z", "2026-03-01T04:30:00.000Z"),
        ("2026-04-01T03:30:00Z", "2026-04-01T03:30:00.000Z"),
        ("2026-04-01T04:30:00Z", nil), ("2026-05-01T03:59:59Z", "2026-05-01T03:30:00.000Z"),
        ("2025-12-31T23:45:00Z", nil),
      ] as [(String, String?)]
    for (text, begin) in rows {
      #expect(monthly.occurrence(at: try at(text))?.lowerBound.rfc3339 == begin, "\(text)")
    }
    for (text, begin) in [
      ("2025-01-01T00:00:00Z", "2026-02-01T04:30:00.000Z"),
      ("2026-02-01T04:30:00Z", "2026-03-01T04:30:00.000Z"),
    ] {
      #expect(monthly.next(after: try at(text))?.lowerBound.rfc3339 == begin, "\(text)")
    }
  }
}
