// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Logging
import Monitoring
import QuartzAPI
import Scheduler
import Spool
import Synchronization

/// Where every result of the daemon goes, in one place: history, store, log.
final class Recorder: Sendable {
  private let agent: String
  /// `nil` where no check is shared.
  private let stamp: (@Sendable (inout DeliveryRecord, MonitoringCheck) -> Void)?
  private let history: HistoryStore
  private let spool: ResultSpool
  private let catalog: CheckCatalog
  private let hold: SlotHold
  /// `nil` where results stay on this machine.
  private let uploader: Uploader?
  /// `nil` where the agent does not write the status of resources.
  private let resources: ResourceUpdater?
  /// `nil` where alerts are off.
  private let alerts: AlertDesk?
  /// `nil` where traces are off.
  private let traces: TraceDesk?
  /// `nil` where this agent is in no group.
  private let quorum: QuorumDesk?
  private let log: Logger
  /// Log lines that were written, by check. The lock also joins the two writes of `record`.
  private let told: Mutex<[UniqueID: Told]>

  private struct Told {
    var state: CheckState
    /// The first slot of the row that was down, until the check is seen to work again; `nil` when it was not down.
    var downSince: Timestamp?
  }

  init(
    grid: SlotGrid, stamp: (@Sendable (inout DeliveryRecord, MonitoringCheck) -> Void)? = nil,
    history: HistoryStore, spool: ResultSpool, catalog: CheckCatalog,
    uploader: Uploader?, resources: ResourceUpdater?, alerts: AlertDesk? = nil, traces: TraceDesk? = nil,
    quorum: QuorumDesk? = nil, log: Logger
  ) {
    agent = grid.agent
    self.stamp = stamp
    hold = SlotHold(grid: grid)
    self.history = history
    self.spool = spool
    self.catalog = catalog
    (self.uploader, self.resources) = (uploader, resources)
    self.alerts = alerts
    (self.traces, self.quorum) = (traces, quorum)
    self.log = log
    // What was down before a restart is no news when it still is, and is news when it is not.
    told = Mutex(
      history.lastStates.mapValues { Told(state: $0, downSince: $0 == .down ? .epoch : nil) })
  }

  /// Forgets the states of checks that are gone.
  func keep(_ checks: [MonitoringCheck]) {
    let ids = Set(checks.map(\.id))
    told.withLock { $0 = $0.filter { ids.contains($0.key) } }
  }

  /// The result of a slot: it counts at once, or when the places of `confirm` have spoken.
  ///
  /// - Returns: its place in the store. `nil` where it has none yet.
  @discardableResult
  func take(_ result: CheckResult, of check: MonitoringCheck, spanned: SlotRange?) -> UInt64? {
    guard let quorum, quorum.concerns(check) else { return record(result, of: check, spanned: spanned) }
    quorum.take(result, of: check) { [self] settled in
      record(settled.result, of: check, spanned: spanned, tells: settled.isOurs)
    }
    return nil
  }

  /// - Parameters:
  ///   - spanned: the slots that passed while the run was going; they take its verdict.
  ///   - tells: false: another place tells people of it.
  /// - Returns: its place in the store; 0 once that is closed.
  @discardableResult
  func record(
    _ result: CheckResult, of check: MonitoringCheck, spanned: SlotRange? = nil, tells: Bool = true
  ) -> UInt64 {
    var flags: DeliveryRecord.Flags = uploader != nil && catalog.isPosted(check) ? .post : []
    if traces?.note(result, of: check) == true { flags.insert(.traced) }
    var record = DeliveryRecord(result, agent: agent, flags: flags)
    stamp?(&record, check)
    // The pace is that of what was found here.
    let found = result.confirmation?.own.state ?? result.state
    let interval = hold.interval(of: check, found, slot: result.scheduledAt)
    if result.trigger == .schedule { record.hold = VerdictHold(interval: interval, spanned: spanned) }
    let (previous, sequence) = told.withLock { [record] told in
      // Store first and history second, without anybody in between: a history that has counted a record knows its
      // sequence, so a restart neither counts it again nor leaves it out.
      let sequence = spool.enqueue(record)
      history.record(result, interval: interval, sequence: sequence, spanned: spanned)
      defer { if result.trigger == .schedule { told[check.id] = Self.next(told[check.id], result) } }
      return (told[check.id], sequence)
    }
    if record.isDeliverable { uploader?.recorded() }
    resources?.note(result)
    if tells { alerts?.note(result) }
    if result.trigger == .schedule { tell(result, previous: previous) }
    return sequence
  }

  /// A slot that was not run because the check is in a window that says so.
  func skipped(_ due: DueCheck) {
    let interval = hold.interval(of: due.check, .up, slot: due.scheduledAt)
    history.skipped(due.check.id, slot: due.scheduledAt, interval: interval)
    alerts?.skipped(due.check.id, slot: due.scheduledAt)
  }

  func note(_ event: ScheduleEvent) {
    switch event {
    case .missed(let check, let slots, let cause):
      history.missed(check, count: slots.count)
      log.warning(
        "slots missed",
        metadata: ["check": name(check), "slots": "\(slots.count)", "cause": "\(cause.rawValue)"])
    }
  }

  private func name(_ check: UniqueID) -> Logger.MetadataValue {
    "\(catalog[check]?.name ?? check.description)"
  }

  private static func next(_ told: Told?, _ result: CheckResult) -> Told {
    switch result.state {
    case .up, .degraded: Told(state: result.state)
    case .down: Told(state: .down, downSince: told?.downSince ?? result.scheduledAt)
    case .unknown: Told(state: .unknown, downSince: told?.downSince)
    }
  }

  /// How long it was down and why, for a check that works again; empty when it was not, or in maintenance only.
  private func recovery(_ result: CheckResult, from previous: Told?) -> Logger.Metadata {
    guard let since = previous?.downSince,
      let outage = history.lastOutage(result.checkID, now: result.scheduledAt), outage.heldUntil > since
    else { return [:] }
    return [
      "down_for": "\(StatusFormat.span(outage.duration(now: result.scheduledAt).microseconds))",
      "down_since": "\(outage.begin)", "reason": "\(outage.reason.rawValue)",
      "message": "\(outage.firstMessage ?? "")", "last_message": "\(outage.otherLastMessage ?? "")",
    ].filter { $0.value != "" }
  }

  /// One line a change of state; the first up of a check is no news.
  private func tell(_ result: CheckResult, previous: Told?) {
    guard result.state != previous?.state, !(previous == nil && result.state == .up) else { return }
    let metadata: Logger.Metadata = [
      "check": "\(result.check)", "reason": "\(result.reason.rawValue)", "message": "\(result.message ?? "")",
    ].filter { $0.value != "" }
    switch result.state {
    case .up:
      log.notice(
        previous?.downSince == nil ? "check is up" : "check is up again",
        metadata: ["check": "\(result.check)"].merging(recovery(result, from: previous)) { $1 })
    case .degraded:
      // Its own reason is why it is degraded; only the length is of the outage.
      let length = recovery(result, from: previous)["down_for"]
      log.warning(
        "check is degraded", metadata: length.map { metadata.merging(["down_for": $0]) { $1 } } ?? metadata)
    case .down: log.error("check is down", metadata: metadata)
    case .unknown where result.reason == .dependency:
      log.notice("check fails along with what it depends on", metadata: metadata)
    case .unknown where result.reason == .heartbeatMissed:
      log.notice("waiting for the first report", metadata: metadata)
    case .unknown:
      log.warning("check is unknown: could not be determined from this machine", metadata: metadata)
    }
  }
}

extension Recorder: AgentPart {
  /// The state of a check that another runs by now may have changed since.
  func follow(_ list: FollowedList) { keep(list.known) }
}
