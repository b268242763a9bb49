// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What runs beside the scheduler and writes to the log, on a clock that the test moves.
@Suite struct LogServiceTests {
  private func history(_ checks: [MonitoringCheck], at now: Timestamp) -> HistoryStore {
    let store = HistoryStore()
    store.apply(checks, now: now)
    return store
  }

  private func record(_ store: HistoryStore, _ check: MonitoringCheck, at slot: Timestamp, up: Bool) {
    let verdict = up ? Verdict.ok : Verdict(.connectRefused, phase: .connect, message: "refused")
    let result = CheckResult(
      id: UniqueID(high: 1, low: UInt64(slot.microseconds)), check: check, trigger: .schedule,
      scheduledAt: slot, startedAt: slot, late: .zero, verdict: verdict)
    store.record(result, interval: .seconds(60))
  }

  /// One line an hour, with what that hour alone brought.
  @Test func anHourIsALine() async throws {
    let clock = FakeClock()
    let (shop, mail) = (try tcpCheck("Shop"), try tcpCheck("Mail"))
    let store = history([shop, mail], at: clock.wall)
    let lines = FullLines()
    let scheduler = Mutex(ScheduleStatus())
    let delivered = Mutex(10)
    let service = HourlyLog(log: Logger(label: "test") { _ in lines }, time: clock.time) {
      let agent = AgentIdentity(name: "test", region: nil, version: "1", started: clock.wall)
      var picture = StatusSnapshot(agent: agent, history: store, now: clock.wall)
      picture.scheduler = scheduler.withLock { $0 }
      picture.delivery = DeliveryStatus(.quartz)
      picture.delivery?.tally.delivered = delivered.withLock { $0 }
      picture.spool = SpoolStatus(mode: .durable, durability: .interval)
      picture.spool?.depth = 3
      return picture
    }
    record(store, shop, at: clock.wall, up: true)
    let task = Task { await service.run() }
    await clock.someoneSleeps()
    for minute in 1...5 {
      record(store, shop, at: clock.wall.advanced(by: .seconds(60 * minute)), up: minute < 5)
    }
    record(store, mail, at: clock.wall.advanced(by: .seconds(60)), up: true)
    scheduler.withLock {
      $0.missedBy = [.gap: 2]
      $0.lateP99 = .milliseconds(3)
    }
    delivered.withLock { $0 = 17 }
    clock.advance(by: .seconds(3599))
    #expect(lines.all.isEmpty)
    clock.advance(by: .seconds(1))
    await clock.someoneSleeps()
    #expect(
      lines.all == [
        "the last hour backlog=3 checks=1 up, 1 down delivered=7 late_p99=3 ms missed=2 results=6"
      ])
    clock.advance(by: .seconds(3600))
    await clock.someoneSleeps()
    #expect(lines.all.last?.contains("delivered=0") == true && lines.all.last?.contains("results=0") == true)
    #expect(lines.all.count == 2)
    task.cancel()
    await task.value
  }

  /// A window is told when it begins and when it ends, once each.
  @Test func aWindowBeginsAndEndsOnce() async throws {
    let clock = FakeClock(at: Timestamp(seconds: 1_767_225_600))
    var definition = MaintenanceDefinition()
    (definition.name, definition.start) = ("Patch night", "2026-01-01T00:10")
    definition.duration = .seconds(600)
    definition.skip = true
    let check = try tcpCheck("Shop")
    let plan = MaintenancePlan([try MaintenanceWindow(definition)], checks: [check])
    let lines = FullLines()
    let watch = MaintenanceWatch(log: Logger(label: "test") { _ in lines }, time: clock.time) { plan }
    for _ in 0..<30 {
      await watch.look()
      clock.advance(by: .seconds(60))
    }
    #expect(
      lines.all == [
        "maintenance begins checks=1 probing=no until=2026-01-01T00:20:00.000Z window=Patch night",
        "maintenance ends checks=1 window=Patch night",
      ])
  }

  /// What the store lacks from some time on is told once, and what was told at its opening is not told again.
  @Test func aShortReservationIsToldOnce() async throws {
    try await withTemporaryDirectory { folder in
      let settings = Spool.SpoolSettings(path: folder.path + "/spool", size: 16 << 20, durability: .interval)
      let spool = try await ResultSpool.open(settings) { () throws(FileFault) in
        try PosixFileSystem(path: settings.path)
      }
      let lines = FullLines()
      let watch = StoreWatch(spool, log: Logger(label: "test") { _ in lines }, time: FakeClock().time)
      var status = spool.status()
      await watch.look(status)
      #expect(lines.all.isEmpty)
      status.notes.append(.warning(.store, "only 8 of 16 MiB could be reserved: no space"))
      for _ in 0..<3 { await watch.look(status) }
      #expect(lines.all == ["the store: only 8 of 16 MiB could be reserved: no space"])
      await spool.close()
    }
  }
}

/// What was logged, its fields included, in the order of their names, and its level where that is wanted.
final class FullLines: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])
  private let hasLevels: Bool

  init(hasLevels: Bool = false) { self.hasLevels = hasLevels }

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

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    let level = hasLevels ? "\(event.level.rawValue) " : ""
    lines.withLock { $0.append(level + "\(event.message)" + fields.joined()) }
  }
}
