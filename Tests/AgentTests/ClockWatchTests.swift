// SPDX-License-Identifier: MIT

import Basics
import History
import Logging
import Monitoring
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// Who sets the wall clock is told, and the windows leave the step out.
@Suite struct ClockWatchTests {
  private static let start = Timestamp(seconds: 1_767_225_600)

  @Test(arguments: [(0, 30), (2, 30), (7200, 30), (-7200, 30)])
  func aStepIsNoTimeThatWasDue(step: Int64, watched: Int64) async throws {
    let check = try tcpCheck("Shop")
    let history = HistoryStore()
    history.apply([check], now: Self.start)
    let clock = FakeClock(at: Self.start)
    let lines = LogLines()
    let watch = ClockWatch(
      history, log: Logger(label: "test") { _ in lines }, time: clock.time)
    clock.advance(by: .seconds(watched))
    clock.stepWall(by: .seconds(step) + .microseconds(1234))
    await watch.look()
    let now = clock.wall.advanced(by: .seconds(10))
    let day = try #require(history.checks(now: now).first).window(.day)
    let isStep = abs(step) > 10
    // Forward, the half minute before the step is still there; back, it is told again.
    let due = !isStep ? watched + step + 10 : step > 0 ? watched + 10 : 10
    #expect(abs(day.enabled - due * 1_000_000) < 2000)
    #expect(lines.all.map { $0.prefix(39) } == (isStep ? ["the wall clock of this machine was set "] : []))
    #expect(lines.all.allSatisfy { $0.hasSuffix(step > 0 ? "forward by 2h" : "back by 2h") })
  }

  /// Up to ten seconds are drift. More is a step, and told once.
  @Test(arguments: [(9, 0), (11, 1), (-9, 0), (-11, 1)]) func aStepIsToldOnce(step: Int64, told: Int) async {
    let history = HistoryStore()
    let clock = FakeClock(at: Self.start)
    let lines = LogLines()
    let watch = ClockWatch(
      history, log: Logger(label: "test") { _ in lines }, time: clock.time)
    for (boot, wall) in [(30, 30 + step), (5, 5), (5, 5)] as [(Int64, Int64)] {
      clock.advance(by: .seconds(boot))
      clock.stepWall(by: .seconds(wall - boot))
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
