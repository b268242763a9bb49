// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Everything remembered of one check.
struct CheckHistory: Sendable {
  /// `nil` for a check known from a snapshot only, until the configuration names it again.
  var check: MonitoringCheck?
  /// Every record of this check up to here is in these figures. A check's results come in the order of their
  /// sequences, so one number is exact.
  private(set) var appliedThrough: UInt64 = 0
  /// The snapshot file it is in; negative: in none yet.
  var shard = -1
  private(set) var missed = 0
  /// Of these, what the snapshot file had: what was missed after it was written is lost in a crash.
  private var missedBefore = 0
  /// Results with an implausible time, since the start: they are in no window.
  private var implausible = 0
  private var spanned = 0
  private var failures = 0
  private(set) var timeline = HeldVerdicts()
  private(set) var enabled = EnabledTime()
  private var last: LastResult?
  private var since: Timestamp?
  /// `since` is by the clock of an earlier process, and no result of this one is known yet.
  private var isOfEarlierRun = false
  /// End of the last slot that a maintenance window left out; in memory only.
  private var skippedThrough: Timestamp?
  private var spark = SparkLine()
  /// Scheduled results since this history began.
  private(set) var counts = ResultCounts()
  /// Of the successes of this process.
  private(set) var latency = LatencyTotal()
  private(set) var kept = KeptResults()

  init() {}

  /// True when a snapshot file is no longer right.
  @discardableResult
  mutating func configure(_ check: MonitoringCheck, now: Timestamp) -> Bool {
    self.check = check
    let before = enabled.isOpen
    enabled.set(check.plan.enabled, at: now.microseconds)
    return enabled.isOpen != before
  }

  /// No longer configured: its figures wait for the day it comes back.
  mutating func retire(now: Timestamp) -> Bool {
    guard check != nil else { return false }
    check = nil
    kept = KeptResults()
    enabled.set(false, at: now.microseconds)
    return true
  }

  /// Whether the history is still of use once its check is not configured.
  func isWorthKeeping(at now: Timestamp) -> Bool {
    guard let last else { return false }
    return last.startedAt.duration(to: now) < .seconds(7 * 86_400)
  }

  mutating func clockStepped(from before: Timestamp, to now: Timestamp) {
    enabled.clockStepped(from: before.microseconds, to: now.microseconds)
    // A state that began since the step has its time by the clock as it was set.
    guard let began = since, !(now.advanced(by: .seconds(-10))...now).contains(began) else { return }
    since = began.advanced(by: before.duration(to: now))
  }

  /// The latest full results, newest first.
  var recent: [CheckResult] { kept.results }

  mutating func recount(after sequence: UInt64) { appliedThrough = min(appliedThrough, sequence) }

  mutating func keep(_ result: CheckResult, limit: KeepingLimit) { kept.append(result, limit) }

  mutating func trim(_ limit: KeepingLimit) {
    kept.trim(limit)
    timeline.trimOutages(limit.outages)
  }

  /// A scheduled verdict; manual runs are in no window and change no state. One that was applied before, by its
  /// sequence, is left alone.
  ///
  /// - Parameter isReplayed: an earlier process ran it and exposed it already.
  mutating func add(
    _ result: LastResult, interval: Duration, sequence: UInt64?, spanned slots: SlotRange? = nil,
    outages: Int = Outage.limit, isReplayed: Bool = false
  ) {
    if let sequence {
      guard sequence > appliedThrough else { return }
      appliedThrough = sequence
    }
    let standing = Standing(result.state, maintenance: result.maintenance)
    // What failed here took no time to work, whatever other places found.
    let success = (standing == .up || standing == .degraded) && result.reason != .regional
    let note = standing == .down ? OutageNote(result) : nil
    let time = success && measures(result.responseTime) ? result.responseTime : nil
    defer { timeline.trimOutages(outages) }
    counts.add(result.state, result.reason)
    if !isReplayed, let time { latency.add(time) }
    if result.scheduledAt.isPlausible, result.startedAt.isPlausible {
      timeline.add(
        standing, slot: result.scheduledAt, interval: interval, startedAt: result.startedAt,
        latency: time.map { LatencySum.within($0.microseconds) }, note: note)
      enabled.prove(at: result.scheduledAt.microseconds, isReplayed: isReplayed)
    } else {
      implausible += 1
    }
    if let slots, slots.first.isPlausible {
      spanned += slots.count
      for slot in slots {
        timeline.add(
          standing, slot: slot, interval: slots.interval, startedAt: slot, latency: nil, note: note,
          isSpanned: true)
      }
    }
    spark.append(SparkPoint(state: result.state, responseTime: result.responseTime))
    // A late arrival tells of the past: it does not change what is.
    if let last, result.startedAt < last.startedAt,
      last.startedAt.duration(to: result.startedAt) > .seconds(-300)
    {
      return
    }
    // A clock that was set back between two runs of the agent.
    let isAhead = isOfEarlierRun && !isReplayed && since.map { $0 > result.startedAt } == true
    if last?.state != result.state || isAhead { since = result.startedAt }
    isOfEarlierRun = isReplayed
    last = result
    switch standing {
    case .down: failures += 1
    case .up, .degraded: failures = 0
    case .unknown, .maintenance: break
    }
  }

  /// Time without a verdict that is no outage: it counts as maintenance, and nothing is stale meanwhile.
  mutating func skip(_ slot: Timestamp, interval: Duration) {
    timeline.skip(slot, interval: interval)
    skippedThrough = slot.advanced(by: interval)
  }

  /// Whether the response time of the next result is of a run that no result had before. Those of a heartbeat have that of
  /// the job's last run until the next one ends.
  func measures(_ time: Duration?) -> Bool {
    guard let time, check?.type == .heartbeat else { return true }
    return spark.points.last { $0.responseTime != nil }?.responseTime?.microseconds != time.microseconds
  }

  var lastState: CheckState? { last?.state }
  /// When its last run began.
  var lastSeen: Timestamp { last?.startedAt ?? .epoch }

  mutating func miss(_ count: Int) { missed += count }

  /// `nil` while it is not configured.
  mutating func windows(now: Timestamp) -> [WindowStatus]? {
    guard check != nil else { return nil }
    return UptimePeriod.allCases.map { timeline.window($0, now: now, enabled: enabled) }
  }

  mutating func figures(now: Timestamp) -> CheckFigures? {
    windows(now: now).flatMap { figures(now: now, windows: $0[...]) }
  }

  func figures(now: Timestamp, windows: ArraySlice<WindowStatus>) -> CheckFigures? {
    guard let check else { return nil }
    return CheckFigures(
      id: check.id, name: check.name, type: check.type, target: check.target, tags: check.plan.tags,
      interval: check.interval, timeout: check.timeout, enabled: check.plan.enabled,
      state: last?.state ?? .unknown, since: since,
      stale: isStale(check, now: now), last: last,
      sharedWindows: windows, sparkLine: spark, missed: missed,
      missedSinceStart: missed - missedBefore, spanned: spanned, implausible: implausible,
      resourceID: check.resourceID, failures: failures, failureThreshold: check.plan.failureThreshold,
      runbook: check.plan.runbook, counts: counts.pairs, latency: latency,
      latestOutage: lastOutage(now: now).map { [$0] } ?? [])
  }

  /// Also while it is not configured: another member may run it.
  mutating func share(now: Timestamp) -> WindowShare {
    let instant = now.microseconds
    return WindowShare(
      now: instant, parts: UptimePeriod.allCases.map { timeline.share($0, now: instant) },
      enabled: enabled.spans)
  }

  /// Oldest first; nil while it is not configured.
  func outages(now: Timestamp) -> [Outage]? {
    guard let check else { return nil }
    return timeline.outages(now: now, lasts: lasts(check, now: now))
  }

  /// The one that began last; nil while it is not configured.
  func lastOutage(now: Timestamp) -> Outage? {
    check.flatMap { timeline.latestOutage(now: now, lasts: lasts($0, now: now)) }
  }

  /// Whether an outage of the newest verdict still goes on, as far as anybody knows.
  func lasts(_ check: MonitoringCheck, now: Timestamp) -> Bool {
    check.plan.enabled && last?.state == .down && !isStale(check, now: now)
  }

  /// `nil` while it is not configured.
  func down(last span: Duration, now: Timestamp) -> Duration { timeline.down(last: span, now: now) }

  func series(_ period: UptimePeriod, now: Timestamp, points: Int) -> [SeriesPoint]? {
    check == nil ? nil : timeline.series(period, now: now, points: points)
  }

  private func isStale(_ check: MonitoringCheck, now: Timestamp) -> Bool {
    guard check.plan.enabled, let last else { return false }
    let seen = max(last.startedAt, skippedThrough ?? last.startedAt)
    return seen.duration(to: now) > check.interval * 3 + .seconds(60)
  }

  /// Bytes held by the windows, the sparkline and the spans; recent results not included.
  var footprint: Int {
    MemoryLayout<CheckHistory>.stride + timeline.footprint + spark.footprint
      + enabled.spans.capacity * 16 + counts.footprint
  }
}

extension CheckHistory {
  func encode(into writer: inout ByteWriter) {
    writer.unsigned(appliedThrough)
    writer.count(missed)
    writer.count(spanned)
    writer.count(failures)
    timeline.encode(into: &writer)
    enabled.encode(into: &writer)
    writer.optional(since?.microseconds)
    writer.bytes.append(last == nil ? 0 : 1)
    last?.encode(into: &writer)
    writer.count(spark.count)
    for point in spark.points {
      writer.text(point.state.rawValue)
      writer.optional(point.responseTime?.microseconds)
    }
    timeline.encodeOutages(into: &writer)
    counts.encode(into: &writer)
    timeline.past.encode(into: &writer)
    timeline.encodeEarlierOutages(into: &writer)
  }

  /// - Parameter version: of the file; see `HistoryState.versions`.
  init(from reader: inout ByteReader, version: UInt64) throws(CodingDamage) {
    appliedThrough = try reader.unsigned(through: 1 << 62)
    missed = Int(clamping: try reader.unsigned(through: 1 << 48))
    missedBefore = missed
    spanned = Int(clamping: try reader.unsigned(through: 1 << 48))
    failures = Int(clamping: try reader.unsigned(through: 1 << 48))
    timeline = try HeldVerdicts(from: &reader)
    enabled = try EnabledTime(from: &reader)
    since = try reader.optional().map { Timestamp(microseconds: $0) }
    isOfEarlierRun = true
    if try reader.byte() == 1 { last = try LastResult(from: &reader) }
    for _ in 0..<(try reader.count()) {
      guard let state = CheckState(word: try reader.text() ?? "") else { throw CodingDamage() }
      spark.append(SparkPoint(state: state, responseTime: try reader.optional().map { .microseconds($0) }))
    }
    if version >= 3 {
      try timeline.decodeOutages(from: &reader)
      counts = try ResultCounts(from: &reader)
    } else if let last, last.state == .down {
      timeline.explain(OutageNote(last))
    }
    if version >= 4 {
      timeline.past = try DayArchive(from: &reader)
    } else {
      timeline.foldKnownDays()
    }
    if version >= 5 { try timeline.decodeEarlierOutages(from: &reader) }
  }
}

extension LastResult {
  init(_ result: CheckResult) {
    self.init(
      scheduledAt: result.scheduledAt, startedAt: result.startedAt, state: result.state,
      reason: result.reason,
      phase: result.phase, statusCode: result.facts.statusCode, responseTime: result.facts.responseTime,
      certificateNotAfter: result.facts.tls?.notAfter, message: result.message,
      maintenance: result.maintenance)
  }

  init(_ record: DeliveryRecord) {
    let judged = record.judged
    self.init(
      scheduledAt: record.scheduledAt, startedAt: record.startedAt, state: judged.state,
      reason: judged.reason,
      phase: judged.phase, statusCode: record.statusCode, responseTime: record.responseTime,
      certificateNotAfter: record.certificateNotAfter, message: record.message,
      maintenance: record.flags.contains(.maintenance))
  }

  func encode(into writer: inout ByteWriter) {
    writer.signed(scheduledAt.microseconds)
    writer.signed(startedAt.microseconds)
    writer.text(state.rawValue)
    writer.text(reason.rawValue)
    writer.text(phase?.rawValue)
    writer.optional(statusCode.map(Int64.init))
    writer.optional(responseTime?.microseconds)
    writer.optional(certificateNotAfter?.microseconds)
    writer.text(message)
    writer.bytes.append(maintenance ? 1 : 0)
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    scheduledAt = Timestamp(microseconds: try reader.signed())
    startedAt = Timestamp(microseconds: try reader.signed())
    guard let state = CheckState(word: try reader.text() ?? ""),
      let reason = Reason(word: try reader.text() ?? "")
    else { throw CodingDamage() }
    self.state = state
    self.reason = reason
    phase = try reader.text().flatMap { Phase(word: $0) }
    statusCode = try reader.optional().map { Int(truncatingIfNeeded: $0) }
    responseTime = try reader.optional().map { .microseconds($0) }
    certificateNotAfter = try reader.optional().map { Timestamp(microseconds: $0) }
    message = try reader.text()
    maintenance = try reader.byte() == 1
  }
}

extension OutageNote {
  fileprivate convenience init(_ result: LastResult) {
    self.init(reason: result.reason, phase: result.phase, message: result.message)
  }
}
