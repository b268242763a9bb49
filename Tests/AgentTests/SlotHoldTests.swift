// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Scheduler
import Status
import Testing
@testable import Agent

/// How long a verdict holds, by its slot alone, so that a replay counts as the live agent did.
@Suite struct SlotHoldTests {
  private let hold = SlotHold(agent: "test")
  private let start = Timestamp(seconds: 1_767_225_600)

  private func check(every interval: Duration) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.name = "Daily"
    definition.type = "tcp"
    definition.host = "shop.example"
    definition.port = 80
    definition.interval = interval
    return try MonitoringCheck(definition)
  }

  private func slot(_ check: MonitoringCheck) -> Timestamp {
    Timeline(agent: "test", check: check.id, interval: check.interval).slot(after: start)
  }

  /// A first run is no slot: its verdict ends where the first slot begins, and no second counts twice.
  @Test(arguments: [1, 7, 2879]) func theVerdictOfAFirstRunHoldsUntilTheSlot(steps: Int) throws {
    let check = try check(every: .seconds(86_400))
    let slot = slot(check)
    let first = slot.advanced(by: .seconds(30 * steps))
    #expect(hold.interval(of: check, .up, slot: first) == .seconds(86_400 - 30 * steps))
    #expect(hold.interval(of: check, .up, slot: slot) == .seconds(86_400))
    // What is no step of the grid was planned with another interval.
    #expect(hold.interval(of: check, .up, slot: first.advanced(by: .seconds(1))) == .seconds(86_400))
  }

  /// The windows of a check that ran first off its grid, then at its slots, then not at all: each second once.
  @Test func theWindowsCountAFirstRunOnce() throws {
    let check = try check(every: .seconds(3600))
    let slot = slot(check)
    let first = slot.advanced(by: .seconds(-900))
    let history = HistoryStore()
    history.apply([check], now: first)
    func record(_ at: Timestamp, _ verdict: Verdict) {
      let result = CheckResult(
        id: UniqueID(high: 7, low: UInt64(at.microseconds)), check: check, trigger: .schedule,
        scheduledAt: at,
        startedAt: at, late: .zero, verdict: verdict)
      history.record(result, interval: hold.interval(of: check, result.state, slot: at))
    }
    record(first, .ok)
    record(slot, Verdict(.connectRefused, phase: .connect))
    // Two slots are not run; the next one is.
    record(slot.advanced(by: .seconds(3 * 3600)), .ok)
    let now = slot.advanced(by: .seconds(4 * 3600))
    let window = try #require(history.checks(now: now).first).window(.week)
    #expect(window.time.up == (900 + 3600) * 1_000_000 && window.time.down == 3600 * 1_000_000)
    #expect(window.counts.up == 2 && window.counts.down == 1)
    #expect(window.enabled == (900 + 4 * 3600) * 1_000_000)

    // The slot after a first run is missed: the first verdict does not reach beyond it.
    let other = HistoryStore()
    other.apply([check], now: first)
    let result = CheckResult(
      id: UniqueID(high: 7, low: 1), check: check, trigger: .schedule, scheduledAt: first, startedAt: first,
      late: .zero, verdict: .ok)
    other.record(result, interval: hold.interval(of: check, .up, slot: first))
    let alone = try #require(other.checks(now: now).first).window(.week)
    #expect(alone.time.up == 900 * 1_000_000)
  }

  private func record(_ check: MonitoringCheck, at slot: Timestamp) -> DeliveryRecord {
    let result = CheckResult(
      id: UniqueID(high: 7, low: UInt64(slot.microseconds)), check: check, trigger: .schedule,
      scheduledAt: slot, startedAt: slot, late: .zero, verdict: Verdict(.connectRefused, phase: .connect))
    return DeliveryRecord(result, agent: "test", flags: [])
  }

  /// A record keeps the time that was planned when it ran; what an earlier version wrote has that of today.
  @Test func aRecordKeepsItsTime() throws {
    let check = try check(every: .seconds(86_400))
    var record = record(check, at: slot(check))
    #expect(hold.hold(record, of: check) == VerdictHold(interval: .seconds(86_400)))
    #expect(hold.hold(record, of: nil) == VerdictHold(interval: .seconds(60)))
    let slots = SlotRange(first: slot(check).advanced(by: .seconds(30)), count: 2, interval: .seconds(30))
    record.hold = VerdictHold(interval: .seconds(30), spanned: slots)
    for check in [check, nil] { #expect(hold.hold(record, of: check) == record.hold) }
  }

  /// A check whose interval was changed while the agent was away: the replay counts its downtime as the agent did.
  @Test(arguments: [2, 300]) func aChangedIntervalChangesNoPast(seconds: Int) throws {
    let (before, after) = (try check(every: .seconds(30)), try check(every: .seconds(seconds)))
    let slot = slot(before)
    let (live, replayed) = (HistoryStore(), HistoryStore())
    live.apply([before], now: slot)
    replayed.apply([after], now: slot)
    for number in 0..<3 {
      var record = record(before, at: slot.advanced(by: .seconds(30 * number)))
      let interval = hold.interval(of: before, .down, slot: record.scheduledAt)
      record.hold = VerdictHold(interval: interval)
      let queued = QueuedRecord(sequence: UInt64(number + 1), record: record)
      live.replay(queued, interval: interval)
      let held = hold.hold(record, of: after)
      replayed.replay(queued, interval: held.interval, spanned: held.spanned)
    }
    let now = slot.advanced(by: .seconds(120))
    let outages = try #require(replayed.outages(after.id, now: now))
    #expect(outages.map(\.begin) == [slot] && outages == live.outages(before.id, now: now))
    #expect(outages.first?.heldUntil == slot.advanced(by: .seconds(90)) && outages.first?.results == 3)
  }
}
