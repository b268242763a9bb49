// SPDX-License-Identifier: MIT

import Basics
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
  private let history: HistoryStore
  private let spool: ResultSpool
  private let catalog: CheckCatalog
  private let hold: SlotHold
  /// Nil: results stay on this machine.
  private let uploader: Uploader?
  /// Nil: nobody writes the status of resources, or the backend does.
  private let resources: ResourceUpdater?
  private let log: Logger
  /// The last state told in the log, by check. The lock also joins the two writes of `record`.
  private let told: Mutex<[UniqueID: CheckState]>

  init(
    agent: String, history: HistoryStore, spool: ResultSpool, catalog: CheckCatalog,
    link: QuartzLink?, log: Logger
  ) {
    self.agent = agent
    hold = SlotHold(agent: agent)
    self.history = history
    self.spool = spool
    self.catalog = catalog
    uploader = link?.uploader
    resources = link?.resources
    self.log = log
    // What was down before a restart is no news when it still is, and is news when it is not.
    told = Mutex(history.lastStates)
  }

  /// Forgets the states of checks that are gone.
  func keep(_ checks: [MonitoringCheck]) {
    let ids = Set(checks.map(\.id))
    told.withLock { $0 = $0.filter { ids.contains($0.key) } }
  }

  /// - Parameter spanned: the slots that passed while the run was going; they take its verdict.
  func record(_ result: CheckResult, of check: MonitoringCheck, spanned: SlotRange? = nil) {
    let flags: DeliveryRecord.Flags = uploader != nil && catalog.isPosted(check) ? .post : []
    let record = DeliveryRecord(result, agent: agent, flags: flags)
    let interval = hold.interval(of: check, result.state, slot: result.scheduledAt)
    let previous = told.withLock { told in
      // Store first and history second, without anybody in between: a history that has counted a record knows its
      // sequence, so a restart neither counts it again nor leaves it out.
      let sequence = spool.enqueue(record)
      history.record(
        result, interval: interval, sequence: sequence, spanned: spanned.map(SpannedSlots.init))
      defer { if result.trigger == .schedule { told[check.id] = result.state } }
      return told[check.id]
    }
    if record.isDeliverable { uploader?.recorded() }
    resources?.note(result)
    if result.trigger == .schedule { tell(result, previous: previous) }
  }

  /// A slot that was not run because the check is in a window that says so.
  func skipped(_ due: DueCheck) {
    let interval = hold.interval(of: due.check, .up, slot: due.scheduledAt)
    history.skipped(due.check.id, slot: due.scheduledAt, interval: interval)
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

  /// One line a change of state; the first up of a check is no news.
  private func tell(_ result: CheckResult, previous: CheckState?) {
    guard result.state != previous, !(previous == nil && result.state == .up) else { return }
    let metadata: Logger.Metadata = [
      "check": "\(result.check)", "reason": "\(result.reason.rawValue)", "message": "\(result.message ?? "")",
    ].filter { $0.value != "" }
    switch result.state {
    case .up: log.notice("check is up again", metadata: ["check": "\(result.check)"])
    case .degraded: log.warning("check is degraded", metadata: metadata)
    case .down: log.error("check is down", metadata: metadata)
    case .unknown: log.warning("check is unknown: this machine could not find out", metadata: metadata)
    }
  }
}
