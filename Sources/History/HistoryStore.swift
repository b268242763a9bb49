// SPDX-License-Identifier: MIT

import Monitoring
import Synchronization

/// What the agent remembers of its checks: the latest results, the uptime windows, the latencies.
///
/// It holds no clock: whoever asks says what time it is. It holds no file: `encode()` gives bytes, and replaying the
/// store of results above `appliedThrough` brings the rest.
package final class HistoryStore: Sendable {
  private let state: Mutex<HistoryState>

  package let agent: AgentIdentity
  /// Why the bytes given to `init(agent:decoding:)` could not be used, for a person; nil when they could.
  package let damage: String?

  /// An empty history.
  package init(agent: AgentIdentity) {
    self.agent = agent
    self.damage = nil
    self.state = Mutex(HistoryState())
  }

  /// The history that `encode()` wrote. Damaged bytes, and those of another version, give an empty one and `damage`:
  /// a wrong figure is worse than none, and the store of results can be replayed.
  package init(agent: AgentIdentity, decoding bytes: [UInt8]) {
    self.agent = agent
    do throws(CodingDamage) {
      self.state = Mutex(try HistoryState(decoding: bytes))
      self.damage = nil
    } catch {
      self.state = Mutex(HistoryState())
      self.damage = "the history snapshot is damaged or of another version: starting with empty windows"
    }
  }

  /// The checks that are configured now, in their order. What is remembered of any other is kept for a week, not
  /// shown: a check may be away because the API's list is not there yet, or because somebody made a mistake.
  package func apply(_ checks: [MonitoringCheck], now: Timestamp) {
    state.withLock { $0.apply(checks, now: now) }
  }

  /// Forgets that anything beyond this sequence was counted. For the start: what a snapshot counted and the store
  /// lost would make the history ignore the next results, which carry those sequences again.
  package func recount(after sequence: UInt64) {
    state.withLock { $0.recount(after: sequence) }
  }

  /// A finished run. Results of checks that are not configured are dropped.
  ///
  /// - Parameters:
  ///   - interval: from its slot to the next one as planned when it ran.
  ///   - sequence: the record's place in the store of results; nil when there is no store.
  ///   - spanned: slots that passed while the run was going: they take its verdict.
  package func record(
    _ result: CheckResult, interval: Duration, sequence: UInt64? = nil, spanned: SpannedSlots? = nil
  ) {
    state.withLock { $0.record(result, interval: interval, sequence: sequence, spanned: spanned) }
  }

  /// A record of the store, in the order of the sequences. One that the snapshot holds already only fills the recent
  /// results; its facts beyond the stored ones are gone.
  package func replay(_ queued: QueuedRecord, interval: Duration, spanned: SpannedSlots? = nil) {
    state.withLock { $0.replay(queued, interval: interval, spanned: spanned) }
  }

  /// A slot that was not run because of a maintenance window: its time is maintenance.
  package func skipped(_ checkID: UniqueID, slot: Timestamp, interval: Duration) {
    state.withLock { $0.histories[checkID]?.skip(slot, interval: interval) }
  }

  /// Slots not run for our own reasons: no data, but counted.
  package func missed(_ checkID: UniqueID, count: Int) {
    state.withLock { $0.histories[checkID]?.miss(count) }
  }

  package func snapshot(now: Timestamp) -> StatusSnapshot {
    StatusSnapshot(agent: agent, now: now, checks: state.withLock { $0.statuses(now: now) })
  }

  /// One check as it stands; nil when it is not configured.
  package func status(of checkID: UniqueID, now: Timestamp) -> CheckStatus? {
    state.withLock { $0.histories[checkID]?.status(now: now) }
  }

  /// The latest full results, newest first; nil when the check is not configured.
  package func recent(_ checkID: UniqueID) -> [CheckResult]? {
    state.withLock { state in
      guard let history = state.histories[checkID], history.check != nil else { return nil }
      return history.recent.reversed()
    }
  }

  /// Every record up to this sequence is in the figures: what `encode()` makes needs no replay up to here.
  package var appliedThrough: UInt64 { state.withLock { $0.applied.through } }

  /// The whole history but the recent results: version, figures, checksum.
  package func encode() -> [UInt8] {
    // Copies of value types: the lock is held for the copy of one dictionary, not for the encoding.
    state.withLock { $0 }.encode()
  }
}

/// Consecutive slots that took the verdict of a run still going.
package struct SpannedSlots: Hashable, Sendable {
  package var first: Timestamp
  package var count: Int
  package var interval: Duration

  package init(first: Timestamp, count: Int, interval: Duration) {
    self.first = first
    self.count = count
    self.interval = interval
  }
}

/// The state behind the lock.
struct HistoryState: Sendable {
  var histories: [UniqueID: CheckHistory] = [:]
  var applied = AppliedSequences()
  private var order: [UniqueID] = []

  /// Full results kept for each check: 100 up to 500 checks, then 50,000 in all, but at least one.
  private var recentLimit: Int { min(100, max(1, 50_000 / max(1, order.count))) }

  init() {}

  mutating func apply(_ checks: [MonitoringCheck], now: Timestamp) {
    order = checks.map(\.id)
    var kept: [UniqueID: CheckHistory] = [:]
    kept.reserveCapacity(checks.count)
    for check in checks {
      var history = histories.removeValue(forKey: check.id) ?? kept[check.id] ?? CheckHistory()
      history.configure(check, now: now)
      history.trim(recentLimit)
      kept[check.id] = history
    }
    for (id, var history) in histories where history.isWorthKeeping(at: now) {
      history.retire(now: now)
      kept[id] = history
    }
    histories = kept
  }

  mutating func recount(after sequence: UInt64) {
    guard applied.through > sequence else { return }
    applied = AppliedSequences(through: sequence)
    for id in Array(histories.keys) { histories[id]?.recount(after: sequence) }
  }

  mutating func record(
    _ result: CheckResult, interval: Duration, sequence: UInt64?, spanned: SpannedSlots?
  ) {
    applied.add(sequence)
    let limit = recentLimit
    histories[result.checkID]?.keep(result, limit: limit)
    guard result.trigger == .schedule else { return }
    histories[result.checkID]?.add(
      LastResult(result), interval: interval, sequence: sequence, spanned: spanned)
  }

  mutating func replay(_ queued: QueuedRecord, interval: Duration, spanned: SpannedSlots?) {
    let record = queued.record
    applied.add(queued.sequence)
    let limit = recentLimit
    if let check = histories[record.checkID]?.check {
      histories[record.checkID]?.keep(CheckResult(record, check: check), limit: limit)
    }
    guard record.trigger == .schedule else { return }
    histories[record.checkID, default: CheckHistory()].add(
      LastResult(record), interval: interval, sequence: queued.sequence, spanned: spanned)
  }

  mutating func statuses(now: Timestamp) -> [CheckStatus] {
    order.compactMap { histories[$0]?.status(now: now) }
  }
}

extension CheckResult {
  /// What a stored record still knows of the result; everything else is absent.
  fileprivate init(_ record: DeliveryRecord, check: MonitoringCheck) {
    let verdict = Verdict(
      record.reason, phase: record.phase, message: record.message, degraded: record.state == .degraded)
    self.init(
      id: record.id, check: check, trigger: record.trigger, scheduledAt: record.scheduledAt,
      startedAt: record.startedAt, late: max(.zero, record.late), verdict: verdict)
    // As stored: a version that judges a reason differently must not rewrite the past.
    status = record.status
    state = record.state
    statusCode = record.statusCode
    responseTime = record.responseTime
    timings = record.timings
    maintenance = record.flags.contains(.maintenance)
  }
}

/// Up to which sequence everything is in the figures, although runs end in another order than they were stored.
struct AppliedSequences: Hashable, Sendable {
  private(set) var through: UInt64 = 0
  private var above: Set<UInt64> = []

  /// A hole that stays open behind this many later records holds no result of a check: it is taken as closed.
  static let patience = 4096

  init(through: UInt64 = 0) { self.through = through }

  mutating func add(_ sequence: UInt64?) {
    guard let sequence, sequence > through else { return }
    above.insert(sequence)
    if above.count > Self.patience, let first = above.min() { through = first - 1 }
    while above.remove(through + 1) != nil { through += 1 }
  }
}

extension HistoryState {
  private static let magic = Array("QHIS".utf8)
  private static let version: UInt64 = 2

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes += Self.magic
    writer.unsigned(Self.version)
    writer.unsigned(applied.through)
    writer.count(histories.count)
    for (id, history) in histories {
      writer.id(id)
      history.encode(into: &writer)
    }
    writer.fixed32(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(CodingDamage) {
    let body = bytes.count - 4
    guard body > Self.magic.count, Array(bytes[..<Self.magic.count]) == Self.magic else {
      throw CodingDamage()
    }
    var trailer = ByteReader(bytes, from: body)
    guard try trailer.fixed32() == CRC32C.checksum(Array(bytes[..<body])) else { throw CodingDamage() }
    var reader = ByteReader(bytes, from: Self.magic.count, to: body)
    guard try reader.unsigned() == Self.version else { throw CodingDamage() }
    applied = AppliedSequences(through: try reader.unsigned())
    for _ in 0..<(try reader.count()) {
      let id = try reader.id()
      histories[id] = try CheckHistory(from: &reader)
    }
    guard reader.atEnd else { throw CodingDamage() }
  }
}
