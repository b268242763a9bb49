// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

struct MaintenanceWindowTests {
  private func window(
    _ start: String, _ repetition: String? = nil, duration: Duration? = nil, end: String? = nil,
    zone: String? = "Europe/London"
  ) throws -> MaintenanceWindow {
    var definition = MaintenanceDefinition()
    definition.name = "Patch night"
    definition.start = start
    definition.duration = duration
    definition.end = end
    definition.repetition = repetition
    definition.timezone = zone
    return try MaintenanceWindow(definition)
  }

  private func at(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? .epoch }

  /// The window around this instant, in UTC.
  private func hours(_ window: MaintenanceWindow, _ text: String) -> String? {
    window.occurrence(at: at(text)).map {
      "\($0.lowerBound.rfc3339.dropLast(8))/\($0.upperBound.rfc3339.dropLast(8))"
    }
  }

  @Test("once: the start is in it, the end is not")
  func once() throws {
    let window = try window("2026-01-04T02:00", duration: .seconds(7200))
    #expect(window.occurrence(at: at("2026-01-04T01:59:59.999Z")) == nil)
    #expect(hours(window, "2026-01-04T02:00:00Z") == "2026-01-04T02:00/2026-01-04T04:00")
    #expect(hours(window, "2026-01-04T03:59:59.999Z") == "2026-01-04T02:00/2026-01-04T04:00")
    #expect(window.occurrence(at: at("2026-01-04T04:00:00Z")) == nil)
    #expect(window.occurrence(at: at("2026-01-05T02:00:00Z")) == nil)
  }

  @Test("weekly at 02:00 in London is 01:00 in UTC in summer")
  func weekly() throws {
    let window = try window("2026-01-04T02:00", "weekly", duration: .seconds(7200))
    #expect(hours(window, "2026-01-11T02:30:00Z") == "2026-01-11T02:00/2026-01-11T04:00")
    #expect(hours(window, "2026-07-05T01:30:00Z") == "2026-07-05T01:00/2026-07-05T03:00")
    #expect(window.occurrence(at: at("2026-07-05T03:30:00Z")) == nil)
    #expect(window.occurrence(at: at("2026-07-06T02:00:00Z")) == nil)
    #expect(window.occurrence(at: at("2025-12-28T02:30:00Z")) == nil)
    #expect(window.next(after: at("2026-07-05T01:30:00Z"))?.lowerBound == at("2026-07-12T01:00:00Z"))
  }

  @Test("the night that has an hour less: a duration keeps its length, an end keeps its time")
  func springForward() throws {
    let duration = try window("2026-01-01T00:30", "daily", duration: .seconds(7200))
    #expect(hours(duration, "2026-03-29T01:00:00Z") == "2026-03-29T00:30/2026-03-29T02:30")
    let end = try window("2026-01-01T00:30", "daily", end: "02:30")
    #expect(hours(end, "2026-03-29T01:00:00Z") == "2026-03-29T00:30/2026-03-29T01:30")
    // Begins at a time that never comes.
    let inside = try window("2026-01-01T01:30", "daily", duration: .seconds(3600))
    #expect(hours(inside, "2026-03-29T01:10:00Z") == "2026-03-29T01:00/2026-03-29T02:00")
    // Begins and ends at times that never come: not this night, but the next.
    let swallowed = try window("2026-01-01T01:10", "daily", end: "01:50")
    #expect(hours(swallowed, "2026-03-29T01:00:00Z") == nil)
    #expect(swallowed.next(after: at("2026-03-28T12:00:00Z"))?.lowerBound == at("2026-03-30T00:10:00Z"))
  }

  @Test("the night that has an hour more: what comes twice begins the first time")
  func fallBack() throws {
    let duration = try window("2026-01-01T01:30", "daily", duration: .seconds(3600))
    #expect(hours(duration, "2026-10-25T00:30:00Z") == "2026-10-25T00:30/2026-10-25T01:30")
    #expect(hours(duration, "2026-10-25T01:30:00Z") == nil)
    let end = try window("2026-01-01T00:30", "daily", end: "02:30")
    #expect(hours(end, "2026-10-25T01:30:00Z") == "2026-10-24T23:30/2026-10-25T02:30")
  }

  @Test("across midnight, new year included")
  func midnight() throws {
    let window = try window("2026-01-01T23:00", "daily", end: "01:00", zone: "America/New_York")
    #expect(hours(window, "2027-01-01T05:30:00Z") == "2027-01-01T04:00/2027-01-01T06:00")
    #expect(hours(window, "2027-01-01T03:59:00Z") == nil)
    // The night before the first is not in it.
    #expect(hours(window, "2026-01-01T05:30:00Z") == nil)
  }

  @Test("monthly on the 31st is the last day of every month")
  func monthEnds() throws {
    let window = try window("2027-10-31T22:00", "monthly", duration: .seconds(4 * 3600), zone: nil)
    #expect(hours(window, "2027-11-30T23:00:00Z") == "2027-11-30T22:00/2027-12-01T02:00")
    #expect(hours(window, "2027-12-01T01:00:00Z") == "2027-11-30T22:00/2027-12-01T02:00")
    #expect(hours(window, "2027-12-31T23:00:00Z") == "2027-12-31T22:00/2028-01-01T02:00")
    #expect(hours(window, "2028-02-29T23:00:00Z") == "2028-02-29T22:00/2028-03-01T02:00")
    #expect(hours(window, "2028-02-28T23:00:00Z") == nil)
    #expect(hours(window, "2028-03-31T23:00:00Z") == "2028-03-31T22:00/2028-04-01T02:00")
    #expect(hours(window, "2028-03-29T23:00:00Z") == nil)
  }

  @Test("a monthly window of 28 days reaches from one month into the next")
  func longMonthly() throws {
    let window = try window("2026-01-20T00:00", "monthly", duration: .seconds(28 * 86_400), zone: nil)
    #expect(hours(window, "2026-03-15T00:00:00Z") == "2026-02-20T00:00/2026-03-20T00:00")
    #expect(hours(window, "2026-02-18T00:00:00Z") == nil)
  }

  @Test(
    "what was found by looking is what recomputing every window finds",
    arguments: ["daily", "weekly", "monthly"])
  func againstEnumeration(repetition: String) throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<40 {
      let first = LocalTime(seconds: Int64.random(in: 1_735_689_600..<1_767_225_600, using: &generator))
      let length = Int64.random(in: 60...86_400, using: &generator)
      let zone = try #require(
        ["Europe/London", "Australia/Lord_Howe", "UTC"].randomElement(using: &generator))
      let window = try window(first.text, repetition, duration: .seconds(length), zone: zone)
      let rules = try TimeZoneFiles().zone(zone)
      let all = (0..<Int64(800)).map { number in
        let begins =
          switch repetition {
          case "daily": LocalTime(seconds: first.seconds + number * 86_400)
          case "weekly": LocalTime(seconds: first.seconds + number * 604_800)
          default: first.adding(months: number)
          }
        let from = rules.instant(begins)
        return from..<from.advanced(by: .seconds(length))
      }
      for _ in 0..<200 {
        let instant = Timestamp(seconds: Int64.random(in: 1_735_000_000..<1_790_000_000, using: &generator))
        let expected = all.contains { $0.contains(instant) }
        #expect((window.occurrence(at: instant) != nil) == expected, "\(first.text) \(zone) \(instant)")
        #expect(window.next(after: instant)?.lowerBound == all.first { $0.lowerBound > instant }?.lowerBound)
      }
    }
  }

  @Test("a window of a resource, a tag or a check holds for those, and one of nothing for all")
  func selection() throws {
    let (own, other) = (UniqueID(high: 1, low: 1), UniqueID(high: 1, low: 2))
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    (definition.resource, definition.tags) = (own.description, ["db"])
    let check = try MonitoringCheck(definition)
    #expect(MaintenanceSelection().contains(check))
    #expect(MaintenanceSelection(resources: [own]).contains(check))
    #expect(!MaintenanceSelection(resources: [other]).contains(check))
    #expect(MaintenanceSelection(tags: ["web", "db"]).contains(check))
    #expect(!MaintenanceSelection(tags: ["web"]).contains(check))
    #expect(MaintenanceSelection(checks: [ByteText(check.id.description)]).contains(check))
    #expect(!MaintenanceSelection(checks: ["shop"], tags: ["web"], resources: [other]).contains(check))
  }

  @Test("a run that only touches the window is in it")
  func overlaps() throws {
    let window = try window("2026-01-04T02:00", duration: .seconds(7200))
    #expect(window.overlaps(at("2026-01-04T01:59:50Z"), through: at("2026-01-04T02:00:05Z")))
    #expect(window.overlaps(at("2026-01-04T01:59:50Z"), through: at("2026-01-04T02:00:00Z")))
    #expect(window.overlaps(at("2026-01-04T03:59:59Z"), through: at("2026-01-04T04:00:09Z")))
    #expect(!window.overlaps(at("2026-01-04T01:59:50Z"), through: at("2026-01-04T01:59:59Z")))
    #expect(!window.overlaps(at("2026-01-04T04:00:00Z"), through: at("2026-01-04T04:00:09Z")))
  }
}
