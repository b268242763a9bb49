// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Foundation
import Logging
import Monitoring
import TestSupport
import Testing

@testable import Agent

/// Orders by hand while the wall clock is set.
@Suite struct OperatorClockTests {
  /// A day ahead for six seconds: the mute holds meanwhile, is over after its ten minutes, and is on the disk as it is.
  @Test func aMuteOutlivesAStep() async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.host, definition.port) = ("Web", "tcp", "192.0.2.1", 80)
      let check = try MonitoringCheck(definition)
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      func desk() async -> OperatorDesk {
        await OperatorDesk(
          restoring: StateDisk(folder: folder.path, time: clock.time, medium: full.medium),
          CheckCatalog(file: [check]), MaintenanceBook(file: []), alerts: nil, log: log, time: clock.time)
      }
      let operators = await desk()
      let end = clock.wall.advanced(by: .seconds(600))
      let wish = OperatorWish(.mute(target: .check("Web"), length: .seconds(600)), by: "ann", why: nil)
      guard case .done = await operators.take(wish) else {
        Issue.record("refused")
        return
      }
      let task = Task { await operators.run() }
      await clock.someoneSleeps()
      clock.stepWall(by: .seconds(86_400))
      // Before the desk has looked, and after.
      #expect(operators.current.mutedUntil(check, at: clock.wall) == end.advanced(by: .seconds(86_400)))
      clock.advance(by: .seconds(6))
      await clock.someoneSleeps()
      #expect(operators.current.mutes.map(\.until) == [end.advanced(by: .seconds(86_400))])
      clock.stepWall(by: .seconds(-86_400))
      #expect(operators.current.mutedUntil(check, at: clock.wall) == end)
      clock.advance(by: .seconds(1))
      await clock.someoneSleeps()
      #expect(await desk().current.mutes.map(\.until) == [end])
      clock.advance(by: .seconds(592))
      await clock.someoneSleeps()
      #expect(operators.current.mutes.count == 1)
      clock.advance(by: .seconds(1))
      await clock.someoneSleeps()
      #expect(operators.current.mutes.isEmpty)
      task.cancel()
      await task.value
    }
  }

  /// A window moves with the clock, both for what asks about it and on the disk; a correction below a second moves nothing.
  @Test(arguments: [(1000, true), (-1000, true), (999, false), (-999, false), (86_400_000, true)])
  func aWindowIsToldAndSavedAsItMoved(step: Int, moves: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let (full, clock) = (FullDisk(), FakeClock())
      let check = try tcpCheck("Web")
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      func desk(_ book: MaintenanceBook) async -> OperatorDesk {
        book.replace(checks: [check])
        return await OperatorDesk(
          restoring: StateDisk(folder: folder.path, time: clock.time, medium: full.medium),
          CheckCatalog(file: [check]), book, alerts: nil, log: log, time: clock.time)
      }
      let (book, restored) = (MaintenanceBook(file: []), MaintenanceBook(file: []))
      let operators = await desk(book)
      let end = clock.wall.advanced(by: .seconds(600))
      let wish = OperatorWish(
        .startMaintenance(target: .check("Web"), length: .seconds(600), skip: true), by: "ann", why: nil)
      guard case .done = await operators.take(wish) else {
        Issue.record("refused")
        return
      }
      let task = Task { await operators.run() }
      await clock.someoneSleeps()
      clock.stepWall(by: .milliseconds(step))
      clock.advance(by: .seconds(1))
      await clock.someoneSleeps()
      let moved = moves ? end.advanced(by: .milliseconds(step)) : end
      #expect(book.plan.ends(check.id, at: clock.wall) == moved)
      #expect(await desk(restored).current.windows.map(\.until) == [moved])
      #expect(restored.plan.ends(check.id, at: clock.wall) == moved)
      task.cancel()
      await task.value
    }
  }
}
