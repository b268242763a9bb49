// SPDX-License-Identifier: MIT

import Basics
import Checks
import Logging
import QuartzAPI

/// Tasks that one agent does for its whole group.
struct GroupOnce: Sendable {
  /// `nil` where every incident is this agent's alone.
  let incidents: IncidentDesk?
  /// `nil` where no group writes the status of resources.
  let resources: ResourceStates?

  init(
    _ group: GroupDesk?, _ alerts: AlertDesk?, _ updater: ResourceUpdater?, _ engine: ProbeEngine,
    _ catalog: CheckCatalog, _ log: Logger
  ) {
    incidents = alerts == nil ? nil : group.map { IncidentDesk($0, engine, catalog, log) }
    resources = group.flatMap { ResourceStates($0, updater, engine, catalog) }
  }

  /// Tasks that run beside the scheduler until it is cancelled.
  var services: [@Sendable () async -> Void] {
    var services: [@Sendable () async -> Void] = []
    if let incidents { services.append { await incidents.run() } }
    if let resources { services.append { await resources.run() } }
    return services
  }
}
