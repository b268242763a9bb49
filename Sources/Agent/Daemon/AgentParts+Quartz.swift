// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Logging
import Monitoring
import QuartzAPI
import Spool

// What goes to the API, and what comes from there.
extension AgentParts {
  /// `nil` without a Quartz backend.
  static func link(
    _ settings: Settings, _ engine: ProbeEngine, _ spool: ResultSpool, _ starts: StartWatch,
    _ disk: StateDisk, _ reporter: AgentReporter, _ group: GroupDesk?, _ catalog: CheckCatalog,
    _ apps: AppDesk,
    apply: @escaping @Sendable (PulledChecks) async -> Void
  ) throws -> QuartzLink? {
    let sharing = group.map { group in
      CheckListPuller.Sharing {
        group.pullsForAll
      } publish: {
        if await group.publish($0) { catalog.announce() }
      }
    }
    return try settings.quartz.map { quartz in
      try QuartzLink(
        quartz, settings, engine, spool, starts, disk, reporter, sharing: sharing, contact: apps.contact,
        apply: apply)
    }
  }

  /// In a group the owner of a check runs what people ask for, and says what was acknowledged.
  static func apps(
    _ settings: Settings, _ group: GroupDesk?, _ catalog: CheckCatalog, _ maintenance: MaintenanceBook,
    _ log: Logger, _ time: TimeSource
  ) -> AppDesk {
    let isRunHere: @Sendable (UniqueID) -> Bool = { check in
      guard let group else { return catalog[check] != nil }
      return [.own, .owner].contains(group.role(of: check) { catalog[$0] != nil })
    }
    let desk = AppDesk(
      asks: AskDesk(isRunHere: isRunHere, log: log, time: time),
      hasAlerts: settings.alerts != nil && settings.quartz?.deliver.target == .quartz, isRunHere: isRunHere,
      log: log, time: time)
    desk.follow(maintenance, catalog)
    return desk
  }

  static func take(
    _ pulled: PulledChecks, _ maintenance: MaintenanceBook, _ catalog: CheckCatalog, _ log: Logger
  ) {
    log.tell(pulled.changes)
    maintenance.replace(api: pulled.windows)
    catalog.replace(api: pulled.checks, listed: pulled.listed, chosen: pulled.chosen)
  }
}
