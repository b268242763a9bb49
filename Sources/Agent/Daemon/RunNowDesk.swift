// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler
import StatusServer
import Synchronization

/// Runs checks because a person asked, beside the schedule and through the same engine.
///
/// Nothing of it touches the schedule: slots come when they come, and the result is of no slot and in no window.
final class RunNowDesk: Sendable {
  private let probes: any Probing
  private let scheduler: CheckScheduler
  private let catalog: CheckCatalog
  private let maintenance: MaintenanceBook
  private let recorder: Recorder
  private let running = Mutex<Set<UniqueID>>([])

  /// Runs by hand at once.
  static let limit = 4

  init(
    probes: any Probing, scheduler: CheckScheduler, catalog: CheckCatalog, maintenance: MaintenanceBook,
    recorder: Recorder
  ) {
    self.probes = probes
    self.scheduler = scheduler
    self.catalog = catalog
    self.maintenance = maintenance
    self.recorder = recorder
  }

  func run(_ checkID: UniqueID) async -> RunNowOutcome {
    guard let check = catalog[checkID], check.plan.enabled else { return .noSuchCheck }
    guard !scheduler.isRunning(checkID) else {
      return .busy("a run of this check is under way: its result will be here in a moment")
    }
    if let why = running.withLock({ begin(&$0, checkID) }) { return .busy(why) }
    defer { running.withLock { _ = $0.remove(checkID) } }
    guard let result = try? await probes.runNow(check, maintenance.plan, isAsked: true) else {
      return .stopping
    }
    recorder.record(result, of: check)
    return .done(result)
  }

  private func begin(_ running: inout Set<UniqueID>, _ checkID: UniqueID) -> String? {
    if running.contains(checkID) { return "this check is being run by hand already" }
    if running.count >= Self.limit {
      return "\(Self.limit) checks are being run by hand: try again in a moment"
    }
    running.insert(checkID)
    return nil
  }
}
