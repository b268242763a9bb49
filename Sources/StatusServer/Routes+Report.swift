// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

/// Reports of a month or a week: documents under `/api/v1`, and `/report` as a page.
extension Routes {
  /// - Parameter form: `report`, or with the ending of what is asked for.
  func report(_ form: String, _ path: RequestPath) async throws(BadRequest) -> Reply {
    let width = try path.number("width", in: StatusText.narrowest...1000, default: 100)
    let wish = try ReportWish(path, now: source.now)
    return await reply(wish) { report in
      switch form {
      case "report.txt": Reply(200, text: ReportText(width: width).render(report))
      case "report.csv": Reply(200, .csv, Array(report.csv.utf8))
      case "report.html": html { ReportPage(report: report).render(nonce: $0) }
      default: Reply(200, .json, StatusJSON.success(now: report.now) { report.write(to: &$0) })
      }
    }
  }

  func reportPage(_ path: RequestPath) async -> Reply {
    let wish: ReportWish
    do throws(BadRequest) {
      try path.refuseRepeated(besides: ["check", "tag"])
      wish = try ReportWish(path, now: source.now)
    } catch {
      return selectsNothing(await source.snapshot(), error)
    }
    return await reply(wish) { report in
      html { ReportPage(report: report, query: wish.query).render(nonce: $0) }
    }
  }

  private func reply(
    _ wish: ReportWish, _ render: @escaping @Sendable (MonthReport) -> Reply
  ) async -> Reply {
    let past = await source.periods(through: wish.period, count: MonthReport.trend)
    let snapshot = await source.snapshot()
    let requestID = StatusJSON.requestID
    // Off the pool: of thousands of checks it takes as long as many probes do.
    return await onThread {
      let report = MonthReport(
        snapshot, past, of: wish.period, objective: wish.objective ?? MonthReport.objective,
        isShown: wish.isShown)
      return StatusJSON.$requestID.withValue(requestID) { render(report) }
    }
  }
}

/// A report as an address asks for it.
private struct ReportWish: Sendable {
  let period: CalendarPeriod
  /// Percent. `nil` where none is given.
  let objective: Double?
  /// Empty: all checks. A check that either names is shown.
  private let checks: [String]
  private let tags: [String]
  private let selection: MaintenanceSelection

  init(_ path: RequestPath, now: Timestamp) throws(BadRequest) {
    period = try path.period(now: now)
    objective = try path.objective()
    (checks, tags) = (path.each("check"), path.each("tag"))
    selection = MaintenanceSelection(
      checks: Set(checks.map { ByteText($0) }), tags: Set(tags.map { ByteText($0) }))
  }

  func isShown(_ check: CheckStatus) -> Bool {
    selection.contains(name: check.name, id: check.id, tags: check.tags)
  }

  /// The parts of the query besides the period.
  var query: [String] {
    checks.map { "check=\(percentEncoded($0))" } + tags.map { "tag=\(percentEncoded($0))" }
      + (objective.map { ["objective=\($0)"] } ?? [])
  }
}

extension RequestPath {
  /// Values of that name, each once.
  fileprivate func each(_ name: String) -> [String] {
    var values: [String] = []
    for value in all(name) where !value.isEmpty && !values.contains(value) { values.append(value) }
    return values
  }

  /// The running month without one.
  fileprivate func period(now: Timestamp) throws(BadRequest) -> CalendarPeriod {
    let (month, week) = (self["month"] ?? "", self["week"] ?? "")
    if !month.isEmpty, !week.isEmpty { throw BadRequest("month and week exclude each other") }
    let unit: CalendarPeriod.Unit = week.isEmpty ? .month : .week
    let text = week.isEmpty ? month : week
    let running = unit.period(of: now)
    if text.isEmpty { return running }
    if text == MonthReport.lastWord { return running.adding(-1) }
    guard let period = unit.period(text: text) else {
      throw BadRequest(
        "\(unit.rawValue) must be a year and a \(unit.rawValue), such as \(running), or \(MonthReport.lastWord)"
      )
    }
    return period
  }

  fileprivate func objective() throws(BadRequest) -> Double? {
    guard let text = self["objective"] else { return nil }
    guard let value = Double(text), MonthReport.objectives.contains(value) else {
      throw BadRequest(
        "objective must be a percentage of at least \(Int(MonthReport.objectives.lowerBound)) and below 100, such as 99.9"
      )
    }
    return value
  }
}
