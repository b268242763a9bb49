// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// Reports as values, text and CSV.
@Suite struct MonthReportTests {
  private let hour: Int64 = 3_600_000_000
  private let january = CalendarPeriod.month(CalendarMonth(midnight))

  /// Of January 2026: 718 hours with a verdict, three of them down.
  private func figures(_ month: CalendarPeriod) -> MonthFigures {
    var figures = MonthFigures(month)
    for (standing, hours) in zip(Standing.allCases, [714, 1, 3, 1, 1] as [Int64]) {
      figures.time[standing] = hours * hour
      figures.counts[standing] = hours
    }
    (figures.span, figures.enabled) = (744 * hour, 744 * hour)
    (figures.outages, figures.longest, figures.maintenanceDays) = (2, 2 * hour, 1)
    figures.latency = MonthLatency(
      count: 715, mean: .milliseconds(10), medianP95: .milliseconds(20), highestP95: .microseconds(30_500))
    return figures
  }

  private func report(
    _ names: [(name: String, tags: [String])], objective: Double? = nil,
    now: Timestamp = CalendarPeriod.month(CalendarMonth(midnight)).end
  ) throws -> MonthReport {
    let checks = try names.map { name, tags in
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.tags) = (name, "tcp", tags)
      (definition.host, definition.port) = ("127.0.0.1", 80)
      return try MonitoringCheck(definition)
    }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var past: [UniqueID: CheckMonths] = [:]
    for check in checks {
      let months = [MonthFigures(january.adding(-1)), figures(january)]
      past[check.id] = CheckMonths(periods: months, begins: midnight, objective: objective)
    }
    return MonthReport(store.snapshot(now: now), past, of: january, objective: 99.9)
  }

  /// 718 hours of verdicts allow 2,584.8 s at 99.9 %; three hours are 417.8 % of that. Names that are formulas or have commas.
  @Test func theTableForSpreadsheets() throws {
    let report = try report([("=1+1", ["a,b", "c"]), ("Say \"x\"", [])])
    let lines = report.csv.components(separatedBy: "\r\n")
    #expect(lines.count == 4 && lines[3] == "")
    #expect(
      lines[0]
        == "month,complete,check,id,type,tags,uptime,coverage,data,objective,budget_s,budget_used,up_s,degraded_s,"
        + "down_s,unknown_s,maintenance_s,outages,outages_complete,longest_outage_s,results,mean_ms,p95_ms,"
        + "highest_p95_ms")
    let figures =
      "99.582,96.635,96.505,99.9,2584.8,417.827,2570400,3600,10800,3600,3600,2,yes,7200,718,10,20,30.5"
    #expect(lines[1] == "2026-01,yes,'=1+1,\(report.checks[0].id.description),tcp,\"a,b c\",\(figures)")
    #expect(lines[2] == "2026-01,yes,\"Say \"\"x\"\"\",\(report.checks[1].id.description),tcp,,\(figures)")
  }

  /// A check without a verdict has empty fields, and is neither up nor down.
  @Test func noDataIsNotUp() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    let report = MonthReport(store.snapshot(now: january.end), [:], of: january, objective: 99.9)
    #expect(report.averageUptime == nil && report.checks[0].budget == nil)
    let row = try #require(report.csv.components(separatedBy: "\r\n").dropFirst().first)
    #expect(row.hasSuffix(",,,0,99.9,,,0,0,0,0,0,0,yes,0,0,,,"))
    #expect(report.remarks == ["Nothing is known of any check yet."])
    let none = MonthReport(store.snapshot(now: january.end), [:], of: january, objective: 99.9) { _ in false }
    #expect(none.remarks == ["No check matches."] && none.checks.isEmpty)
    let text = ReportText(width: 140).render(report)
    #expect(text.contains("1 check, average uptime no data, 0 outages\n"), "\(text)")
  }

  @Test func theTextSaysEverything() throws {
    var report = try report([("Shop", []), ("Mail", [])])
    var incident = IncidentStatus(
      id: UniqueID(high: 1, low: 2), short: "a1b2c3", title: "Shop is down", subject: .availability,
      severity: .high, begin: midnight + .seconds(7200), end: midnight + .seconds(10_800))
    (incident.acknowledgedBy, incident.acknowledgedNote) = ("ann", "switch replaced")
    report.incidents = [incident]
    report.checks[1].figures.mayHaveMore = true
    let lines = ReportText(width: 140).render(report).components(separatedBy: "\n")
    #expect(lines[0] == "test-1 · January 2026 (UTC)")
    #expect(lines[1] == "2 checks, average uptime 99.582%, objective kept by 0 of 2, 4+ outages")
    #expect(
      lines[2]
        == "Of checks with a + not all outages were kept: there were at least so many, and one at least so long."
    )
    let shop = try #require(lines.first { $0.hasPrefix("Shop") }).split(separator: " ").map(String.init)
    #expect(
      shop == [
        "Shop", "99.582%", "99.9%", "exceeded:", "417.8%", "2", "3h", "2h", "10", "ms", "20", "ms", "1h",
        "96.6%", "96.5%",
      ])
    #expect(lines.contains { $0.hasPrefix("Mail") && $0.contains(" 2+ ") && $0.contains(" 2h+ ") })
    #expect(
      lines.contains(
        "  2026-01-01 02:00 until 2026-01-01 03:00  Shop is down; acknowledged by ann: switch replaced"))
    for width in [20, 40, 80, 100] {
      let wide = ReportText(width: width).render(report).split(separator: "\n").filter { $0.columns > width }
      #expect(wide.isEmpty, "\(width): \(wide)")
    }
  }

  /// A report of a customer's checks has no incident of the agent, none of others alone, and names no check of others; what it
  /// rests on is the history of its own.
  @Test func aReportOfSomeNamesNoOthers() throws {
    let checks = try ["Acme", "Acme mail", "Globex"].map { try makeCheck($0) }
    let store = HistoryStore()
    store.apply(checks, now: midnight)
    var snapshot = store.snapshot(now: january.end)
    func incident(_ number: UInt64, _ title: String, _ subject: AlertSubject, _ places: [Int])
      -> IncidentStatus
    {
      var incident = IncidentStatus(
        id: UniqueID(high: 1, low: number), short: "\(number)", title: title, subject: subject,
        severity: .high,
        begin: midnight + .seconds(Int(number)), end: nil)
      incident.checks = Set(places.map { checks[$0].id })
      return incident
    }
    var alerts = AlertsView()
    alerts.open = [
      incident(1, "Globex and 2 more are down: refused", .availability, [0, 1, 2]),
      incident(2, "Globex is slow", .performance, [2]), incident(3, "the disk is full", .agent, []),
      incident(4, "Acme is down", .availability, [0]),
      incident(5, "Globex and 1 more are slow", .performance, [1, 2]),
    ]
    snapshot.alerts = alerts
    var past: [UniqueID: CheckMonths] = [:]
    for (place, check) in checks.enumerated() {
      past[check.id] = CheckMonths(
        periods: [figures(january)], begins: midnight + .seconds((10 - place * 5) * 86_400))
    }
    let all = MonthReport(snapshot, past, of: january, objective: 99.9)
    #expect(all.incidents.map(\.title) == alerts.open.map(\.title) && all.begins == midnight)
    let some = MonthReport(snapshot, past, of: january, objective: 99.9) { $0.name.hasPrefix("Acme") }
    #expect(
      some.incidents.map(\.title) == [
        "Acme and 1 more: availability", "Acme is down", "Acme mail: performance",
      ])
    #expect(some.begins == midnight + .seconds(5 * 86_400))
    #expect(some.remarks == ["Nothing is known before 2026-01-06."])
  }

  /// Remarks on what the figures rest on.
  @Test func remarksSayWhatIsMissing() throws {
    let middle = midnight + .seconds(43_200)
    var report = try report([("Shop", [])], now: middle)
    #expect(report.isPartial)
    #expect(report.remarks == ["The month is not over: figures are until 2026-01-01 12:00 UTC."])
    report.begins = midnight + .seconds(5 * 86_400)
    #expect(report.remarks.last == "Nothing is known before 2026-01-06.")
    report.now = january.end
    report.begins = january.end
    #expect(report.remarks == ["Nothing is known of this month: the history begins on 2026-02-01."])
    report.now = january.adding(14).start
    #expect(report.remarks == ["Days are kept for 13 months: there is none of this month any more."])
  }

  /// Groups are by tag in the order of the configuration; checks without one come last.
  @Test func groupsAreByTag() throws {
    let report = try report([("a", ["web"]), ("b", []), ("c", ["mail", "web"])])
    #expect(report.groups.map(\.tag) == ["web", "mail", nil])
    #expect(report.groups.map(\.places) == [[0, 2], [2], [1]])
  }

  /// A thousand checks have their days in JSON; of one more none has, so that the document of 10,000 can be fetched.
  @Test func daysAreOfAThousandChecks() throws {
    var report = try report([("Shop", [])])
    report.checks[0].days = (0..<2).map {
      SeriesPoint(start: midnight + .seconds($0 * 86_400), width: .seconds(86_400))
    }
    let shop = report.checks[0]
    for (count, days) in [(1, 2), (MonthReport.daysOf, 2), (MonthReport.daysOf + 1, 0)] {
      report.checks = Array(repeating: shop, count: count)
      var json = JSONWriter()
      report.write(to: &json)
      let checks = try #require(try JSONValue.parse(json.bytes)["checks"]?.array)
      #expect(checks.count == count && checks.last?["days"]?.array?.count == days)
      #expect(checks.last?["months"]?.array?.count == 2)
    }
  }

  /// The objective of a rule counts before the report's; a budget is kept at its edge.
  @Test func objectivesAndBudgets() throws {
    #expect(try report([("Shop", [])], objective: 95).checks[0].objectiveText == "95")
    #expect(try report([("Shop", [])]).checks[0].objectiveText == "99.9")
    var time = Tally()
    (time.up, time.down) = (99 * hour, hour)
    let kept = try #require(ErrorBudget(time, objective: 99))
    #expect(kept.isKept && kept.allowed == hour && kept.words == "100% used")
    let exceeded = try #require(ErrorBudget(time, objective: 99.5))
    #expect(!exceeded.isKept && exceeded.words == "exceeded: 200%")
    // As wide as its column is.
    for (down, words) in [(99_999, "exceeded: 9999.9%"), (100_000, "exceeded: >9999%")] as [(Int64, String)] {
      var time = Tally()
      (time.up, time.down) = (1_000_000 - down, down)
      #expect(try #require(ErrorBudget(time, objective: 99.9)).words == words)
    }
    #expect(ErrorBudget(Tally(), objective: 99) == nil)
  }
}
