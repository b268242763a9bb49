// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// Reports of a month: documents under `/api/v1`, and `/report` as a page.
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
    do throws(BadRequest) { wish = try ReportWish(path, now: source.now) } catch {
      return selectsNothing(await source.snapshot(), error)
    }
    return await reply(wish) { report in
      html { ReportPage(report: report, query: wish.query).render(nonce: $0) }
    }
  }

  private func reply(
    _ wish: ReportWish, _ render: @escaping @Sendable (MonthReport) -> Reply
  ) async -> Reply {
    let past = await source.months(through: wish.month, count: MonthReport.trend)
    let snapshot = await source.snapshot()
    let requestID = StatusJSON.requestID
    // Off the pool: of thousands of checks it takes as long as many probes do.
    return await onThread {
      let report = MonthReport(
        snapshot, past, of: wish.month, objective: wish.objective ?? MonthReport.objective,
        isShown: wish.filter.matches)
      return StatusJSON.$requestID.withValue(requestID) { render(report) }
    }
  }
}

/// A report as an address asks for it.
private struct ReportWish: Sendable {
  let month: CalendarMonth
  /// Percent. `nil` where none is given.
  let objective: Double?
  /// Tags alone.
  private(set) var filter = ListFilter()

  init(_ path: RequestPath, now: Timestamp) throws(BadRequest) {
    month = try path.month(now: now)
    objective = try path.objective()
    for tag in path.all("tag") where !tag.isEmpty && !filter.tags.contains(tag) { filter.tags.append(tag) }
  }

  /// The parts of the query besides the month.
  var query: [String] {
    filter.tags.map { "tag=\(percentEncoded($0))" } + (objective.map { ["objective=\($0)"] } ?? [])
  }
}

extension RequestPath {
  /// The running month without one.
  fileprivate func month(now: Timestamp) throws(BadRequest) -> CalendarMonth {
    let running = CalendarMonth(now)
    guard let text = self["month"], !text.isEmpty else { return running }
    if text == MonthReport.lastWord { return running.adding(-1) }
    guard let month = CalendarMonth(text: text) else {
      throw BadRequest("month must be a year and a month, such as \(running), or \(MonthReport.lastWord)")
    }
    return month
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
