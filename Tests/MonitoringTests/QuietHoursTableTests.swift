// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Quiet hours as they are written and printed, by the day, and in the nights in which the clocks change.
@Suite struct QuietHoursTableTests {
  private func hours(_ fill: (inout QuietHoursDefinition) -> Void) throws(InvalidAlerts) -> QuietHours {
    var definition = QuietHoursDefinition()
    (definition.from, definition.to) = ("22:00", "06:30")
    fill(&definition)
    return try QuietHours(definition, usual: .utc, zones: TimeZoneFiles())
  }

  private func problems(_ fill: (inout QuietHoursDefinition) -> Void) -> [String] {
    do throws(InvalidAlerts) {
      _ = try hours(fill)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  private func at(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  @Test func whatIsRefused() {
    #expect(problems { _ in } == [])
    #expect(problems { ($0.from, $0.to) = (nil, nil) } == ["from: from is missing", "to: to is missing"])
    #expect(problems { $0.from = "24:00" } == ["from: from must be a time of day, found \"24:00\""])
    #expect(problems { $0.to = "6:30" } == ["to: to must be a time of day, found \"6:30\""])
    #expect(
      problems { $0.to = "22:00:00" } == ["to: quiet hours from and to the same time would be the whole day"])
    #expect(problems { $0.to = "22:00:01" } == [])
    #expect(problems { $0.days = [] } == ["days: days is empty"])
    #expect(
      problems { $0.days = ["mon", "Tue"] }
        == ["days/1: days[1] must be one of mon, tue, wed, thu, fri, sat, sun, found \"Tue\""])
    #expect(
      problems { $0.timezone = "Europe/Londinium" }
        == ["timezone: timezone is no time zone this system knows"])
  }

  @Test func whatTheyBecome() throws {
    let plain = try hours { _ in }
    #expect(plain.from == 79_200 && plain.to == 23_400 && plain.days == [] && plain.except == .critical)
    #expect(plain.zone == .utc)
    let other = try hours {
      ($0.from, $0.to, $0.days) = ("00:00:30", "23:59", ["sun", "mon", "wed"])
      ($0.timezone, $0.except) = ("Europe/London", "medium")
    }
    #expect(other.from == 30 && other.to == 86_340 && other.days == [0, 2, 6] && other.except == .medium)
    var printer = KeyPrinter(secretPaths: [])
    printer.quietHours(other)
    #expect(
      printer.text == """
        quiet_hours:
          from: "00:00:30"
          to: "23:59"
          days: ["mon", "wed", "sun"]
          timezone: "Europe/London"
          except: medium

        """)
    printer = KeyPrinter(secretPaths: [])
    printer.quietHours(nil)
    #expect(printer.text == "")
  }

  /// From Friday evening until Saturday morning, in UTC: the day is that of the begin.
  @Test(
    arguments: [
      ("2026-01-09T21:59:59.999999Z", nil), ("2026-01-09T22:00:00Z", "2026-01-10T06:30:00.000Z"),
      ("2026-01-10T06:29:59.999999Z", "2026-01-10T06:30:00.000Z"), ("2026-01-10T06:30:00Z", nil),
      ("2026-01-10T22:00:00Z", nil), ("2026-01-09T01:00:00Z", nil),
    ] as [(String, String?)])
  func theDayOfTheBegin(instant: String, end: String?) throws {
    let friday = try hours { $0.days = ["fri"] }
    #expect(friday.end(at: try at(instant))?.rfc3339 == end)
  }

  /// The next end is that of the hours that have begun, else of the next ones, a week away at most.
  @Test(
    arguments: [
      ("2026-01-09T21:00:00Z", "2026-01-10T06:30:00.000Z"),
      ("2026-01-10T06:29:59Z", "2026-01-10T06:30:00.000Z"),
      ("2026-01-10T06:30:00Z", "2026-01-17T06:30:00.000Z"),
      ("2026-01-16T22:00:00Z", "2026-01-17T06:30:00.000Z"),
    ])
  func theNextEnd(instant: String, end: String) throws {
    let friday = try hours { $0.days = ["fri"] }
    #expect(friday.nextEnd(after: try at(instant))?.rfc3339 == end)
  }

  /// In London: hours that a change of the clocks shortens, lengthens and swallows.
  @Test(
    arguments: [
      // Five hours instead of six, and seven.
      ("00:00", "06:00", "2026-03-29T00:00:00Z", "2026-03-29T05:00:00.000Z"),
      ("00:00", "06:00", "2026-10-24T23:00:00Z", "2026-10-25T06:00:00.000Z"),
      // They begin at the change, at a time that never comes.
      ("01:30", "03:00", "2026-03-29T00:59:59Z", nil),
      ("01:30", "03:00", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00.000Z"),
      // They begin and end in the hour that is left out.
      ("01:10", "01:50", "2026-03-29T01:00:00Z", nil), ("01:10", "01:50", "2026-03-29T00:59:59Z", nil),
      // In the hour that comes twice the first counts, for the begin and for the end.
      ("01:10", "01:50", "2026-10-25T00:09:59Z", nil),
      ("01:10", "01:50", "2026-10-25T00:10:00Z", "2026-10-25T00:50:00.000Z"),
      ("01:10", "01:50", "2026-10-25T00:50:00Z", nil), ("01:10", "01:50", "2026-10-25T01:20:00Z", nil),
      // The clock of summer is an hour ahead.
      ("22:00", "06:00", "2026-07-01T20:59:59Z", nil),
      ("22:00", "06:00", "2026-07-01T21:00:00Z", "2026-07-02T05:00:00.000Z"),
    ] as [(String, String, String, String?)])
  func inTheNightOfAChange(from: String, to: String, instant: String, end: String?) throws {
    let london = try hours { ($0.from, $0.to, $0.timezone) = (from, to, "Europe/London") }
    #expect(london.end(at: try at(instant))?.rfc3339 == end)
  }

  /// The swallowed hours have no end: the next is that of the day after.
  @Test func theNextEndAfterAChange() throws {
    let london = try hours { ($0.from, $0.to, $0.timezone) = ("01:10", "01:50", "Europe/London") }
    #expect(london.nextEnd(after: try at("2026-03-28T12:00:00Z"))?.rfc3339 == "2026-03-30T00:50:00.000Z")
    #expect(london.nextEnd(after: try at("2026-10-25T00:30:00Z"))?.rfc3339 == "2026-10-25T00:50:00.000Z")
  }

  /// A digest is due at its time of day, later than now; a time that never comes is at the change.
  @Test(
    arguments: [
      ("UTC", 28_800, "2026-01-09T07:59:59.999Z", "2026-01-09T08:00:00.000Z"),
      ("UTC", 28_800, "2026-01-09T08:00:00Z", "2026-01-10T08:00:00.000Z"),
      ("UTC", 0, "2026-01-09T00:00:00Z", "2026-01-10T00:00:00.000Z"),
      ("America/New_York", 28_800, "2026-01-09T12:00:00Z", "2026-01-09T13:00:00.000Z"),
      ("America/New_York", 28_800, "2026-01-09T13:00:00Z", "2026-01-10T13:00:00.000Z"),
      ("America/New_York", 28_800, "2026-07-09T11:00:00Z", "2026-07-09T12:00:00.000Z"),
      ("Europe/London", 5400, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"),
      ("Europe/London", 5400, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00.000Z"),
      ("Europe/London", 5400, "2026-10-25T00:00:00Z", "2026-10-25T00:30:00.000Z"),
      ("Europe/London", 5400, "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"),
    ] as [(String, Int64, String, String)])
  func digests(zone: String, digest: Int64, now: String, due: String) throws {
    var settings = AlertSettings()
    #expect(settings.digest == 28_800 && settings.zone == .utc)
    (settings.zone, settings.digest) = (try TimeZoneFiles().zone(zone), digest)
    #expect(settings.nextDigest(after: try at(now)).rfc3339 == due)
  }
}
