// SPDX-License-Identifier: MIT

import Basics
import Checks
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler

/// Followers of the list of checks, in the order in which they get each list.
struct ListFollowers: Sendable {
  let engine: ProbeEngine
  let recorder: Recorder
  let reporter: AgentReporter
  let link: QuartzLink?
  let maintenance: MaintenanceBook
  let history: HistoryStore
  let alerts: AlertDesk?
  let catalog: CheckCatalog
  let scheduler: CheckScheduler
  /// `nil` where all checks are run here.
  let group: GroupDesk?
  /// `nil` where there are no other places.
  let places: PlacesParts?

  func take(_ checks: [MonitoringCheck]) {
    let arrangement = group?.arrange(checks, of: catalog.chosen) ?? GroupDesk.Arrangement(here: checks)
    let here = arrangement.here
    places?.apply(here)
    // What was known of a check before a restart is kept until it is known whose it is.
    let known = group?.runner.isPlaced ?? true ? here : checks
    engine.heartbeats.follow(checks)
    // What another runs by now may have changed since.
    recorder.keep(known)
    reporter.replace(checks: checks)
    link?.resources?.apply(checks)
    maintenance.replace(checks: checks)
    history.apply(known, now: engine.time.wall())
    alerts?.apply(known, names: group?.names)
    engine.follow(catalog) { recorder.isDown($0) }
    scheduler.apply(
      here, recalling: history.lastStates.mapValues { RunOutcome.Finding($0) }, taking: arrangement.taken,
      orphaned: arrangement.orphaned)
  }
}
