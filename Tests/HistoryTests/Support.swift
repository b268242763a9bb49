// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Midnight UTC, and so an edge of every series.
let midnight = Timestamp(seconds: 1_767_225_600)

let identity = AgentIdentity(name: "test-1", region: nil, version: "0", started: midnight)

func makeCheck(_ name: String = "Shop", interval: Duration = .seconds(60), enabled: Bool = true) throws
  -> MonitoringCheck
{
  var definition = CheckDefinition()
  definition.name = name
  definition.type = "tcp"
  definition.host = "127.0.0.1"
  definition.port = 80
  definition.interval = interval
  definition.timeout = .seconds(1)
  definition.enabled = enabled
  return try MonitoringCheck(definition)
}

/// One run, with what matters to windows.
struct Run: Sendable {
  var slot: Timestamp
  var state: CheckState = .up
  var latency: Duration? = .milliseconds(10)
  var maintenance = false
  var trigger = Trigger.schedule
  /// After the slot.
  var delay: Duration = .zero

  func result(of check: MonitoringCheck, number: UInt64 = 0) -> CheckResult {
    let verdict: Verdict =
      switch state {
      case .up: .ok
      case .degraded: Verdict(.responseTime, degraded: true)
      case .down: Verdict(.connectRefused, phase: .connect, message: "refused")
      case .unknown: Verdict(.localFault)
      }
    var result = CheckResult(
      id: UniqueID(high: 7, low: number), check: check, trigger: trigger, scheduledAt: slot,
      startedAt: slot.advanced(by: delay), late: delay, verdict: verdict)
    result.responseTime = latency
    result.maintenance = maintenance
    return result
  }

  func record(of check: MonitoringCheck, sequence: UInt64) -> QueuedRecord {
    QueuedRecord(
      sequence: sequence,
      record: DeliveryRecord(result(of: check, number: sequence), agent: "test-1", flags: []))
  }
}

/// A store with one check, enabled since midnight.
func makeStore(_ check: MonitoringCheck, runs: [Run] = [], enabledAt: Timestamp = midnight) -> HistoryStore {
  let store = HistoryStore(agent: identity)
  store.apply([check], now: enabledAt)
  for run in runs { store.record(run.result(of: check), interval: check.interval) }
  return store
}

func grid(_ count: Int, every interval: Duration = .seconds(60), from start: Timestamp = midnight) -> [Run] {
  (0..<count).map { Run(slot: start.advanced(by: interval * $0)) }
}

extension Timestamp {
  static func + (left: Timestamp, right: Duration) -> Timestamp { left.advanced(by: right) }
}

extension HistoryStore {
  func status(of checkID: UniqueID, now: Timestamp) -> CheckStatus? { snapshot(now: now).check(checkID) }

  /// Every snapshot file as it should be on the disk now, without saving any.
  func files() -> [StoredShard] {
    (0..<shardCount).compactMap { shard($0) }.map { StoredShard(number: $0.number, bytes: $0.bytes) }
  }
}

extension StatusSnapshot {
  func window(_ period: UptimePeriod) -> WindowStatus {
    checks.first?.window(period) ?? WindowStatus(period: period)
  }
}

/// Reproducible randomness (SplitMix64).
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func chance(_ oneIn: UInt64) -> Bool { next() % oneIn == 0 }
}
