// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// The history of the agent's checks: the latest results, the uptime windows, the latencies.
///
/// It holds no clock: the caller passes the time. It holds no file: `shard(_:)` gives bytes, and replaying the store of
/// results above `appliedThrough` brings the rest.
package final class HistoryStore: Sendable {
  let state: Mutex<HistoryState>

  /// Why the bytes given to `init(decoding:)` could not be used, for a person; nil when they could.
  package let damage: Notice?

  /// An empty history.
  package init(gone limits: GoneLimits = GoneLimits()) {
    self.damage = nil
    self.state = Mutex(HistoryState(limits))
  }

  /// The history that the files of `shard(_:)` hold. A damaged file, and one of another version, is left out and
  /// named in `damage`: a wrong figure is worse than none, and the store of results can be replayed.
  package convenience init(decoding files: [StoredShard]) {
    var reading = HistoryReading()
    for file in files.sorted(by: { $0.number < $1.number }) { reading.add(file) }
    self.init(reading)
  }

  /// The same, of files that were read one after another.
  package init(_ reading: HistoryReading) {
    self.state = Mutex(reading.whole)
    self.damage = reading.damage
  }

  /// The checks that are configured now, in their order. The history of any other is kept for a week, not shown, and
  /// within `GoneLimits`: a check may be absent because the API's list is not there yet, or by mistake.
  package func apply(_ checks: [MonitoringCheck], now: Timestamp) {
    state.withLock { $0.apply(checks, now: now) }
  }

  /// The wall clock was set from one instant to another. The time in between, which never passed, is not due in any
  /// window, so that a clock that starts in 1970 does not leave a year without data behind.
  package func clockStepped(from before: Timestamp, to now: Timestamp) {
    state.withLock { state in
      for id in state.histories.keys { state.change(id) { $0.clockStepped(from: before, to: now) } }
    }
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
    _ result: CheckResult, interval: Duration, sequence: UInt64? = nil, spanned: SlotRange? = nil
  ) {
    state.withLock { $0.record(result, interval: interval, sequence: sequence, spanned: spanned) }
  }

  /// A record of the store, in the order of the sequences. One that the snapshot holds already only fills the recent
  /// results; its facts beyond the stored ones are gone.
  package func replay(_ queued: QueuedRecord, interval: Duration, spanned: SlotRange? = nil) {
    state.withLock { $0.replay(queued, interval: interval, spanned: spanned) }
  }

  /// A slot that was not run because of a maintenance window: its time is maintenance.
  package func skipped(_ checkID: UniqueID, slot: Timestamp, interval: Duration) {
    state.withLock { state in
      state.change(checkID) { $0.skip(slot, interval: interval) }
    }
  }

  /// Slots not run for our own reasons: no data, but counted.
  package func missed(_ checkID: UniqueID, count: Int) {
    state.withLock { state in
      state.change(checkID) { $0.miss(count) }
    }
  }

  /// Of checks that are gone.
  package var gone: GoneFigures { state.withLock(\.gone) }

  /// `nil` where nothing was dropped early.
  package func goneNotice(now: Timestamp) -> Notice? {
    state.withLock { $0.gone.notice($0.goneLimits, now: now) }
  }

  /// After the store was replayed, which may hold results of any check there ever was. Counts all windows up to now, before the
  /// schedule begins.
  ///
  /// - Parameter sequence: the last one that the store holds: nothing up to there is missing from the figures any more, also
  ///   where the first record of the store has a number far above 0.
  package func replayed(through sequence: UInt64, now: Timestamp) {
    state.withLock { state in
      state.applied.settle(through: sequence)
      state.forgetExcess(now: now)
      if state.gone.forgotten > 0 { state.gone.forgottenAt = now }
      state.countWindows(now: now)
    }
  }

  /// False when some of these checks have no history at all: they are new, or their file is lost.
  package func knows(_ checks: [MonitoringCheck]) -> Bool {
    state.withLock { state in checks.allSatisfy { state.histories.place(of: $0.id) != nil } }
  }

  /// Each configured check, in their order.
  package func checks(now: Timestamp) -> [CheckFigures] { checks(now: now) { $0 } }

  /// A few checks at a time: results that come meanwhile wait for those, and not for all.
  package func checks<Each>(now: Timestamp, _ make: (CheckFigures) -> Each) -> [Each] {
    let order = state.withLock(\.order)
    var found: [Each] = []
    found.reserveCapacity(order.count)
    for start in stride(from: 0, to: order.count, by: Self.atOnce) {
      // bounded: lists in memory
      let part = order[start..<min(start + Self.atOnce, order.count)]
      let figures = state.withLock { $0.figures(of: part, now: now) }
      for each in figures { found.append(make(each)) }
    }
    return found
  }

  /// Checks that are looked at without letting results in, for some 0.2 ms.
  private static let atOnce = 32

  /// Results that are kept, of all checks.
  package var kept: KeptFigures { state.withLock(\.kept) }

  /// The state each configured check was last seen in by its schedule; checks without a result are left out.
  package var lastStates: [UniqueID: CheckState] {
    state.withLock { $0.lastStates }
  }

  /// The latest full results, newest first; nil when the check is not configured.
  package func recent(_ checkID: UniqueID) -> [CheckResult]? {
    state.withLock { state in
      guard let history = state.histories[checkID], history.check != nil else { return nil }
      return history.recent
    }
  }

  /// Every record up to this sequence is in the figures.
  package var appliedThrough: UInt64 { state.withLock { $0.applied.through } }

  /// How many snapshot files there are, numbered from 0.
  package var shardCount: Int { state.withLock { $0.shards.count } }

  /// The file of this number as it should be: version, figures, checksum; nil while the one on the disk is right.
  /// Recent results are not in it. It holds no check: no bytes, and the file is to go.
  package func shard(_ number: Int) -> ShardSnapshot? {
    // Copies of value types: the lock is held for the look at one file's checks, not for the encoding.
    let taken = state.withLock { state in
      state.shards.isDirty(number)
        ? (state.members(of: number), state.shards.changes(number), state.applied.through) : nil
    }
    guard let (members, changes, applied) = taken else { return nil }
    let bytes = members.isEmpty ? [] : HistoryState.encode(members, applied: applied)
    return ShardSnapshot(number: number, bytes: bytes, changes: changes, applied: applied)
  }

  /// The file is on the disk.
  package func saved(_ snapshot: ShardSnapshot) {
    state.withLock { state in
      state.shards.saved(snapshot.number, changes: snapshot.changes, applied: snapshot.applied)
    }
  }

  /// Every record up to this sequence is in files that were saved.
  package var savedThrough: UInt64 {
    state.withLock { $0.shards.savedThrough(applied: $0.applied.through) }
  }
}

/// The state behind the lock.
struct HistoryState: Sendable {
  var histories = HistoryTable()
  var applied = AppliedSequences()
  var shards = HistoryShards()
  var histograms = ResultHistograms()
  private(set) var order: [UniqueID] = []
  private var configured: Set<UniqueID> = []
  let goneLimits: GoneLimits
  var gone = GoneFigures()

  private var recentLimit: KeepingLimit { KeepingLimit(checks: order.count) }

  var kept: KeptFigures {
    histories.all.reduce(into: KeptFigures()) { figures, history in
      figures.results += history.kept.count
      figures.bytes += history.kept.bytes
    }
  }

  init(_ limits: GoneLimits = GoneLimits()) { goneLimits = limits }

  func isConfigured(_ id: UniqueID) -> Bool { configured.contains(id) }

  mutating func apply(_ checks: [MonitoringCheck], now: Timestamp) {
    order = checks.map(\.id)
    histories.reserve(checks.count)
    for check in checks { take(check, now: now) }
    configured = Set(order)
    // From the end: what takes the place of one that goes was looked at before.
    for place in (0..<histories.count).reversed() {
      let id = histories.keys[place]
      guard !configured.contains(id) else { continue }
      if !histories[place: place].isWorthKeeping(at: now) {
        forget(id)
      } else if histories[place: place].retire(now: now) {
        shards.touch(histories[place: place].shard, applied: applied.through)
      }
    }
    forgetExcess(now: now)
  }

  private mutating func take(_ check: MonitoringCheck, now: Timestamp) {
    let place = histories.insert(check.id)
    let changed = histories[place: place].configure(check, now: now)
    histories[place: place].trim(recentLimit)
    let shard = histories[place: place].shard
    if shard < 0 {
      histories[place: place].shard = shards.join(check.id, applied: applied.through)
    } else if changed {
      shards.touch(shard, applied: applied.through)
    }
  }

  mutating func recount(after sequence: UInt64) {
    if applied.through > sequence { applied = AppliedSequences(through: sequence) }
    // Each by itself: a check may have counted more than all of them together.
    for place in 0..<histories.count where histories[place: place].appliedThrough > sequence {
      change(histories.keys[place]) { $0.recount(after: sequence) }
    }
  }

  mutating func record(
    _ result: CheckResult, interval: Duration, sequence: UInt64?, spanned: SlotRange?
  ) {
    let limit = recentLimit
    let place = histories.place(of: result.checkID)
    if let place { histories[place: place].keep(result, limit: limit) }
    if result.trigger == .schedule {
      histograms.add(
        result, isMeasured: place.map { histories[place: $0].measures(result.facts.responseTime) } ?? true)
      change(result.checkID) {
        $0.add(
          LastResult(result), interval: interval, sequence: sequence, spanned: spanned, outages: limit.outages
        )
      }
    }
    // After the change: a file that has just fallen behind still holds every record before this one.
    applied.add(sequence)
  }

  mutating func replay(_ queued: QueuedRecord, interval: Duration, spanned: SlotRange?) {
    let record = queued.record
    defer { applied.add(queued.sequence) }
    let limit = recentLimit
    if let place = histories.place(of: record.checkID), let check = histories[place: place].check {
      histories[place: place].keep(CheckResult(record, check: check), limit: limit)
    }
    guard record.trigger == .schedule else { return }
    let place = histories.insert(record.checkID)
    if histories[place: place].shard < 0 {
      histories[place: place].shard = shards.join(record.checkID, applied: applied.through)
    }
    change(record.checkID) {
      $0.add(
        LastResult(record), interval: interval, sequence: queued.sequence, spanned: spanned,
        outages: limit.outages, isReplayed: true)
    }
    // The store may hold results of any number of checks that are gone: a few more than are kept, and never all of them.
    // bounded: lists in memory
    if histories.count - configured.count > goneLimits.checks + Self.replaySlack { forgetExcess(now: nil) }
  }

  private static let replaySlack = 1024

  /// Changes what a snapshot file holds of a check.
  mutating func change(_ checkID: UniqueID, _ body: (inout CheckHistory) -> Void) {
    guard let place = histories.place(of: checkID) else { return }
    shards.touch(histories[place: place].shard, applied: applied.through)
    body(&histories[place: place])
  }

  var lastStates: [UniqueID: CheckState] {
    var states: [UniqueID: CheckState] = [:]
    for id in order {
      if let place = histories.place(of: id) { states[id] = histories[place: place].lastState }
    }
    return states
  }

  mutating func countWindows(now: Timestamp) {
    for id in order {
      if let place = histories.place(of: id) { _ = histories[place: place].windows(now: now) }
    }
  }

  mutating func figures(of checks: ArraySlice<UniqueID>, now: Timestamp) -> [CheckFigures] {
    let places = checks.compactMap { histories.place(of: $0) }
    var windows: [WindowStatus] = []
    windows.reserveCapacity(places.count * UptimePeriod.allCases.count)
    for place in places { windows += histories[place: place].windows(now: now) ?? [] }
    var figures: [CheckFigures] = []
    figures.reserveCapacity(places.count)
    var next = 0
    for place in places where histories[place: place].check != nil {
      let own = windows[next..<next + UptimePeriod.allCases.count]
      next = own.endIndex
      if let found = histories[place: place].figures(now: now, windows: own) { figures.append(found) }
    }
    return figures
  }
}
