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

/// A disk that fails for a while, and what is to be kept meanwhile: as soon as the disk takes files again it is on it, though
/// nothing changes any more. Otherwise the next start, hours later, would tell once more what was told by then.
@Suite struct UnwrittenIncidentTests {
  /// Fails until it is told otherwise.
  private final class BrokenFile: DurableBytes {
    private let state = Mutex((isBroken: true, kept: [UInt8](), failures: 0))

    var kept: [UInt8] { state.withLock { $0.kept } }
    var failures: Int { state.withLock { $0.failures } }

    func mend() { state.withLock { $0.isBroken = false } }
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }

    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      let isBroken = state.withLock { state in
        if state.isBroken { state.failures += 1 } else { state.kept = bytes }
        return state.isBroken
      }
      if isBroken { throw StateFile.Failure(description: "alerts.json: Input/output error") }
    }
  }

  private struct Receiver: MessageSending {
    func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async
      -> SendOutcome
    { .delivered }
  }

  @Test func whatTheDiskDidNotTakeIsWrittenWhenItDoes() async throws {
    let clock = FakeClock()
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    let check = try MonitoringCheck(definition)
    let file = BrokenFile()
    var settings = AlertSettings()
    settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    settings.rules = [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)]
    let desk = await AlertDesk(
      settings, agent: AgentSettings(),
      history: HistoryStore(),
      catalog: CheckCatalog(file: [check]), sender: Receiver(), file: file,
      log: Logger(label: "test") { _ in LogLines() }, time: clock.time)
    desk.apply([check])
    desk.note(
      CheckResult(
        id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: clock.wall,
        startedAt: clock.wall, late: .zero, verdict: Verdict(.connectRefused, phase: .connect)))
    // Taken up with the list.
    desk.apply([check])
    _ = await desk.saving.save(desk)
    try #require(file.failures == 1)
    _ = await desk.saving.save(desk)
    #expect(file.failures == 2)
    file.mend()
    _ = await desk.saving.save(desk)
    #expect(!file.kept.isEmpty)
    let first = file.kept
    _ = await desk.saving.save(desk)
    #expect(file.kept == first && file.failures == 2)
  }
}
