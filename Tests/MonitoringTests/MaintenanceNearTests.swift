// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Windows near a change of the clocks, minute by minute, against all windows worked out one after the other.
@Suite struct MaintenanceNearTests {
  /// Zone, and the instants at which its clocks change in 2026: an hour, and half an hour.
  private static let zones: [(name: String, changes: [String])] = [
    ("Europe/London", ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
    ("America/New_York", ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]),
    ("Australia/Lord_Howe", ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]),
    ("UTC", ["2026-03-01T00:00:00Z", "2026-12-31T23:59:59Z"]),
  ]

  private func window(_ start: LocalTime, _ repetition: String, _ zone: String, minutes: Int64) throws
    -> MaintenanceWindow
  {
    var definition = MaintenanceDefinition()
    (definition.name, definition.start, definition.timezone) = ("Patch night", start.text, zone)
    (definition.repetition, definition.duration) = (repetition, .seconds(minutes * 60))
    return try MaintenanceWindow(definition)
  }

  /// All that begin within a week of the instant.
  private func all(
    _ start: LocalTime, _ repetition: String, _ zone: TimeZoneRules, _ minutes: Int64, _ around: Timestamp
  )
    -> [Range<Timestamp>]
  {
    let step: Int64 = repetition == "daily" ? 86_400 : 604_800
    return (0..<Int64(400)).compactMap { number in
      let begin = zone.instant(LocalTime(seconds: start.seconds + number * step))
      guard abs(begin.duration(to: around).seconds) < 8 * 86_400 else { return nil }
      return begin..<begin.advanced(by: .seconds(minutes * 60))
    }
  }

  /// Starts at every quarter of an hour around the change; long and short ones; each quarter of two days is asked for.
  @Test(arguments: zones.indices, ["daily", "weekly"]) func nearAChange(_ row: Int, repetition: String) throws
  {
    let (name, changes) = Self.zones[row]
    let zone = try TimeZoneFiles().zone(name)
    for text in changes {
      let change = try #require(Timestamp(rfc3339: text))
      let before = zone.local(change.advanced(by: .seconds(-1))).seconds + 1
      for quarter in stride(from: Int64(-10), through: 10, by: 1) {
        for minutes: Int64 in [15, 60, 90, 1440] {
          // Its 40th time is at the change.
          let step: Int64 = repetition == "daily" ? 86_400 : 604_800
          let start = LocalTime(seconds: before + quarter * 900 - 40 * step)
          let window = try window(start, repetition, name, minutes: minutes)
          let ranges = all(start, repetition, zone, minutes, change)
          for moment in stride(from: Int64(-96), through: 96, by: 1) {
            let instant = change.advanced(by: .seconds(moment * 900 + 450))
            let expected = ranges.contains { $0.contains(instant) }
            let found = window.occurrence(at: instant)
            guard (found != nil) == expected, found.map({ ranges.contains($0) }) ?? true else {
              Issue.record("\(name) \(repetition) \(start.text) \(minutes) min at \(instant.rfc3339)")
              continue
            }
          }
        }
      }
    }
  }

  /// By hand: at 01:30 in London in the night of the hour that comes twice, for an hour from the first time.
  @Test(arguments: [
    ("2026-10-25T00:29:59Z", false), ("2026-10-25T00:30:00Z", true), ("2026-10-25T00:59:59Z", true),
    ("2026-10-25T01:00:00Z", true), ("2026-10-25T01:10:00Z", true), ("2026-10-25T01:29:59Z", true),
    ("2026-10-25T01:30:00Z", false),
  ])
  func theHourThatComesTwice(at text: String, isIn: Bool) throws {
    for repetition in ["daily", "weekly"] {
      let start = LocalTime(
        seconds: try #require(Timestamp(rfc3339: "2026-10-18T01:30:00Z")).microseconds / 1_000_000)
      let window = try window(start, repetition, "Europe/London", minutes: 60)
      #expect((window.occurrence(at: try #require(Timestamp(rfc3339: text))) != nil) == isIn, "\(repetition)")
    }
  }
}
