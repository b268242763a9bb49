// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Glibc
import History
import Logging
import Monitoring
import QuartzAPI
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What the agent does each second it must be able to do for years. A closure that lies bare in a `Mutex` is wrapped again
/// each time the lock is taken: after a day of such seconds its call was 170,000 frames deep, and the first incident then
/// ended the process.
@Suite struct LongLifeTests {
  /// Where on its thread's stack somebody was called, time after time.
  private final class Depths: Sendable {
    private let places = Mutex<[UInt: [Int]]>([:])

    func note() {
      var here = 0
      let place = withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) }
      places.withLock { $0[UInt(pthread_self()), default: []].append(place) }
    }

    var count: Int { places.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// What the ways to one call may differ by, bytes: a thousand calls that are each a frame deeper than the one before come to
    /// three times as much, for no frame has less than 48.
    static let mostSpread = 16 * 1024

    /// Between the deepest call and the least deep one of a thread, bytes.
    var spread: Int {
      places.withLock { $0.values.map { ($0.max() ?? 0) - ($0.min() ?? 0) }.max() ?? 0 }
    }
  }

  private func check() throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "shop.example", 80)
    return try MonitoringCheck(definition)
  }

  @Test func aCatalogAnnouncesItsThousandthChangeAsItsFirst() throws {
    let catalog = CheckCatalog(file: [])
    let depths = Depths()
    catalog.observe { _ in depths.note() }
    let checks = [try check()]
    for _ in 0..<1000 { catalog.replace(file: checks) }
    #expect(depths.count == 1001)
    #expect(depths.spread < Depths.mostSpread)
  }

  @Test func aDeskAsksTheThousandthTimeAsTheFirst() async throws {
    let clock = FakeClock()
    let check = try check()
    var settings = AlertSettings()
    settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    let history = HistoryStore()
    let (asked, notices) = (Depths(), Depths())
    let running = RunningTask()
    var around = AlertDesk.Surroundings()
    around.mutedUntil = { _, _ in
      asked.note()
      return nil
    }
    let desk = await AlertDesk(
      settings, agent: AgentSettings(), history: history, catalog: CheckCatalog(file: [check]),
      sender: DeafSender(), file: ForgottenFile(), around: around,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing)
    desk.apply([check])
    let result = CheckResult(
      id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: Verdict(.connectRefused, phase: .connect))
    desk.note(result)
    let task = Task {
      await withDiscardingTaskGroup { group in
        group.addTask {
          await desk.run {
            notices.note()
            if notices.count >= 1000, asked.count >= 1000 { running.cancel() }
            return []
          }
        }
        group.addTask { await desk.deliver() }
      }
    }
    running.task.withLock { $0 = task }
    await task.value
    #expect(notices.count >= 1000)
    #expect(asked.count >= 1000)
    #expect(asked.spread < Depths.mostSpread)
    #expect(notices.spread < Depths.mostSpread)
  }
}

private final class RunningTask: Sendable {
  let task = Mutex<Task<Void, Never>?>(nil)

  func cancel() { task.withLock { $0?.cancel() } }
}

/// Takes no message.
private struct DeafSender: MessageSending {
  func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async -> SendOutcome
  {
    .failed("deaf")
  }
}

/// Keeps nothing.
private struct ForgottenFile: DurableBytes {
  func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
  func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
}
