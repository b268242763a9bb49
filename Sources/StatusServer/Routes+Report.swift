// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Reports of a month: documents under `/api/v1`, and `/report` as a page.
extension Routes {
  /// - Parameter form: `report`, or with the ending of what is asked for.
  func report(_ form: String, _ path: RequestPath) async throws(BadRequest) -> Reply {
    let width = try path.number("width", in: StatusText.narrowest...1000, default: 100)
    let (report, _) = try await month(path)
    switch form {
    case "report.txt": return Reply(200, text: ReportText(width: width).render(report))
    case "report.csv": return Reply(200, .csv, Array(report.csv.utf8))
    case "report.html": return html { ReportPage(report: report).render(nonce: $0) }
    default: return Reply(200, .json, StatusJSON.success(now: report.now) { report.write(to: &$0) })
    }
  }

  func reportPage(_ path: RequestPath) async -> Reply {
    do throws(BadRequest) {
      let (report, query) = try await month(path)
      return html { ReportPage(report: report, query: query).render(nonce: $0) }
    } catch { return selectsNothing(await source.snapshot(), error) }
  }

  /// The report that an address asks for, and the parts of its query besides the month.
  private func month(_ path: RequestPath) async throws(BadRequest) -> (MonthReport, query: [String]) {
    let month = try path.month(now: source.now)
    let objective = try path.objective()
    var filter = ListFilter()
    for tag in path.all("tag") where !tag.isEmpty && !filter.tags.contains(tag) { filter.tags.append(tag) }
    let past = await source.months(through: month, count: MonthReport.trend)
    let report = MonthReport(
      await source.snapshot(), past, of: month, objective: objective ?? MonthReport.objective,
      isShown: filter.matches)
    let query =
      filter.tags.map { "tag=\(percentEncoded($0))" } + (objective.map { ["objective=\($0)"] } ?? [])
    return (report, query)
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
