// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// When reports are due, and of which period.
@Suite struct ReportScheduleTests {
  private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  /// The next `count` moments after an instant.
  private func next(_ count: Int, _ schedule: ReportSchedule, after text: String) throws -> [String] {
    var instant = try at(text)
    return try (0..<count).map { _ in
      let due = try #require(schedule.next(after: instant))
      #expect(
        schedule.last(by: due.at) == due && schedule.last(by: due.at.advanced(by: .microseconds(-1))) != due)
      instant = due.at
      return "\(due.at.rfc3339.prefix(16)) \(due.period)"
    }
  }

  private func schedule(_ fill: (inout ReportDefinition) -> Void) throws(InvalidAlerts) -> ReportSchedule {
    var definition = ReportDefinition()
    (definition.name, definition.channels) = ("r", ["ops"])
    fill(&definition)
    return try ReportSchedule(definition, usual: .utc, zones: TimeZoneFiles())
  }

  @Test func theFirstOfAMonth() throws {
    let plain = try schedule { _ in }
    #expect(
      try next(3, plain, after: "2026-11-15T00:00:00Z") == [
        "2026-12-01T08:00 2026-11", "2027-01-01T08:00 2026-12", "2027-02-01T08:00 2027-01",
      ])
    #expect(plain.last(by: try at("2026-11-15T00:00:00Z"))?.period.text == "2026-10")
  }

  /// A month without the day has its last one: 28, 29, 30 and 31 days.
  @Test(arguments: [
    (
      "2026-01-15T00:00:00Z",
      [
        "2026-01-31T08:00 2025-12", "2026-02-28T08:00 2026-01", "2026-03-31T08:00 2026-02",
        "2026-04-30T08:00 2026-03",
      ]
    ),
    ("2028-02-01T00:00:00Z", ["2028-02-29T08:00 2028-01", "2028-03-31T08:00 2028-02"]),
  ])
  func theLastOfAMonth(after: String, expected: [String]) throws {
    let last = try schedule { $0.day = 31 }
    #expect(try next(expected.count, last, after: after) == expected)
  }

  /// East of Greenwich a month begins while the one before lasts in UTC: the report waits for its end.
  @Test func neverBeforeThePeriodIsOver() throws {
    let early = try schedule { ($0.at, $0.timezone) = ("00:00", "Asia/Tokyo") }
    #expect(try next(1, early, after: "2026-10-15T00:00:00Z") == ["2026-11-01T00:00 2026-10"])
    let later = try schedule { ($0.at, $0.timezone) = ("09:30", "Asia/Tokyo") }
    #expect(try next(1, later, after: "2026-10-15T00:00:00Z") == ["2026-11-01T00:30 2026-10"])
  }

  /// On the Sundays of the changes half past one comes never, and twice.
  @Test func theClocksChange() throws {
    let weekly = try schedule {
      ($0.every, $0.weekday, $0.at, $0.timezone) = ("week", "sun", "01:30", "Europe/London")
    }
    #expect(
      try next(2, weekly, after: "2026-03-23T00:00:00Z") == [
        "2026-03-29T01:00 2026-W12", "2026-04-05T00:30 2026-W13",
      ])
    #expect(
      try next(2, weekly, after: "2026-10-19T00:00:00Z") == [
        "2026-10-25T00:30 2026-W42", "2026-11-01T01:30 2026-W43",
      ])
  }

  /// The week before, whatever the day; over the end of a year with 53 weeks.
  @Test func aWeek() throws {
    let monday = try schedule { ($0.every, $0.at) = ("week", "06:00") }
    #expect(
      try next(2, monday, after: "2027-01-02T00:00:00Z") == [
        "2027-01-04T06:00 2026-W53", "2027-01-11T06:00 2027-W01",
      ])
    let friday = try schedule { ($0.every, $0.weekday) = ("week", "fri") }
    #expect(try next(1, friday, after: "2026-01-06T00:00:00Z") == ["2026-01-09T08:00 2026-W01"])
  }

  @Test func whatIsRefused() {
    func problems(_ fill: (inout ReportDefinition) -> Void) -> [String] {
      do throws(InvalidAlerts) {
        _ = try schedule(fill)
        return []
      } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
    }
    #expect(problems { $0.name = nil } == ["name: name is missing"])
    #expect(problems { $0.channels = [] } == ["channels: channels is missing"])
    #expect(problems { $0.at = "8:00" } == ["at: at must be a time of day, found \"8:00\""])
    #expect(problems { $0.weekday = "mon" } == ["weekday: weekday has no effect in a report of a month"])
    #expect(
      problems { ($0.every, $0.day) = ("week", 1) } == ["day: day has no effect in a report of a week"])
    #expect(problems { $0.tags = [] } == ["tags: tags is empty"])
    #expect(
      problems { $0.objective = 100 } == [
        "objective: objective must be at least 50% and below 100%, found 100.0%"
      ])
    #expect(
      problems { $0.timezone = "Mars/Olympus" } == ["timezone: timezone is no time zone this system knows"])
  }

  @Test func theSameOnThePage() throws {
    let schedule = try schedule {
      ($0.checks, $0.tags, $0.objective) = (["Shop & mail"], ["team:b", "team:a"], 99.5)
    }
    let week = try #require(CalendarPeriod.Unit.week.period(text: "2026-W44"))
    #expect(
      schedule.query(of: week)
        == "week=2026-W44&check=Shop%20%26%20mail&tag=team%3Aa&tag=team%3Ab&objective=99.5")
  }
}
