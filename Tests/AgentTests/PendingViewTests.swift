// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What page and metrics say of notifications that are not delivered yet.
@Suite struct PendingViewTests {
  private struct NoFile: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private func check(_ name: String) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    return try MonitoringCheck(definition)
  }

  private func makeDesk(
    _ checks: [MonitoringCheck], _ clock: FakeClock, _ receiver: OneDelivery = OneDelivery()
  ) async -> AlertDesk {
    var settings = AlertSettings()
    settings.channels = ["ops", "phone"].map {
      AlertChannel(name: $0, kind: .exec(ExecChannel(command: ["/bin/true"])))
    }
    settings.rules = [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)]
    settings.escalate = [Escalation(after: .seconds(900), to: ["phone"])]
    let desk = await AlertDesk(
      settings, agent: AgentSettings(),
      history: HistoryStore(),
      catalog: CheckCatalog(file: checks), sender: receiver, file: NoFile(),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing)
    desk.apply(checks)
    return desk
  }

  private func fail(
    _ check: MonitoringCheck, _ desk: AlertDesk, _ checks: [MonitoringCheck], at now: Timestamp
  ) {
    desk.note(
      CheckResult(
        id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: now, startedAt: now,
        late: .zero, verdict: Verdict(.connectRefused, phase: .connect)))
    // Taken up with the list.
    desk.apply(checks)
  }

  private func channel(_ name: String, _ desk: AlertDesk, _ clock: FakeClock) throws -> AlertsView.Channel {
    try #require(desk.view(now: clock.wall).channels.first { $0.name == name })
  }

  /// Within its quarter of an hour an escalation is pending, and not late.
  @Test func anEscalationThatWaitsIsNotLate() async throws {
    let (clock, shop) = (FakeClock(), try check("Shop"))
    let desk = await makeDesk([shop], clock)
    let opened = clock.wall
    fail(shop, desk, [shop], at: opened)
    clock.advance(by: .seconds(899))
    let waiting = try channel("phone", desk, clock)
    #expect(waiting.pending == 1 && waiting.oldestPending == nil)
    clock.advance(by: .seconds(301))
    let late = try channel("phone", desk, clock)
    #expect(late.pending == 1 && late.oldestPending == opened.advanced(by: .seconds(900)))
    #expect(try channel("ops", desk, clock).oldestPending == opened.advanced(by: .seconds(15)))
  }

  /// Once nothing fires, the end is pending until that has lasted.
  @Test func theEndIsPending() async throws {
    let (clock, shop, receiver) = (FakeClock(), try check("Shop"), OneDelivery())
    let desk = await makeDesk([shop], clock, receiver)
    fail(shop, desk, [shop], at: clock.wall)
    let task = Task { await desk.deliver() }
    receiver.end(task)
    await task.value
    clock.advance(by: .seconds(5))
    let up = clock.wall
    desk.note(
      CheckResult(
        id: UniqueID(high: 7, low: 2), check: shop, trigger: .schedule, scheduledAt: up, startedAt: up,
        late: .zero, verdict: .ok))
    desk.apply([shop])
    let incident = try #require(desk.view(now: clock.wall).open.first)
    #expect(incident.title == "recovering: Shop is up again")
    let ops = try #require(incident.notifications.first { $0.channel == "ops" })
    #expect(ops.state == .pending && ops.stage == "wait")
    #expect(ops.until == up.advanced(by: AlertSettings().groupWait))
    #expect(ops.reason == "resolved once no alert has fired for long enough")
  }

  /// What joins an incident of three hours is late from then on.
  @Test func aJoinIsAsOldAsItself() async throws {
    let clock = FakeClock()
    let checks = try ["web", "db"].map { try check($0) }
    let receiver = OneDelivery()
    let desk = await makeDesk(checks, clock, receiver)
    fail(checks[0], desk, checks, at: clock.wall)
    let task = Task { await desk.deliver() }
    receiver.end(task)
    await task.value
    #expect(desk.view(now: clock.wall).open.first?.told.map(\.channel).contains("ops") == true)
    clock.advance(by: .seconds(3 * 3600))
    let joined = clock.wall
    fail(checks[1], desk, checks, at: joined)
    clock.advance(by: .seconds(20))
    let ops = try channel("ops", desk, clock)
    #expect(ops.pending == 1 && ops.oldestPending == joined)
  }
}
