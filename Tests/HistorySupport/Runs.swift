// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Midnight UTC, and so an edge of every series.
package let midnight = Timestamp(seconds: 1_767_225_600)

package func makeCheck(_ name: String = "Shop", interval: Duration = .seconds(60), enabled: Bool = true)
  throws
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
package struct Run: Sendable {
  package var slot: Timestamp
  package var state: CheckState = .up
  package var latency: Duration? = .milliseconds(10)
  package var maintenance = false
  package var trigger = Trigger.schedule
  /// After the slot.
  package var delay: Duration = .zero

  package init(
    slot: Timestamp, state: CheckState = .up, latency: Duration? = .milliseconds(10),
    maintenance: Bool = false,
    trigger: Trigger = .schedule, delay: Duration = .zero
  ) {
    (self.slot, self.state, self.latency, self.maintenance) = (slot, state, latency, maintenance)
    (self.trigger, self.delay) = (trigger, delay)
  }

  package func result(of check: MonitoringCheck, number: UInt64 = 0) -> CheckResult {
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

  package func record(of check: MonitoringCheck, sequence: UInt64) -> QueuedRecord {
    QueuedRecord(
      sequence: sequence,
      record: DeliveryRecord(result(of: check, number: sequence), agent: "test-1", flags: []))
  }
}

/// A store with one check, enabled since midnight.
package func makeStore(_ check: MonitoringCheck, runs: [Run] = [], enabledAt: Timestamp = midnight)
  -> HistoryStore
{
  let store = HistoryStore()
  store.apply([check], now: enabledAt)
  for run in runs { store.record(run.result(of: check), interval: check.interval) }
  return store
}

package func grid(_ count: Int, every interval: Duration = .seconds(60), from start: Timestamp = midnight)
  -> [Run]
{
  (0..<count).map { Run(slot: start.advanced(by: interval * $0)) }
}

extension Timestamp {
  package static func + (left: Timestamp, right: Duration) -> Timestamp { left.advanced(by: right) }
}

extension HistoryStore {
  /// Every snapshot file as it should be on the disk now, without saving any.
  package func files() -> [StoredShard] {
    (0..<shardCount).compactMap { shard($0) }.map { StoredShard(number: $0.number, bytes: $0.bytes) }
  }
}

/// Reproducible randomness (SplitMix64).
package struct Dice: RandomNumberGenerator {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  package mutating func chance(_ oneIn: UInt64) -> Bool { next() % oneIn == 0 }
}
