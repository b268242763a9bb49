// SPDX-License-Identifier: MIT

import Basics
import Testing

/// When a job of crontab(5) runs next.
@Suite struct CronPlanTests {
  private func next(_ text: String, after: String, zone: String = "UTC") throws -> String {
    let from = try #require(Timestamp(rfc3339: after))
    return try CronPlan(text).next(after: from, in: TimeZoneFiles().zone(zone)).rfc3339
  }

  /// Fields are numbers, names, lists, ranges and steps; the time is strictly later.
  @Test(arguments: [
    ("0 3 * * *", "2026-03-10T02:59:59.999Z", "2026-03-10T03:00:00.000Z"),
    ("0 3 * * *", "2026-03-10T03:00:00Z", "2026-03-11T03:00:00.000Z"),
    ("*/15 8-9 * * *", "2026-03-10T09:45:00Z", "2026-03-11T08:00:00.000Z"),
    ("10-40/10,55 * * * *", "2026-03-10T09:40:00Z", "2026-03-10T09:55:00.000Z"),
    ("0 0 * jan,JUL mon-fri", "2026-01-30T00:00:00Z", "2026-07-01T00:00:00.000Z"),
    ("0 0 * * 7", "2026-03-10T00:00:00Z", "2026-03-15T00:00:00.000Z"),
    ("0 0 * * 5-7", "2026-03-14T00:00:00Z", "2026-03-15T00:00:00.000Z"),
    // Two fields for days: either is enough, unless one begins with a star.
    ("0 0 13 * 5", "2026-03-06T00:00:00Z", "2026-03-13T00:00:00.000Z"),
    ("0 0 12 * 5", "2026-03-06T00:00:00Z", "2026-03-12T00:00:00.000Z"),
    ("0 0 */2 * 1", "2026-03-03T00:00:00Z", "2026-03-09T00:00:00.000Z"),
    ("0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00.000Z"),
    ("0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"),
    ("@weekly", "2026-03-10T00:00:00Z", "2026-03-15T00:00:00.000Z"),
    ("@hourly", "1969-12-31T23:10:00Z", "1970-01-01T00:00:00.000Z"),
  ]) func comesNext(text: String, after: String, wanted: String) throws {
    #expect(try next(text, after: after) == wanted)
  }

  /// A time that the change of the clocks leaves out is at the change; of an hour that comes twice the first counts.
  @Test(arguments: [
    ("30 1 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"),
    ("30 1 * * *", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00.000Z"),
    ("30 1 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"),
    ("30 1 * * *", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"),
    ("*/10 * * * *", "2026-10-25T01:05:00Z", "2026-10-25T02:00:00.000Z"),
  ]) func keepsToTheClockOnTheWall(text: String, after: String, wanted: String) throws {
    #expect(try next(text, after: after, zone: "Europe/London") == wanted)
  }

  /// Each short form; from a Tuesday.
  @Test(arguments: [
    ("@hourly", "2026-03-10T14:00:00.000Z"), ("@daily", "2026-03-11T00:00:00.000Z"),
    ("@midnight", "2026-03-11T00:00:00.000Z"), ("@weekly", "2026-03-15T00:00:00.000Z"),
    ("@monthly", "2026-04-01T00:00:00.000Z"), ("@yearly", "2027-01-01T00:00:00.000Z"),
    ("@annually", "2027-01-01T00:00:00.000Z"), ("59 23 31 12 *", "2026-12-31T23:59:00.000Z"),
    ("0 0 1 1 *", "2027-01-01T00:00:00.000Z"), ("*/60 * * * *", "2026-03-10T14:00:00.000Z"),
    ("0 */24 * * *", "2026-03-11T00:00:00.000Z"), ("1-30/2 * * * *", "2026-03-10T13:29:00.000Z"),
    ("0-20/10 * * * *", "2026-03-10T14:00:00.000Z"), ("0 20-23/3 * * *", "2026-03-10T20:00:00.000Z"),
  ]) func aShortForm(text: String, wanted: String) throws {
    #expect(try next(text, after: "2026-03-10T13:28:00Z") == wanted)
  }

  /// Months and days of the week by name and by number.
  @Test func names() throws {
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    for (index, name) in months.enumerated() {
      let wanted = "2026-\(padded(Int64(index + 1), 2))-01T00:00:00.000Z"
      #expect(try next("0 0 1 \(name) *", after: "2025-12-31T12:00:00Z") == wanted, "\(name)")
      #expect(try next("0 0 1 \(index + 1) *", after: "2025-12-31T12:00:00Z") == wanted, "\(name)")
    }
    // The 7th of March 2026 is a Saturday.
    for (index, name) in ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].enumerated() {
      let wanted = "2026-03-\(padded(Int64(index + 8), 2))T00:00:00.000Z"
      #expect(try next("0 0 * * \(name)", after: "2026-03-07T12:00:00Z") == wanted, "\(name)")
      #expect(try next("0 0 * * \(index)", after: "2026-03-07T12:00:00Z") == wanted, "\(name)")
    }
  }

  /// Each field says its name and what it may be.
  @Test(arguments: [
    ("60 * * * *", "has no minute \"60\": it is 0 to 59"),
    ("* 24 * * *", "has no hour \"24\": it is 0 to 23"),
    ("* * 32 * *", "has no day of month \"32\": it is 1 to 31"),
    ("* * 0 * *", "has no day of month \"0\": it is 1 to 31"),
    ("* * * 13 *", "has no month \"13\": it is 1 to 12"), ("* * * 0 *", "has no month \"0\": it is 1 to 12"),
    ("* * * * 8", "has no day of week \"8\": it is 0 to 7"),
    ("1,5-2 * * * *", "has no minute \"5-2\": it is 0 to 59"),
    ("*/61 * * * *", "has no minute \"*/61\": it is 0 to 59"),
    ("* */25 * * *", "has no hour \"*/25\": it is 0 to 23"),
    ("mon * * * *", "has no minute \"mon\": it is 0 to 59"),
    ("* *  *", "must have five fields, found \"* *  *\""),
    ("0 0 30  2 *", "names a day that never comes, found \"0 0 30 2 *\""),
  ]) func saysWhatIsWrong(text: String, message: String) {
    func problem() -> String? {
      do throws(CronPlan.Problem) {
        _ = try CronPlan(text)
        return nil
      } catch { return error.message }
    }
    #expect(problem() == message)
  }

  /// What cannot be meant is refused, and a day that never comes.
  @Test(arguments: [
    "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
    "5-1 * * * *",
    "*/0 * * * *", "5/10 * * * *", "a * * * *", "1,,2 * * * *", "-1 * * * *", "1- * * * *", "+1 * * * *",
    "001 * * * *",
    "0 0 30 2 *", "0 0 31 4,6 *", "@reboot", "@daily x", "* * * * mon-", "*/99 * * * *",
  ]) func refuses(text: String) {
    #expect(throws: CronPlan.Problem.self) { try CronPlan(text) }
  }
}
