// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// A report in each of its forms, from unequal figures: documents, lines and rows as a whole.
@Suite struct ReportTextTests {
  private static let january = CalendarPeriod.month(CalendarMonth(midnight))
  private static let hour: Int64 = 3_600_000_000

  /// 100 hours up, 7 degraded, 3 down, 5 unknown and 2 in maintenance, of 120.
  private func figures(_ period: CalendarPeriod = Self.january) -> MonthFigures {
    var figures = MonthFigures(period)
    for (standing, hours) in zip(Standing.allCases, [100, 7, 3, 5, 2] as [Int64]) {
      figures.time[standing] = hours * Self.hour
      figures.counts[standing] = hours * 10
    }
    (figures.span, figures.enabled) = (220 * Self.hour, 122 * Self.hour)
    (figures.outages, figures.longest, figures.maintenanceDays) = (4, 2 * Self.hour, 6)
    figures.latency = MonthLatency(
      count: 8, mean: .milliseconds(9), medianP95: .milliseconds(10), highestP95: .microseconds(11_500))
    return figures
  }

  private func outage(_ hours: Int, _ end: Int?, last: String? = "at last") -> Outage {
    let at = { (hours: Int) in midnight + .seconds(3600 * hours) }
    return Outage(
      begin: at(hours), end: end.map(at), heldUntil: end.map(at) ?? Self.january.end, reason: .connectRefused,
      firstMessage: "first", lastMessage: last, results: 1)
  }

  private func report(_ change: (inout MonthReport) -> Void = { _ in }) throws -> MonthReport {
    let check = try makeCheck()
    let past = CheckMonths(
      periods: [MonthFigures(Self.january.adding(-1)), figures()], outages: [outage(1, 2), outage(700, nil)],
      begins: midnight, objective: nil)
    var report = MonthReport(
      makeStore(check).snapshot(now: Self.january.end), [check.id: past], of: Self.january, objective: 99.5)
    report.checks[0].id = UniqueID(high: 1, low: 2)
    report.checks[0].tags = ["db", "web"]
    change(&report)
    return report
  }

  private func incident(_ number: UInt64, end: Timestamp? = nil) -> IncidentStatus {
    IncidentStatus(
      id: UniqueID(high: 1, low: number), short: "", title: "i\(number)", subject: .availability,
      severity: .high, begin: midnight + .seconds(Int(number) * 60), end: end)
  }

  /// Every field of the document, each with a value of its own.
  @Test func theDocument() throws {
    var known = incident(3, end: midnight + .seconds(600))
    (known.acknowledgedBy, known.acknowledgedNote) = ("Ada", "on it")
    let report = try report {
      $0.incidents = [incident(2), known]
      $0.checks[0].outages = [outage(1, 2)]
      $0.agent = AgentIdentity(name: "a", region: "eu", version: "1", started: midnight)
    }
    var json = JSONWriter()
    report.write(to: &json)
    let latency = #"{"count":8,"mean_ms":9,"p95_ms":10,"highest_p95_ms":11.5}"#
    let share = report.checks[0].figures.uptime ?? 0
    let used = report.checks[0].budget?.percent ?? 0
    let expected = """
      {"month":"2026-01","summary":"1 check, average uptime 97.27%, objective kept by 0 of 1, 4 outages",
      "headlines":["✕ Shop: 97.27% of 99.5%, 4 outages, down 3h"],
      "from":"2026-01-01T00:00:00.000Z","until":"2026-02-01T00:00:00.000Z","complete":true,
      "agent":{"name":"a","region":"eu","version":"1","started_at":"2026-01-01T00:00:00.000Z"},
      "average_uptime":\(share),"history_begins":"2026-01-01T00:00:00.000Z","remarks":[],
      "checks":[{"id":"\(UniqueID(high: 1, low: 2))","name":"Shop","type":"tcp","tags":["db","web"],
      "uptime":\(share),"coverage":\(Double(110) * 100 / 120),"data":50,"span_s":792000,"enabled_s":439200,
      "seconds":{"up":360000,"degraded":25200,"down":10800,"unknown":18000,"maintenance":7200},
      "counts":{"up":1000,"degraded":70,"down":30,"unknown":50,"maintenance":20},
      "outages":4,"outages_complete":true,"longest_outage_s":7200,"maintenance_days":6,
      "response_time":\(latency),"objective":99.5,
      "budget":{"allowed_s":1980,"used_s":10800,"used":\(used),"kept":false},
      "months":[{"month":"2025-12","uptime":null,"data":0,"response_time":null},
      {"month":"2026-01","uptime":\(share),"data":50,"response_time":\(latency)}],"days":[],
      "outage_list":[{"begin":"2026-01-01T01:00:00.000Z","end":"2026-01-01T02:00:00.000Z","duration_s":3600,
      "reason":"connect_refused","first_message":"first","last_message":"at last","results":1}]}],
      "incidents":[{"id":"\(UniqueID(high: 1, low: 2))","title":"i2","severity":"high",
      "triggered_at":"2026-01-01T00:02:00.000Z","resolved_at":null},
      {"id":"\(UniqueID(high: 1, low: 3))","title":"i3","severity":"high",
      "triggered_at":"2026-01-01T00:03:00.000Z","resolved_at":"2026-01-01T00:10:00.000Z",
      "acknowledged_by":"Ada","note":"on it"}]}
      """
    #expect(try JSONValue.parse(json.bytes) == JSONValue.parse(expected.utf8), "\(json.text)")
  }

  /// The end of what is told: that of the month, or now, and never before its begin.
  @Test func untilWhen() throws {
    func until(_ now: Timestamp) throws -> [String?] {
      var json = JSONWriter()
      try report { $0.now = now }.write(to: &json)
      let document = try JSONValue.parse(json.bytes)
      return [document["until"]?.string, document["complete"]?.bool.map { "\($0)" }]
    }
    let (start, end) = (Self.january.start, Self.january.end)
    #expect(try until(start + .seconds(-9)) == [start.rfc3339, "false"])
    #expect(try until(start + .seconds(9)) == [(start + .seconds(9)).rfc3339, "false"])
    #expect(try until(end + .seconds(9)) == [end.rfc3339, "true"])
  }

  /// Ten checks below their objective by name, the worst first; of none that is said, where there is data.
  @Test func headlines() throws {
    func lines(_ downs: [Int64?]) throws -> [String] {
      try report { report in
        report.begins = midnight
        let base = report.checks[0]
        report.checks = downs.enumerated().map { place, down in
          var check = base
          check.name = "c\(place)"
          check.figures.time = Tally()
          check.figures.outages = 1
          if let down { (check.figures.time.up, check.figures.time.down) = (1000 - down, down) }
          return check
        }
      }.headlines
    }
    #expect(try lines([]) == [] && lines([nil]) == [])
    #expect(try lines([5, nil]) == ["Every check with data kept its objective."])
    #expect(
      try lines([6, 0, 100, 6]) == [
        "✕ c2: 90% of 99.5%, 1 outage, down 0s", "✕ c0: 99.4% of 99.5%, 1 outage, down 0s",
        "✕ c3: 99.4% of 99.5%, 1 outage, down 0s",
      ])
    #expect(try lines(Array(repeating: 6, count: 10)).count == 10)
    #expect(try lines(Array(repeating: 6, count: 11)).last == "and 1 more below their objective")
    #expect(try lines(Array(repeating: 6, count: 11)).count == 11)
  }

  /// Outages and incidents under the table, the newest outage first, fifty of each.
  @Test func listsOfTheText() throws {
    let report = try report {
      $0.checks[0].outages = [outage(1, 2), outage(700, nil, last: nil)]
      $0.incidents = [incident(2), incident(3, end: midnight + .seconds(600))]
    }
    let text = ReportText(width: 140).render(report)
    #expect(
      text.hasSuffix(
        "\n\nOUTAGES\n  2026-01-30 04:00  1d 20h, not over  Shop  connect_refused: first\n"
          + "  2026-01-01 01:00  1h  Shop  connect_refused: first; at last: at last\n\nINCIDENTS\n"
          + "  2026-01-01 00:02, not resolved  i2\n  2026-01-01 00:03 until 2026-01-01 00:10  i3\n"),
      "\(text)"
    )
    for (count, rest) in [(50, nil), (51, "  and 1 more")] as [(Int, String?)] {
      let long = try self.report { report in
        report.checks[0].outages = (0..<count).map { outage($0, $0 + 1) }
      }
      let lines = ReportText(width: 140).render(long).split(separator: "\n").map(String.init)
      #expect(lines.filter { $0.hasPrefix("  2026-") }.count == 50)
      #expect(lines.last { $0.hasPrefix("  and ") } == rest)
    }
    let none = ReportText(width: 140).render(try self.report { ($0.checks, $0.incidents) = ([], []) })
    #expect(none.hasSuffix("\n\nno check\n"))
  }

  /// Which columns are left on a narrower terminal: the least that people need leave first.
  @Test func columnsOfTheText() throws {
    let report = try report()
    func titles(_ width: Int) -> [String] {
      let lines = ReportText(width: width).render(report).split(separator: "\n")
      return lines.first { $0.hasPrefix("CHECK") }.map { $0.split(separator: " ").map(String.init) } ?? []
    }
    var left = [
      "CHECK", "UPTIME", "OBJECTIVE", "BUDGET", "OUTAGES", "DOWN", "LONGEST", "MEAN", "P95", "MAINT",
      "COVERED", "DATA",
    ]
    let widths = [9, 17, 7, 8, 8, 8, 8, 8, 7, 6]
    var needed = 5 + 8 + widths.reduce(0, +) + 11 * 2
    #expect(titles(needed) == left)
    // Maintenance, P95, longest, objective, mean, down, data, budget, covered, outages.
    let leaving: [(name: String, width: Int)] = [
      ("MAINT", 8), ("P95", 8), ("LONGEST", 8), ("OBJECTIVE", 9), ("MEAN", 8), ("DOWN", 8), ("DATA", 6),
      ("BUDGET", 17), ("COVERED", 7), ("OUTAGES", 7),
    ]
    for column in leaving where needed > 20 {
      left.removeAll { $0 == column.name }
      #expect(titles(needed - 1) == left, "\(needed - 1)")
      needed -= column.width + 2
      if needed >= 20 { #expect(titles(needed) == left, "\(needed)") }
    }
  }

  /// Months of the trend, the latest to the right; on a narrow terminal the oldest leaves.
  @Test func theTrend() throws {
    let lines = ReportText(width: 140).render(try report()).split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex(of: "RESPONSE TIME BY MONTH, MEAN"))
    #expect(
      lines[place + 1] == "CHECK   2025-12   2026-01" && lines[place + 2] == "Shop          –      9 ms")
    let narrow = ReportText(width: 20).render(try report()).split(separator: "\n").map(String.init)
    #expect(narrow.contains("CHECK   2026-01") && narrow.contains("Shop       9 ms"))
  }

  /// Figures stand to the right of their columns, under the end of the title; names and the budget stand to the left.
  @Test func sidesOfTheColumns() throws {
    let lines = ReportText(width: 140).render(try report()).split(separator: "\n").map { Array($0) }
    let place = try #require(
      lines.firstIndex { String($0).hasPrefix("CHECK  ") && String($0).contains("UPTIME") })
    let (titles, row) = (lines[place], lines[place + 1])
    func column(_ title: String) throws -> Range<Int> {
      let text = String(titles)
      let found = try #require(text.firstRange(of: title))
      let start = text.distance(from: text.startIndex, to: found.lowerBound)
      return start..<start + title.count
    }
    for title in ["CHECK", "BUDGET"] {
      let start = try column(title).lowerBound
      #expect(row[start] != " " && (start == 0 || row[start - 1] == " "), "\(title)")
    }
    for title in [
      "UPTIME", "OBJECTIVE", "OUTAGES", "DOWN", "LONGEST", "MEAN", "P95", "MAINT", "COVERED", "DATA",
    ] {
      let end = try column(title).upperBound
      #expect(row[end - 1] != " " && (end == row.count || row[end] == " "), "\(title)")
    }
  }
}
