// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring
import Status
import StatusServer

// Reports by schedule.
extension AlertDesk {
  /// A report as it is sent, made at the moment of sending.
  func report(
    _ schedule: ReportSchedule, _ period: CalendarPeriod, _ picture: AgentPicture?
  ) async -> ReportContent {
    let now = time.wall()
    let identity = AgentIdentity(agent, started: now)
    let snapshot =
      if let picture { await picture() } else { StatusSnapshot(agent: identity, history: history, now: now) }
    // Off the pool: of thousands of checks it takes as long as many probes do.
    return await onThread { [history, rules = settings.rules, checks = catalog.checks] in
      let past = history.periods(
        through: period, count: MonthReport.trend, now: now, rules: rules, checks: checks)
      let report = MonthReport(
        snapshot, past, of: period, objective: schedule.objective ?? MonthReport.objective
      ) { schedule.selection.contains(name: $0.name, id: $0.id, tags: $0.tags) }
      return ReportContent(schedule, report)
    }
  }

  /// The reports of the configuration, as people see them.
  static func reports(_ book: AlertBook, _ context: NotifyContext, _ now: Timestamp) -> [ReportStatus] {
    let context = book.informedOfReports(context)
    return book.settings.reports.map { schedule in
      var status = ReportStatus(name: schedule.name)
      let next = schedule.next(after: now)
      (status.next, status.nextPeriod) = (next?.at, next?.period.text)
      status.channels = schedule.channels.compactMap { name in
        guard let channel = book.settings.channels.first(where: { $0.name == name }) else { return nil }
        return ReportStatus.Channel(book.notifier.reportState(schedule, channel, context))
      }
      return status
    }
  }
}

extension ReportContent {
  /// Of a report that was made.
  init(_ schedule: ReportSchedule, _ report: MonthReport) {
    var document = JSONWriter(reserving: 16 * 1024)
    report.write(to: &document, daysOf: 0)
    let file = schedule.format == .html ? report.html : Array(report.csv.utf8)
    self.init(
      schedule, report.period, summary: report.summary, headlines: report.headlines, document: document.text,
      file: file)
  }
}

extension ReportStatus.Channel {
  init(_ report: ReportState) {
    self.init(channel: report.channel)
    (period, delivered) = (report.period, report.delivered)
    if report.owed != nil {
      state = report.isHeld ? .held : .pending
      (reason, until) = (report.reason, report.until)
    } else if let problem = report.problem {
      (state, reason) = (report.isRefused ? .failed : .delivered, problem)
    } else if report.delivered != nil {
      state = .delivered
    }
  }
}
