// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import ArgumentParser
import Basics
import History
import Monitoring

// `quartz-agent report --send`: a report by schedule, by its channels, now.
extension ReportCommand {
  func deliver(_ name: String) async throws {
    let path = try agent.config.required()
    let settings = try loadSettings(path)
    guard let alerts = settings.alerts, !alerts.reports.isEmpty else {
      throw failure(
        "\(path) has no alerts.reports", hint: "see docs/alerts.md", status: ExitStatus.configuration)
    }
    guard let schedule = alerts.reports.first(where: { $0.name == name }) else {
      let names = alerts.reports.map(\.name)
      throw failure(
        "no report is called \(quoted(name))",
        hint: nearest(to: name, among: names).map { "did you mean \"\($0)\"?" }
          ?? "reports: \(names.joined(separator: ", "))", status: ExitCode.validationFailure.rawValue)
    }
    let content = try await content(schedule, now: TimeSource.system.wall())
    let writer = MessageWriter(
      agent: settings.agent.name, region: settings.agent.region, pageURL: alerts.pageURL)
    let channels = alerts.channels.filter { schedule.channels.contains($0.name) }
    let isTaken = try await sendSamples(by: channels, settings) { _, now in
      var generator = SystemRandomNumberGenerator()
      var message = writer.report(
        schedule, content.period, id: UniqueID.v7(at: now, using: &generator), now: now, content: content)
      message.isSample = true
      return message
    }
    if !isTaken { throw ExitCode(ExitStatus.unknown) }
  }

  /// The running agent's report.
  private func content(_ schedule: ReportSchedule, now: Timestamp) async throws -> ReportContent {
    let client = try agent.client()
    let period = period(schedule, now: now)
    let query = schedule.query(of: period)
    let text = try await client.ask("/api/v1/report?\(query)")
    guard let data = try? JSONValue.parse(text.utf8)["data"] else {
      throw failure("the agent's report is not understood", status: ExitStatus.unknown)
    }
    let file = try await client.ask("/api/v1/report.\(schedule.format.rawValue)?\(query)")
    return ReportContent(
      schedule, period, summary: data["summary"]?.string ?? "",
      headlines: (data["headlines"]?.array ?? []).compactMap(\.string), document: data.text,
      file: Array(file.utf8))
  }

  /// The one that is asked for; else the last that was due.
  private func period(_ schedule: ReportSchedule, now: Timestamp) -> CalendarPeriod {
    let unit: CalendarPeriod.Unit = week != nil ? .week : month != nil ? .month : schedule.every
    let last = unit.period(of: now).adding(-1)
    guard let text = week ?? month else { return schedule.last(by: now)?.period ?? last }
    return unit.period(text: text) ?? last
  }
}
