// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

@testable import Status

/// A report at the edges of its month.
@Suite struct MonthReportEdgeTests {
  private let january = CalendarPeriod.month(CalendarMonth(midnight))
  private let moment: Duration = .microseconds(1)

  /// A report of one check that was so long down and unknown in a month with a verdict of each moment else, in microseconds.
  private func report(
    down: Int64 = 0, unknown: Int64 = 0, incidents: [IncidentStatus] = [], now: Timestamp? = nil
  ) throws -> MonthReport {
    let check = try makeCheck()
    let store = makeStore(check)
    var figures = MonthFigures(january)
    let whole: Int64 = 31 * 86_400_000_000
    (figures.span, figures.enabled) = (whole, whole)
    (figures.time.up, figures.time.down, figures.time.unknown) = (whole - down - unknown, down, unknown)
    var snapshot = store.snapshot(now: now ?? january.end)
    var alerts = AlertsView()
    (alerts.open, alerts.over) = (incidents.filter { $0.end == nil }, incidents.filter { $0.end != nil })
    snapshot.alerts = alerts
    return MonthReport(
      snapshot, [check.id: CheckMonths(periods: [figures], begins: midnight)], of: january, objective: 99.9)
  }

  /// Shares are cut: only a flawless month has 100. The budget is 2,678.4 s, or a little less where less is known.
  @Test(
    arguments: [
      (0, 0, ["100", "100", "100"], "0"), (1, 0, ["99.999", "100", "100"], "0"),
      (0, 1, ["100", "99.999", "99.999"], "0"), (26_783_000, 0, ["99.999", "100", "100"], "0.999"),
      (26_785_000, 0, ["99.998", "100", "100"], "1"), (2_678_399_000, 0, ["99.9", "100", "100"], "99.999"),
      (2_678_401_000, 0, ["99.899", "100", "100"], "100"),
    ] as [(Int64, Int64, [String], String)])
  func sharesAreCut(down: Int64, unknown: Int64, shares: [String], used: String) throws {
    let row = try report(down: down, unknown: unknown).csv.split(separator: "\r\n")[1]
    let fields = row.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    #expect(Array(fields[6...8]) == shares && fields[9] == "99.9")
    #expect(fields[11] == used, "\(row)")
  }

  private func incident(_ number: UInt64, from begin: Timestamp, to end: Timestamp?) -> IncidentStatus {
    IncidentStatus(
      id: UniqueID(high: 1, low: number), short: "\(number)", title: "\(number)", subject: .availability,
      severity: .high, begin: begin, end: end)
  }

  /// Incidents that lasted within the month: also those that began before it, or still last; oldest first.
  @Test func incidentsOfAMonth() throws {
    let (start, end) = (january.start, january.end)
    let before = start.advanced(by: .zero - moment)
    let long = start.advanced(by: .seconds(-90 * 86_400))
    let all = [
      incident(1, from: end.advanced(by: .zero - moment), to: end.advanced(by: .seconds(60))),
      incident(2, from: end, to: end.advanced(by: .seconds(60))), incident(3, from: long, to: start),
      incident(4, from: long.advanced(by: moment), to: before),
      incident(5, from: before, to: end.advanced(by: .seconds(60))), incident(6, from: start, to: start),
      incident(7, from: start.advanced(by: moment), to: nil), incident(8, from: end, to: nil),
      incident(9, from: long.advanced(by: .seconds(1)), to: nil),
    ]
    let now = end.advanced(by: .seconds(86_400))
    #expect(try report(incidents: all, now: now).incidents.map(\.title) == ["3", "9", "5", "6", "7", "1"])
    // Before the month nothing has lasted into it.
    #expect(try report(incidents: [all[8]], now: before).incidents.isEmpty)
    #expect(try report(incidents: [all[8]], now: start).incidents.map(\.title) == ["9"])
  }

  /// The thirteenth month back is kept until its last moment.
  @Test func monthsThatAreKept() throws {
    let gone = "Days are kept for 13 months: there is none of this month any more."
    let last = january.adding(14).start
    #expect(try report(now: january.adding(13).start).remarks == [])
    #expect(try report(now: last.advanced(by: .zero - moment)).remarks == [])
    #expect(try report(now: last).remarks == [gone])
    // What is not there for another reason is said so.
    var late = try report(now: last.advanced(by: .zero - moment))
    late.begins = january.end
    #expect(late.remarks == ["Nothing is known of this month: the history begins on 2026-02-01."])
  }

  /// Before it begins, while it runs, and after it.
  @Test func whenTheMonthIsOver() throws {
    let end = january.end
    let early = try report(now: january.start.advanced(by: .zero - moment))
    #expect(early.remarks == ["The month has not begun."])
    let first = try report(now: january.start)
    #expect(first.isPartial)
    #expect(first.remarks == ["The month is not over: figures are until 2026-01-01 00:00 UTC."])
    let last = try report(now: end.advanced(by: .zero - moment))
    #expect(last.isPartial)
    #expect(last.remarks == ["The month is not over: figures are until 2026-01-31 23:59 UTC."])
    #expect(try report(now: end).isPartial == false && report(now: end).remarks == [])
  }

  /// A name or a tag that a spreadsheet would take for a formula has an apostrophe before it.
  @Test(
    arguments: [
      ("@home", "'@home"), ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("a@b", "a@b"), ("1-1", "1-1"),
      ("Shop", "Shop"), ("'@x", "'@x"),
    ])
  func namesThatAreFormulas(name: String, shown: String) throws {
    var report = try report()
    (report.checks[0].name, report.checks[0].tags) = (name, [name])
    let fields = try #require(report.csv.split(separator: "\r\n").last).split(
      separator: ",", omittingEmptySubsequences: false)
    #expect(fields[2] == shown && fields[5] == shown)
  }
}
