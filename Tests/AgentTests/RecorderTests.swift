// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Logging
import Monitoring
import Scheduler
import Spool
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What the log is told of results, and what is known of each check.
@Suite struct RecorderTests {
  private let begin = Timestamp(seconds: 1_767_225_600)

  private struct World {
    let shop: MonitoringCheck
    let mail: MonitoringCheck
    let history: HistoryStore
    let spool: ResultSpool
    let lines: FullLines

    func recorder() -> Recorder {
      Recorder(
        grid: SlotGrid(agent: "a"), history: history, spool: spool,
        catalog: CheckCatalog(file: [shop, mail]), uploader: nil, resources: nil,
        log: Logger(label: "test") { [lines] _ in lines })
    }
  }

  private func inWorld(_ body: (World) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let spool = try await ResultSpool.open(
        Spool.SpoolSettings(path: folder.path + "/spool", size: 16 << 20, durability: .interval))
      let history = HistoryStore()
      let world = World(
        shop: try tcpCheck("Shop"), mail: try tcpCheck("Mail"), history: history, spool: spool,
        lines: FullLines(hasLevels: true))
      history.apply([world.shop, world.mail], now: begin)
      try await body(world)
      await spool.close()
    }
  }

  /// A slot of the check, so many minutes after its first one.
  private func slot(_ check: MonitoringCheck, _ minute: Int64) -> Timestamp {
    Timeline(agent: "a", check: check.id, interval: .seconds(60)).slot(after: begin)
      .advanced(by: .seconds(60 * minute))
  }

  private func result(
    _ check: MonitoringCheck, _ verdict: Verdict, minute: Int64, _ trigger: Trigger = .schedule
  ) -> CheckResult {
    let slot = slot(check, minute)
    return CheckResult(
      id: UniqueID(high: 1, low: UInt64(minute) + 1), check: check, trigger: trigger, scheduledAt: slot,
      startedAt: slot, late: .zero, verdict: verdict)
  }

  private let refused = Verdict(.connectRefused, phase: .connect, message: "refused")
  private let slow = Verdict(.responseTime, message: "slow", degraded: true)
  private let fault = Verdict(.localFault, phase: .connect, message: "no descriptor")

  /// One line a change of state, each of its level; the first that is up is no news, and neither is what stays.
  @Test func aLineAChange() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      func told(_ verdict: Verdict, _ minute: Int64) -> [String] {
        let before = world.lines.all.count
        recorder.record(result(world.shop, verdict, minute: minute), of: world.shop)
        return Array(world.lines.all[before...])
      }
      #expect(told(.ok, 0) == [] && told(.ok, 1) == [])
      #expect(told(slow, 2) == ["warning check is degraded check=Shop message=slow reason=response_time"])
      #expect(told(slow, 3) == [])
      #expect(told(refused, 4) == ["error check is down check=Shop message=refused reason=connect_refused"])
      #expect(told(refused, 5) == [])
      #expect(
        told(.ok, 6) == [
          "notice check is up again check=Shop down_for=2m down_since=\(slot(world.shop, 4).rfc3339) "
            + "message=refused reason=connect_refused"
        ])
      #expect(
        told(fault, 7) == [
          "warning check is unknown: could not be determined from this machine check=Shop message=no descriptor "
            + "reason=local_fault"
        ])
      #expect(told(.ok, 8) == ["notice check is up check=Shop"], "it was not down")
      #expect(
        told(Verdict(.dependency), 9) == [
          "notice check fails along with what it depends on check=Shop reason=dependency"
        ])
      #expect(told(.ok, 10) == ["notice check is up check=Shop"])
      #expect(
        told(Verdict(.heartbeatMissed, isUnknown: true), 11) == [
          "notice waiting for the first report check=Shop reason=heartbeat_missed"
        ])
      #expect(told(.ok, 12) == ["notice check is up check=Shop"])
      _ = told(slow, 13)
      #expect(told(.ok, 14) == ["notice check is up check=Shop"], "degraded is not down")
    }
  }

  /// The store keeps how long the verdict of a slot holds, and nothing of the kind for a run by hand.
  @Test func timeThatAVerdictHolds() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      let slots = SlotRange(first: slot(world.shop, 1), count: 2, interval: .seconds(60))
      recorder.record(result(world.shop, .ok, minute: 0), of: world.shop, spanned: slots)
      recorder.record(result(world.shop, .ok, minute: 3), of: world.shop)
      recorder.record(result(world.shop, .ok, minute: 4, .manual), of: world.shop)
      _ = await world.spool.flush()
      let holds = Mutex<[VerdictHold?]>([])
      await world.spool.replay(after: 0) { queued in holds.withLock { $0.append(queued.record.hold) } }
      let minute = Duration.seconds(60)
      #expect(
        holds.withLock { $0 }
          == [VerdictHold(interval: minute, spanned: slots), VerdictHold(interval: minute), nil])
    }
  }

  /// An outage with a time in it of which nothing is known is one; that it works again, though slowly, is told with its length.
  @Test func anOutageWithAGap() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      for (minute, verdict) in [refused, fault, refused].enumerated() {
        recorder.record(result(world.shop, verdict, minute: Int64(minute)), of: world.shop)
      }
      #expect(
        world.lines.all.map { $0.prefix(20) } == [
          "error check is down ", "warning check is unk", "error check is down ",
        ])
      recorder.record(result(world.shop, slow, minute: 3), of: world.shop)
      let last = try #require(world.lines.all.last)
      #expect(last.hasPrefix("warning check is degraded check=Shop down_for="), "\(last)")
      #expect(last.hasSuffix("message=slow reason=response_time") && !last.contains("down_since"))
    }
  }

  /// The reason goes with the message of the first result of the outage.
  @Test func anOutageOfTwoFaults() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      let status = Verdict(.httpStatus, phase: .assertion, message: "status 500")
      for (minute, verdict) in [refused, status, .ok].enumerated() {
        recorder.record(result(world.shop, verdict, minute: Int64(minute)), of: world.shop)
      }
      #expect(
        world.lines.all.last == "notice check is up again check=Shop down_for=2m "
          + "down_since=\(slot(world.shop, 0).rfc3339) last_message=status 500 message=refused "
          + "reason=connect_refused")
    }
  }

  /// An outage that ends in a time of which nothing is known is over with the first result that works: its length is told.
  @Test func anOutageBeforeAGap() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      for (minute, verdict) in [refused, refused, fault, fault].enumerated() {
        recorder.record(result(world.shop, verdict, minute: Int64(minute)), of: world.shop)
      }
      recorder.record(result(world.shop, .ok, minute: 4), of: world.shop)
      #expect(
        world.lines.all.last == "notice check is up again check=Shop down_for=2m "
          + "down_since=\(slot(world.shop, 0).rfc3339) message=refused reason=connect_refused")
      // The same outage is told once.
      recorder.record(result(world.shop, fault, minute: 5), of: world.shop)
      recorder.record(result(world.shop, .ok, minute: 6), of: world.shop)
      #expect(world.lines.all.last == "notice check is up check=Shop")
    }
  }

  /// A check is run again at the pace of what was found here, whatever other places make of it: so long a verdict holds.
  @Test(arguments: [(true, CheckState.degraded, 10), (false, .down, 60)])
  func thePaceOfAConfirmedResult(isDownHere: Bool, settled: CheckState, holds: Int64) async throws {
    try await inWorld { world in
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.host, definition.port) = ("Quick", "tcp", "a.test", 80)
      (definition.interval, definition.plan.intervalFailing) = (.seconds(60), .seconds(10))
      let quick = try MonitoringCheck(definition)
      world.history.apply([quick], now: begin)
      // The slots of the failing pace are on the same grid.
      let own = isDownHere ? refused : Verdict.ok
      let found = result(quick, own, minute: 0)
        .settled(by: QuorumVerdict(isDownHere ? .regional : .outvoted, from: 2, places: [], own: own))
      #expect(found.state == settled)
      world.recorder().record(found, of: quick)
      let next = found.scheduledAt.advanced(by: .seconds(300))
      let figures = try #require(world.history.checks(now: next).first { $0.id == quick.id })
      let time = figures.window(.day).time
      #expect(time.judged == holds * 1_000_000)
    }
  }

  /// What was down before a restart is no news when it still is, and is news when it is not.
  @Test func overARestart() async throws {
    try await inWorld { world in
      world.recorder().record(result(world.shop, refused, minute: 0), of: world.shop)
      let next = world.recorder()
      next.record(result(world.shop, refused, minute: 1), of: world.shop)
      #expect(world.lines.all.count == 1)
      next.record(result(world.shop, .ok, minute: 2), of: world.shop)
      #expect(world.lines.all.last?.hasPrefix("notice check is up again check=Shop down_for=2m ") == true)
    }
  }

  /// Runs by hand change nothing of what the schedule found, and are told nowhere.
  @Test func runsByHand() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      let first = recorder.record(result(world.shop, refused, minute: 0, .manual), of: world.shop)
      #expect(world.lines.all == [])
      let second = recorder.take(result(world.shop, refused, minute: 1), of: world.shop, spanned: nil)
      #expect(second == first + 1)
      #expect(world.lines.all.count == 1)
      recorder.record(result(world.shop, .ok, minute: 2, .manual), of: world.shop)
      recorder.keep([world.shop, world.mail])
      // It is still the same outage, until the check is gone from the list.
      recorder.record(result(world.shop, refused, minute: 3), of: world.shop)
      #expect(world.lines.all.count == 1)
      recorder.keep([world.mail])
      recorder.record(result(world.shop, refused, minute: 4), of: world.shop)
      #expect(world.lines.all.count == 2)
    }
  }

  /// Slots that were missed, by the name of their check.
  @Test func missedSlots() async throws {
    try await inWorld { world in
      let recorder = world.recorder()
      let slots = SlotRange(first: begin, count: 3, interval: .seconds(60))
      let stranger = UniqueID(high: 9, low: 9)
      recorder.note(.missed(check: world.mail.id, slots: slots, cause: .gap))
      recorder.note(.missed(check: stranger, slots: slots, cause: .limit))
      #expect(
        world.lines.all == [
          "warning slots missed cause=gap check=Mail slots=3",
          "warning slots missed cause=limit check=\(stranger) slots=3",
        ])
    }
  }
}
