// SPDX-License-Identifier: MIT

@testable import Agent
import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import Status
import Testing
import TestSupport

/// A report by schedule as a receiver gets it: made of the history at the moment of sending.
@Suite struct ScheduledReportDeskTests {
  private struct NoFile: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private func check(_ name: String, _ tags: [String]) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    definition.tags = tags
    return try MonitoringCheck(definition)
  }

  /// 31 January, 23:59:30.
  private let begin = Timestamp(seconds: 1_769_903_970)

  @Test func theReportOfTheMonthThatEnded() async throws {
    let clock = FakeClock(at: begin)
    let checks = [try check("Shop", ["prod"]), try check("Test <1>", ["test"])]
    var settings = AlertSettings()
    (settings.rules, settings.pageURL) = ([], "https://s.example/agent")
    settings.channels = [AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    settings.reports = [
      ReportSchedule(
        name: "monthly", at: 0, selection: MaintenanceSelection(tags: [ByteText("prod")]), channels: ["ops"])
    ]
    let history = HistoryStore()
    history.apply(checks, now: clock.wall)
    let receiver = OneDelivery()
    let desk = await AlertDesk(
      settings, agent: AgentSettings(), history: history, catalog: CheckCatalog(file: checks),
      sender: receiver, file: NoFile(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      time: clock.passing)
    #expect(desk.view(now: clock.wall).reports.map(\.words) == ["monthly, next 2026-02-01 00:00Z: ops"])
    let task = Task { await desk.deliver() }
    receiver.end(task)
    await task.value
    let message = try #require(receiver.messages.first)
    #expect(receiver.messages.count == 1 && message.at == Timestamp(seconds: 1_769_904_000))
    let report = try #require(message.report)
    #expect(report.period.text == "2026-01" && report.summary == "1 check, average uptime no data, 0 outages")
    #expect(message.title == "monthly, January 2026: \(report.summary)")
    #expect(message.link == "https://s.example/agent/report?month=2026-01&tag=prod")
    #expect(report.file?.name == "report-2026-01.html" && report.file?.type == "text/html")
    let page = String(decoding: report.file?.bytes ?? [], as: UTF8.self)
    #expect(page.hasPrefix("<!doctype html>") && page.contains("Shop") && !page.contains("Test &lt;1&gt;"))
    let document = try JSONValue.parse((report.document ?? "").utf8)
    #expect(document["month"]?.string == "2026-01" && document["checks"]?.array?.count == 1)
    let status = try #require(desk.view(now: clock.wall).reports.first)
    #expect(status.words == "monthly, next 2026-03-01 00:00Z: ops delivered 2026-01")
  }
}
