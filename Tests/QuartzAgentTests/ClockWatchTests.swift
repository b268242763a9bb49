// SPDX-License-Identifier: MIT

import Basics
import History
import Logging
import Monitoring
import Scheduler
import Synchronization
import Testing

@testable import QuartzAgent

/// Who sets the wall clock is told, and the windows leave the step out.
@Suite struct ClockWatchTests {
  private static let start = ClockReading(
    boot: BootInstant(microseconds: 1_000_000_000), wall: Timestamp(seconds: 1_767_225_600))

  @Test(arguments: [(0, 30), (2, 30), (7200, 30), (-7200, 30)])
  func aStepIsNoTimeThatWasDue(step: Int64, watched: Int64) async throws {
    let check = try tcpCheck("Shop")
    let history = HistoryStore(
      agent: AgentIdentity(name: "test", region: nil, version: "1", started: Self.start.wall))
    history.apply([check], now: Self.start.wall)
    let clock = Mutex(Self.start)
    let lines = LogLines()
    let watch = ClockWatch(
      history, log: Logger(label: "test") { _ in lines }, read: { clock.withLock { $0 } })
    clock.withLock { now in
      now.boot = now.boot.advanced(by: .seconds(watched))
      now.wall = now.wall.advanced(by: .seconds(watched + step) + .microseconds(1234))
    }
    await watch.look()
    let now = clock.withLock { $0.wall }.advanced(by: .seconds(10))
    let day = try #require(history.snapshot(now: now).check(check.id)).window(.day)
    let isStep = abs(step) > 10
    // Forward, the half minute before the step is still there; back, it is told anew.
    let due = !isStep ? watched + step + 10 : step > 0 ? watched + 10 : 10
    #expect(abs(day.enabled - due * 1_000_000) < 2000)
    #expect(lines.all.map { $0.prefix(39) } == (isStep ? ["the wall clock of this machine was set "] : []))
    #expect(lines.all.allSatisfy { $0.hasSuffix(step > 0 ? "forward by 2h" : "back by 2h") })
  }

  /// Up to ten seconds are drift. More is a step, and told once.
  @Test(arguments: [(9, 0), (11, 1), (-9, 0), (-11, 1)]) func aStepIsToldOnce(step: Int64, told: Int) async {
    let history = HistoryStore(
      agent: AgentIdentity(name: "test", region: nil, version: "1", started: Self.start.wall))
    let clock = Mutex(Self.start)
    let lines = LogLines()
    let watch = ClockWatch(
      history, log: Logger(label: "test") { _ in lines }, read: { clock.withLock { $0 } })
    for (boot, wall) in [(30, 30 + step), (5, 5), (5, 5)] as [(Int64, Int64)] {
      clock.withLock { now in
        now.boot = now.boot.advanced(by: .seconds(boot))
        now.wall = now.wall.advanced(by: .seconds(wall))
      }
      await watch.look()
    }
    #expect(lines.all.count == told)
  }
}

/// What was logged.
final class LogLines: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
}
