// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// Of checks that fail together and depend on one another, the one that is named as the cause.
@Suite struct CauseTests {
  private struct NoFile: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private func check(_ name: String, on parents: [String]) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "192.0.2.1", 80)
    definition.plan.dependsOn = parents
    return try MonitoringCheck(definition)
  }

  /// Each depends on the one before it, but for the last, which stands alone; `split` depends on two.
  private static let parents: [(name: String, on: [String])] = [
    ("gateway", []), ("switch", ["gateway"]), ("host", ["switch"]), ("web", ["host"]),
    ("split", ["switch", "alone"]),
    ("alone", []),
  ]

  private func cause(of failing: [String]) async throws -> String? {
    let clock = FakeClock()
    let checks = try Self.parents.map { try check($0.name, on: $0.on) }
    var settings = AlertSettings()
    settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    settings.rules = [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)]
    let receiver = OneDelivery()
    let desk = await AlertDesk(
      settings, agent: AgentSettings(),
      history: HistoryStore(),
      catalog: CheckCatalog(file: checks), sender: receiver, file: NoFile(),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing)
    desk.apply(checks)
    for (number, check) in checks.enumerated() where failing.contains(check.name) {
      desk.note(
        CheckResult(
          id: UniqueID(high: 7, low: UInt64(number)), check: check, trigger: .schedule,
          scheduledAt: clock.wall,
          startedAt: clock.wall, late: .zero, verdict: Verdict(.connectRefused, phase: .connect)))
    }
    // Taken up with the list.
    desk.apply(checks)
    let task = Task { await desk.deliver() }
    receiver.end(task)
    await task.value
    let message = try #require(receiver.messages.first)
    #expect(Set(message.members.map(\.name)) == Set(failing))
    return message.cause
  }

  /// The furthest that fails too, wherever the chain is broken in between, and in whatever order they are listed.
  @Test(
    arguments: [
      (["gateway", "switch", "host", "web"], "gateway"), (["switch", "host", "web"], "switch"),
      (["host", "web"], "host"), (["gateway", "web"], "gateway"), (["gateway", "host"], "gateway"),
      (["gateway", "switch"], "gateway"), (["web"], nil), (["gateway"], nil), (["gateway", "alone"], nil),
      (["gateway", "switch", "split"], "gateway"), (["switch", "split"], "switch"),
    ] as [([String], String?)])
  func theFurthestThatFails(failing: [String], named: String?) async throws {
    #expect(try await cause(of: failing) == named)
    #expect(try await cause(of: failing.reversed()) == named)
  }
}
